/* Compound TCP's window against the equations of Tan et al. 2006, and what it is for: a long fat path filled sooner after a loss. */
#include "tests/model/net.h"

#include <math.h>

enum { GAMMA = 30 };

/* An ideal ACK clock over a path that holds `pipe` segments: one window a round trip, two segments to an ACK; what exceeds the pipe waits, so
 * the RTT grows with it. */
struct clock {
    const struct tcp_cc_ops *ops;
    struct tcp_cc cc;
    int64_t now_ns, base_ns;
    double pipe;
    uint64_t una, sent; /* segments */
};

static void clock_init(struct clock *c, uint32_t cwnd, double pipe)
{
    *c = (struct clock){.ops = &TCP_CC_COMPOUND, .base_ns = 100 * NS_PER_MS, .pipe = pipe};
    TCP_CC_COMPOUND.init(&c->cc);
    c->cc.cwnd = c->cc.ssthresh = cwnd;
    c->sent = cwnd;
    c->cc.delay_min_ns = c->base_ns;
}

static double waiting(const struct clock *c)
{
    return MAX(c->cc.cwnd - c->pipe, 0);
}

static void clock_round(struct clock *c)
{
    int64_t rtt_ns = (int64_t)((double)c->base_ns * (1 + waiting(c) / c->pipe));
    uint64_t end = c->sent;

    c->sent = c->una + c->cc.cwnd;
    while (c->una < end) {
        uint32_t acked = (uint32_t)MIN(2, end - c->una);
        struct tcp_cc_ack ack = {.now_ns = c->now_ns, .acked = acked, .rtt_ns = rtt_ns};

        c->una += acked;
        ack.una = c->una;
        ack.nxt = c->sent;
        c->ops->on_rtt(&c->cc, &ack);
        c->ops->grow(&c->cc, &ack);
        if (c->una < end)
            c->sent = c->una + c->cc.cwnd;
    }
    c->now_ns += rtt_ns;
}

static void clock_lose(struct clock *c)
{
    c->cc.ssthresh = TCP_CC_COMPOUND.ssthresh(&c->cc);
    c->cc.cwnd = c->cc.ssthresh;
    c->cc.counter = 0;
}

/* While nothing waits, a round trip adds 1 to the loss window and win^k / 8 - 1 to the delay window: dW/dt = W^k / 8, so W^(1/4) grows by
 * 1/32 a round trip (their equation 8, alpha 1/8, k 3/4). */
static void test_growth(void)
{
    static const uint32_t starts[] = {40, 100, 400, 1000};

    for (size_t i = 0; i < G_N_ELEMENTS(starts); i++) {
        struct clock c;
        double worst = 0, worst_step = 0, window = starts[i];

        clock_init(&c, starts[i], 1e9);
        for (int round = 1; round <= 120; round++) {
            double expected = pow(pow(starts[i], 0.25) + round / 32.0, 4);

            clock_round(&c);
            window += pow(window, 0.75) / 8;
            worst = MAX(worst, fabs(c.cc.cwnd / expected - 1));
            worst_step = MAX(worst_step,
                             (fabs(c.cc.cwnd - window) - 1) / window); /* 1: what is cut to whole segments */
        }
        g_test_message("from %u segments, 120 round trips: within %.2f %% of the steps, %.2f %% of W(t)",
                       starts[i], 100 * worst_step, 100 * worst);
        g_assert_cmpfloat(worst_step, <, 0.025);
        g_assert_cmpfloat(worst, <, 0.04);
    }
}

/* Where win^k / 8 is below 1, up to 16 segments, it is NewReno. */
static void test_small_windows(void)
{
    struct clock c, newreno;

    clock_init(&c, 4, 1e9);
    clock_init(&newreno, 4, 1e9);
    newreno.ops = &TCP_CC_NEWRENO;
    while (newreno.cc.cwnd <= 16) {
        g_assert_cmpuint(c.cc.cwnd, ==, newreno.cc.cwnd);
        clock_round(&c);
        clock_round(&newreno);
    }
    for (int round = 0; round < 20; round++) {
        clock_round(&c);
        clock_round(&newreno);
    }
    g_assert_cmpuint(c.cc.cwnd, >, newreno.cc.cwnd + 5);
}

/* With a queue: while fewer than gamma segments wait the window grows, then the delay window gives way and what waits returns to
 * about gamma, until the loss window alone fills the path and gamma more. */
