/* report's figures against R's: statistics.tsv holds what statistics.R printed. With Rscript installed, the script is run
 * again, so that the checked-in file can't drift from the code that made it. */
#include "report/compare.h"
#include "report/power.h"
#include "tests/data.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <string.h>

struct reference {
    char *set, *name;
    double value;
};

static void reference_clear(gpointer data)
{
    struct reference *r = data;

    g_free(r->set);
    g_free(r->name);
}

static GArray *parse(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    GArray *rows = g_array_new(FALSE, FALSE, sizeof(struct reference));

    g_array_set_clear_func(rows, reference_clear);
    for (char **line = lines; *line && **line; line++) {
        g_auto(GStrv) parts = g_strsplit(*line, "\t", -1);
        struct reference r;

        g_assert_cmpuint(g_strv_length(parts), ==, 3);
        r = (struct reference){g_strdup(parts[0]), g_strdup(parts[1]), g_ascii_strtod(parts[2], NULL)};
        g_array_append_val(rows, r);
    }
    return rows;
}

static GArray *load(void)
{
    g_autofree char *path = data_source_path("tests/model/statistics.tsv"), *text = NULL;
    g_autoptr(GError) error = NULL;

    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    return parse(text);
}

static void check(const char *set, const char *name, double value, double expected, double tolerance)
{
    double off = fabs(value - expected) / fmax(1e-6, fabs(expected));

    if (!(off <= tolerance))
        g_error("%s %s: %.17g, and R has %.17g", set, name, value, expected);
}

/* One data set of the file and its figures as report computes them. */
struct set {
    const char *name;
    GArray *control, *treatment;
    double margin;
    bool paired;
    struct summary arms[2];
    struct comparison c;
};

static void read_runs(struct set *s, const GArray *rows)
{
    for (guint i = 0; i < rows->len; i++) {
        const struct reference *r = &g_array_index(rows, struct reference, i);

        if (strcmp(r->set, s->name) != 0)
            continue;
        if (strcmp(r->name, "data.control") == 0)
            g_array_append_val(s->control, r->value);
        else if (strcmp(r->name, "data.treatment") == 0)
            g_array_append_val(s->treatment, r->value);
        else if (strcmp(r->name, "data.margin") == 0)
            s->margin = r->value;
        else if (strcmp(r->name, "data.paired") == 0)
            s->paired = r->value > 0;
    }
}

static bool arm_value(const struct set *s, const char *name, double *value)
{
    const struct summary *a = &s->arms[g_str_has_prefix(name, "treatment.")];
    const char *figure = strchr(name, '.');
    const struct {
        const char *name;
        double value;
    } figures[] = {{".mean", a->mean.value},
                   {".low", a->mean.low},
                   {".high", a->mean.high},
                   {".median", a->median.value},
                   {".sd", a->sd.value}};

    for (guint i = 0; figure && i < G_N_ELEMENTS(figures); i++) {
        if (strcmp(figures[i].name, figure) == 0) {
            *value = figures[i].value;
            return true;
        }
    }
    return false;
}

static double value_of(const struct set *s, const char *name)
{
    const struct comparison *c = &s->c;
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {"t", c->t_test.t.value},
        {"df", c->t_test.df.value},
        {"p", c->t_test.p.value},
        {"difference", c->difference.value},
        {"low", c->difference.low},
        {"high", c->difference.high},
        {"low90", c->difference_90.low},
        {"high90", c->difference_90.high},
        {"p_lower", c->equivalence.p_lower.value},
        {"p_upper", c->equivalence.p_upper.value},
        {"p_equivalence", c->equivalence.p.value},
        {"ratio.low", c->ratio.low},
        {"ratio.high", c->ratio.high},
        {"hedges_g", c->hedges_g.value},
        {"bayes_factor_01", c->bayes_factor_01.value},
        {"u", c->ranks.u.value},
        {"p_ranks", c->ranks.p.value},
        {"p_permutation", c->permutation.p.value},
        {"smallest_detectable", c->smallest_detectable.value},
        {"runs_80", c->runs_needed_80.value},
        {"runs_90", c->runs_needed_90.value},
    };
    double value;

    for (guint i = 0; i < G_N_ELEMENTS(figures); i++) {
        if (strcmp(figures[i].name, name) == 0)
            return figures[i].value;
    }
    if (!arm_value(s, name, &value))
        g_error("%s: no figure of report has this name", name);
    return value;
}

