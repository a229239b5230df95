#include "replay/tcp_measure.h"
#include "base/units.h"

/* Segments with sequence numbers as they are on the wire; the client's SYN is 999, the server's 4999. */
struct fixture {
    struct tcp_measure m;
    int64_t now_ns;
    uint64_t number;
    struct replay_segment last;
};

static void give(struct fixture *f, int64_t after_us, enum replay_direction d, uint8_t flags, uint32_t seq,
                 uint32_t ack, uint32_t length)
{
    struct frame frame = {.flags = flags,
                          .seq = seq,
                          .ack = ack,
                          .window = 1000,
                          .payload_bytes = length,
                          .ip_bytes = 40 + length,
                          .mss = flags & FRAME_SYN ? 1460 : -1,
                          .wscale = flags & FRAME_SYN ? 3 : -1};

    f->now_ns += after_us * NS_PER_US;
    g_assert_true(tcp_measure_segment(&f->m, d, &frame, ++f->number, f->now_ns, &f->last));
}

static void client(struct fixture *f, int64_t after_us, uint32_t seq, uint32_t ack, uint32_t length)
{
    give(f, after_us, REPLAY_UP, FRAME_ACK, seq, ack, length);
}

static void server(struct fixture *f, int64_t after_us, uint32_t seq, uint32_t ack, uint32_t length)
{
    give(f, after_us, REPLAY_DOWN, FRAME_ACK, seq, ack, length);
}

/* Seen 1 ms from the client and 9 ms from the server. */
static void open_connection(struct fixture *f)
{
    *f = (struct fixture){.now_ns = 0};
    tcp_measure_init(&f->m);
    give(f, 0, REPLAY_UP, FRAME_SYN, 999, 0, 0);
    give(f, 18000, REPLAY_DOWN, FRAME_SYN | FRAME_ACK, 4999, 1000, 0);
    client(f, 2000, 1000, 5000, 0);
}

static void test_handshake(void)
{
    struct fixture f;

    open_connection(&f);
    tcp_measure_finish(&f.m);
    g_assert_cmpint(f.m.facts.handshake_rtt_ns, ==, 20 * NS_PER_MS);
    g_assert_cmpint(f.m.facts.server_half_ns, ==, 18 * NS_PER_MS);
    g_assert_cmpint(f.m.facts.client_half_ns, ==, 2 * NS_PER_MS);
    g_assert_cmpint(f.m.facts.rtt_ns, ==, 20 * NS_PER_MS);
    g_assert_cmpint(f.m.facts.point, ==, REPLAY_POINT_CLIENT);
    g_assert_cmpint(f.m.facts.side[REPLAY_UP].window_max_bytes, ==, 8000);
    g_assert_false(f.m.facts.sack || f.m.facts.timestamps);
}

/* A repeated SYN gives no sample: nobody knows which one was answered. */
static void test_repeated_syn(void)
{
    struct fixture f = {0};

    tcp_measure_init(&f.m);
    give(&f, 0, REPLAY_UP, FRAME_SYN, 999, 0, 0);
    give(&f, 1000000, REPLAY_UP, FRAME_SYN, 999, 0, 0);
    g_assert_cmpuint(f.last.flags & REPLAY_RETRANSMISSION, !=, 0);
    give(&f, 18000, REPLAY_DOWN, FRAME_SYN | FRAME_ACK, 4999, 1000, 0);
    client(&f, 2000, 1000, 5000, 0);
    tcp_measure_finish(&f.m);
    g_assert_true(f.m.facts.handshake);
    g_assert_cmpint(f.m.facts.handshake_rtt_ns, ==, -1);
    g_assert_cmpint(f.m.facts.server_half_ns, ==, -1);
}

static void test_data_samples(void)
{
    struct fixture f;

    open_connection(&f);
    client(&f, 0, 1000, 5000, 100);
    server(&f, 17000, 5000, 1100, 1460); /* the ACK comes with data */
    server(&f, 100, 6460, 1100, 1460);
    client(&f, 1500, 1100, 7920, 0); /* of two segments: the later one's sample */
    g_assert_cmpint(f.m.facts.server_half_ns, ==, 17 * NS_PER_MS);
    g_assert_cmpint(f.m.facts.client_half_ns, ==, 1500 * NS_PER_US);
    client(&f, 0, 1100, 7920, 0);                           /* an ACK of nothing new gives none */
    g_assert_cmpuint(f.m.facts.client_half_samples, ==, 2); /* with the handshake's */
}

