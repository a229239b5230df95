/* The dip statistic against published values, and the table of its distribution against simulation. With --table: prints the table. */
#include "base/rng.h"
#include "report/dip.h"
#include "report/dip_table.h"

#include <glib.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double dip_of(const double *x, size_t n)
{
    g_autofree double *sorted = stats_sorted(x, n);

    return dip_statistic(sorted, n);
}

/* Values of the R package diptest 0.77: its examples, and data sets of Hartigan (1985) and of R. */
static void test_published(void)
{
    static const double TWO[] = {1, 1, 2, 2}, STEPS[] = {0, 1, 3, 6}, SMALL[] = {0, 2, 3, 5, 6},
                        MIRRORED[] = {0, 1, 3, 4, 6}, LONE[] = {1, 2, 2, 2, 2, 2, 2, 2, 2, 2};
    static const double FACULTY[] = {30, 33, 35, 36, 37, 37, 39, 39, 39, 39, 39, 40, 40, 40, 40, 41,
                                     42, 43, 43, 43, 44, 44, 45, 45, 46, 46, 47, 47, 48, 48, 48, 49,
                                     50, 50, 51, 52, 52, 53, 53, 53, 53, 53, 54, 54, 57, 57, 59, 60,
                                     60, 60, 61, 61, 61, 61, 62, 62, 62, 62, 63, 66, 70, 72, 72};
    static const struct {
        const double *x;
        size_t n;
        double dip;
    } CASES[] = {{TWO, 4, 0.25},          {STEPS, 4, 0.125}, {SMALL, 5, 4.0 / 30},
                 {MIRRORED, 5, 4.0 / 30}, {LONE, 10, 0.05},  {FACULTY, G_N_ELEMENTS(FACULTY), 7.5 / 126}};

    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++)
        g_assert_cmpfloat_with_epsilon(dip_of(CASES[i].x, CASES[i].n), CASES[i].dip, 1e-12);
}

/* Turned over, the runs dip as before; of two tight groups of k and n - k runs the dip is half the smaller share. */
static void test_symmetry(void)
{
    gsl_rng *rng = rng_stream(3, 0, "test/dip");

    for (int trial = 0; trial < 200; trial++) {
        double x[40], turned[40];
        size_t n = 4 + gsl_rng_uniform_int(rng, 37), k = 1 + gsl_rng_uniform_int(rng, n - 1);
        double dip, floor_of = 0.5 / (double)n;

        for (size_t i = 0; i < n; i++) {
            x[i] = gsl_ran_gaussian(rng, 1);
            turned[i] = -x[i];
        }
        dip = dip_of(x, n);
        g_assert_cmpfloat_with_epsilon(dip_of(turned, n), dip, 1e-12);
        g_assert_true(dip >= floor_of - 1e-12 && dip <= 0.25);
        for (size_t i = 0; i < n; i++)
            x[i] = i < k ? 1 : 2;
        g_assert_cmpfloat_with_epsilon(dip_of(x, n), (double)MIN(k, n - k) / 2 / (double)n, 1e-12);
    }
    gsl_rng_free(rng);
}

/* Uniform values in rising order, from exponential gaps. */
static void uniform(gsl_rng *rng, double *x, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        sum += gsl_ran_exponential(rng, 1);
        x[i] = sum;
    }
}

/* Returns owned: sorted √n · dip of `trials` sets of n runs. */
static double *simulate(size_t n, size_t trials)
{
    gsl_rng *rng = rng_stream(5, n, "test/dip-table");
    double *heights = g_new(double, trials);
    g_autofree double *x = g_new(double, n);

    for (size_t t = 0; t < trials; t++) {
        uniform(rng, x, n);
        heights[t] = sqrt((double)n) * dip_statistic(x, n);
    }
    gsl_sort(heights, 1, trials);
    gsl_rng_free(rng);
    return heights;
}

static void print_table(void)
{
    for (size_t row = 0; row < DIP_ROWS; row++) {
        size_t trials = DIP_RUNS[row] < 500 ? 1000000 : 100000;
        g_autofree double *heights = simulate(DIP_RUNS[row], trials);

        printf("    {");
        for (size_t i = 0; i < DIP_COLUMNS; i++)
            printf("%s%.4f", i ? ", " : "", stats_quantile(heights, trials, DIP_LEVELS[i]));
        printf("},\n");
        fflush(stdout);
    }
}

/* p of uniform runs is uniform: at any level that much of it lies below, between the table's rows as well. */
static void test_table(void)
{
    static const size_t SIZES[] = {4, 7, 10, 17, 40, 150};
    static const double LEVELS[] = {0.5, 0.1, 0.05, 0.01};
    static const size_t TRIALS = 20000;

    for (guint s = 0; s < G_N_ELEMENTS(SIZES); s++) {
        g_autofree double *heights = simulate(SIZES[s], TRIALS);

        for (guint l = 0; l < G_N_ELEMENTS(LEVELS); l++) {
            double level = LEVELS[l], share = 0;
            /* three standard errors, and what interpolation may add */
            double room = 3 * sqrt(level * (1 - level) / (double)TRIALS) + 0.15 * level;

            for (size_t t = 0; t < TRIALS; t++)
                share += dip_p(heights[t] / sqrt((double)SIZES[s]), SIZES[s]) <= level ? 1 : 0;
            share /= (double)TRIALS;
            /* Few runs have few dips: p then jumps over the larger levels. */
            if (share > level + room || (level <= 0.1 && share < level - room))
                g_error("n = %zu: p <= %g in %g of the trials", SIZES[s], level, share);
        }
    }
}

/* Rounding makes ties and no peaks; two groups stay two. */
static void test_ties(void)
{
    static const double ROUNDED[] = {12, 12, 12, 12, 13, 13, 13, 13},
                        CACHED[] = {20.1, 20.2, 20.4, 60.1, 60.2, 60.9, 61.3};
    static const double EQUAL[] = {5, 5, 5, 5, 5};
    struct dip_test rounded = dip_of_runs(ROUNDED, 8), cached = dip_of_runs(CACHED, 7);

    g_assert_cmpfloat(rounded.p.value, >, 0.5);
    g_assert_cmpfloat(cached.p.value, <, 0.05);
    g_assert_cmpuint(cached.in_low, ==, 3);
    g_assert_cmpfloat_with_epsilon(cached.low_group, 20.2333333, 1e-6);
    g_assert_false(dip_of_runs(EQUAL, 5).p.known);
    g_assert_false(dip_of_runs(EQUAL, 3).p.known);
    g_assert_nonnull(dip_of_runs(EQUAL, 0).p.why);
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    if (argc == 2 && strcmp(argv[1], "--table") == 0) {
        print_table();
        return 0;
    }
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/dip/published", test_published);
    g_test_add_func("/dip/symmetry", test_symmetry);
    g_test_add_func("/dip/table", test_table);
    g_test_add_func("/dip/ties", test_ties);
    return g_test_run();
}