static void compare_set(struct set *s, const GArray *rows)
{
    const double *x = (const double *)(const void *)s->control->data;
    const double *y = (const double *)(const void *)s->treatment->data;

    stats_summarise(x, s->control->len, &s->arms[0]);
    stats_summarise(y, s->treatment->len, &s->arms[1]);
    compare_arms(y, s->treatment->len, x, s->control->len, s->paired, s->margin, &s->c);
    for (guint i = 0; i < rows->len; i++) {
        const struct reference *r = &g_array_index(rows, struct reference, i);
        /* uniroot and integrate reach about 1e-9 themselves */
        bool solved = strstr(r->name, "ratio") || strstr(r->name, "bayes") || strstr(r->name, "smallest");

        if (strcmp(r->set, s->name) == 0 && !g_str_has_prefix(r->name, "data."))
            check(s->name, r->name, value_of(s, r->name), r->value, solved ? 1e-7 : 1e-9);
    }
}

static void test_data_sets(void)
{
    static const char *const SETS[] = {"rdc", "rdc10", "unequal", "ties", "shifted", "many", "pair"};
    g_autoptr(GArray) rows = load();

    for (guint i = 0; i < G_N_ELEMENTS(SETS); i++) {
        struct set s = {.name = SETS[i],
                        .control = g_array_new(FALSE, FALSE, sizeof(double)),
                        .treatment = g_array_new(FALSE, FALSE, sizeof(double))};

        read_runs(&s, rows);
        g_assert_cmpuint(s.control->len, >, 3);
        compare_set(&s, rows);
        g_array_unref(s.control);
        g_array_unref(s.treatment);
    }
}

static void test_power(void)
{
    g_autoptr(GArray) rows = load();
    int checked = 0;

    for (guint i = 0; i < rows->len; i++) {
        const struct reference *r = &g_array_index(rows, struct reference, i);
        double n;

        if (strcmp(r->set, "power") != 0)
            continue;
        n = g_ascii_strtod(strchr(r->name, '.') + 1, NULL);
        if (g_str_has_prefix(r->name, "tost."))
            check(r->set, r->name, power_equivalence(1.5, sqrt(2 / n), 2 * n - 2), r->value, 1e-8);
        else
            check(r->set, r->name, power_t_test(1, sqrt(2 / n), 2 * n - 2), r->value, 1e-8);
        checked++;
    }
    g_assert_cmpint(checked, ==, 10);
}

/* The published figures of the claim: equivalent at 10 %, not shown at 5 %. */
static void test_published(void)
{
    static const double WITH[] = {1237.939, 1186.415, 1192.068, 1111.13, 1320.867};
    static const double WITHOUT[] = {1210.479, 1330.882, 1175.328, 1170.281, 1153.863};
    struct comparison c;

    compare_arms(WITHOUT, 5, WITH, 5, false, 0.10, &c);
    g_assert_cmpfloat_with_epsilon(c.equivalence.p.value, 0.017, 0.0005);
    compare_arms(WITHOUT, 5, WITH, 5, false, 0.05, &c);
    g_assert_cmpfloat_with_epsilon(c.equivalence.p.value, 0.12, 0.005);
    g_assert_cmpfloat_with_epsilon(c.t_test.t.value, -0.032, 0.0005);
}

static void test_rscript(void)
{
    g_autofree char *rscript = g_find_program_in_path("Rscript"), *text = NULL;
    g_autofree char *script = data_source_path("tests/model/statistics.R");
    char *argv[] = {rscript, "--vanilla", script, NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) rows = load(), fresh = NULL;
    int status;

    if (!rscript) {
        g_test_skip("Rscript is not installed");
        return;
    }
    g_spawn_sync(NULL, argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &text, NULL, &status, &error);
    g_assert_no_error(error);
    g_assert_cmpint(status, ==, 0);
    fresh = parse(text);
    g_assert_cmpuint(fresh->len, ==, rows->len);
    for (guint i = 0; i < rows->len; i++) {
        const struct reference *a = &g_array_index(rows, struct reference, i);
        const struct reference *b = &g_array_index(fresh, struct reference, i);

        g_assert_cmpstr(a->name, ==, b->name);
        check(a->set, a->name, a->value, b->value, 1e-9);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/statistics/data-sets", test_data_sets);
    g_test_add_func("/statistics/power", test_power);
    g_test_add_func("/statistics/published", test_published);
    g_test_add_func("/statistics/rscript", test_rscript);
    return g_test_run();
}
