/* From frames to segments: fragments put together, and copies of packets left out. */
#include "replay/intake.h"
#include "tests/packets.h"

#define US INT64_C(1000)
#define MS INT64_C(1000000)

struct feed {
    struct ledger ledger;
    struct intake intake;
    struct frame segment; /* the last one */
    uint64_t frames;
};

static void feed_init(struct feed *f)
{
    memset(f, 0, sizeof *f);
    intake_init(&f->intake, &f->ledger);
}

static bool feed_cut(struct feed *f, enum frame_link link, const GByteArray *b, uint32_t captured,
                     int64_t time_ns)
{
    const struct set_frame frame = {++f->frames, time_ns, b->data,       MIN(captured, b->len),
                                    b->len,      link,    FRAME_ANYWHERE};

    return intake_segment(&f->intake, &frame, &f->segment);
}

static bool feed(struct feed *f, const GByteArray *b, int64_t time_ns)
{
    return feed_cut(f, FRAME_LINK_RAW, b, b->len, time_ns);
}

/* ---- fragments ------------------------------------------------------------------------------------------------------ */

/* Payload bytes [offset, offset + length) of an IPv4 or IPv6 packet without options, as a packet of its own. Returns owned. */
static GByteArray *fragment(const GByteArray *packet, uint32_t offset, uint32_t length, uint16_t id)
{
    GByteArray *b = g_byte_array_new();
    bool six = packet->data[0] >> 4 == 6;
    guint header = six ? 40 : 20;
    bool more = header + offset + length < packet->len;

    g_byte_array_append(b, packet->data, header);
    if (six) {
        b->data[4] = (uint8_t)((length + 8) >> 8);
        b->data[5] = (uint8_t)(length + 8);
        put_u8(b, b->data[6]);
        b->data[6] = 44;
        put_u8(b, 0);
        put_be(b, offset | more, 2);
        put_be(b, id, 4);
    } else {
        b->data[2] = (uint8_t)((length + 20) >> 8);
        b->data[3] = (uint8_t)(length + 20);
        b->data[4] = (uint8_t)(id >> 8);
        b->data[5] = (uint8_t)id;
        b->data[6] = (uint8_t)((more ? 0x20 : 0) | offset / 8 >> 8);
        b->data[7] = (uint8_t)(offset / 8);
    }
    g_byte_array_append(b, packet->data + header + offset, length);
    return b;
}

enum { PAYLOAD = 4000, PIECE = 1480 };

static GByteArray *packet(bool six, uint32_t seq)
{
    static const uint8_t TEXT[PAYLOAD] = "what is in the first piece";
    GByteArray *b = g_byte_array_new();
    struct tcp_spec t = {
        .seq = seq, .ack = 1, .flags = FRAME_ACK, .payload = TEXT, .payload_length = PAYLOAD};

    if (six)
        put_ipv6(b, &t, 6, NULL, 0);
    else
        put_ipv4(b, &t);
    return b;
}

static GByteArray *piece(const GByteArray *p, unsigned i, uint16_t id)
{
    uint32_t all = p->len - (p->data[0] >> 4 == 6 ? 40 : 20);

    return fragment(p, i * PIECE, MIN(PIECE, all - i * PIECE), id);
}

static bool feed_piece(struct feed *f, const GByteArray *p, unsigned i, uint16_t id, int64_t time_ns)
{
    g_autoptr(GByteArray) b = piece(p, i, id);

    return feed(f, b, time_ns);
}

static void check_packet(const struct feed *f, uint32_t seq, bool six)
{
    g_assert_cmpuint(f->segment.seq, ==, seq);
    g_assert_cmpuint(f->segment.payload_bytes, ==, PAYLOAD);
    g_assert_cmpuint(f->segment.payload_seen, ==, PAYLOAD);
    g_assert_cmpuint(f->segment.ip_bytes, ==, (six ? 40 : 20) + 20 + PAYLOAD);
    g_assert_cmpint(f->segment.ipv6, ==, six);
    g_assert_cmpuint(f->segment.from.address[0], ==, six ? 0x20 : 198);
    g_assert_cmpint(memcmp(f->segment.payload, "what is in", 10), ==, 0);
}

