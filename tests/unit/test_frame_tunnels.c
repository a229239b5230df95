/* Tunnels: the innermost packet counts, whatever is around it. */
#include "replay/frame.h"
#include "tests/packets.h"

enum { GRE = 47, UDP = 17 };

static void put_outer(GByteArray *b, unsigned protocol, const GByteArray *inner)
{
    put_be(b, 0x4500, 2);
    put_be(b, 20 + inner->len, 2);
    put_be(b, 0x12340000, 4);
    put_u8(b, 64);
    put_u8(b, protocol);
    put_zeros(b, 2);
    put_be(b, 0xc0000201, 4);
    put_be(b, 0xc0000202, 4);
    put_array(b, inner);
}

static void put_outer6(GByteArray *b, unsigned protocol, const GByteArray *inner)
{
    put_be(b, 0x60000000, 4);
    put_be(b, inner->len, 2);
    put_u8(b, protocol);
    put_u8(b, 64);
    put_be(b, 0x20010db800000009, 8);
    put_zeros(b, 8);
    put_be(b, 0x20010db80000000a, 8);
    put_zeros(b, 8);
    put_array(b, inner);
}

static struct tcp_spec hello(void)
{
    return (struct tcp_spec){.seq = 1000,
                             .ack = 2000,
                             .flags = FRAME_ACK,
                             .payload = (const uint8_t *)"hello",
                             .payload_length = 5};
}

/* What a tunnel carries, behind its header given in hex. `ethernet`: with an Ethernet header and a VLAN tag. */
static GByteArray *carried(const char *hex, bool ethernet, bool six)
{
    GByteArray *b = g_byte_array_new();
    struct tcp_spec t = hello();

    for (; *hex; hex += 2)
        put_u8(b, (unsigned)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1])));
    if (ethernet) {
        put_ethernet(b, 0x8100);
        put_be(b, 100, 2);
        put_be(b, six ? 0x86dd : 0x0800, 2);
    }
    if (six)
        put_ipv6(b, &t, 6, NULL, 0);
    else
        put_ipv4(b, &t);
    return b;
}

static const struct {
    unsigned protocol;
    const char *header;
    bool ethernet, six;
} TUNNELS[] = {
    {GRE, "00000800", false, false},
    {GRE, "000086dd", false, true},
    {GRE,
     "80000800"
     "12340000",
     false, false}, /* checksum */
    {GRE,
     "20000800"
     "00000007",
     false, false}, /* key */
    {GRE,
     "10000800"
     "00000001",
     false, false}, /* sequence number */
    {GRE,
     "b0000800"
     "12340000"
     "00000007"
     "00000001",
     false, false},                 /* all three */
    {GRE, "00006558", true, false}, /* Ethernet */
    {GRE,
     "20006558"
     "00000007",
     true, true},
    {GRE, "000088be", true, false}, /* ERSPAN I */
    {GRE,
     "100088be"
     "00000001"
     "1064000100000000",
     true, false}, /* ERSPAN II */
    {GRE,
     "100022eb"
     "00000001"
     "206400010000000000000000",
     true, false}, /* ERSPAN III */
    {GRE,
     "100022eb"
     "00000001"
     "206400010000000000000001"
     "0000000000000000",
     true, true},
    {GRE, "0000883e", false, false}, /* WCCP 1 */
    {GRE,
     "0000883e"
     "40000102",
     false, false}, /* and 2, with its flag for an alternative bucket */
    {UDP,
     "c00012b500000000"
     "0800000000000700",
     true, false}, /* VXLAN */
    {UDP,
     "c000211800000000"
     "0800000000000700",
     true, true},          /* on Linux' own port */
    {4, "", false, false}, /* IP in IP */
    {41, "", false, true},
};

static void check_hello(enum frame_outcome outcome, const struct frame *f, bool six)
{
    g_assert_cmpint(outcome, ==, FRAME_TCP);
    g_assert_cmpint(f->ipv6, ==, six);
    g_assert_cmpuint(f->from.port, ==, 50000);
    g_assert_cmpuint(f->seq, ==, 1000);
    g_assert_cmpuint(f->payload_bytes, ==, 5);
    g_assert_cmpuint(f->ip_bytes, ==, (six ? 40 : 20) + 20 + 5);
    g_assert_cmpuint(f->from.address[0], ==, six ? 0x20 : 198);
    g_assert_cmpuint(f->from.address[15], ==, six ? 1 : 0); /* nothing is left of the outer ends */
}

