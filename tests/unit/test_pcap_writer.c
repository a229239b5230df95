/* Frames and the file that holds them, as the program's own decoder and libpcap see them. */
#include "replay/encode_packet.h"
#include "replay/frame.h"
#include "replay/pcap_writer.h"

#include <glib/gstdio.h>
#include <pcap/pcap.h>
#include <string.h>

/* RFC 1071 word by word, over the pseudo header as well: 0 when the checksum in it is right. */
static uint16_t checksum(const uint8_t *bytes, size_t n, uint32_t start)
{
    uint32_t sum = start;

    for (size_t i = 0; i < n; i++) {
        sum += i % 2 ? bytes[i] : (uint32_t)bytes[i] << 8;
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return (uint16_t)~sum;
}

static uint32_t be32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void check_packet(const struct encode_packet *p)
{
    uint8_t bytes[2000] = {0};
    size_t ip = p->ipv6 ? 40 : 20, addresses = p->ipv6 ? 32 : 8, headers = encode_packet_headers(p), length;
    struct frame f;

    for (uint32_t i = 0; i < p->payload_bytes; i++)
        bytes[headers + i] = (uint8_t)(i * 7);
    length = encode_packet(p, bytes);
    g_assert_cmpuint(length, ==, headers + p->payload_bytes);
    g_assert_cmpint(frame_decode(FRAME_LINK_ETHERNET, bytes, length, length, &f), ==, FRAME_TCP);
    g_assert_cmpuint(f.seq, ==, p->seq);
    g_assert_cmpuint(f.ack, ==, p->ack);
    g_assert_cmpuint(f.window, ==, p->window);
    g_assert_cmpuint(f.payload_bytes, ==, p->payload_bytes);
    g_assert_cmpint(f.mss, ==, p->mss ? p->mss : -1);
    g_assert_cmpint(f.wscale, ==, p->window_scale);
    g_assert_cmpint(f.sack_permitted, ==, p->sack_permitted);
    g_assert_cmpint(f.timestamps, ==, p->timestamps);
    for (unsigned i = 0; i < p->sack_count; i++) { /* the last of the options */
        const uint8_t *block = bytes + headers - 8 * (p->sack_count - i);

        g_assert_cmphex(be32(block), ==, p->sack[i][0]);
        g_assert_cmphex(be32(block + 4), ==, p->sack[i][1]);
    }
    if (p->sack_count)
        g_assert_cmphex(be32(bytes + headers - 8 * p->sack_count - 4), ==, 0x01010502 + 8 * p->sack_count);
    g_assert_cmpuint(f.from.port, ==, p->from_client ? p->client_port : 445);
    if (!p->ipv6)
        g_assert_cmphex(checksum(bytes + 14, 20, 0), ==, 0);
    g_assert_cmphex(
        checksum(bytes + 14 + ip - addresses, addresses + length - 14 - ip, 6 + (uint32_t)(length - 14 - ip)),
        ==, 0);
}

static void test_packets(void)
{
    for (int i = 0; i < 2000; i++) {
        struct encode_packet p = {
            .ipv6 = g_test_rand_bit(),
            .from_client = g_test_rand_bit(),
            .client_port = (uint16_t)g_test_rand_int_range(49152, 65535),
            .ip_id = (uint16_t)g_test_rand_int(),
            .seq = (uint32_t)g_test_rand_int(),
            .ack = (uint32_t)g_test_rand_int(),
            .window = (uint16_t)g_test_rand_int(),
            .flags = ENCODE_ACK,
            .window_scale = -1,
            .timestamps = g_test_rand_bit(),
            .timestamp = (uint32_t)g_test_rand_int(),
            .payload_bytes = (uint32_t)g_test_rand_int_range(0, 1500),
        };

        if (g_test_rand_bit()) {
            p.flags |= ENCODE_SYN;
            p.mss = (uint16_t)g_test_rand_int_range(1, 65535);
            p.window_scale = g_test_rand_int_range(-1, 15);
            p.sack_permitted = g_test_rand_bit();
        } else {
            p.sack_count = (unsigned)g_test_rand_int_range(0, p.timestamps ? 4 : 5);
        }
        for (unsigned b = 0; b < p.sack_count; b++) {
            p.sack[b][0] = (uint32_t)g_test_rand_int();
            p.sack[b][1] = p.sack[b][0] + 1460;
        }
        check_packet(&p);
    }
}

/* What libpcap reads in the file is what was written, to the nanosecond. */
static void test_pcap(void)
{
    static const int64_t TIMES[] = {0, 1, 946684800123456789, 4294967295999999999};
    g_autofree char *folder = g_dir_make_tmp("copytrial-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "x.pcap", NULL);
    char why[PCAP_ERRBUF_SIZE];
    struct pcap_pkthdr *header;
    const u_char *bytes;
    struct pcap_writer *w;
    pcap_t *p;

    for (int commit = 0; commit < 2; commit++) {
        w = pcap_writer_open(path, NULL);
        g_assert_nonnull(w);
        for (size_t i = 0; i < G_N_ELEMENTS(TIMES); i++)
            g_assert_true(pcap_writer_frame(w, TIMES[i], (const uint8_t *)"abcdefgh", 4 + i, NULL));
        if (!commit)
            pcap_writer_discard(w);
        else
            g_assert_true(pcap_writer_commit(w, NULL));
        g_assert_cmpint(g_file_test(path, G_FILE_TEST_EXISTS), ==, commit);
    }
    p = pcap_open_offline_with_tstamp_precision(path, PCAP_TSTAMP_PRECISION_NANO, why);
    g_assert_nonnull(p);
    g_assert_cmpint(pcap_datalink(p), ==, DLT_EN10MB);
    for (size_t i = 0; i < G_N_ELEMENTS(TIMES); i++) {
        g_assert_cmpint(pcap_next_ex(p, &header, &bytes), ==, 1);
        g_assert_cmpint((int64_t)(uint32_t)header->ts.tv_sec * 1000000000 + header->ts.tv_usec, ==, TIMES[i]);
        g_assert_cmpuint(header->len, ==, 4 + i);
        g_assert_true(memcmp(bytes, "abcdefgh", header->caplen) == 0);
    }
    g_assert_cmpint(pcap_next_ex(p, &header, &bytes), ==, PCAP_ERROR_BREAK);
    pcap_close(p);
    g_unlink(path);
    g_rmdir(folder);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/pcap-writer/packets", test_packets);
    g_test_add_func("/pcap-writer/file", test_pcap);
    return g_test_run();
}
