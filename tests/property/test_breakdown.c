/* Drawn connections, broken down and replayed: the parts sum to the recorded time, no part is negative, and the simulator
 * takes as long as the capture. */
#include "tests/sketch.h"
#include "replay/breakdown.h"
#include "replay/model.h"
#include "replay/study.h"
#include "base/rng.h"
#include "sim/command.h"

#include <string.h>

#define MS(x) ((int64_t)((x)*NS_PER_MS))

static int64_t sum(const struct waits *w)
{
    int64_t total = 0;

    for (int i = 0; i < WAIT_KINDS; i++) {
        g_assert_cmpint(w->ns[i], >=, 0);
        total += w->ns[i];
    }
    return total;
}

static int64_t between(gsl_rng *rng, int64_t low, int64_t high)
{
    return low + (int64_t)(gsl_rng_uniform(rng) * (double)(high - low));
}

/* A connection of random path, capture point, depth, sizes and times. */
static struct replay_connection *draw(uint64_t seed, enum replay_capture_point point)
{
    gsl_rng *rng = rng_stream(seed, 0, "test/breakdown");
    int64_t count = between(rng, 1, 60), depth = between(rng, 1, 5), one_way = between(rng, 20000, MS(50)),
            rate = between(rng, 1000000, 200000000);
    g_autofree struct sketch_exchange *x = g_new0(struct sketch_exchange, (gsize)count);
    int64_t start, free_ns = 0, issued = 0;
    struct sketch k;

    sketch_init(&k, one_way, rate, point);
    start = sketch_handshake(&k);
    for (int64_t i = 0; i < count; i++) {
        int64_t ready = i < depth ? start : x[i - depth].done_ns;
        int64_t issue = MAX(ready + between(rng, 0, MS(4)), issued), service = between(rng, 0, MS(5));
        /* The first requests are small: a SYN's window is unscaled, so more than 64 KiB would wait for the first ACK. */
        bool read = gsl_rng_uniform(rng) < 0.5 || i < depth;
        uint32_t small = (uint32_t)between(rng, 60, 200), large = (uint32_t)between(rng, 60, 70000);

        x[i] = sketch_exchange(&k, read ? SMB2_READ : SMB2_WRITE, issue, read ? small : large,
                               read ? large : small, free_ns, service);
        free_ns = x[i].write_ns;
        issued = issue;
    }
    gsl_rng_free(rng);
    return sketch_finish(&k);
}

static void test_sums(void)
{
    static const enum replay_capture_point points[] = {REPLAY_POINT_CLIENT, REPLAY_POINT_SERVER,
                                                       REPLAY_POINT_MIDDLE};

    for (uint64_t seed = 0; seed < 300; seed++) {
        struct replay_connection *c = draw(seed, points[seed % G_N_ELEMENTS(points)]);
        struct calibration k;
        struct breakdown b;

        calibrate(c, &k);
        breakdown_init(&b, c, &k);
        g_assert_cmpint(sum(&b.waits), ==, replay_recorded_ns(c));
        g_assert_cmpuint(b.first_frame, <=, b.last_frame);
        g_assert_cmpuint(b.last_frame, <=, c->segments_kept->len);
        g_assert_nonnull(strstr(b.filter, "tcp.port == 50000"));
        breakdown_clear(&b);
        calibration_clear(&k);
        replay_connection_free(c);
    }
}

