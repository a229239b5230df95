/* Degenerate runs: each has a defined answer with its reason, and no figure is NaN. */
#include "report/compare.h"

#include <glib.h>
#include <gsl/gsl_errno.h>
#include <math.h>

static struct comparison compare(const double *treatment, size_t n, const double *control, size_t m)
{
    static const struct compare_options OPTIONS = {.margin_share = 0.05, .draws = 10000000};
    struct comparison c;

    compare_arms(treatment, n, control, m, &OPTIONS, &c);
    return c;
}

static void assert_quantity(struct quantity q)
{
    if (q.known)
        g_assert_true(isfinite(q.value));
    else
        g_assert_nonnull(q.why);
}

static void assert_interval(struct interval i)
{
    g_assert_true(!i.known || isfinite(i.value));
    g_assert_true(!i.bounded ||
                  (isfinite(i.low) && isfinite(i.high) && i.low <= i.value && i.value <= i.high));
    g_assert_true((i.known && i.bounded) == (i.why == NULL));
}

static void assert_defined(const struct comparison *c)
{
    assert_interval(c->difference);
    assert_interval(c->difference_90);
    assert_interval(c->ratio);
    assert_quantity(c->t_test.t);
    assert_quantity(c->t_test.p);
    assert_quantity(c->ranks.u);
    assert_quantity(c->ranks.p);
    assert_quantity(c->permutation.p);
    assert_quantity(c->equivalence.margin);
    assert_quantity(c->equivalence.p);
    assert_quantity(c->hedges_g);
    assert_interval(c->difference_bca);
    assert_interval(c->shift);
    assert_quantity(c->ranks.superiority);
    assert_quantity(c->equal_spread.f);
    assert_quantity(c->equal_spread.p);
    assert_quantity(c->non_inferiority);
    assert_quantity(c->minimal_effect);
    assert_quantity(c->runs_to_find_80);
    assert_quantity(c->runs_to_find_90);
    assert_quantity(c->bayes_factor_01);
    assert_quantity(c->smallest_detectable);
    assert_quantity(c->runs_needed_80);
    assert_quantity(c->runs_needed_90);
}

static void test_empty(void)
{
    static const double X[] = {1, 2, 3};
    struct comparison none = compare(NULL, 0, NULL, 0), one = compare(X, 3, NULL, 0);

    assert_defined(&none);
    assert_defined(&one);
    g_assert_false(one.difference.known);
    g_assert_cmpstr(one.difference.why, ==, "an arm has no runs");
    g_assert_false(one.permutation.p.known);
}

static void test_single(void)
{
    static const double X[] = {1, 2, 3}, Y[] = {5};
    struct comparison c = compare(Y, 1, X, 3);

    assert_defined(&c);
    g_assert_true(c.difference.known);
    g_assert_cmpfloat(c.difference.value, ==, 3);
    g_assert_false(c.difference.bounded);
    g_assert_true(c.ranks.exact);
    g_assert_cmpfloat_with_epsilon(c.ranks.p.value, 0.5, 1e-12);
    g_assert_cmpfloat_with_epsilon(c.permutation.p.value, 0.25, 1e-12);
}

/* Two arms without spread differ for certain: the interval has no width, and the labels' arrangements still count. */
static void test_constant(void)
{
    static const double X[] = {115, 115, 115, 115, 115}, Y[] = {78.8, 78.8, 78.8, 78.8, 78.8};
    struct comparison c = compare(Y, 5, X, 5), same = compare(X, 5, X, 5);

    assert_defined(&c);
    g_assert_true(c.difference.bounded);
    g_assert_cmpfloat(c.difference.low, ==, c.difference.high);
    g_assert_false(c.t_test.p.known);
    g_assert_cmpfloat_with_epsilon(c.permutation.p.value, 2.0 / 252, 1e-12);
    assert_defined(&same);
    g_assert_cmpfloat(same.difference.value, ==, 0);
    g_assert_cmpfloat(same.ranks.p.value, ==, 1);
    g_assert_cmpfloat(same.permutation.p.value, ==, 1);
}

static void test_one_constant(void)
{
    static const double X[] = {10, 10, 10}, Y[] = {9, 11, 13};
    struct comparison c = compare(Y, 3, X, 3);

    assert_defined(&c);
    g_assert_true(c.t_test.p.known);
    g_assert_cmpfloat_with_epsilon(c.t_test.df.value, 2, 1e-12);
}

static void test_zero_control(void)
{
    static const double X[] = {0, 0, 0}, Y[] = {1, 2, 3}, AROUND[] = {-1, 0.5, 1};
    struct comparison c = compare(Y, 3, X, 3), wide = compare(Y, 3, AROUND, 3);

    assert_defined(&c);
    g_assert_false(c.ratio.known);
    assert_defined(&wide);
    g_assert_true(wide.ratio.known && !wide.ratio.bounded);
    g_assert_cmpstr(wide.ratio.why, ==, "the control\u2019s mean is not told apart from 0");
}

static void test_extremes(void)
{
    static const double BIG[] = {1e60, 9e59, 9.5e59}, SMALL[] = {1e-60, 2e-60, 1.5e-60};
    struct comparison big = compare(BIG, 3, SMALL, 3), small = compare(SMALL, 3, SMALL, 3),
                      mixed = compare(SMALL, 3, BIG, 3);

    assert_defined(&big);
    assert_defined(&small);
    assert_defined(&mixed);
    g_assert_true(small.t_test.df.known && fabs(small.t_test.df.value - 4) < 1e-9);
}

/* Effects so large that the likelihood without one vanishes: the factor is 0, not NaN; a huge n keeps it finite. */
static void test_large_effect(void)
{
    double x[3000], y[3000];
    struct comparison c;

    for (int i = 0; i < 3000; i++) {
        x[i] = 100 + sin(i);
        y[i] = 300 + cos(i);
    }
    c = compare(y, 3000, x, 3000);
    assert_defined(&c);
    g_assert_cmpfloat(c.bayes_factor_01.value, <, 1e-100);
    g_assert_false(c.permutation.exact);
    g_assert_cmpfloat(c.permutation.p.value, >, 0);
    c = compare(x, 3000, x, 3000);
    g_assert_cmpfloat(c.bayes_factor_01.value, >, 10);
}

/* The rank test's exact distribution ends at 50 runs; p moves by little there. */
static void test_rank_boundary(void)
{
    double x[50], y[50];
    struct rank_test exact, normal;

    for (int i = 0; i < 50; i++) {
        x[i] = sin(1 + i * 1.7);
        y[i] = sin(2 + i * 2.3) + 0.3;
    }
    exact = ranks_mann_whitney(y, 49, x, 49);
    normal = ranks_mann_whitney(y, 50, x, 49);
    g_assert_true(exact.exact && !normal.exact);
    g_assert_cmpfloat_with_epsilon(exact.p.value, normal.p.value, 0.02);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/compare/empty", test_empty);
    g_test_add_func("/compare/single", test_single);
    g_test_add_func("/compare/constant", test_constant);
    g_test_add_func("/compare/one-constant", test_one_constant);
    g_test_add_func("/compare/zero-control", test_zero_control);
    g_test_add_func("/compare/extremes", test_extremes);
    g_test_add_func("/compare/large-effect", test_large_effect);
    g_test_add_func("/compare/rank-boundary", test_rank_boundary);
    return g_test_run();
}