static void test_gamma(void)
{
    struct clock c;
    double most = 0;

    clock_init(&c, 300, 400);
    for (int round = 0; round < 100; round++) {
        bool was_above = waiting(&c) >= GAMMA;
        uint32_t before = c.cc.cwnd;

        clock_round(&c);
        most = MAX(most, waiting(&c));
        if (was_above && c.cc.delay_segments)
            g_assert_cmpuint(c.cc.cwnd, <, before);
    }
    g_test_message("at most %.0f segments wait", most);
    g_assert_cmpfloat(most, >=, GAMMA);
    g_assert_cmpfloat(most, <, GAMMA + 0.125 * pow(430, 0.75) + 2); /* one step of growth beyond */
    g_assert_cmpuint(c.cc.cwnd, >, 400);
}

/* beta = 1/2 of the sum; the loss window keeps its half and the delay window the rest. A timeout ends the delay window. */
static void test_loss(void)
{
    struct clock c;
    uint32_t before, loss_window;

    clock_init(&c, 200, 1e9);
    for (int round = 0; round < 50; round++)
        clock_round(&c);
    before = c.cc.cwnd;
    loss_window = c.cc.cwnd - c.cc.delay_segments;
    g_assert_cmpuint(c.cc.delay_segments, >, 100);
    clock_lose(&c);
    g_assert_cmpfloat_with_epsilon(c.cc.cwnd, before / 2.0, 1);
    g_assert_cmpfloat_with_epsilon(c.cc.cwnd - c.cc.delay_segments, loss_window / 2.0, 1);
    TCP_CC_COMPOUND.on_timeout(&c.cc);
    g_assert_cmpuint(c.cc.delay_segments, ==, 0);
}

/* After a loss at the full window of 100 Mbit/s over 100 ms, NewReno needs 417 round trips to fill the path again, Compound TCP 32 ((834^(1/4) -
 * 417^(1/4)) * 32 = 27, and 30 segments more): in 60 of them it has moved the more. */
static double megabytes_in(int congestion, int64_t ns)
{
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(100 * NS_PER_MS);
    struct net n;
    double moved;

    network.down.rate_bps = network.up.rate_bps = 100000000;
    profile.congestion = congestion;
    profile.initial_window = 834;
    net_init_on(&n, &profile, &network, 0);
    n.server.cc.ssthresh = 834;
    net_connect(&n);
    n.drop_seq = 100 * MSS;
    net_write(&n, &n.server, 1 << 30);
    net_run_until(&n, n.queue.now_ns + ns);
    moved = (double)n.server.una / 1e6;
    net_fini(&n);
    return moved;
}

static void test_recovers_sooner(void)
{
    double newreno = megabytes_in(TCP_NEWRENO, 6 * NS_PER_S),
           compound = megabytes_in(TCP_COMPOUND, 6 * NS_PER_S);
    double full = 6 * 12.5 * MSS / (MSS + 54.0);

    g_test_message("6 s after a loss: NewReno %.1f MB, Compound %.1f MB, the link %.1f MB", newreno, compound,
                   full);
    g_assert_cmpfloat(newreno, <, 0.65 * full);
    g_assert_cmpfloat(compound, >, 0.80 * full);
}

static void test_by_system(void)
{
    static const struct {
        const char *system;
        int congestion, exit;
    } rows[] = {
        {"linux", TCP_CUBIC, TCP_EXIT_HYSTART},
        {"windows-xp", TCP_NEWRENO, TCP_EXIT_NONE},
        {"windows-vista", TCP_NEWRENO, TCP_EXIT_NONE},
        {"windows-7", TCP_NEWRENO, TCP_EXIT_NONE},
        {"windows-server-2008", TCP_COMPOUND, TCP_EXIT_NONE},
        {"windows-server-2012", TCP_COMPOUND, TCP_EXIT_NONE},
        {"windows-server-2016", TCP_COMPOUND, TCP_EXIT_NONE},
        {"windows-10", TCP_CUBIC, TCP_EXIT_HYSTART_PLUS},
        {"windows-server-2022", TCP_CUBIC, TCP_EXIT_HYSTART_PLUS},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        struct tcp_profile p = net_profile_of(rows[i].system);

        g_assert_cmpint(p.congestion, ==, rows[i].congestion);
        g_assert_cmpint(p.slow_start_exit, ==, rows[i].exit);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/compound/growth", test_growth);
    g_test_add_func("/compound/small-windows", test_small_windows);
    g_test_add_func("/compound/gamma", test_gamma);
    g_test_add_func("/compound/loss", test_loss);
    g_test_add_func("/compound/recovers-sooner", test_recovers_sooner);
    g_test_add_func("/compound/by-system", test_by_system);
    return g_test_run();
}