static void test_tunnels(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(TUNNELS); i++) {
        for (int outer_six = 0; outer_six <= 1; outer_six++) {
            g_autoptr(GByteArray) inner = carried(TUNNELS[i].header, TUNNELS[i].ethernet, TUNNELS[i].six);
            g_autoptr(GByteArray) b = g_byte_array_new();
            struct frame f;

            put_ethernet(b, outer_six ? 0x86dd : 0x0800);
            if (outer_six)
                put_outer6(b, TUNNELS[i].protocol, inner);
            else
                put_outer(b, TUNNELS[i].protocol, inner);
            check_hello(frame_decode(FRAME_LINK_ETHERNET, b->data, b->len, b->len, &f), &f, TUNNELS[i].six);
            g_assert_cmpuint(f.payload_seen, ==, 5);
            /* Cut by a snap length, from the payload down to nothing. */
            for (size_t n = b->len - 5; n < b->len; n++)
                check_hello(frame_decode(FRAME_LINK_ETHERNET, b->data, n, b->len, &f), &f, TUNNELS[i].six);
            for (size_t n = 0; n < b->len - 5; n++) {
                g_autofree uint8_t *exact = g_memdup2(b->data, n);

                g_assert_cmpint(frame_decode(FRAME_LINK_ETHERNET, exact, n, b->len, &f), ==, FRAME_CUT);
            }
        }
    }
}

/* A tunnel in a tunnel, up to a bound. */
static void test_nested(void)
{
    g_autoptr(GByteArray) b = carried("", false, false);

    for (int depth = 1; depth <= FRAME_TUNNELS_MAX + 1; depth++) {
        g_autoptr(GByteArray) outer = g_byte_array_new();
        g_autoptr(GByteArray) gre = g_byte_array_new();
        struct frame f;
        enum frame_outcome outcome;

        put_be(gre, 0x0800, 4);
        put_array(gre, b);
        put_outer(outer, GRE, gre);
        g_byte_array_set_size(b, 0);
        put_array(b, outer);
        outcome = frame_decode(FRAME_LINK_RAW, b->data, b->len, b->len, &f);
        if (depth <= FRAME_TUNNELS_MAX)
            check_hello(outcome, &f, false);
        else
            g_assert_cmpint(outcome, ==, FRAME_NOT_TCP);
    }
}

/* A super-frame of segmentation offload in a tunnel: neither header can say its length. */
static void test_offload(void)
{
    g_autofree uint8_t *large = g_malloc0(70000);
    struct tcp_spec t = hello();

    t.payload = large;
    t.payload_length = 70000;
    for (int six = 0; six <= 1; six++) {
        g_autoptr(GByteArray) inner = g_byte_array_new();
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct frame f;

        put_be(inner, six ? 0x86dd : 0x0800, 4);
        if (six)
            put_ipv6(inner, &t, 6, NULL, 0);
        else
            put_ipv4(inner, &t);
        put_outer(b, GRE, inner);
        memset(b->data + 2, 0, 2);
        memset(b->data + 24 + (six ? 4 : 2), 0, 2);
        g_assert_cmpint(frame_decode(FRAME_LINK_RAW, b->data, 200, b->len, &f), ==, FRAME_TCP);
        g_assert_cmpuint(f.payload_bytes, ==, 70000);
    }
}

static void test_not_tunnels(void)
{
    static const struct {
        unsigned protocol;
        const char *header;
    } CASES[] = {
        {GRE, "3081880b"
              "00040001"
              "00000000"
              "00000000"}, /* version 1: PPTP */
        {GRE, "40000800"
              "00000000"},         /* source route */
        {GRE, "00008847"},         /* MPLS */
        {UDP, "c000003500000000"}, /* DNS */
        {UDP, "c00012b500000000"
              "0000000000000700"}, /* not VXLAN, on its port */
        {50, ""},                  /* ESP */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) inner = carried(CASES[i].header, false, false);
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct frame f;

        put_outer(b, CASES[i].protocol, inner);
        g_assert_cmpint(frame_decode(FRAME_LINK_RAW, b->data, b->len, b->len, &f), ==, FRAME_NOT_TCP);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/frame-tunnels/tunnels", test_tunnels);
    g_test_add_func("/frame-tunnels/nested", test_nested);
    g_test_add_func("/frame-tunnels/offload", test_offload);
    g_test_add_func("/frame-tunnels/not-tunnels", test_not_tunnels);
    return g_test_run();
}
