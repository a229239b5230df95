/* One Ethernet frame around a TCP segment: headers with right lengths and checksums.
 *
 * Ethernet II, IPv4 (RFC 791) or IPv6 (RFC 8200), TCP (RFC 9293) with the options of RFC 7323 and RFC 2018. Addresses are those kept
 * for documentation (RFC 5737, RFC 3849): the client has .1, the server .2 and port 445. No padding to Ethernet's least length. */
#ifndef REPLAY_ENCODE_PACKET_H
#define REPLAY_ENCODE_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ENCODE_TCP_OPTIONS = 40, ENCODE_SACK_BLOCKS = 4 };

enum encode_tcp_flags {
    ENCODE_FIN = 1,
    ENCODE_SYN = 2,
    ENCODE_RST = 4,
    ENCODE_PSH = 8,
    ENCODE_ACK = 16,
};

struct encode_packet {
    bool ipv6, from_client;
    uint16_t client_port;
    uint16_t ip_id; /* IPv4 */
    uint32_t seq, ack;
    uint16_t window; /* as it stands in the header */
    uint8_t flags;
    /* Options; a SYN's are MSS, SACK permitted and scale. */
    uint16_t mss;     /* 0: none */
    int window_scale; /* -1: none */
    bool sack_permitted, timestamps;
    uint32_t timestamp, timestamp_echo;
    unsigned sack_count;
    uint32_t sack[ENCODE_SACK_BLOCKS][2];
    uint32_t payload_bytes;
};

/* Bytes before the payload. */
size_t encode_packet_headers(const struct encode_packet *p);
/* Writes the headers before the payload, which stands in `frame` behind their bytes; the checksums cover it. Returns the length of the
 * frame. */
size_t encode_packet(const struct encode_packet *p, uint8_t *frame);

#endif
