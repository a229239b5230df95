/* What needs no distribution: exact quantiles, outliers, ranks and shifts against counting all cases, Holm's correction; and the units that
 * pairs, blocks and clusters come to. */
#include "base/rng.h"
#include "report/design.h"
#include "report/holm.h"
#include "report/order.h"
#include "report/outliers.h"
#include "report/ranks.h"
#include "report/shift.h"

#include <glib.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <string.h>

/* Six runs are the fewest that enclose a median at 95 %: 1 - 2/64. */
static void test_median(void)
{
    static const double X[] = {1, 2, 3, 5, 8, 13, 21, 34, 55};
    struct interval five = order_quantile(X, 5, 0.5, 0.95), six = order_quantile(X, 6, 0.5, 0.95),
                    nine = order_quantile(X, 9, 0.5, 0.95), tail = order_quantile(X, 9, 0.95, 0.95);

    g_assert_true(five.known && !five.bounded && five.why);
    g_assert_cmpfloat(six.low, ==, 1);
    g_assert_cmpfloat(six.high, ==, 13);
    g_assert_cmpfloat(nine.low, ==, 2); /* the second, and the second from above: 1 - 2 * 10/512 */
    g_assert_cmpfloat(nine.high, ==, 34);
    g_assert_true(tail.known && !tail.bounded);
    g_assert_false(order_quantile(NULL, 0, 0.5, 0.95).known);
}

static void test_outliers(void)
{
    static const double FAR[] = {10, 11, 10.5, 10.2, 10.8, 30}, MOSTLY_EQUAL[] = {5, 5, 5, 5, 5, 5, 5, 9},
                        EQUAL[] = {5, 5, 5, 5}, FEW[] = {1, 2, 99};
    bool marked[8];

    g_assert_cmpuint(outliers_mark(FAR, 6, marked), ==, 1);
    g_assert_true(marked[5] && !marked[0]);
    g_assert_cmpuint(outliers_mark(MOSTLY_EQUAL, 8, marked), ==, 1);
    g_assert_cmpuint(outliers_mark(EQUAL, 4, marked), ==, 0);
    g_assert_cmpuint(outliers_mark(FEW, 3, marked), ==, 0);
    g_assert_cmpuint(outliers_mark(NULL, 0, marked), ==, 0);
}

/* Coarse values, so that many tie. */
static void coarse(gsl_rng *rng, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (double)gsl_rng_uniform_int(rng, 9) - 4;
}

/* All differences, written down and sorted. */
static void test_shift(void)
{
    gsl_rng *rng = rng_stream(1, 0, "test/shift");

    for (int trial = 0; trial < 300; trial++) {
        double x[12], y[12], all[144];
        size_t n = 1 + gsl_rng_uniform_int(rng, 12), m = 1 + gsl_rng_uniform_int(rng, 12), k = 0, cut;
        struct interval i;

        coarse(rng, x, n);
        coarse(rng, y, m);
        for (size_t a = 0; a < m; a++) {
            for (size_t b = 0; b < n; b++)
                all[k++] = y[a] - x[b];
        }
        gsl_sort(all, 1, k);
        i = shift_independent(y, m, x, n);
        cut = ranks_critical_u(m, n, 0.025);
        g_assert_cmpfloat(i.value, ==, (all[(k - 1) / 2] + all[k / 2]) / 2);
        g_assert_cmpint(i.bounded, ==, cut > 0);
        g_assert_true(!i.bounded || (i.low == all[cut - 1] && i.high == all[k - cut]));
    }
    gsl_rng_free(rng);
}

static void test_shift_of_pairs(void)
{
    static const double D[] = {-1, 2, 3, 5, 8, 13};
    struct interval i = shift_paired(D, 6), none = shift_paired(D, 5);

    g_assert_cmpfloat(i.value, ==, 5); /* of the 21 means, the eleventh */
    g_assert_cmpfloat(i.low, ==, -1);  /* six pairs: all of them, at 1 - 2/64 */
    g_assert_cmpfloat(i.high, ==, 13);
    g_assert_true(none.known && !none.bounded);
    g_assert_false(shift_paired(NULL, 0).known);
}

/* p of ranks over all ways to deal them. */
static double dealt_p(const double *ranks, size_t total, size_t n, double seen)
{
    double below = 0, above = 0, all = 0;

    for (unsigned int deal = 0; deal < 1u << total; deal++) {
        double sum = 0;
        size_t taken = 0;

        for (size_t i = 0; i < total; i++) {
            taken += deal >> i & 1;
            sum += deal >> i & 1 ? ranks[i] : 0;
        }
        if (taken != n)
            continue;
        all += 1;
        below += sum <= seen + 1e-9;
        above += sum >= seen - 1e-9;
    }
    return fmin(1, 2 * fmin(below, above) / all);
}

static void test_ties(void)
{
    gsl_rng *rng = rng_stream(2, 0, "test/ties");

    for (int trial = 0; trial < 60; trial++) {
        double v[12], ranks[12], seen = 0;
        size_t n = 1 + gsl_rng_uniform_int(rng, 6), m = 1 + gsl_rng_uniform_int(rng, 6);
        struct rank_test t;

        coarse(rng, v, n + m);
        for (size_t i = 0; i < n + m; i++) {
            ranks[i] = 0.5;
            for (size_t k = 0; k < n + m; k++)
                ranks[i] += v[k] < v[i] ? 1 : v[k] == v[i] ? 0.5 : 0;
            seen += i < n ? ranks[i] : 0;
        }
        t = ranks_mann_whitney(v, n, v + n, m);
        g_assert_true(t.exact);
        g_assert_cmpfloat_with_epsilon(t.p.value, dealt_p(ranks, n + m, n, seen), 1e-12);
        g_assert_cmpfloat_with_epsilon(t.u.value, seen - (double)(n * (n + 1)) / 2, 1e-12);
    }
    gsl_rng_free(rng);
}

