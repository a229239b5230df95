#include "replay/frame.h"
#include "tests/packets.h"

static const uint8_t OPTIONS[] = {2, 4, 0x05, 0xb4, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2, 1, 3, 3, 7};

static struct tcp_spec hello(void)
{
    return (struct tcp_spec){.seq = 1000,
                             .ack = 2000,
                             .flags = FRAME_ACK,
                             .options = OPTIONS,
                             .options_length = sizeof OPTIONS,
                             .payload = (const uint8_t *)"hello",
                             .payload_length = 5};
}

static void check_hello(enum frame_outcome outcome, const struct frame *f, uint32_t ip_header)
{
    g_assert_cmpint(outcome, ==, FRAME_TCP);
    g_assert_cmpuint(f->from.port, ==, 50000);
    g_assert_cmpuint(f->to.port, ==, 445);
    g_assert_cmpuint(f->seq, ==, 1000);
    g_assert_cmpuint(f->ack, ==, 2000);
    g_assert_cmpuint(f->flags, ==, FRAME_ACK);
    g_assert_cmpuint(f->window, ==, 65535);
    g_assert_cmpint(f->mss, ==, 1460);
    g_assert_cmpint(f->wscale, ==, 7);
    g_assert_true(f->sack_permitted);
    g_assert_true(f->timestamps);
    g_assert_cmpuint(f->ip_bytes, ==, ip_header + 20 + sizeof OPTIONS + 5);
    g_assert_cmpuint(f->payload_seen, ==, 5);
    g_assert_cmpint(memcmp(f->payload, "hello", 5), ==, 0);
    g_assert_cmpuint(f->payload_bytes, ==, 5);
}

/* The bytes in a heap block of their exact size, so that a sanitizer sees a read past the end. The payload's view is gone with
 * the block. */
static enum frame_outcome decode(enum frame_link link, const GByteArray *b, size_t captured,
                                 struct frame *out)
{
    g_autofree uint8_t *exact = g_memdup2(b->data, captured);

    return frame_decode(link, exact, captured, b->len, out);
}

static void test_link_layers(void)
{
    static const struct {
        enum frame_link link;
        const char *header; /* in hex */
    } CASES[] = {
        {FRAME_LINK_ETHERNET, "0200000000010200000000020800"},
        {FRAME_LINK_ETHERNET, "02000000000102000000000281000064"
                              "0800"}, /* VLAN */
        {FRAME_LINK_ETHERNET, "02000000000102000000000288a80064"
                              "81000065"
                              "0800"}, /* QinQ */
        {FRAME_LINK_ETHERNET, "0200000000010200000000029100006481000065"
                              "0800"}, /* its older type */
        {FRAME_LINK_ETHERNET, "020000000001020000000002"
                              "0049"
                              "aaaa03000000"
                              "0800"}, /* LLC and SNAP */
        {FRAME_LINK_SLL, "00000001000602000000000100000800"},
        {FRAME_LINK_SLL, "000000010006020000000001000081000064"
                         "0800"},
        {FRAME_LINK_SLL2, "0800000000000002000100060200000000010000"},
        {FRAME_LINK_RAW, ""},
        {FRAME_LINK_NULL, "02000000"},
        {FRAME_LINK_NULL, "00000002"},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct tcp_spec t = hello();
        struct frame f;
        const char *hex = CASES[i].header;

        for (; *hex; hex += 2)
            put_u8(b, (unsigned)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1])));
        put_ipv4(b, &t);
        check_hello(frame_decode(CASES[i].link, b->data, b->len, b->len, &f), &f, 20);
    }
}

static void test_not_ip(void)
{
    g_autoptr(GByteArray) b = g_byte_array_new();
    struct frame f;

    put_ethernet(b, 0x0806);
    put_zeros(b, 46);
    g_assert_cmpint(decode(FRAME_LINK_ETHERNET, b, b->len, &f), ==, FRAME_NOT_IP);
    g_assert_cmpint(decode(FRAME_LINK_RAW, b, b->len, &f), ==, FRAME_NOT_IP);
    g_assert_cmpint(decode(FRAME_LINK_ETHERNET, b, 10, &f), ==, FRAME_CUT);
    g_assert_cmpint(decode(FRAME_LINK_ETHERNET, b, 0, &f), ==, FRAME_CUT);
    g_assert_cmpint(decode(FRAME_LINK_UNSUPPORTED, b, b->len, &f), ==, FRAME_UNREAD);
}

