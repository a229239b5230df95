/* Few and many values, both ways of sorting against the library's. */
#include "report/sorting.h"
#include "base/rng.h"

#include <glib.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>

static void check(size_t n, double scale, bool whole)
{
    gsl_rng *rng = rng_stream(1, n, "sorting");
    g_autofree double *x = g_new(double, n + 1), *mine = g_new(double, n + 1), *theirs = g_new(double, n + 1);
    g_autofree size_t *order = g_new(size_t, n + 1);

    for (size_t i = 0; i < n; i++) {
        x[i] = gsl_ran_gaussian(rng, scale);
        if (whole)
            x[i] = rint(x[i]); /* with minus zeroes, and many ties */
        mine[i] = theirs[i] = x[i];
    }
    gsl_sort(theirs, 1, n);
    sorting_ascend(mine, n);
    sorting_index(order, x, n);
    for (size_t i = 0; i < n; i++) {
        g_assert_cmpfloat(mine[i], ==, theirs[i]);
        g_assert_cmpfloat(x[order[i]], ==, theirs[i]);
        g_assert_true(i == 0 || x[order[i - 1]] < x[order[i]] || order[i - 1] < order[i]);
    }
    gsl_rng_free(rng);
}

static void test_sizes(void)
{
    static const size_t SIZES[] = {0, 1, 2, 3, 100, 4095, 4096, 4097, 50000};

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        check(SIZES[i], 1e-60, false);
        check(SIZES[i], 1e60, false);
        check(SIZES[i], 2, true);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/sorting/sizes", test_sizes);
    return g_test_run();
}
