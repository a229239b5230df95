#include "base/rng.h"

#include <glib.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* The generator itself: the sequence of the authors' reference program from the state 1, 2, 3, 4, as other libraries
 * publish it too. The state of a stream is four 64-bit words. */
static void test_known_sequence(void)
{
    static const uint64_t start[4] = {1, 2, 3, 4};
    static const uint64_t expected[] = {
        UINT64_C(41943041),
        UINT64_C(58720359),
        UINT64_C(3588806011781223),
        UINT64_C(3591011842654386),
        UINT64_C(9228616714210784205),
        UINT64_C(9973669472204895162),
        UINT64_C(14011001112246962877),
        UINT64_C(12406186145184390807),
        UINT64_C(15849039046786891736),
        UINT64_C(10450023813501588000),
    };
    gsl_rng *integers = rng_stream(0, 0, "");
    gsl_rng *doubles = rng_stream(0, 0, "");

    g_assert_cmpuint(gsl_rng_size(integers), ==, sizeof start);
    memcpy(gsl_rng_state(integers), start, sizeof start);
    memcpy(gsl_rng_state(doubles), start, sizeof start);
    for (size_t i = 0; i < G_N_ELEMENTS(expected); i++) {
        g_assert_cmpuint(gsl_rng_get(integers), ==, expected[i] >> 32);
        g_assert_true(gsl_rng_uniform(doubles) == ldexp((double)(expected[i] >> 11), -53));
    }
    gsl_rng_free(integers);
    gsl_rng_free(doubles);
}

/* Seeding, worked out by a separate program from the definitions of splitmix64 and FNV-1a. */
static void test_known_seeding(void)
{
    static const unsigned long of_stream[] = {0xb5a7d61, 0xbca891db, 0x502922fe, 0xc9fc5c7};
    static const unsigned long of_seed_0[] = {0x53175d61, 0x61da6f3d, 0x5c0fdf91, 0x2eebf8c};
    gsl_rng *rng = rng_stream(1, 2, "loss");

    for (size_t i = 0; i < G_N_ELEMENTS(of_stream); i++)
        g_assert_cmpuint(gsl_rng_get(rng), ==, of_stream[i]);
    gsl_rng_set(rng, 0);
    for (size_t i = 0; i < G_N_ELEMENTS(of_seed_0); i++)
        g_assert_cmpuint(gsl_rng_get(rng), ==, of_seed_0[i]);
    gsl_rng_free(rng);
}

static bool same_draws(uint64_t seed, uint64_t run, const char *name)
{
    gsl_rng *reference = rng_stream(7, 3, "loss/down");
    gsl_rng *other = rng_stream(seed, run, name);
    int equal = 0;

    for (int i = 0; i < 64; i++)
        equal += gsl_rng_get(reference) == gsl_rng_get(other);
    gsl_rng_free(reference);
    gsl_rng_free(other);
    g_assert_true(equal == 64 || equal == 0);
    return equal == 64;
}

static void test_streams(void)
{
    g_assert_true(same_draws(7, 3, "loss/down"));
    g_assert_false(same_draws(8, 3, "loss/down"));
    g_assert_false(same_draws(7, 4, "loss/down"));
    g_assert_false(same_draws(3, 7, "loss/down"));
    g_assert_false(same_draws(7, 3, "loss/up"));
    g_assert_false(same_draws(7, 3, "loss/dow"));
    g_assert_false(same_draws(7, 3, ""));
    g_assert_false(same_draws(0, 0, ""));
    g_assert_false(same_draws(UINT64_MAX, UINT64_MAX, "loss/down"));
}

/* Streams of neighbouring runs and names are uncorrelated, and uniform: with 2^16 draws a correlation or a mean beyond 5
 * standard deviations would be a defect, not chance. */
static void test_independence(void)
{
    enum { DRAWS = 1 << 16 };
    gsl_rng *a = rng_stream(1, 1, "jitter");
    gsl_rng *others[] = {rng_stream(1, 2, "jitter"), rng_stream(2, 1, "jitter"), rng_stream(1, 1, "jittes")};
    double sum = 0, cross[3] = {0};

    for (int i = 0; i < DRAWS; i++) {
        double x = gsl_rng_uniform(a) - 0.5;

        sum += x;
        for (int j = 0; j < 3; j++)
            cross[j] += x * (gsl_rng_uniform(others[j]) - 0.5);
    }
    g_assert_cmpfloat(fabs(sum), <, 5 * sqrt(DRAWS / 12.0));
    for (int j = 0; j < 3; j++)
        g_assert_cmpfloat(fabs(cross[j]), <, 5 * sqrt(DRAWS / 144.0));
    gsl_rng_free(a);
    for (int j = 0; j < 3; j++)
        gsl_rng_free(others[j]);
}

/* GSL's distributions rely on the stated range: all 32 bits occur, and a uniform draw is below 1. */
static void test_range(void)
{
    gsl_rng *rng = rng_stream(5, 0, "range");
    unsigned long set = 0, always = ~0UL;
    double low = 1, high = 0;

    g_assert_cmpuint(gsl_rng_min(rng), ==, 0);
    g_assert_cmpuint(gsl_rng_max(rng), ==, 0xffffffffUL);
    for (int i = 0; i < 10000; i++) {
        unsigned long v = gsl_rng_get(rng);
        double u = gsl_rng_uniform(rng);

        set |= v;
        always &= v;
        low = MIN(low, u);
        high = MAX(high, u);
    }
    g_assert_cmpuint(set, ==, 0xffffffffUL);
    g_assert_cmpuint(always, ==, 0);
    g_assert_cmpfloat(low, >=, 0);
    g_assert_cmpfloat(low, <, 0.01);
    g_assert_cmpfloat(high, >, 0.99);
    g_assert_cmpfloat(high, <, 1);
    gsl_rng_free(rng);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rng/known-sequence", test_known_sequence);
    g_test_add_func("/rng/known-seeding", test_known_seeding);
    g_test_add_func("/rng/streams", test_streams);
    g_test_add_func("/rng/independence", test_independence);
    g_test_add_func("/rng/range", test_range);
    return g_test_run();
}
