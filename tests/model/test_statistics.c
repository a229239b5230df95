/* report's figures against R's: statistics.tsv holds what statistics.R printed. With Rscript installed, the script is run
 * again, so that the checked-in file can't drift from the code that made it. */
#include "report/arm.h"
#include "report/compare.h"
#include "report/design.h"
#include "report/order.h"
#include "report/power.h"
#include "report/sequence.h"
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
    struct arm arms[2];
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
    const struct arm *arm = &s->arms[g_str_has_prefix(name, "treatment.")];
    const struct summary *a = &arm->summary;
    const char *figure = strchr(name, '.');
    const struct {
        const char *name;
        double value;
    } figures[] = {
        {".mean", a->mean.value},
        {".low", a->mean.low},
        {".high", a->mean.high},
        {".median", a->median.value},
        {".sd", a->sd.value},
        {".q25", arm->quantiles[1].value},
        {".q25.low", arm->quantiles[1].low},
        {".q25.high", arm->quantiles[1].high},
        {".q50", arm->median.value},
        {".q50.low", arm->median.low},
        {".q50.high", arm->median.high},
        {".q75", arm->quantiles[2].value},
        {".q75.low", arm->quantiles[2].low},
        {".q75.high", arm->quantiles[2].high},
        {".shapiro_w", arm->normality.w.value},
        {".shapiro_p", arm->normality.p.value},
        {".outliers", (double)arm->outliers},
    };

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
        {"find_80", c->runs_to_find_80.value},
        {"find_90", c->runs_to_find_90.value},
        {"non_inferiority", c->non_inferiority.value},
        {"minimal_effect", c->minimal_effect.value},
        {"superiority", c->ranks.superiority.value},
        {"equal_spread_f", c->equal_spread.f.value},
        {"equal_spread_p", c->equal_spread.p.value},
        {"shift", c->shift.value},
        {"shift_low", c->shift.low},
        {"shift_high", c->shift.high},
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

    const struct compare_options options = {
        .paired = s->paired, .margin_share = s->margin, .draws = 100000000};

    arm_init(&s->arms[0], x, s->control->len);
    arm_complete(&s->arms[0], x, s->control->len, 1000000);
    arm_init(&s->arms[1], y, s->treatment->len);
    arm_complete(&s->arms[1], y, s->treatment->len, 1000000);
    compare_arms(y, s->treatment->len, x, s->control->len, &options, &s->c);
    for (guint i = 0; i < rows->len; i++) {
        const struct reference *r = &g_array_index(rows, struct reference, i);
        /* uniroot and integrate reach about 1e-9 themselves */
        bool rounded =
            strstr(r->name, "shapiro_p"); /* R's algorithm works with constants in single precision */
        bool solved = strstr(r->name, "ratio") || strstr(r->name, "bayes") || strstr(r->name, "smallest");

        if (strcmp(r->set, s->name) == 0 && !g_str_has_prefix(r->name, "data."))
            check(s->name, r->name, value_of(s, r->name), r->value, rounded ? 1e-5 : solved ? 1e-7 : 1e-9);
    }
}

static void test_data_sets(void)
{
    static const char *const SETS[] = {"rdc",  "rdc10", "unequal", "ties", "shifted",
                                       "many", "pair",  "plants",  "sleep"};
    g_autoptr(GArray) rows = load();

    for (guint i = 0; i < G_N_ELEMENTS(SETS); i++) {
        struct set s = {.name = SETS[i],
                        .control = g_array_new(FALSE, FALSE, sizeof(double)),
                        .treatment = g_array_new(FALSE, FALSE, sizeof(double))};

        read_runs(&s, rows);
        g_assert_cmpuint(s.control->len, >, 3);
        compare_set(&s, rows);
        arm_fini(&s.arms[0]);
        arm_fini(&s.arms[1]);
        g_array_unref(s.control);
        g_array_unref(s.treatment);
    }
}

/* The values of one figure of a set, in the order of the file. */
static GArray *values_in(const GArray *rows, const char *set, const char *name)
{
    GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = 0; i < rows->len; i++) {
        const struct reference *r = &g_array_index(rows, struct reference, i);

        if (strcmp(r->set, set) == 0 && strcmp(r->name, name) == 0)
            g_array_append_val(values, r->value);
    }
    g_assert_cmpuint(values->len, >, 0);
    return values;
}

static double value_in(const GArray *rows, const char *set, const char *name)
{
    g_autoptr(GArray) values = values_in(rows, set, name);

    return g_array_index(values, double, 0);
}

