/* A burst into a small queue, again and again: one-at-a-time reads of 32 KiB (23 segments) by Linux over 20 Mbit/s, 25 ms each way and a
 * queue of 24,000 bytes, which 16 frames of a burst pass. Each read finds the window that the last loss and the growth since have
 * left, so the mean depends on every rule of growth and recovery. Three recorded copies of 12 MB took 118.2, 118.9 and 119.2 ms
 * a read; without the losses a read takes 64.5 ms. */
#include "sim/command.h"
#include "sim/run.h"
#include "base/units.h"

#include <glib.h>

enum { BLOCK = 32768, READS = 366, BEFORE = 30 }; /* the first 30 reads are start-up */

struct reads {
    unsigned left;
    int64_t think_ns;
    int64_t done_ns[READS];
    unsigned done;
};

static bool next_read(void *self, int64_t now_ns, struct exchange *out)
{
    struct reads *r = self;

    (void)now_ns;
    if (!r->left)
        return false;
    r->left--;
    *out = (struct exchange){.think_ns = r->think_ns,
                             .service_ns = 200000,
                             .request_bytes = 63,
                             .response_bytes = 64 + BLOCK,
                             .data_bytes = BLOCK,
                             .after = 1,
                             .command = SMB1_READ_ANDX,
                             .flags = EXCHANGE_SERVER_TIMED};
    return true;
}

static void note_done(void *observer, const struct exchange *e, int64_t issued_ns, int64_t done_ns)
{
    struct reads *r = observer;

    (void)e;
    (void)issued_ns;
    r->done_ns[r->done++] = done_ns;
}

/* Mean of a read once the window has found its cycle. */
static double read_ms(int64_t rtt_ns, int64_t queue_bytes, int64_t think_ns, int congestion)
{
    struct reads reads = {.left = READS, .think_ns = think_ns};
    struct sim_connection c = {.source = {next_read, &reads}};
    struct tcp_profile tcp = *tcp_profile_of(0);
    struct network_profile n;
    struct sim_setup setup = {.network = &n,
                              .client_tcp = &tcp,
                              .server_tcp = &tcp,
                              .connections = &c,
                              .connection_count = 1,
                              .on_exchange = note_done,
                              .observer = &reads};
    struct sim_result result;

    network_profile_init(&n);
    n.rtt_ns = rtt_ns;
    n.down = n.up = (struct network_direction){.rate_bps = 20000000, .queue_bytes = queue_bytes};
    tcp.congestion = congestion;
    sim_run(&setup, &result);
    g_assert_false(result.failed);
    return (double)(reads.done_ns[READS - 1] - reads.done_ns[BEFORE]) / 1e6 / (READS - 1 - BEFORE);
}

static void check(const char *what, double ms, double expected_ms, double tolerance)
{
    g_test_message("%s: %.1f ms a read, %.1f expected (%+.2f %%)", what, ms, expected_ms,
                   100 * (ms / expected_ms - 1));
    g_assert_cmpfloat_with_epsilon(ms, expected_ms, tolerance * expected_ms);
}

static void test_recorded(void)
{
    for (int64_t think_us = 100; think_us <= 700; think_us += 200)
        check("24,000 bytes", read_ms(50 * NS_PER_MS, 24000, think_us * 1000, TCP_CUBIC), 118.2, 0.01);
}

static void test_burst_fits(void)
{
    check("36,000 bytes", read_ms(50 * NS_PER_MS, 36000, 200000, TCP_CUBIC), 64.5, 0.01);
}

/* On a shorter path the same window cycle costs less of a round trip. */
static void test_shorter_path(void)
{
    check("RTT 20 ms", read_ms(20 * NS_PER_MS, 24000, 200000, TCP_CUBIC), 50.0, 0.05);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shallow/recorded", test_recorded);
    g_test_add_func("/shallow/burst-fits", test_burst_fits);
    g_test_add_func("/shallow/shorter-path", test_shorter_path);
    return g_test_run();
}