/* One read at a time, 2 ms of service and 3 ms of think each, 20 ms there and back: every part has its closed form. */
static void test_parts(void)
{
    struct replay_connection *c;
    struct calibration calibration;
    struct breakdown b;
    struct sketch k;
    int64_t now, frames = 0;

    sketch_init(&k, MS(10), 10000000, REPLAY_POINT_CLIENT);
    now = sketch_handshake(&k);
    for (int i = 0; i < 30; i++)
        now = sketch_exchange(&k, SMB2_READ, now + MS(3), 117, 84 + 65536, 0, MS(2)).done_ns;
    for (guint i = 0; i < k.segments->len; i++)
        frames +=
            sketch_serialisation(&k, g_array_index(k.segments, struct sketch_segment, i).segment.ip_bytes);
    c = sketch_finish(&k);
    calibrate(c, &calibration);
    breakdown_init(&b, c, &calibration);
    g_assert_cmpint(sum(&b.waits), ==, now);
    g_assert_cmpint(ABS(b.waits.ns[WAIT_ROUND_TRIPS] - 31 * MS(20)), <, MS(1));
    g_assert_cmpint(ABS(b.waits.ns[WAIT_TRANSMISSION] - frames), <, MS(1));
    g_assert_cmpint(ABS(b.waits.ns[WAIT_SERVER] - 30 * MS(2)), <, MS(1));
    g_assert_cmpint(ABS(b.waits.ns[WAIT_CLIENT] - 30 * MS(3)), <, MS(1));
    g_assert_cmpint(b.bottleneck, ==, WAIT_TRANSMISSION);
    breakdown_clear(&b);
    calibration_clear(&calibration);
    replay_connection_free(c);
}

/* A frame lost on its way up, seen leaving and sent again after 300 ms: recovery has them, not the server. */
static void test_loss(void)
{
    struct replay_connection *c;
    struct calibration calibration;
    struct replay_exchange *e;
    struct breakdown b;
    struct sketch k;
    int64_t now;

    sketch_init(&k, MS(10), 10000000, REPLAY_POINT_CLIENT);
    now = sketch_handshake(&k);
    for (int i = 0; i < 5; i++)
        now = sketch_exchange(&k, SMB2_CREATE, now + MS(1), 150, 156, 0, MS(1)).done_ns;
    sketch_frame(&k, REPLAY_UP, now + MS(1), 150, REPLAY_ACK, true);
    now = sketch_exchange(&k, SMB2_CREATE, now + MS(301), 150, 156, 0, MS(1)).done_ns;
    g_array_index(k.segments, struct sketch_segment, k.segments->len - 2).segment.flags |=
        REPLAY_RETRANSMISSION;
    e = &g_array_index(k.connection->exchanges_kept, struct replay_exchange, 5);
    e->request_first_frame--;
    e->request_last_frame--;
    c = sketch_finish(&k);
    calibrate(c, &calibration);
    g_assert_cmpuint(calibration.side[REPLAY_UP].lost->len, ==, 1);
    g_assert_cmpuint(g_array_index(calibration.side[REPLAY_UP].lost, uint64_t, 0), ==, 7);
    breakdown_init(&b, c, &calibration);
    g_assert_cmpint(sum(&b.waits), ==, now);
    g_assert_cmpint(ABS(b.waits.ns[WAIT_LOSS_RECOVERY] - MS(300)), <, MS(1));
    g_assert_cmpint(b.bottleneck, ==, WAIT_LOSS_RECOVERY);
    breakdown_clear(&b);
    calibration_clear(&calibration);
    replay_connection_free(c);
}

/* A segment that comes 2 ms behind those that followed it, on a path of 20 ms: it was overtaken, or if its IP identification says that
 * it was sent later than they were, it replaced a lost one. */
static uint64_t lost_when_late(uint16_t flags)
{
    struct replay_connection *c;
    struct calibration calibration;
    struct sketch_segment *late;
    struct sketch k;
    uint64_t lost;
    int64_t now;

    sketch_init(&k, MS(10), 10000000, REPLAY_POINT_CLIENT);
    now = sketch_handshake(&k);
    for (int i = 0; i < 5; i++)
        now = sketch_exchange(&k, SMB2_READ, now + MS(1), 117, 84 + 20000, 0, MS(1)).done_ns;
    late = &g_array_index(k.segments, struct sketch_segment, k.segments->len - 8);
    late->seen_ns += 5 * sketch_serialisation(&k, late->segment.ip_bytes) / 2;
    late->segment.flags |= flags;
    c = sketch_finish(&k);
    calibrate(c, &calibration);
    lost = calibration.side[REPLAY_DOWN].lost->len;
    calibration_clear(&calibration);
    replay_connection_free(c);
    return lost;
}

