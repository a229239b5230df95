/* CUBIC against RFC 9438's equations, and HyStart's exits against what the recorded Linux did. */
#include "tests/model/net.h"

#include <math.h>

/* An ideal ACK clock: each round trip acknowledges one window, two segments at a time, evenly spaced. */
struct clock {
    struct tcp_cc cc;
    int64_t now_ns, rtt_ns;
};

static void clock_init(struct clock *c, uint32_t cwnd, int64_t rtt_ns)
{
    *c = (struct clock){.now_ns = NS_PER_S, .rtt_ns = rtt_ns};
    TCP_CC_CUBIC.init(&c->cc);
    c->cc.cwnd = cwnd;
    c->cc.ssthresh = cwnd;
    c->cc.delay_min_ns = rtt_ns;
}

static void clock_lose(struct clock *c)
{
    c->cc.ssthresh = TCP_CC_CUBIC.ssthresh(&c->cc);
    c->cc.cwnd = c->cc.ssthresh;
    c->cc.counter = 0;
}

static void clock_ack(struct clock *c)
{
    struct tcp_cc_ack ack = {.now_ns = c->now_ns, .acked = 2, .rtt_ns = c->rtt_ns};

    TCP_CC_CUBIC.on_rtt(&c->cc, &ack);
    TCP_CC_CUBIC.grow(&c->cc, &ack);
    c->now_ns += 2 * c->rtt_ns / c->cc.cwnd;
}

static void clock_run(struct clock *c, int64_t ns)
{
    int64_t end = c->now_ns + ns;

    while (c->now_ns < end)
        clock_ack(c);
}

/* RFC 9438 4.2, figures 1 and 2: C (t - K)^3 + W_max, K from the window at the epoch's start. C = 0.4. */
static double w_cubic(double t_s, double w_max, double cwnd_epoch)
{
    double k = cbrt((w_max - cwnd_epoch) / 0.4), d = t_s - k;

    return 0.4 * d * d * d + w_max;
}

/* After a loss at `w_max` on a path long enough that the cubic curve is above the Reno-friendly one: at any time the window lies on the
 * curve, at most a round trip ahead of it (the algorithm aims there), and a segment for the rounding of either. */
static void check_curve(uint32_t w_max, int64_t rtt_ns)
{
    struct clock c;
    double cwnd_epoch, k, rtt_s = units_seconds(rtt_ns), worst = 0;
    int64_t epoch;

    clock_init(&c, w_max, rtt_ns);
    clock_lose(&c);
    cwnd_epoch = c.cc.cwnd;
    g_assert_cmpuint(c.cc.cwnd, ==, w_max * 717 / 1024);
    k = cbrt((w_max - cwnd_epoch) / 0.4);
    epoch = c.now_ns;
    while (units_seconds(c.now_ns - epoch) < 1.8 * k) { /* concave to K, then convex */
        double t = units_seconds(c.now_ns - epoch), low, high;

        clock_ack(&c);
        low = w_cubic(MAX(t - rtt_s, 0), w_max, cwnd_epoch) - 1.5;
        high = w_cubic(t + rtt_s, w_max, cwnd_epoch) + 1.5;
        g_assert_cmpfloat(c.cc.cwnd, >=, low);
        g_assert_cmpfloat(c.cc.cwnd, <=, high);
        worst = MAX(worst, fabs(c.cc.cwnd / w_cubic(t, w_max, cwnd_epoch) - 1));
    }
    g_test_message("W_max %u, RTT %.0f ms: within %.2f %% of the curve over %.1f s", w_max, rtt_s * 1e3,
                   100 * worst, 1.8 * k);
}

static void test_curve(void)
{
    check_curve(1000, 100 * NS_PER_MS);
    check_curve(400, 100 * NS_PER_MS);
    check_curve(5000, 100 * NS_PER_MS);
    check_curve(1000, 200 * NS_PER_MS);
}

/* RFC 9438 4.3: on short paths a Reno flow of beta 0.7 grows faster: 3 (1 - beta) / (1 + beta) = 0.529 segments a round trip (Linux:
 * 8/15). */
static void test_reno_friendly(void)
{
    struct clock c;

    clock_init(&c, 50, 20 * NS_PER_MS);
    clock_lose(&c);
    for (int rounds = 0; rounds < 40; rounds++) {
        g_assert_cmpfloat_with_epsilon(c.cc.cwnd, 35 + rounds * 8.0 / 15, 1.6);
        clock_run(&c, c.rtt_ns);
    }
}

/* RFC 9438 4.7: a loss below the last maximum leaves room, and the plateau lies at (1 + beta) / 2 of the window. */
static void test_fast_convergence(void)
{
    struct clock c;

    clock_init(&c, 1000, 100 * NS_PER_MS);
    clock_lose(&c);
    g_assert_cmpuint(c.cc.last_max, ==, 1000);
    clock_run(&c, 2 * NS_PER_S);
    g_assert_cmpuint(c.cc.cwnd, <, 1000);
    clock_lose(&c);
    g_assert_cmpfloat_with_epsilon(c.cc.last_max, 0.85 * c.cc.cwnd / 0.7, 3);
    clock_run(&c, NS_PER_S);
    g_assert_cmpuint(c.cc.origin, ==, c.cc.last_max);
}

