/* Rates and packet caps from frame distances. */
#include "replay/rate.h"
#include "base/rng.h"
#include "base/units.h"

#include <gsl/gsl_randist.h>

enum { FRAME = 1514 };

static void add(GArray *events, int64_t time_ns, bool full)
{
    struct rate_event e = {.time_ns = time_ns, .bytes = full ? FRAME : 66, .packets = 1, .full = full};

    g_array_append_val(events, e);
}

static GArray *events_new(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct rate_event));
}

/* Bursts of `length` full frames behind a link, each a pause after the last. */
static GArray *bursts(int64_t rate_bps, int count, int length, int64_t pause_ns)
{
    GArray *events = events_new();
    int64_t now = 0;

    for (int b = 0; b < count; b++) {
        now += pause_ns;
        add(events, now, false);
        now += pause_ns;
        for (int i = 0; i < length; i++) {
            now += (int64_t)FRAME * 8 * NS_PER_S / rate_bps;
            add(events, now, true);
        }
    }
    return events;
}

static void expect_rate(const GArray *events, double rate_bps)
{
    struct calibrated r = rate_estimate(events);

    g_assert_true(r.known);
    g_assert_cmpfloat_with_epsilon(r.value, rate_bps, rate_bps / 1000);
    g_assert_cmpfloat(r.low, <=, r.value);
    g_assert_cmpfloat(r.high, >=, r.value);
}

/* The link's rate shows, however short the bursts, and whatever the pauses between them. */
static void test_bursts(void)
{
    static const struct {
        int64_t rate_bps;
        int length;
    } cases[] = {{2000000, 200}, {10000000, 23}, {100000000, 29}, {10000000, 5}, {1000000000, 64}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GArray) events = bursts(cases[i].rate_bps, 40, cases[i].length, 20 * NS_PER_MS);

        expect_rate(events, (double)cases[i].rate_bps);
    }
}

/* Flights of 11 and 12 frames with a pause between: stretches of 16 all span one, and pile up far below the link's rate. */
static void test_regular_pauses(void)
{
    g_autoptr(GArray) events = events_new();
    int64_t now = 0;

    for (int i = 0; i < 1000; i++) {
        now += i % 23 == 0 || i % 23 == 11 ? 40 * NS_PER_MS : (int64_t)FRAME * 8 * NS_PER_S / 20000000;
        add(events, now, true);
    }
    expect_rate(events, 20e6);
}

/* A sender that is never held by the link: the gaps scatter, and the rate is unknown with what was reached as its bound. */
static void test_scattered(void)
{
    g_autoptr(GArray) events = events_new();
    gsl_rng *rng = rng_stream(7, 0, "test/rate");
    struct calibrated r;
    int64_t now = 0;

    for (int i = 0; i < 4000; i++) {
        now += (int64_t)gsl_ran_lognormal(rng, 11, 1.5);
        add(events, now, true);
    }
    gsl_rng_free(rng);
    r = rate_estimate(events);
    g_assert_false(r.known);
    g_assert_cmpfloat(r.bound, >, 0);
}

static void test_nothing(void)
{
    g_autoptr(GArray) events = events_new();
    int64_t phase = 0;

    g_assert_false(rate_estimate(events).known);
    g_assert_cmpfloat(rate_estimate(events).bound, ==, 0);
    g_assert_false(rate_packet_cap(events, &phase).known);
    add(events, 5, true);
    g_assert_false(rate_estimate(events).known);
    g_assert_false(rate_packet_cap(events, &phase).known);
}

/* Ten frames a millisecond at gigabit speed, the milliseconds somewhere in the capture's: the cap, and the link's rate once the
 * stretches are cut at it. */
static void test_cap(void)
{
    g_autoptr(GArray) events = events_new();
    int64_t phase = 0;
    struct calibrated cap;

    for (int64_t ms = 0; ms < 300; ms++) {
        for (int i = 0; i < 10; i++)
            add(events, ms * NS_PER_MS + 370000 + i * INT64_C(12112), true);
    }
    cap = rate_packet_cap(events, &phase);
    g_assert_true(cap.known);
    g_assert_cmpfloat(cap.value, ==, 10);
    rate_split(events, phase);
    expect_rate(events, 1e9);
}

/* A plain link of 100 Mbit/s passes eight or nine frames a millisecond: no cap, or one of half as much at least, for the milliseconds of
 * a cap may begin anywhere. */
static void test_no_cap(void)
{
    g_autoptr(GArray) events = bursts(100000000, 5, 2000, 20 * NS_PER_MS);
    int64_t phase = 0;
    struct calibrated cap = rate_packet_cap(events, &phase);

    g_assert_false(cap.known);
    g_assert_cmpfloat(cap.bound, ==, 5);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rate/bursts", test_bursts);
    g_test_add_func("/rate/regular-pauses", test_regular_pauses);
    g_test_add_func("/rate/scattered", test_scattered);
    g_test_add_func("/rate/nothing", test_nothing);
    g_test_add_func("/rate/cap", test_cap);
    g_test_add_func("/rate/no-cap", test_no_cap);
    return g_test_run();
}
