#include "replay/encode_packet.h"
#include "replay/pdu.h"

enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40, TCP = 20, PROTOCOL_TCP = 6, SERVER_PORT = 445 };

static size_t option_bytes(const struct encode_packet *p)
{
    size_t n = 0;

    n += p->mss ? 4 : 0;
    n += p->timestamps ? 12 : p->sack_permitted ? 4 : 0;
    n += p->window_scale >= 0 ? 4 : 0;
    n += p->sack_count ? 4 + 8 * p->sack_count : 0;
    return n;
}

static size_t ip_header(const struct encode_packet *p)
{
    return p->ipv6 ? IPV6 : IPV4;
}

size_t encode_packet_headers(const struct encode_packet *p)
{
    return ETHERNET + ip_header(p) + TCP + option_bytes(p);
}

/* ---- checksums: RFC 1071 ------------------------------------------------------------------------------------------- */

/* The sum of 16-bit words in network order, unfolded. */
static uint64_t sum_words(const uint8_t *bytes, size_t n)
{
    uint64_t sum = 0;

    for (; n >= 4; n -= 4, bytes += 4)
        sum += (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
    if (n >= 2) {
        sum += (uint32_t)bytes[0] << 8 | bytes[1];
        bytes += 2;
        n -= 2;
    }
    return sum + (n ? (uint32_t)bytes[0] << 8 : 0);
}

static uint16_t fold(uint64_t sum)
{
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return (uint16_t)~sum;
}

static void put_checksum(uint8_t *at, uint16_t checksum)
{
    at[0] = (uint8_t)(checksum >> 8);
    at[1] = (uint8_t)checksum;
}

/* ---- headers -------------------------------------------------------------------------------------------------------- */

static void ethernet(struct pdu *h, const struct encode_packet *p)
{
    for (int source = 0; source < 2; source++) { /* destination first */
        pdu_be32(h, 0x02000000);                 /* locally administered */
        pdu_be16(h, (source == 1) == p->from_client ? 1 : 2);
    }
    pdu_be16(h, p->ipv6 ? 0x86dd : 0x0800);
}

static void ipv4(struct pdu *h, const struct encode_packet *p, size_t tcp_bytes)
{
    uint8_t *start = h->bytes + h->at;

    pdu_u8(h, 0x45);
    pdu_u8(h, 0);
    pdu_be16(h, IPV4 + tcp_bytes);
    pdu_be16(h, p->ip_id);
    pdu_be16(h, 0x4000); /* don't fragment */
    pdu_u8(h, 64);
    pdu_u8(h, PROTOCOL_TCP);
    pdu_be16(h, 0);
    pdu_be32(h, p->from_client ? 0xc0000201 : 0xc0000202); /* 192.0.2.1, 192.0.2.2 */
    pdu_be32(h, p->from_client ? 0xc0000202 : 0xc0000201);
    put_checksum(start + 10, fold(sum_words(start, IPV4)));
}

static void ipv6_address(struct pdu *h, uint8_t host) /* 2001:db8:: */
{
    pdu_be32(h, 0x20010db8);
    pdu_be(h, 0, 8);
    pdu_be32(h, host);
}

static void ipv6(struct pdu *h, const struct encode_packet *p, size_t tcp_bytes)
{
    pdu_be32(h, 0x60000000);
    pdu_be16(h, tcp_bytes);
    pdu_u8(h, PROTOCOL_TCP);
    pdu_u8(h, 64);
    ipv6_address(h, p->from_client ? 1 : 2);
    ipv6_address(h, p->from_client ? 2 : 1);
}

static void options(struct pdu *h, const struct encode_packet *p)
{
    enum { NOP = 1, MSS = 2, SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMPS = 8 };

    if (p->mss) {
        pdu_be16(h, MSS << 8 | 4);
        pdu_be16(h, p->mss);
    }
    if (p->timestamps) {
        pdu_be16(h, p->sack_permitted ? SACK_PERMITTED << 8 | 2 : NOP << 8 | NOP);
        pdu_be16(h, TIMESTAMPS << 8 | 10);
        pdu_be32(h, p->timestamp);
        pdu_be32(h, p->timestamp_echo);
    } else if (p->sack_permitted) {
        pdu_be16(h, NOP << 8 | NOP);
        pdu_be16(h, SACK_PERMITTED << 8 | 2);
    }
    if (p->window_scale >= 0) {
        pdu_be16(h, NOP << 8 | SCALE);
        pdu_be16(h, (uint64_t)(3 << 8 | p->window_scale));
    }
    if (p->sack_count) {
        pdu_be16(h, NOP << 8 | NOP);
        pdu_be16(h, SACK << 8 | (2 + 8 * p->sack_count));
    }
    for (unsigned i = 0; i < p->sack_count; i++) {
        pdu_be32(h, p->sack[i][0]);
        pdu_be32(h, p->sack[i][1]);
    }
}

static void tcp(struct pdu *h, const struct encode_packet *p)
{
    pdu_be16(h, p->from_client ? p->client_port : SERVER_PORT);
    pdu_be16(h, p->from_client ? SERVER_PORT : p->client_port);
    pdu_be32(h, p->seq);
    pdu_be32(h, p->ack);
    pdu_u8(h, (TCP + option_bytes(p)) / 4 << 4);
    pdu_u8(h, p->flags);
    pdu_be16(h, p->window);
    pdu_be16(h, 0);
    pdu_be16(h, 0);
    options(h, p);
}

size_t encode_packet(const struct encode_packet *p, uint8_t *frame)
{
    size_t headers = encode_packet_headers(p), addresses = p->ipv6 ? 32 : 8;
    size_t tcp_bytes = TCP + option_bytes(p) + p->payload_bytes;
    struct pdu h = pdu_over(frame, headers);
    uint8_t *segment = frame + ETHERNET + ip_header(p);

    ethernet(&h, p);
    if (p->ipv6)
        ipv6(&h, p, tcp_bytes);
    else
        ipv4(&h, p, tcp_bytes);
    tcp(&h, p);
    /* The pseudo header: addresses, protocol, length. RFC 9293 3.1, RFC 8200 8.1. */
    put_checksum(segment + 16,
                 fold(sum_words(segment - addresses, addresses + tcp_bytes) + PROTOCOL_TCP + tcp_bytes));
    return headers + p->payload_bytes;
}