static void test_orders(void)
{
    static const unsigned ORDERS[][3] = {{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}};

    for (int six = 0; six <= 1; six++) {
        for (size_t i = 0; i < G_N_ELEMENTS(ORDERS); i++) {
            g_autoptr(GByteArray) one = packet(six, 100);
            g_autoptr(GByteArray) other = packet(six, 5000);
            struct feed f;

            feed_init(&f);
            for (unsigned k = 0; k < 2; k++) { /* two packets at once */
                g_assert_false(feed_piece(&f, one, ORDERS[i][k], 1, k));
                g_assert_false(feed_piece(&f, other, ORDERS[i][k], 2, k));
            }
            g_assert_true(feed_piece(&f, one, ORDERS[i][2], 1, 3));
            check_packet(&f, 100, six);
            g_assert_true(feed_piece(&f, other, ORDERS[i][2], 2, 3));
            check_packet(&f, 5000, six);
            g_assert_cmpuint(f.intake.tcp_packets, ==, 2);
            intake_fini(&f.intake);
            for (int reason = 0; reason < LEDGER_REASONS; reason++)
                g_assert_cmpuint(f.ledger.count[reason], ==, 0);
        }
    }
}

/* Lengths are true, and of the bytes those before the first that is missing are there. */
static void test_snap_length(void)
{
    g_autoptr(GByteArray) whole = packet(false, 100);
    struct feed f;

    feed_init(&f);
    for (unsigned i = 0; i < 3; i++) {
        g_autoptr(GByteArray) b = piece(whole, i, 1);

        g_assert_cmpint(feed_cut(&f, FRAME_LINK_RAW, b, 96, i), ==, i == 2);
    }
    g_assert_cmpuint(f.segment.payload_bytes, ==, PAYLOAD);
    g_assert_cmpuint(f.segment.payload_seen, ==, 96 - 40);
    intake_fini(&f.intake);
}

/* Nothing is put together that doesn't fit, and all of it is counted. */
static void test_misfits(void)
{
    static const struct {
        uint32_t offset, length;
    } CASES[] = {
        {8, 1480},    /* across a border */
        {1000, 2000}, /* the same, from the middle of one to the next */
        {4000, 80},   /* beyond the end */
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) whole = packet(false, 100);
        g_autoptr(GByteArray) large = packet(false, 100);
        g_autoptr(GByteArray) bad = NULL;
        struct feed f;

        put_zeros(large, 1000);
        bad = fragment(large, CASES[i].offset, CASES[i].length, 1);
        feed_init(&f);
        g_assert_false(feed_piece(&f, whole, 0, 1, 0));
        g_assert_false(feed_piece(&f, whole, 2, 1, 0));
        g_assert_false(feed(&f, bad, 0));
        g_assert_false(feed_piece(&f, whole, 1, 1, 0));
        intake_fini(&f.intake);
        g_assert_cmpuint(f.ledger.count[LEDGER_FRAGMENT], ==, 4);
    }
}

/* A repeated fragment is a copy, also just after its packet became whole. */
static void test_repeated(void)
{
    g_autoptr(GByteArray) whole = packet(false, 100);
    struct feed f;

    feed_init(&f);
    g_assert_false(feed_piece(&f, whole, 0, 1, 0));
    g_assert_false(feed_piece(&f, whole, 0, 1, 0));
    g_assert_false(feed_piece(&f, whole, 1, 1, 0));
    g_assert_true(feed_piece(&f, whole, 2, 1, 0));
    g_assert_false(feed_piece(&f, whole, 2, 1, MS));
    g_assert_cmpuint(f.ledger.count[LEDGER_DUPLICATE], ==, 2);
    /* The id of a packet that is long gone is free again. */
    for (unsigned i = 0; i < 3; i++)
        g_assert_cmpint(feed_piece(&f, whole, i, 1, 60000 * MS), ==, i == 2);
    /* And that of one that never became whole: its first piece isn't joined to the new one's others. */
    g_assert_false(feed_piece(&f, whole, 0, 9, 60001 * MS));
    g_assert_false(feed_piece(&f, whole, 1, 9, 120000 * MS));
    g_assert_false(feed_piece(&f, whole, 2, 9, 120000 * MS));
    intake_fini(&f.intake);
    g_assert_cmpuint(f.ledger.count[LEDGER_FRAGMENT], ==, 3);
}

/* The table keeps the latest; memory has its bound. */
static void test_full(void)
{
    enum { MANY = 10 * FRAGMENTS_PACKETS };
    g_autoptr(GByteArray) whole = packet(true, 100);
    struct feed f;

    feed_init(&f);
    for (uint16_t id = 1; id <= MANY; id++)
        g_assert_false(feed_piece(&f, whole, 0, id, id));
    g_assert_cmpuint(f.ledger.count[LEDGER_FRAGMENT], ==, MANY - FRAGMENTS_PACKETS);
    g_assert_false(feed_piece(&f, whole, 1, MANY, MANY));
    g_assert_true(feed_piece(&f, whole, 2, MANY, MANY));
    intake_fini(&f.intake);
    g_assert_cmpuint(f.ledger.count[LEDGER_FRAGMENT], ==, MANY - 1);
}

