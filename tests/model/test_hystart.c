/* HyStart++ against RFC 9406's steps, on an ideal ACK clock whose RTT the test sets, and what it saves on a path with a queue. */
#include "tests/model/net.h"

struct clock {
    struct tcp_cc cc;
    uint64_t una, sent; /* segments */
};

static void clock_init(struct clock *c, uint32_t cwnd)
{
    *c = (struct clock){.cc = {.slow_start_exit = TCP_EXIT_HYSTART_PLUS, .ssthresh = TCP_CC_NO_THRESHOLD}};
    TCP_CC_NEWRENO.init(&c->cc);
    c->cc.cwnd = cwnd;
    c->sent = cwnd;
}

/* One window, acknowledged two segments at a time, each ACK with that RTT. */
static void clock_round(struct clock *c, int64_t rtt_ns)
{
    uint64_t end = c->sent;

    c->sent = c->una + c->cc.cwnd;
    while (c->una < end) {
        struct tcp_cc_ack ack = {.acked = 2, .rtt_ns = rtt_ns};

        c->una += 2;
        ack.una = c->una;
        ack.nxt = c->sent;
        TCP_CC_NEWRENO.on_rtt(&c->cc, &ack);
        TCP_CC_NEWRENO.grow(&c->cc, &ack);
        if (c->una < end)
            c->sent = c->una + c->cc.cwnd;
    }
}

static double round_segments(const struct clock *c)
{
    return (double)(c->sent - c->una);
}

/* 4.2: the threshold is an eighth of the last round's smallest RTT, 4 to 16 ms, and reaching it is enough. */
static void test_threshold(void)
{
    static const int64_t rows[][2] = {
        {10, 4000}, {32, 4000}, {80, 10000}, {128, 16000}, {300, 16000}}; /* ms, us */

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        int64_t rtt = rows[i][0] * NS_PER_MS, threshold = rows[i][1] * NS_PER_US;

        for (int reached = 0; reached < 2; reached++) {
            struct clock c;

            clock_init(&c, 20);
            clock_round(&c, rtt);
            clock_round(&c, rtt + threshold - !reached);
            g_assert_cmpint(tcp_cc_is_cautious(&c.cc), ==, reached);
        }
    }
}

/* Fewer than 8 samples say nothing: the second round has 6 ACKs. */
static void test_samples(void)
{
    struct clock c;

    clock_init(&c, 8);
    clock_round(&c, 50 * NS_PER_MS);
    clock_round(&c, 90 * NS_PER_MS);
    g_assert_false(tcp_cc_is_cautious(&c.cc));
}

/* Slow start doubles; once the delay has grown, a round grows the window by a quarter; the fifth round is the last, and then comes
 * avoidance. The round in which the growth is seen counts: from its eighth sample on it is a cautious one. */
static void test_cautious_rounds(void)
{
    struct clock c;
    double expected;

    clock_init(&c, 32);
    clock_round(&c, 50 * NS_PER_MS);
    g_assert_cmpuint(c.cc.cwnd, ==, 64);
    expected = 64 + 14 + (round_segments(&c) - 14) / 4; /* 7 ACKs at full growth, the rest at a quarter */
    clock_round(&c, 60 * NS_PER_MS);
    g_assert_cmpfloat_with_epsilon(c.cc.cwnd, expected, 1);
    for (int round = 2; round <= 5; round++) {
        g_assert_cmpuint(c.cc.ssthresh, ==, TCP_CC_NO_THRESHOLD);
        expected = c.cc.cwnd + round_segments(&c) / 4;
        clock_round(&c, 60 * NS_PER_MS);
        g_assert_cmpfloat_with_epsilon(c.cc.cwnd, expected, 1);
    }
    expected = c.cc.cwnd + 1;
    clock_round(&c, 60 * NS_PER_MS);
    g_assert_cmpuint(c.cc.ssthresh, <, TCP_CC_NO_THRESHOLD);
    g_assert_cmpfloat_with_epsilon(c.cc.cwnd, expected, 1);
}

/* The growth was a passing one: a round below it, and slow start doubles again. */
static void test_resumes(void)
{
    struct clock c;
    double expected;

    clock_init(&c, 32);
    clock_round(&c, 50 * NS_PER_MS);
    clock_round(&c, 60 * NS_PER_MS);
    g_assert_true(tcp_cc_is_cautious(&c.cc));
    clock_round(&c, 52 * NS_PER_MS);
    g_assert_false(tcp_cc_is_cautious(&c.cc));
    expected = c.cc.cwnd + round_segments(&c);
    clock_round(&c, 52 * NS_PER_MS);
    g_assert_cmpfloat_with_epsilon(c.cc.cwnd, expected, 2);
}

/* After a loss the threshold is known, and slow start up to it isn't judged. */
static void test_first_slow_start_alone(void)
{
    struct clock c;
    double expected;

    clock_init(&c, 32);
    c.cc.ssthresh = 500;
    clock_round(&c, 50 * NS_PER_MS);
    expected = c.cc.cwnd + round_segments(&c);
    clock_round(&c, 90 * NS_PER_MS);
    g_assert_false(tcp_cc_is_cautious(&c.cc));
    g_assert_cmpfloat_with_epsilon(c.cc.cwnd, expected, 1);
}

/* 50 Mbit/s over 40 ms with a queue as long as the pipe: slow start overshoots by its last doubling, HyStart++ by a quarter at most. */
static uint64_t dropped_with(int exit)
{
    struct tcp_profile profile = net_profile_of("windows-10");
    struct network_profile network = plain_link(40 * NS_PER_MS);
    struct net n;
    uint64_t dropped;

    profile.slow_start_exit = exit;
    profile.autotuning = TCP_WINDOW_FIXED;
    network.down.rate_bps = network.up.rate_bps = 50000000;
    network.down.queue_bytes = 250000;
    net_init_on(&n, &profile, &network, 0);
    send_from_server(&n, 2000);
    dropped = route_counters(&n.down).dropped_queue;
    net_fini(&n);
    return dropped;
}

static void test_saves_a_burst(void)
{
    uint64_t without = dropped_with(TCP_EXIT_NONE), with = dropped_with(TCP_EXIT_HYSTART_PLUS);

    g_test_message("dropped: %u without, %u with", (unsigned)without, (unsigned)with);
    g_assert_cmpuint(without, >, 100);
    g_assert_cmpfloat((double)with, <, 0.6 * (double)without);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/hystart++/threshold", test_threshold);
    g_test_add_func("/hystart++/samples", test_samples);
    g_test_add_func("/hystart++/cautious-rounds", test_cautious_rounds);
    g_test_add_func("/hystart++/resumes", test_resumes);
    g_test_add_func("/hystart++/first-slow-start-alone", test_first_slow_start_alone);
    g_test_add_func("/hystart++/saves-a-burst", test_saves_a_burst);
    return g_test_run();
}