static void test_sent_again_soon(void)
{
    g_assert_cmpuint(lost_when_late(REPLAY_OUT_OF_ORDER), ==, 0);
    g_assert_cmpuint(lost_when_late(REPLAY_OUT_OF_ORDER | REPLAY_RESENT), ==, 1);
}

static struct replay *wrap(struct replay_connection *c)
{
    struct replay *r = g_new0(struct replay, 1);

    r->files = g_ptr_array_new_with_free_func(g_free);
    g_ptr_array_add(r->files, g_strdup("drawn.pcap"));
    r->warnings = g_ptr_array_new_with_free_func(g_free);
    r->connections = g_ptr_array_new_with_free_func((GDestroyNotify)replay_connection_free);
    g_ptr_array_add(r->connections, c);
    c->study = study_whole(c);
    r->network = g_new0(struct calibration, 1);
    calibration_copy(&c->study->calibration, r->network);
    tally_init(&r->ledger);
    return r;
}

/* There and back: drawn, calibrated, turned into a trace, simulated with endless windows. From every capture point the run
 * takes what the capture shows, within 1 % and a millisecond. */
static void test_round_trip(void)
{
    static const enum replay_capture_point points[] = {REPLAY_POINT_CLIENT, REPLAY_POINT_SERVER};

    for (uint64_t seed = 1000; seed < 1100; seed++) {
        struct replay *r = wrap(draw(seed, points[seed % G_N_ELEMENTS(points)]));
        struct replay_model *m = replay_model_new(r, NULL);
        struct sim_result result;
        struct replay_run run;
        int64_t seen;

        g_assert_nonnull(m);
        m->client_tcp.initial_window = m->server_tcp.initial_window = 10000;
        m->client_tcp.receive_window_bytes = m->server_tcp.receive_window_bytes = 1 << 30;
        m->client_tcp.autotuning = m->server_tcp.autotuning = TCP_WINDOW_FIXED;
        m->network.up.queue_bytes = m->network.down.queue_bytes = 1 << 30;
        replay_run_init(&run, m, NULL, 1, 0);
        sim_run(&run.setup, &result);
        g_assert_false(result.failed);
        seen = replay_model_seen_ns(m, &result);
        g_test_message("seed %d: recorded %.6f s, simulated %.6f s", (int)seed, units_seconds(m->recorded_ns),
                       units_seconds(seen));
        g_assert_cmpint(ABS(seen - m->recorded_ns), <, m->recorded_ns / 100 + MS(1));
        replay_run_fini(&run);
        replay_model_free(m);
        replay_free(r);
    }
}

/* Another run draws other times from the same pools, and the same run the same ones. */
static void test_runs(void)
{
    struct replay *r = wrap(draw(5, REPLAY_POINT_CLIENT));
    struct replay_model *m = replay_model_new(r, NULL);
    int64_t elapsed[3];
    static const uint64_t runs[3] = {1, 1, 2};

    for (int i = 0; i < 3; i++) {
        struct sim_result result;
        struct replay_run run;

        replay_run_init(&run, m, NULL, 9, runs[i]);
        sim_run(&run.setup, &result);
        elapsed[i] = result.elapsed_ns;
        replay_run_fini(&run);
    }
    g_assert_cmpint(elapsed[0], ==, elapsed[1]);
    g_assert_cmpint(elapsed[0], !=, elapsed[2]);
    replay_model_free(m);
    replay_free(r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/breakdown/sums", test_sums);
    g_test_add_func("/breakdown/parts", test_parts);
    g_test_add_func("/breakdown/loss", test_loss);
    g_test_add_func("/breakdown/sent-again-soon", test_sent_again_soon);
    g_test_add_func("/replay-model/round-trip", test_round_trip);
    g_test_add_func("/replay-model/runs", test_runs);
    return g_test_run();
}