/* A tunnel whose packets are cut in pieces outside, and one in which a packet is in pieces too. */
static void test_tunnel(void)
{
    g_autoptr(GByteArray) inner = packet(true, 100);
    g_autoptr(GByteArray) inner_piece = piece(inner, 0, 7);
    const GByteArray *const carried[] = {inner, inner_piece};

    for (int i = 0; i < 2; i++) {
        g_autoptr(GByteArray) outer = g_byte_array_new();
        struct feed f;

        feed_init(&f);
        put_be(outer, 0x4500, 2);
        put_be(outer, 24 + carried[i]->len, 2);
        put_be(outer, 0x12340000, 4);
        put_be(outer, 0x402f0000, 4);
        put_be(outer, 0xc0000201c0000202, 8);
        put_be(outer, 0x86dd, 4);
        put_array(outer, carried[i]);
        for (uint32_t at = 0; at < outer->len - 20; at += 1000) {
            g_autoptr(GByteArray) b = fragment(outer, at, MIN(1000, outer->len - 20 - at), 3);
            bool last = at + 1000 >= outer->len - 20;

            g_assert_cmpint(feed(&f, b, 0), ==, i == 0 && last);
        }
        if (i == 1) {
            g_assert_false(feed_piece(&f, inner, 1, 7, 0));
            g_assert_true(feed_piece(&f, inner, 2, 7, 0));
        }
        check_packet(&f, 100, true);
        intake_fini(&f.intake);
        g_assert_cmpuint(f.ledger.count[LEDGER_FRAGMENT], ==, 0);
    }
}

/* What turns out to hold no TCP is counted with all its frames. */
static void test_no_tcp(void)
{
    g_autoptr(GByteArray) udp = packet(false, 0x10000);
    struct feed f;

    udp->data[9] = 17;
    feed_init(&f);
    for (unsigned i = 0; i < 3; i++)
        g_assert_false(feed_piece(&f, udp, i, 1, 0));
    g_assert_cmpuint(f.ledger.count[LEDGER_NOT_TCP], ==, 3);
    g_assert_cmpuint(f.ledger.bytes[LEDGER_NOT_TCP], ==, 3 * 20 + 20 + PAYLOAD);
    intake_fini(&f.intake);
}

/* ---- duplicates ---------------------------------------------------------------------------------------------------- */

struct copy {
    int64_t after_ns;
    uint16_t id;
    uint8_t ttl;
    uint16_t check;
    uint8_t link; /* a byte of the Ethernet header */
    bool dropped;
};

static GByteArray *ethernet_frame(const struct tcp_spec *t, bool six, const struct copy *c)
{
    GByteArray *b = g_byte_array_new();
    guint tcp = 14 + (six ? 40 : 20);

    put_ethernet(b, six ? 0x86dd : 0x0800);
    b->data[5] = c->link;
    if (six) {
        put_ipv6(b, t, 6, NULL, 0);
        b->data[14 + 7] = c->ttl;
    } else {
        put_ipv4(b, t);
        b->data[14 + 4] = (uint8_t)(c->id >> 8);
        b->data[14 + 5] = (uint8_t)c->id;
        b->data[14 + 8] = c->ttl;
    }
    b->data[tcp + 16] = (uint8_t)(c->check >> 8);
    b->data[tcp + 17] = (uint8_t)c->check;
    return b;
}

/* Each copy is fed behind a first packet {id, TTL 64, check 7, link 1}, in a capture of its own. */
static void check_copies(const struct tcp_spec *t, bool six, uint16_t id, const struct copy *copies,
                         size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct copy before = {0, (uint16_t)(id ? 500 : 0), 64, 1, 1, false},
                          first = {0, id, 64, 7, 1, false};
        const struct tcp_spec other = {.seq = 9, .ack = 9, .flags = FRAME_ACK};
        g_autoptr(GByteArray) a = ethernet_frame(&other, six, &before);
        g_autoptr(GByteArray) b = ethernet_frame(t, six, &first);
        g_autoptr(GByteArray) c = ethernet_frame(t, six, &copies[i]);
        struct feed f;

        feed_init(&f);
        g_assert_true(feed_cut(&f, FRAME_LINK_ETHERNET, a, a->len, 0));
        g_assert_true(feed_cut(&f, FRAME_LINK_ETHERNET, b, b->len, 1000 * MS));
        if (feed_cut(&f, FRAME_LINK_ETHERNET, c, c->len, 1000 * MS + copies[i].after_ns) == copies[i].dropped)
            g_error("case %zu: should%s be dropped", i, copies[i].dropped ? "" : "n't");
        g_assert_cmpuint(f.ledger.count[LEDGER_DUPLICATE], ==, copies[i].dropped);
        g_assert_cmpuint(f.intake.tcp_packets, ==, 3);
        intake_fini(&f.intake);
    }
}