/* Three against three: no outcome is significant. Four against four: the extreme one is. */
static void test_few(void)
{
    static const double LOW[] = {1, 2, 3, 4}, HIGH[] = {11, 12, 13, 14};
    struct rank_test three = ranks_mann_whitney(HIGH, 3, LOW, 3), four = ranks_mann_whitney(HIGH, 4, LOW, 4);

    g_assert_cmpfloat_with_epsilon(three.smallest_p, 0.1, 1e-12);
    g_assert_cmpfloat_with_epsilon(three.p.value, 0.1, 1e-12);
    g_assert_cmpfloat_with_epsilon(four.smallest_p, 2.0 / 70, 1e-12);
    g_assert_cmpfloat_with_epsilon(four.p.value, 2.0 / 70, 1e-12);
    g_assert_cmpfloat(four.superiority.value, ==, 1);
}

/* Holm 1979: the textbook's 0.01, 0.04, 0.03 become 0.03, 0.06, 0.06; at 5 % only the first passes, and the others are held to the level at
 * which the second one failed. */
static void test_holm(void)
{
    struct quantity p[] = {{true, 0.01, NULL}, {true, 0.04, NULL}, {true, 0.03, NULL}};
    struct quantity all[] = {{true, 0.01, NULL}, {true, 0.02, NULL}};
    struct quantity unknown[] = {{false, 0, "so"}, {true, 0.001, NULL}};
    double shares[3], adjusted[3];

    holm_adjust(p, 3, 0.05, shares, adjusted);
    g_assert_cmpfloat_with_epsilon(adjusted[0], 0.03, 1e-12);
    g_assert_cmpfloat_with_epsilon(adjusted[1], 0.06, 1e-12);
    g_assert_cmpfloat_with_epsilon(adjusted[2], 0.06, 1e-12);
    g_assert_true(shares[0] == 3 && shares[1] == 2 && shares[2] == 2);
    holm_adjust(all, 2, 0.05, shares, adjusted);
    g_assert_true(shares[0] == 2 && shares[1] == 1);
    holm_adjust(unknown, 2, 0.05, shares, adjusted);
    g_assert_true(shares[1] == 2 && shares[0] == 1 && adjusted[0] == 1);
}

static void test_pairs(void)
{
    static const double X[] = {10, 20, 30}, Y[] = {31, 11};
    static const char *const ONE[] = {"a", "b", "c"}, *const OTHER[] = {"c", "a"};
    struct design_arm control = {X, 3, ONE, NULL}, treatment = {Y, 2, OTHER, NULL};
    struct design d;

    design_init(&d, &treatment, &control, false);
    g_assert_true(d.paired && d.unit == DESIGN_PAIRS);
    g_assert_cmpuint(d.n_control, ==, 2);
    g_assert_cmpuint(d.left_out, ==, 1);
    for (size_t i = 0; i < 2; i++)
        g_assert_cmpfloat(d.treatment[i] - d.control[i], ==, 1);
    design_fini(&d);
}

static void test_blocks(void)
{
    static const double X[] = {10, 12, 20, 99}, Y[] = {13, 21, 23};
    static const char *const DAYS[] = {"mon", "mon", "tue", "sat"}, *const SAME[] = {"mon", "tue", "tue"},
                             *const OTHERS[] = {"wed", "thu", "thu"}, *const ONE[] = {"x", "x", "x", "x"};
    struct design_arm control = {X, 4, NULL, DAYS}, treatment = {Y, 3, NULL, SAME};
    struct design d;

    design_init(&d, &treatment, &control, false);
    g_assert_true(d.paired && d.unit == DESIGN_BLOCKS);
    g_assert_cmpuint(d.n_treatment, ==, 2);
    g_assert_cmpfloat(d.treatment[1] - d.control[1], ==, 2);
    g_assert_cmpuint(d.left_out, ==, 1);
    design_fini(&d);
    treatment.block = OTHERS;
    design_init(&d, &treatment, &control, false);
    g_assert_true(!d.paired && d.unit == DESIGN_CLUSTERS);
    g_assert_cmpuint(d.n_control, ==, 3);
    g_assert_cmpuint(d.n_treatment, ==, 2);
    g_assert_true(d.effective_control.known && d.effective_control.value >= 2 &&
                  d.effective_control.value <= 4);
    design_fini(&d);
    treatment.block = control.block = ONE;
    design_init(&d, &treatment, &control, false);
    g_assert_cmpint(d.unit, ==, DESIGN_RUNS);
    design_fini(&d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/distribution-free/median", test_median);
    g_test_add_func("/distribution-free/outliers", test_outliers);
    g_test_add_func("/distribution-free/shift", test_shift);
    g_test_add_func("/distribution-free/shift-of-pairs", test_shift_of_pairs);
    g_test_add_func("/distribution-free/ties", test_ties);
    g_test_add_func("/distribution-free/few", test_few);
    g_test_add_func("/distribution-free/holm", test_holm);
    g_test_add_func("/design/pairs", test_pairs);
    g_test_add_func("/design/blocks", test_blocks);
    return g_test_run();
}