/* No loss seen: 5 % a round trip. */
static void test_growth_before_a_loss(void)
{
    struct clock c;
    double expected = 100;

    clock_init(&c, 100, 100 * NS_PER_MS);
    for (int round = 0; round < 12; round++) {
        clock_run(&c, c.rtt_ns);
        expected *= 1.05;
        g_assert_cmpfloat_with_epsilon(c.cc.cwnd, expected, 0.02 * expected);
    }
}

/* Never more than half the window a round trip, however far the curve has run ahead. */
static void test_fastest_growth(void)
{
    struct clock c;
    uint32_t before;

    clock_init(&c, 100, 100 * NS_PER_MS);
    clock_lose(&c);
    clock_ack(&c);
    c.now_ns += 100 * NS_PER_S; /* the curve's value: 0.4 (100 s)^3 */
    before = c.cc.cwnd;
    for (uint32_t i = 0; i < before / 2; i++)
        clock_ack(&c);
    g_assert_cmpuint(c.cc.cwnd, >=, before + before / 2 - 2);
    g_assert_cmpuint(c.cc.cwnd, <=, before + before / 2 + 2);
}

/* ---- HyStart: where slow start ends on three links that were recorded ------------------------------------------------------------- */

struct exit {
    const char *link;
    double rate_mbit, rtt_ms; /* the smallest RTT, which small exchanges see */
    double cwnd;              /* derived: the first flight whose ACKs last long enough, and how far into it */
    double seen_low_ms, seen_high_ms; /* the standing queue after it, as recorded */
};

/* The queue that a window leaves on the path: what the link can't hold in flight. */
static double standing_ms(const struct exit *e, double cwnd)
{
    return cwnd * 1514 * 8e-3 / e->rate_mbit - e->rtt_ms;
}

static uint32_t exit_window(const struct exit *e)
{
    struct tcp_profile profile = *tcp_profile_of(0);
    struct network_profile network = plain_link((int64_t)(e->rtt_ms * 1e6));
    struct net n;
    uint32_t cwnd;

    network.down.rate_bps = network.up.rate_bps = (int64_t)(e->rate_mbit * 1e6);
    profile.quick_acks = 0; /* a copy's client is past them, and its ACKs ride on requests */
    network.rtt_ns -=
        2 * 266 * INT64_C(8000000000) / network.down.rate_bps; /* frames of the small exchanges */
    network.down.queue_bytes = 10000000;
    net_init_on(&n, &profile, &network, 0);
    net_connect(&n);
    /* Small exchanges, as before any copy: they see the smallest RTT. */
    for (uint64_t i = 1; i <= 5; i++) {
        net_write(&n, i % 2 ? &n.client : &n.server, 200);
        while (n.delivered_messages < i)
            g_assert_true(event_queue_step(&n.queue));
    }
    net_write(&n, &n.server, 4000 * n.server.mss);
    while (!n.server.cc.hystart_found)
        g_assert_true(event_queue_step(&n.queue));
    cwnd = n.server.cc.cwnd;
    net_fini(&n);
    return cwnd;
}

static void test_hystart_exits(void)
{
    static const struct exit exits[] = {
        {"50 Mbit/s, 40.6 ms, by the ACK train", 50, 40.6, 246, 19.5, 20.7},
        {"100 Mbit/s, 4.3 ms, by the ACK train", 100, 4.3, 62, 2.5, 3.9},
        {"10 Mbit/s, 20.3 ms, by the delay", 10, 20.3, 96, 95.5, 99},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(exits); i++) {
        const struct exit *e = &exits[i];
        uint32_t cwnd = exit_window(e);
        double standing = standing_ms(e, cwnd);

        g_test_message("%s: slow start ends at %u (%.0f derived), queue %.1f ms (%.1f to %.1f seen)", e->link,
                       cwnd, e->cwnd, standing, e->seen_low_ms, e->seen_high_ms);
        g_assert_cmpfloat_with_epsilon(cwnd, e->cwnd, 0.03 * e->cwnd);
        g_assert_cmpfloat(standing, >=, e->seen_low_ms - 1);
        g_assert_cmpfloat(standing, <=, e->seen_high_ms + 1);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/cubic/curve", test_curve);
    g_test_add_func("/cubic/reno-friendly", test_reno_friendly);
    g_test_add_func("/cubic/fast-convergence", test_fast_convergence);
    g_test_add_func("/cubic/growth-before-a-loss", test_growth_before_a_loss);
    g_test_add_func("/cubic/fastest-growth", test_fastest_growth);
    g_test_add_func("/cubic/hystart-exits", test_hystart_exits);
    return g_test_run();
}
