#include "replay/durations.h"

static void test_none(void)
{
    struct durations d = {0};

    g_assert_cmpint(durations_quantile(&d, 0.5), ==, -1);
    durations_fini(&d);
}

static void test_exact(void)
{
    struct durations d = {0};

    for (int64_t ns = 10; ns >= 1; ns--)
        durations_add(&d, ns * 100);
    g_assert_cmpint(durations_quantile(&d, 0.5), ==, 550); /* mean of the middle two */
    g_assert_cmpint(durations_quantile(&d, 0.95), ==, 1000);
    g_assert_cmpint(durations_quantile(&d, 1), ==, 1000);
    g_assert_cmpint(durations_quantile(&d, 0.01), ==, 100);
    durations_add(&d, -5);
    g_assert_cmpint(durations_quantile(&d, 0.01), ==, 0);
    g_assert_cmpint(durations_quantile(&d, 0.5), ==, 500);
    durations_fini(&d);
}

/* 1, 2, ..., n microseconds: the quantile at share q is q * n. */
static void test_many(void)
{
    const int64_t n = 100000;
    struct durations d = {0};

    for (int64_t i = 0; i < n; i++)
        durations_add(&d, (i * 7919 % n + 1) * 1000);
    for (int percent = 1; percent <= 100; percent++) {
        double wanted = percent / 100.0 * (double)n * 1000;
        double got = (double)durations_quantile(&d, percent / 100.0);

        g_assert_cmpfloat(got, >, wanted * 0.99);
        g_assert_cmpfloat(got, <, wanted * 1.01);
    }
    durations_add(&d, INT64_MAX);
    g_assert_cmpint(durations_quantile(&d, 1), >, INT64_MAX / 100 * 99);
    durations_fini(&d);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/durations/none", test_none);
    g_test_add_func("/durations/exact", test_exact);
    g_test_add_func("/durations/many", test_many);
    return g_test_run();
}