/* Karn: once something was repeated, no ACK says when what it answers was sent. */
static void test_no_sample_of_repeated(void)
{
    struct fixture f;

    open_connection(&f);
    client(&f, 0, 1000, 5000, 100);
    client(&f, 300000, 1000, 5000, 100);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_RETRANSMISSION);
    server(&f, 1000, 5000, 1100, 0);
    g_assert_cmpuint(f.m.facts.server_half_samples, ==, 1);
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].retransmissions, ==, 1);
}

static void test_fast_retransmission(void)
{
    struct fixture f;

    open_connection(&f);
    for (uint32_t i = 0; i < 4; i++)
        server(&f, 100, 5000 + i * 1000, 1000, 1000);
    client(&f, 1000, 1000, 5000, 0); /* the first of these is the ACK of the handshake once more */
    client(&f, 10, 1000, 5000, 0);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_DUPLICATE_ACK);
    client(&f, 10, 1000, 5000, 0);
    server(&f, 10, 5000, 1000, 1000);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_RETRANSMISSION | REPLAY_FAST);
    client(&f, 1000, 1000, 9000, 0);
    server(&f, 1000, 6000, 1000, 1000); /* had been acknowledged */
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_RETRANSMISSION | REPLAY_SPURIOUS);
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].retransmissions, ==, 2);
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].duplicate_acks, ==, 3);
}

static void test_out_of_order(void)
{
    struct fixture f;

    open_connection(&f);
    server(&f, 0, 6000, 1000, 1000);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_AFTER_GAP);
    server(&f, 500, 5000, 1000, 1000);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_OUT_OF_ORDER);
    server(&f, 0, 8000, 1000, 1000);
    server(&f, 25000, 7000, 1000, 1000); /* later than a round trip */
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_RETRANSMISSION);
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].lost_segments, ==, 2);
}

/* Neither keep-alives nor probes of a closed window are losses, and their answers are no duplicate ACKs. */
static void test_keep_alive_and_probe(void)
{
    struct fixture f;
    struct frame closed = {
        .flags = FRAME_ACK, .seq = 5000, .ack = 1100, .ip_bytes = 40, .mss = -1, .wscale = -1};

    open_connection(&f);
    client(&f, 0, 1000, 5000, 100);
    server(&f, 0, 5000, 1100, 0);
    for (uint32_t byte = 0; byte < 2; byte++) {
        client(&f, 60000000, 1099, 5000, byte);
        g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_KEEP_ALIVE);
        server(&f, 1000, 5000, 1100, 0);
        g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK);
    }
    g_assert_true(tcp_measure_segment(&f.m, REPLAY_DOWN, &closed, 99, f.now_ns, &f.last));
    client(&f, 1000, 1100, 5000, 1);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_WINDOW_PROBE);
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].retransmissions, ==, 0);
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].keep_alives, ==, 2);
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].window_probes, ==, 1);
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].zero_windows, ==, 1);
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].duplicate_acks, ==, 0);
}

/* 5 GiB in one direction: offsets go on where sequence numbers start over. */
static void test_over_four_gigabytes(void)
{
    const uint32_t step = 64 << 20;
    struct fixture f;
    int64_t wanted = 0;

    open_connection(&f);
    for (int i = 0; i < 80; i++) {
        server(&f, 1000, 5000 + (uint32_t)i * step, 1000, step);
        g_assert_cmpint(f.last.offset, ==, wanted);
        wanted += step;
        client(&f, 1000, 1000, 5000 + (uint32_t)(i + 1) * step, 0);
        g_assert_cmpint(f.last.ack, ==, wanted);
    }
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].payload_bytes, ==, UINT64_C(5) << 30);
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].retransmissions, ==, 0);
}

static void give_sent(struct fixture *f, int64_t after_us, uint32_t seq, uint16_t ip_id, uint32_t timestamp)
{
    struct frame frame = {.flags = FRAME_ACK,
                          .seq = seq,
                          .ack = 1000,
                          .window = 1000,
                          .payload_bytes = 100,
                          .ip_bytes = 140,
                          .timestamps = timestamp > 0,
                          .timestamp = timestamp,
                          .ip_id = ip_id,
                          .mss = -1,
                          .wscale = -1};

    f->now_ns += after_us * NS_PER_US;
    g_assert_true(tcp_measure_segment(&f->m, REPLAY_DOWN, &frame, ++f->number, f->now_ns, &f->last));
}