/* Whatever is captured of a frame, lengths come out as they were on the wire, and nothing is read that isn't there. */
static void test_every_prefix(void)
{
    g_autoptr(GByteArray) b = g_byte_array_new();
    struct tcp_spec t = hello();

    put_ethernet(b, 0x0800);
    put_ipv4(b, &t);
    for (size_t n = 0; n <= b->len; n++) {
        struct frame f;
        enum frame_outcome outcome = decode(FRAME_LINK_ETHERNET, b, n, &f);

        if (n < 14 + 20 + 20) {
            g_assert_cmpint(outcome, ==, FRAME_CUT);
            continue;
        }
        g_assert_cmpint(outcome, ==, FRAME_TCP);
        g_assert_cmpuint(f.payload_bytes, ==, 5);
        g_assert_cmpuint(f.ip_bytes, ==, 20 + 20 + sizeof OPTIONS + 5);
        g_assert_cmpuint(f.payload_seen, ==, n > b->len - 5 ? n - (b->len - 5) : 0);
        if (n >= 14 + 20 + 24)
            g_assert_cmpint(f.mss, ==, 1460);
    }
}

static void test_ipv6_extensions(void)
{
    static const uint8_t HOP[] = {60, 0, 1, 4, 0, 0, 0, 0};
    static const uint8_t CHAIN[] = {
        43, 0, 1, 4, 0, 0, 0, 0,                         /* hop by hop, then */
        60, 0, 0, 0, 0, 0, 0, 0,                         /* routing */
        51, 0, 1, 4, 0, 0, 0, 0,                         /* destination */
        44, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, /* authentication: (2 + 2) * 4 bytes */
        6,  0, 0, 0, 0, 0, 0, 9,                         /* an atomic fragment */
    };
    struct tcp_spec t = hello();
    struct frame f;
    g_autoptr(GByteArray) plain = g_byte_array_new();
    g_autoptr(GByteArray) chain = g_byte_array_new();
    g_autoptr(GByteArray) open_end = g_byte_array_new();

    put_ipv6(plain, &t, 6, NULL, 0);
    check_hello(frame_decode(FRAME_LINK_RAW, plain->data, plain->len, plain->len, &f), &f, 40);
    g_assert_true(f.ipv6);
    put_ipv6(chain, &t, 0, CHAIN, sizeof CHAIN);
    check_hello(frame_decode(FRAME_LINK_RAW, chain->data, chain->len, chain->len, &f), &f, 40 + sizeof CHAIN);
    for (size_t n = 0; n < 40 + sizeof CHAIN + 20; n++)
        g_assert_cmpint(decode(FRAME_LINK_RAW, chain, n, &f), ==, n == 0 ? FRAME_NOT_IP : FRAME_CUT);
    put_ipv6(open_end, &t, 0, HOP, sizeof HOP); /* leads to another header where TCP starts */
    g_assert_cmpint(decode(FRAME_LINK_RAW, open_end, open_end->len, &f), !=, FRAME_TCP);
}

static void test_fragments(void)
{
    static const uint8_t FRAGMENT[] = {6, 0, 0, 1, 0, 0, 0, 9}; /* more to come */
    struct tcp_spec t = hello();
    struct frame f;
    g_autoptr(GByteArray) four = g_byte_array_new();
    g_autoptr(GByteArray) six = g_byte_array_new();

    put_ipv4(four, &t);
    four->data[6] = 0x20;
    /* Only the last piece may have a length that isn't a multiple of eight. */
    g_assert_cmpint(decode(FRAME_LINK_RAW, four, four->len, &f), ==, FRAME_MALFORMED);
    four->data[3] = (uint8_t)(four->data[3] - 5); /* 40 bytes of TCP */
    g_assert_cmpint(decode(FRAME_LINK_RAW, four, four->len, &f), ==, FRAME_FRAGMENT);
    g_assert_cmpuint(f.fragment.length, ==, 40);
    g_assert_true(f.fragment.more);
    four->data[6] = 0;
    four->data[7] = 8;
    g_assert_cmpint(decode(FRAME_LINK_RAW, four, four->len, &f), ==, FRAME_FRAGMENT);
    g_assert_cmpuint(f.fragment.offset, ==, 64);
    g_assert_false(f.fragment.more);
    four->data[9] = 1; /* ICMP: no piece of it can hold TCP */
    g_assert_cmpint(decode(FRAME_LINK_RAW, four, four->len, &f), ==, FRAME_NOT_TCP);
    t.payload_length = 0;
    put_ipv6(six, &t, 44, FRAGMENT, sizeof FRAGMENT);
    g_assert_cmpint(decode(FRAME_LINK_RAW, six, six->len, &f), ==, FRAME_FRAGMENT);
    g_assert_cmpuint(f.fragment.id, ==, 9);
    g_assert_cmpuint(f.fragment.length, ==, 40);
}