static const struct tcp_spec DATA = {
    .seq = 1000, .ack = 2000, .flags = FRAME_ACK, .payload = (const uint8_t *)"hello", .payload_length = 5};
static const struct tcp_spec BARE = {.seq = 1000, .ack = 2000, .flags = FRAME_ACK};

static void test_with_id(void)
{
    static const struct copy COPIES[] = {
        {10 * US, 1234, 64, 7, 1, true},
        {-10 * US, 1234, 64, 7, 1, true},  /* processors that stamp frames disagree */
        {4 * MS, 1234, 63, 7, 2, true},    /* behind a router */
        {1 * MS, 1234, 64, 9, 1, true},    /* its checksum was unfinished at the sender */
        {6 * MS, 1234, 64, 7, 1, false},   /* later than a copy comes */
        {300 * US, 1235, 64, 7, 1, false}, /* a retransmission in a fast network */
        {10 * US, 1235, 63, 7, 2, false},
    };

    check_copies(&DATA, false, 1234, COPIES, G_N_ELEMENTS(COPIES));
    check_copies(&BARE, false, 1234, COPIES, G_N_ELEMENTS(COPIES));
}

static void test_without_id(void)
{
    static const struct copy WITH_DATA[] = {
        {10 * US, 0, 64, 7, 1, true},  {100 * US, 0, 64, 7, 1, false}, /* may be a retransmission */
        {100 * US, 0, 63, 7, 2, true},                                 /* came another way */
        {100 * US, 0, 64, 7, 2, true}, {10 * US, 0, 64, 9, 1, false},  /* another packet */
        {6 * MS, 0, 63, 7, 2, false},
    };
    static const struct copy WITHOUT[] = {
        {1 * US, 0, 64, 7, 1, false}, /* the receiver's duplicate acknowledgement */
        {1 * US, 0, 63, 7, 2, true},
    };

    for (int six = 0; six <= 1; six++) {
        check_copies(&DATA, six, 0, WITH_DATA, G_N_ELEMENTS(WITH_DATA));
        check_copies(&BARE, six, 0, WITHOUT, G_N_ELEMENTS(WITHOUT));
    }
}

/* An id that all packets have tells none apart. */
static void test_constant_id(void)
{
    static const struct copy COPIES[] = {
        {300 * US, 500, 64, 7, 1, false},
        {10 * US, 500, 64, 7, 1, true},
    };

    check_copies(&DATA, false, 500, COPIES, G_N_ELEMENTS(COPIES));
}

/* Another TCP header is another packet: a window update, a later time stamp. */
static void test_other_headers(void)
{
    static const uint8_t EARLY[] = {1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2},
                         LATE[] = {1, 1, 8, 10, 0, 0, 0, 2, 0, 0, 0, 2};
    struct tcp_spec specs[] = {DATA, DATA, DATA, DATA, DATA, DATA, DATA};
    struct feed f;

    specs[1].seq++;
    specs[2].ack++;
    specs[3].window = 1;
    specs[4].flags |= FRAME_FIN;
    specs[5].options = EARLY;
    specs[5].options_length = sizeof EARLY;
    specs[6].options = LATE;
    specs[6].options_length = sizeof LATE;
    feed_init(&f);
    for (int copies = 0; copies < 2; copies++) {
        for (size_t i = 0; i < G_N_ELEMENTS(specs); i++) {
            const struct copy c = {0, (uint16_t)(40 + i), 64, 7, 1, false};
            g_autoptr(GByteArray) b = ethernet_frame(&specs[i], false, &c);

            g_assert_cmpint(feed_cut(&f, FRAME_LINK_ETHERNET, b, b->len, copies * US), ==, copies == 0);
        }
    }
    intake_fini(&f.intake);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/intake/orders", test_orders);
    g_test_add_func("/intake/snap-length", test_snap_length);
    g_test_add_func("/intake/misfits", test_misfits);
    g_test_add_func("/intake/repeated", test_repeated);
    g_test_add_func("/intake/full", test_full);
    g_test_add_func("/intake/tunnel", test_tunnel);
    g_test_add_func("/intake/no-tcp", test_no_tcp);
    g_test_add_func("/intake/with-id", test_with_id);
    g_test_add_func("/intake/without-id", test_without_id);
    g_test_add_func("/intake/constant-id", test_constant_id);
    g_test_add_func("/intake/other-headers", test_other_headers);
    return g_test_run();
}
