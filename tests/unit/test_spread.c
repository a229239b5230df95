/* What a run of a prediction draws: pools in blocks, factors between runs, what another round trip changes. */
#include "replay/spread.h"
#include "sim/command.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

enum { READS = 200 };

/* READS reads whose service and think time are their number in microseconds and 10 ms more, a CREATE before and a CLOSE behind. */
static struct replay_model *make(int64_t rtt_ns)
{
    struct replay_model *m = g_new0(struct replay_model, 1);
    struct trace_connection *c;

    m->trace = trace_new();
    m->sources = g_array_new(FALSE, FALSE, sizeof(guint));
    m->calibration.services = g_array_new(FALSE, FALSE, sizeof(struct calibration_service));
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        m->calibration.side[d].lost = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    m->calibration.rtt_ns = calibrated_value((double)rtt_ns, (double)rtt_ns, (double)rtt_ns);
    m->calibration.handshake_ns = (double)rtt_ns;
    network_profile_init(&m->network);
    m->network.rtt_ns = rtt_ns;
    c = trace_add_connection(m->trace);
    for (int i = 0; i < READS + 2; i++) {
        struct exchange e = {
            .command = i == 0       ? SMB2_CREATE
                       : i <= READS ? SMB2_READ
                                    : SMB2_CLOSE,
            .data_bytes = i > 0 && i <= READS ? 4096 : 0,
            .service_ns = 10 * NS_PER_MS + i * NS_PER_US,
            .think_ns = 10 * NS_PER_MS + i * NS_PER_US,
            .request_bytes = 100,
            .response_bytes = 100,
            .after = i > 0,
            .flags = EXCHANGE_SERVER_TIMED | EXCHANGE_BARRIER,
        };

        g_array_append_val(c->exchanges, e);
    }
    return m;
}

static const struct exchange *at(const struct trace *t, guint i)
{
    return &g_array_index(g_array_index(t->connections, struct trace_connection, 0).exchanges,
                          struct exchange, i);
}

static void test_as_recorded(void)
{
    struct replay_model *m = make(NS_PER_MS);
    struct trace *t = spread_trace(m, NULL, 1, 0);

    for (guint i = 0; i < READS + 2; i++)
        g_assert_true(memcmp(at(t, i), at(m->trace, i), sizeof(struct exchange)) == 0);
    trace_free(t);
    replay_model_free(m);
}

/* A run's factors apply to all of its exchanges; what remains are times of the pool, in stretches of neighbours, five at a
 * time, service and think time together. */
static void test_blocks(void)
{
    struct replay_model *m = make(NS_PER_MS);
    struct trace *t = spread_trace(m, NULL, 1, 7);
    double server = (double)at(t, 0)->service_ns / (double)at(m->trace, 0)->service_ns;
    double client = (double)at(t, 0)->think_ns / (double)at(m->trace, 0)->think_ns;
    guint neighbours = 0, changed = 0;
    double before = 0;

    g_assert_cmpfloat(fabs(server - client), >, 1e-4); /* factors of their own */
    for (guint i = 1; i <= READS; i++) {
        double number = ((double)at(t, i)->service_ns / server - 10e6) / 1e3;

        g_assert_cmpfloat(fabs(number - round(number)), <, 0.01);
        g_assert_cmpfloat(fabs(((double)at(t, i)->think_ns / client - 10e6) / 1e3 - number), <, 0.01);
        g_assert_true(number > 0.5 && number < READS + 0.5);
        neighbours += fabs(number - before - 1) < 0.1;
        changed += fabs(number - i) > 0.1;
        before = number;
    }
    g_assert_cmpuint(changed, >, READS / 2);
    g_assert_cmpuint(neighbours, >=, READS * 4 / 5 - 3);
    g_assert_cmpfloat(
        fabs((double)at(t, READS + 1)->service_ns / server - (double)at(m->trace, READS + 1)->service_ns), <,
        2); /* a step of its own */
    trace_free(t);
    replay_model_free(m);
}

/* In the mean of many runs a factor is 1, and spreads as between two runs that each differ by a tenth. */
static void test_factors(void)
{
    struct replay_model *m = make(NS_PER_MS);
    double sum = 0, squares = 0;
    const int runs = 400;

    for (int run = 1; run <= runs; run++) {
        struct trace *t = spread_trace(m, NULL, 1, (uint64_t)run);
        double z = log((double)at(t, 0)->service_ns / (double)at(m->trace, 0)->service_ns);

        sum += z;
        squares += z * z;
        trace_free(t);
    }
    g_assert_cmpfloat(fabs(sum / runs), <, 0.03);
    g_assert_cmpfloat(fabs(sqrt(squares / runs) - 0.1414), <, 0.02);
    replay_model_free(m);
}

/* Another round trip: hosts that idle for longer take longer to wake, and a warm path saves what the handshake took longer. */
static void test_other_network(void)
{
    struct replay_model *m = make(NS_PER_MS);
    struct network_profile there;
    struct trace *t;

    network_profile_init(&there);
    there.rtt_ns = 25 * NS_PER_MS;
    t = spread_trace(m, &there, 1, 0);
    for (guint i = 0; i < READS + 2; i++)
        g_assert_cmpint(at(t, i)->service_ns - at(m->trace, i)->service_ns, ==, 4 * 50000);
    trace_free(t);
    there.rtt_ns = NS_PER_MS;
    m->calibration.handshake_ns += 30000;
    t = spread_trace(m, &there, 1, 0);
    for (guint i = 0; i < READS + 2; i++)
        g_assert_cmpint(at(t, i)->service_ns - at(m->trace, i)->service_ns, ==, -30000);
    trace_free(t);
    network_profile_clear(&there);
    replay_model_free(m);
}

/* What a service can't give, the think time does; an exchange behind others gives nothing. */
static void test_too_short(void)
{
    struct replay_model *m = make(NS_PER_MS);
    GArray *exchanges = g_array_index(m->trace->connections, struct trace_connection, 0).exchanges;
    struct network_profile there;
    struct trace *t;

    network_profile_init(&there);
    there.rtt_ns = NS_PER_MS;
    m->calibration.handshake_ns += 30000;
    g_array_index(exchanges, struct exchange, 0).service_ns = 10000;
    g_array_index(exchanges, struct exchange, 1).flags &= (uint16_t)~EXCHANGE_BARRIER;
    t = spread_trace(m, &there, 1, 0);
    g_assert_cmpint(at(t, 0)->service_ns, ==, 0);
    g_assert_cmpint(at(t, 0)->think_ns, ==, at(m->trace, 0)->think_ns - 20000);
    g_assert_cmpint(at(t, 1)->service_ns, ==, at(m->trace, 1)->service_ns);
    trace_free(t);
    network_profile_clear(&there);
    replay_model_free(m);
}

static void test_reach(void)
{
    struct network_profile n;

    network_profile_init(&n);
    g_assert_cmpfloat(fabs(spread_reach(&n, 0) - 0.05), <, 1e-9);
    g_assert_cmpfloat(fabs(spread_reach(&n, 0.12) - 0.13), <, 1e-9);
    n.up.loss = 0.001;
    g_assert_cmpfloat(fabs(spread_reach(&n, 0) - 0.07), <, 1e-9);
    network_profile_clear(&n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/spread/as-recorded", test_as_recorded);
    g_test_add_func("/spread/blocks", test_blocks);
    g_test_add_func("/spread/factors", test_factors);
    g_test_add_func("/spread/other-network", test_other_network);
    g_test_add_func("/spread/too-short", test_too_short);
    g_test_add_func("/spread/reach", test_reach);
    return g_test_run();
}
