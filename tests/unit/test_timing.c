/* Release, think and service times of drawn connections, from each capture point. */
#include "tests/sketch.h"
#include "replay/timing.h"
#include "sim/command.h"

#define MS(x) ((int64_t)((x)*NS_PER_MS))

static const enum replay_capture_point POINTS[] = {REPLAY_POINT_CLIENT, REPLAY_POINT_SERVER,
                                                   REPLAY_POINT_MIDDLE};
static const int64_t ONE_WAY_NS = MS(10);
static const int64_t RATE_BPS = 10000000;

/* A calibration that knows the truth. */
static void truth(const struct sketch *k, struct calibration *out)
{
    double rtt = 2 * (double)k->one_way_ns, rate = (double)k->rate_bps;

    *out = (struct calibration){
        .point = k->point, .counts = NETWORK_COUNTS_ETHERNET, .mtu_bytes = 1500, .mss_bytes = 1460};
    out->rtt_ns = calibrated_value(rtt, rtt, rtt);
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        out->side[d].rate_bps = calibrated_value(rate, rate, rate);
}

struct timed {
    struct replay_connection *connection;
    struct calibration calibration;
    struct wire wire;
    GArray *timings;
};

static void timed_init(struct timed *t, struct sketch *k)
{
    truth(k, &t->calibration);
    t->connection = sketch_finish(k);
    wire_init(&t->wire, t->connection, &t->calibration, &(struct window){0});
    t->timings = timing_new(&t->wire, NULL);
}

static void timed_fini(struct timed *t)
{
    g_array_unref(t->timings);
    wire_fini(&t->wire);
    replay_connection_free(t->connection);
}

static const struct timing *timing_at(const struct timed *t, guint i)
{
    return &g_array_index(t->timings, struct timing, i);
}

/* The middle is seen from behind the link both ways, with one rounding more. */
static void near(int64_t value, int64_t expected)
{
    g_assert_cmpint(value, >=, expected - 10);
    g_assert_cmpint(value, <=, expected + 10);
}

/* Ten exchanges, each asked for 3 ms after the last answer and served in 2 ms: the same from wherever it is seen. */
static void test_stop_and_wait(void)
{
    for (size_t point = 0; point < G_N_ELEMENTS(POINTS); point++) {
        struct sketch k;
        struct timed t;
        int64_t now;

        sketch_init(&k, ONE_WAY_NS, RATE_BPS, POINTS[point]);
        now = sketch_handshake(&k);
        for (int i = 0; i < 10; i++)
            now = sketch_exchange(&k, SMB2_READ, now + MS(3), 117, 84 + 65536, 0, MS(2)).done_ns;
        timed_init(&t, &k);
        g_assert_cmpuint(t.timings->len, ==, 10);
        for (guint i = 0; i < 10; i++) {
            g_assert_cmpuint(timing_at(&t, i)->after, ==, i ? 1 : 0);
            g_assert_false(timing_at(&t, i)->held);
            g_assert_false(timing_at(&t, i)->hidden);
            near(timing_at(&t, i)->think_ns, MS(3));
            near(timing_at(&t, i)->service_ns, MS(2));
            g_assert_cmpint(timing_at(&t, i)->barrier, ==, i > 0);
        }
        timed_fini(&t);
    }
}

/* Six requests 1 ms apart, long before the first answer: each waits for nothing but its turn. */
static void test_burst(void)
{
    struct sketch k;
    struct timed t;
    int64_t now, free_ns = 0;

    sketch_init(&k, ONE_WAY_NS, RATE_BPS, REPLAY_POINT_CLIENT);
    now = sketch_handshake(&k);
    for (int i = 0; i < 6; i++) {
        struct sketch_exchange x =
            sketch_exchange(&k, SMB2_READ, now + (i + 1) * MS(1), 117, 84 + 65536, free_ns, MS(1));

        free_ns = x.write_ns;
    }
    timed_init(&t, &k);
    for (guint i = 0; i < 6; i++) {
        g_assert_cmpuint(timing_at(&t, i)->after, ==, 0);
        near(timing_at(&t, i)->think_ns, MS(1));
    }
    near(timing_at(&t, 0)->service_ns, MS(1));
    /* Later answers queue behind the first: when they were written can't be seen. */
    g_assert_true(timing_at(&t, 3)->hidden);
    timed_fini(&t);
}

