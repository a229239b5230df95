/* Long transfers under independent loss against the published formulas of TCP's steady state, in segments a round trip.
 *
 * Mathis et al. 1997: sqrt(3 / (2 b p)), for SACK NewReno, whose every loss is repaired without a timeout.
 * Padhye et al. 1998 (PFTK), the full model without a window limit: with W the mean window before a loss, Q the chance that a loss
 * becomes a timeout, T0 its first length in round trips and f(p) the sum of its doublings,
 *     ((1 - p) / p + W + Q / (1 - p)) / (b W / 2 + 1 + Q T0 f(p) / (1 - p)).
 * b is the number of ACKed segments that count as one where the window grows: 2 when ACKs are counted and each acknowledges two
 * segments, 1 when segments are counted, as Linux does, delayed ACKs or not. Nothing else limits: the link's rate and the
 * receiver's window are far above. */
#include "tests/model/net.h"

#include <math.h>

enum { SEEDS = 5, RTT_NS = 100 * NS_PER_MS };

struct variant {
    const char *name;
    bool count_acks;
    bool rack; /* with PRR: Linux's way of recovering */
    double b;
};

static const struct variant VARIANTS[] = {
    {"RFC 6675, ACKs counted", true, false, 2},
    {"RFC 6675, segments counted", false, false, 1},
    {"RACK and PRR, segments counted", false, true, 1},
};

static double mathis(double p, double b)
{
    return sqrt(3 / (2 * b * p));
}

static double pftk(double p, double b, double t0)
{
    double c = (2 + b) / (3 * b);
    double w = c + sqrt(8 * (1 - p) / (3 * b * p) + c * c);
    double q3 = pow(1 - p, 3);
    double q = MIN(1, (1 - q3) * (1 + q3 * (1 - pow(1 - p, w - 3))) / (1 - pow(1 - p, w)));
    double f = 1 + p + 2 * p * p + 4 * pow(p, 3) + 8 * pow(p, 4) + 16 * pow(p, 5) + 32 * pow(p, 6);

    return ((1 - p) / p + w + q / (1 - p)) / (b / 2 * w + 1 + q * t0 * f / (1 - p));
}

/* Segments a round trip of one long transfer. */
static double measure(const struct variant *v, double p, uint64_t run)
{
    struct tcp_profile profile = plain_profile();
    struct network_profile network = plain_link(RTT_NS);
    uint32_t segments = (uint32_t)(400 / p); /* so many losses */
    int64_t begun;
    struct net n;
    double rate;

    profile.receive_window_bytes = 1000000000;
    profile.autotuning = TCP_WINDOW_FIXED;
    profile.growth_limit = v->count_acks;
    profile.rack = profile.prr = v->rack;
    profile.min_rto_ns = 200 * NS_PER_MS;
    profile.initial_window = 10;
    network.down.loss = p;
    net_init_on(&n, &profile, &network, run);
    n.server.cc.ssthresh = (uint32_t)mathis(p, v->b);
    net_connect(&n);
    begun = n.queue.now_ns;
    net_write(&n, &n.server, segments * MSS);
    while (!n.delivered_messages)
        g_assert_true(event_queue_step(&n.queue));
    rate = segments * (double)RTT_NS / (double)(n.delivered_ns - begun);
    net_fini(&n);
    return rate;
}

static void check(const struct variant *v, const char *formula, double p, double expected)
{
    double sum = 0, low = INFINITY, high = 0;

    for (uint64_t run = 0; run < SEEDS; run++) {
        double rate = measure(v, p, run);

        sum += rate;
        low = MIN(low, rate);
        high = MAX(high, rate);
    }
    g_test_message("%-32s p %.2f %%, seed 1, runs 0 to %d: %.2f (%.2f to %.2f), %s %.2f: %+.1f %%", v->name,
                   100 * p, SEEDS - 1, sum / SEEDS, low, high, formula, expected,
                   100 * (sum / SEEDS / expected - 1));
    g_assert_cmpfloat_with_epsilon(sum / SEEDS, expected, 0.15 * expected);
}

static void test_mathis(void)
{
    static const double losses[] = {0.0005, 0.001, 0.002, 0.005};

    for (size_t v = 0; v < G_N_ELEMENTS(VARIANTS); v++) {
        for (size_t i = 0; i < G_N_ELEMENTS(losses); i++)
            check(&VARIANTS[v], "Mathis", losses[i], mathis(losses[i], VARIANTS[v].b));
    }
}

static void test_pftk(void)
{
    static const double losses[] = {0.005, 0.01, 0.02, 0.03};

    for (size_t v = 0; v < G_N_ELEMENTS(VARIANTS); v++) {
        for (size_t i = 0; i < G_N_ELEMENTS(losses); i++)
            check(&VARIANTS[v], "PFTK", losses[i], pftk(losses[i], VARIANTS[v].b, 2));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/formulas/mathis", test_mathis);
    g_test_add_func("/formulas/pftk", test_pftk);
    return g_test_run();
}