/* Both come too soon for Wireshark's "retransmission": one was overtaken, the other sent again. */
static void test_resent(void)
{
    static const struct {
        uint16_t first_id, late_id;
        uint32_t first_stamp, late_stamp;
        bool resent;
    } CASES[] = {{10, 9, 0, 0, false},       {10, 11, 0, 0, true},   {65535, 2, 0, 0, true},
                 {0, 0, 70, 70, false},      {0, 0, 70, 71, true},   {0, 0, 70, 69, false},
                 {0, 0, 0, 0, false},        {10, 9, 70, 71, false}, {10, 10, 70, 71, true},
                 {0, 0, UINT32_MAX, 1, true}};

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct fixture f;

        open_connection(&f);
        give_sent(&f, 1000, 5000, 1, 1);
        give_sent(&f, 1000, 5200, CASES[i].first_id, CASES[i].first_stamp);
        give_sent(&f, 1000, 5100, CASES[i].late_id, CASES[i].late_stamp);
        g_assert_cmpuint(f.last.flags & REPLAY_OUT_OF_ORDER, !=, 0);
        g_assert_cmpint((f.last.flags & REPLAY_RESENT) != 0, ==, CASES[i].resent);
        g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].resent, ==, CASES[i].resent);
        g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].retransmissions, ==, 0);
    }
}

static void test_outlier(void)
{
    struct fixture f;
    struct frame stray = {
        .flags = FRAME_ACK, .seq = 1000 + (UINT32_C(3) << 29), .ack = 5000, .payload_bytes = 10};

    open_connection(&f);
    g_assert_false(tcp_measure_segment(&f.m, REPLAY_UP, &stray, 4, f.now_ns, &f.last));
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].packets, ==, 2);
}

static void test_unseen_ack(void)
{
    struct fixture f;

    open_connection(&f);
    client(&f, 0, 1000, 9000, 0);
    client(&f, 0, 1000, 9000, 0);
    g_assert_cmpuint(f.m.facts.side[REPLAY_UP].unseen_acks, ==, 1); /* told once */
    server(&f, 0, 9000, 1000, 100);
    g_assert_cmpuint(f.last.flags, ==, REPLAY_ACK | REPLAY_AFTER_GAP);
}

static void test_swap(void)
{
    struct fixture f;

    open_connection(&f);
    client(&f, 0, 1000, 5000, 100);
    tcp_measure_swap(&f.m);
    g_assert_cmpuint(f.m.facts.side[REPLAY_DOWN].payload_bytes, ==, 100);
    g_assert_cmpint(f.m.facts.client_half_ns, ==, 18 * NS_PER_MS);
    client(&f, 0, 5000, 1100, 0); /* the ends have changed names: goes on where the other was */
    g_assert_cmpint(f.last.offset, ==, 0);
    g_assert_cmpint(f.last.ack, ==, 100);
}

static void test_capture_point(void)
{
    static const struct {
        int64_t client_us, server_us;
        enum replay_capture_point point;
    } CASES[] = {{10, 20000, REPLAY_POINT_CLIENT},
                 {20000, 30, REPLAY_POINT_SERVER},
                 {9000, 11000, REPLAY_POINT_MIDDLE},
                 {20, 30, REPLAY_POINT_UNKNOWN},
                 {4, 250, REPLAY_POINT_CLIENT}};

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct fixture f = {0};

        tcp_measure_init(&f.m);
        give(&f, 0, REPLAY_UP, FRAME_SYN, 999, 0, 0);
        give(&f, CASES[i].server_us, REPLAY_DOWN, FRAME_SYN | FRAME_ACK, 4999, 1000, 0);
        client(&f, CASES[i].client_us, 1000, 5000, 0);
        tcp_measure_finish(&f.m);
        g_assert_cmpint(f.m.facts.point, ==, CASES[i].point);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/tcp-measure/handshake", test_handshake);
    g_test_add_func("/tcp-measure/repeated-syn", test_repeated_syn);
    g_test_add_func("/tcp-measure/data-samples", test_data_samples);
    g_test_add_func("/tcp-measure/no-sample-of-repeated", test_no_sample_of_repeated);
    g_test_add_func("/tcp-measure/fast-retransmission", test_fast_retransmission);
    g_test_add_func("/tcp-measure/out-of-order", test_out_of_order);
    g_test_add_func("/tcp-measure/keep-alive-and-probe", test_keep_alive_and_probe);
    g_test_add_func("/tcp-measure/over-four-gigabytes", test_over_four_gigabytes);
    g_test_add_func("/tcp-measure/resent", test_resent);
    g_test_add_func("/tcp-measure/outlier", test_outlier);
    g_test_add_func("/tcp-measure/unseen-ack", test_unseen_ack);
    g_test_add_func("/tcp-measure/swap", test_swap);
    g_test_add_func("/tcp-measure/capture-point", test_capture_point);
    return g_test_run();
}