static void compare_sequence(const GArray *rows, const char *set)
{
    g_autoptr(GArray) values = values_in(rows, set, "data.value"),
                      series = values_in(rows, set, "data.series");
    g_autofree struct sequence_run *runs = g_new(struct sequence_run, values->len);
    struct sequence s;
    unsigned int most = 0;

    for (guint i = 0; i < values->len; i++) {
        runs[i] = (struct sequence_run){g_array_index(values, double, i), i,
                                        (unsigned int)g_array_index(series, double, i)};
        most = MAX(most, runs[i].series);
    }
    sequence_check(runs, values->len, most + 1, &s);
    check(set, "slope", s.slope.value, value_in(rows, set, "slope"), 1e-9);
    check(set, "drift_p", s.drift_p.value, value_in(rows, set, "drift_p"), 1e-8);
    check(set, "lag_1", s.lag_1.value, value_in(rows, set, "lag_1"), 1e-9);
    check(set, "change_after", (double)s.change_after, value_in(rows, set, "change_after"), 0);
    check(set, "change_size", s.change_size.value, value_in(rows, set, "change_size"), 1e-9);
    check(set, "first_p", s.first_p.value, value_in(rows, set, "first_p"), 1e-9);
}

/* The Nile's change of level is beyond doubt, and so is that its years resemble each other. */
static void test_sequence(void)
{
    g_autoptr(GArray) rows = load();

    compare_sequence(rows, "turns");
    compare_sequence(rows, "nile");
}

static void test_clusters(void)
{
    static const char *const CONTROL[] = {"a", "a", "a", "b", "b", "b", "b", "c", "c", "d", "d", "d"};
    static const char *const TREATMENT[] = {"e", "e", "e", "e", "e", "f", "f",
                                            "g", "g", "g", "h", "h", "h", "h"};
    g_autoptr(GArray) rows = load();
    g_autoptr(GArray) x = values_in(rows, "clusters", "data.control"),
                      y = values_in(rows, "clusters", "data.treatment");
    struct design_arm control = {(const double *)(const void *)x->data, x->len, NULL, CONTROL};
    struct design_arm treatment = {(const double *)(const void *)y->data, y->len, NULL, TREATMENT};
    struct contrast c;
    struct design d;

    design_init(&d, &treatment, &control, false);
    g_assert_cmpint(d.unit, ==, DESIGN_CLUSTERS);
    check("clusters", "icc", d.icc.value, value_in(rows, "clusters", "icc"), 1e-9);
    check("clusters", "effective_control", d.effective_control.value,
          value_in(rows, "clusters", "effective_control"), 1e-9);
    check("clusters", "effective_treatment", d.effective_treatment.value,
          value_in(rows, "clusters", "effective_treatment"), 1e-9);
    c = contrast_welch(d.treatment, d.n_treatment, d.control, d.n_control);
    check("clusters", "difference", c.difference, value_in(rows, "clusters", "difference"), 1e-9);
    check("clusters", "p", contrast_test(&c).p.value, value_in(rows, "clusters", "p"), 1e-9);
    design_fini(&d);
}

/* 10,000 resamples against all that there are: the ends differ by what chance does to a quantile of 10,000. */
static void test_bootstrap(void)
{
    g_autoptr(GArray) rows = load();
    g_autoptr(GArray) values = values_in(rows, "bootstrap", "data.value");
    double low = value_in(rows, "bootstrap", "low"), high = value_in(rows, "bootstrap", "high");
    struct bootstrap b;

    bootstrap_means((const double *)(const void *)values->data, values->len, NULL, 0, BOOTSTRAP_RESAMPLES,
                    100000000, &b);
    g_assert_cmpuint(b.resamples, ==, BOOTSTRAP_RESAMPLES);
    g_assert_cmpfloat_with_epsilon(b.mean_a.low, low, 0.02 * (high - low));
    g_assert_cmpfloat_with_epsilon(b.mean_a.high, high, 0.04 * (high - low));
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
    struct compare_options options = {.margin_share = 0.10, .draws = 1000000};
    struct comparison c;

    compare_arms(WITHOUT, 5, WITH, 5, &options, &c);
    g_assert_cmpfloat_with_epsilon(c.equivalence.p.value, 0.017, 0.0005);
    options.margin_share = 0.05;
    compare_arms(WITHOUT, 5, WITH, 5, &options, &c);
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
    g_test_add_func("/statistics/sequence", test_sequence);
    g_test_add_func("/statistics/clusters", test_clusters);
    g_test_add_func("/statistics/bootstrap", test_bootstrap);
    g_test_add_func("/statistics/power", test_power);
    g_test_add_func("/statistics/published", test_published);
    g_test_add_func("/statistics/rscript", test_rscript);
    return g_test_run();
}
