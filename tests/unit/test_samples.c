#include "base/samples.h"

#include <string.h>

static void test_series(void)
{
    char name[] = "copy rate", unit[] = "MB/min", file[] = "logs/a.log";
    struct samples *s = samples_new(name, unit, SAMPLES_MEASURED);
    const struct sample *rows;

    samples_add(s, 1237.939, file, 14);
    samples_add(s, 1186.415, file, 29);
    samples_add(s, 0, NULL, 0);
    memset(name, 'x', sizeof name - 1); /* the series has its own copies */
    memset(unit, 'x', sizeof unit - 1);
    memset(file, 'x', sizeof file - 1);

    g_assert_cmpstr(s->name, ==, "copy rate");
    g_assert_cmpstr(s->unit, ==, "MB/min");
    g_assert_cmpint(s->origin, ==, SAMPLES_MEASURED);
    g_assert_cmpuint(samples_count(s), ==, 3);
    g_assert_true(samples_get(s, 0) == 1237.939);
    g_assert_true(samples_get(s, 1) == 1186.415);
    g_assert_true(samples_get(s, 2) == 0);
    rows = (const struct sample *)(const void *)s->values->data;
    g_assert_cmpstr(rows[0].file, ==, "logs/a.log");
    g_assert_true(rows[0].file == rows[1].file); /* a file's name is kept once, however many rows it has */
    g_assert_cmpint(rows[1].line, ==, 29);
    g_assert_null(rows[2].file);
    samples_free(s);
}

/* File names stay valid while the series grows. */
static void test_many(void)
{
    struct samples *s = samples_new("seconds", "s", SAMPLES_SIMULATED);

    for (int i = 0; i < 5000; i++) {
        g_autofree char *file = g_strdup_printf("run-%d.csv", i);

        samples_add(s, i, file, i + 1);
    }
    g_assert_cmpuint(samples_count(s), ==, 5000);
    for (int i = 0; i < 5000; i++) {
        g_autofree char *file = g_strdup_printf("run-%d.csv", i);

        g_assert_cmpstr(g_array_index(s->values, struct sample, i).file, ==, file);
        g_assert_true(samples_get(s, (guint)i) == i);
    }
    samples_free(s);
}

static void test_empty(void)
{
    struct samples *s = samples_new("", "", SAMPLES_MEASURED);

    g_assert_cmpuint(samples_count(s), ==, 0);
    samples_free(s);
    samples_free(NULL);
}

/* Reading past the end is a bug of the caller, and stops the program. */
static void test_out_of_range(void)
{
    if (g_test_subprocess()) {
        struct samples *s = samples_new("one", "s", SAMPLES_MEASURED);

        samples_add(s, 1, NULL, 0);
        samples_get(s, 1);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*assertion failed*");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/samples/series", test_series);
    g_test_add_func("/samples/many", test_many);
    g_test_add_func("/samples/empty", test_empty);
    g_test_add_func("/samples/out-of-range", test_out_of_range);
    return g_test_run();
}