/* A window of three: request i leaves 0.5 ms after answer i - 3. */
static void test_window(void)
{
    enum { COUNT = 12, DEPTH = 3 };
    struct sketch_exchange x[COUNT];
    struct sketch k;
    struct timed t;
    int64_t start, free_ns = 0;

    sketch_init(&k, ONE_WAY_NS, RATE_BPS, REPLAY_POINT_CLIENT);
    start = sketch_handshake(&k);
    for (int i = 0; i < COUNT; i++) {
        int64_t issue = i < DEPTH ? start + MS(1) : x[i - DEPTH].done_ns + NS_PER_MS / 2;

        x[i] = sketch_exchange(&k, SMB2_READ, issue, 117, 84 + 65536, free_ns, MS(1));
        free_ns = x[i].write_ns;
    }
    timed_init(&t, &k);
    for (guint i = 0; i < COUNT; i++) {
        g_assert_cmpuint(timing_at(&t, i)->after, ==, i < DEPTH ? 0 : DEPTH);
        g_assert_false(timing_at(&t, i)->barrier);
        near(timing_at(&t, i)->think_ns, i == 0 ? MS(1) : i < DEPTH ? 0 : NS_PER_MS / 2);
    }
    timed_fini(&t);
}

/* An acknowledgement that was quicker than the path has the answer arrive too early. It still didn't release its own request. */
static void test_own_response(void)
{
    struct sketch k;
    struct sketch_exchange x;
    struct timed t;
    int64_t now;

    sketch_init(&k, ONE_WAY_NS, RATE_BPS, REPLAY_POINT_SERVER);
    now = sketch_handshake(&k);
    x = sketch_exchange(&k, SMB2_READ, now, 117, 84, 0, MS(1));
    sketch_frame(&k, REPLAY_UP, x.done_ns, 0, REPLAY_ACK, false);
    truth(&k, &t.calibration);
    t.calibration.rtt_ns = calibrated_value(2 * ONE_WAY_NS, ONE_WAY_NS / 4, 2 * ONE_WAY_NS);
    t.connection = sketch_finish(&k);
    g_array_index(t.connection->segments_kept, struct replay_segment, t.connection->segments_kept->len - 1)
        .time_ns -= ONE_WAY_NS * 9 / 10;
    wire_init(&t.wire, t.connection, &t.calibration, &(struct window){0});
    t.timings = timing_new(&t.wire, NULL);
    g_assert_cmpint(timing_at(&t, 0)->issue_ns, <, timing_at(&t, 0)->arrive_ns);
    timed_fini(&t);
}

/* The last request after a pipelined burst waits for all of it. */
static void test_barrier(void)
{
    struct sketch_exchange x = {0};
    struct sketch k;
    struct timed t;
    int64_t now, free_ns = 0;

    sketch_init(&k, ONE_WAY_NS, RATE_BPS, REPLAY_POINT_CLIENT);
    now = sketch_handshake(&k);
    for (int i = 0; i < 4; i++) {
        x = sketch_exchange(&k, SMB2_READ, now, 117, 84 + 65536, free_ns, MS(1));
        free_ns = x.write_ns;
    }
    sketch_exchange(&k, SMB2_CLOSE, x.done_ns, 92, 128, 0, MS(1));
    timed_init(&t, &k);
    g_assert_true(timing_at(&t, 4)->barrier);
    g_assert_false(timing_at(&t, 3)->barrier);
    timed_fini(&t);
}

/* Two writes that share a segment: the second was in the client's TCP before the first had left. */
static void test_shared_segment(void)
{
    struct replay_exchange *e;
    struct sketch k;
    struct timed t;
    int64_t now;

    sketch_init(&k, ONE_WAY_NS, RATE_BPS, REPLAY_POINT_CLIENT);
    now = sketch_handshake(&k);
    /* Drawn as one message of 20 segments whose boundary lies in the tenth. */
    now = sketch_exchange(&k, SMB2_WRITE, now + MS(1), 20 * SKETCH_SEGMENT, 84, 0, MS(1)).arrive_ns;
    sketch_exchange(&k, SMB2_WRITE, now - MS(5), 0 + SKETCH_SEGMENT, 84, now + MS(1), MS(1));
    e = &g_array_index(k.connection->exchanges_kept, struct replay_exchange, 1);
    e->request_offset = 10 * SKETCH_SEGMENT - 100;
    e->request_bytes += 10 * SKETCH_SEGMENT + 100;
    e->request_first_frame = 2 + 10;
    e = &g_array_index(k.connection->exchanges_kept, struct replay_exchange, 0);
    e->request_bytes = 10 * SKETCH_SEGMENT - 100;
    e->request_last_frame = 2 + 10;
    timed_init(&t, &k);
    g_assert_true(timing_at(&t, 1)->held);
    g_assert_cmpint(timing_at(&t, 1)->issue_ns, ==, timing_at(&t, 0)->issue_ns);
    g_assert_cmpint(timing_at(&t, 1)->think_ns, ==, 0);
    timed_fini(&t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/timing/stop-and-wait", test_stop_and_wait);
    g_test_add_func("/timing/burst", test_burst);
    g_test_add_func("/timing/window", test_window);
    g_test_add_func("/timing/own-response", test_own_response);
    g_test_add_func("/timing/barrier", test_barrier);
    g_test_add_func("/timing/shared-segment", test_shared_segment);
    return g_test_run();
}