/* A sender that leaves segmentation to its adapter writes 0 as the length: the frame's own stands in. */
static void test_segmentation_offload(void)
{
    g_autofree uint8_t *large = g_malloc0(70000);
    struct tcp_spec t = hello();
    struct frame f;

    t.payload = large;
    for (int v = 4; v <= 6; v += 2) {
        for (uint32_t length = 2016; length <= 70000; length = length == 2016 ? 70000 : 70001) {
            g_autoptr(GByteArray) b = g_byte_array_new();

            t.payload_length = length;
            put_ethernet(b, v == 4 ? 0x0800 : 0x86dd);
            if (v == 4)
                put_ipv4(b, &t);
            else
                put_ipv6(b, &t, 6, NULL, 0);
            memset(b->data + (v == 4 ? 14 + 2 : 14 + 4), 0, 2);
            g_assert_cmpint(decode(FRAME_LINK_ETHERNET, b, 200, &f), ==, FRAME_TCP);
            g_assert_cmpuint(f.payload_bytes, ==, length);
            g_assert_cmpuint(f.ip_bytes, ==, b->len - 14);
        }
    }
}

/* Ethernet pads short frames: the padding isn't payload. */
static void test_padding(void)
{
    struct tcp_spec t = {.seq = 1, .flags = FRAME_ACK};
    struct frame f;
    g_autoptr(GByteArray) b = g_byte_array_new();

    put_ethernet(b, 0x0800);
    put_ipv4(b, &t);
    put_zeros(b, 6);
    g_assert_cmpint(decode(FRAME_LINK_ETHERNET, b, b->len, &f), ==, FRAME_TCP);
    g_assert_cmpuint(f.payload_bytes, ==, 0);
    g_assert_cmpuint(f.payload_seen, ==, 0);
    g_assert_cmpuint(f.ip_bytes, ==, 40);
}

static void test_impossible_lengths(void)
{
    static const struct {
        size_t at;
        uint8_t value;
    } CASES[] = {
        {0, 0x44},  /* IP header of 16 bytes */
        {3, 19},    /* total length shorter than the header (with the high byte cleared below) */
        {3, 39},    /* no room for TCP's */
        {32, 0x40}, /* TCP header of 16 bytes */
        {32, 0xf0}, /* TCP header beyond the packet */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct tcp_spec t = hello();
        struct frame f;
        g_autoptr(GByteArray) b = g_byte_array_new();

        t.options_length = 0;
        put_ipv4(b, &t);
        b->data[CASES[i].at] = CASES[i].value;
        g_assert_cmpint(decode(FRAME_LINK_RAW, b, b->len, &f), ==, FRAME_MALFORMED);
    }
}

static void test_sack_blocks(void)
{
    static const uint8_t SACK[] = {1, 1, 5, 18, 0, 0, 0, 10, 0, 0, 0, 20, 0, 0, 0, 30, 0, 0, 0, 40};
    static const uint8_t BAD[] = {5, 200, 0, 0}; /* longer than the header */
    struct tcp_spec t = {.flags = FRAME_ACK, .options = SACK, .options_length = sizeof SACK};
    struct frame f;
    g_autoptr(GByteArray) good = g_byte_array_new();
    g_autoptr(GByteArray) bad = g_byte_array_new();

    put_ipv4(good, &t);
    g_assert_cmpint(decode(FRAME_LINK_RAW, good, good->len, &f), ==, FRAME_TCP);
    g_assert_cmpuint(f.sack_blocks, ==, 2);
    t.options = BAD;
    t.options_length = sizeof BAD;
    put_ipv4(bad, &t);
    g_assert_cmpint(decode(FRAME_LINK_RAW, bad, bad->len, &f), ==, FRAME_TCP);
    g_assert_cmpuint(f.sack_blocks, ==, 0);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/frame/link-layers", test_link_layers);
    g_test_add_func("/frame/not-ip", test_not_ip);
    g_test_add_func("/frame/every-prefix", test_every_prefix);
    g_test_add_func("/frame/ipv6-extensions", test_ipv6_extensions);
    g_test_add_func("/frame/fragments", test_fragments);
    g_test_add_func("/frame/segmentation-offload", test_segmentation_offload);
    g_test_add_func("/frame/padding", test_padding);
    g_test_add_func("/frame/impossible-lengths", test_impossible_lengths);
    g_test_add_func("/frame/sack-blocks", test_sack_blocks);
    return g_test_run();
}
