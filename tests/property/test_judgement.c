/* Properties of judgements: whatever the runs, the JSON is whole and free of NaN; on normal noise a false verdict is as rare
 * as promised. */
#include "base/rng.h"
#include "report/export_json.h"
#include "report/export_text.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

static struct claim *claim_of(const double *control, guint n, const double *treatment, guint m, int order,
                              int better)
{
    struct claim *c = g_new0(struct claim, 1);

    c->title = g_strdup("title");
    c->statement = g_strdup("statement");
    c->metric.name = g_strdup("copy time");
    c->metric.unit = g_strdup("s");
    c->metric.better = better;
    c->margin = 0.05;
    c->order = order;
    c->control = (struct claim_arm){
        .label = g_strdup("A"), .role = CLAIM_CONTROL, .samples = samples_new("A", "s", SAMPLES_MEASURED)};
    c->treatment = (struct claim_arm){
        .label = g_strdup("B"), .role = CLAIM_TREATMENT, .samples = samples_new("B", "s", SAMPLES_MEASURED)};
    c->file = g_strdup("claim.yaml");
    claim_evidence_init(&c->evidence, NULL);
    c->sha256 = g_strnfill(64, '0');
    for (guint i = 0; i < n; i++)
        samples_add(c->control.samples, control[i], NULL, 0);
    for (guint i = 0; i < m; i++)
        samples_add(c->treatment.samples, treatment[i], NULL, 0);
    return c;
}

/* A second treatment, and labels by which the runs belong together: every design gets its share of odd runs. */
static void complicate(struct claim *c, gsl_rng *rng, const double *values, guint n)
{
    struct claim_arm *arms[3] = {&c->control, &c->treatment, NULL};
    unsigned int kind = (unsigned int)gsl_rng_uniform_int(rng, 4);

    if (gsl_rng_uniform_int(rng, 3) == 0) {
        c->more = g_new0(struct claim_arm, 1);
        c->n_more = 1;
        c->more[0] = (struct claim_arm){.label = g_strdup("C"),
                                        .role = CLAIM_TREATMENT,
                                        .samples = samples_new("C", "s", SAMPLES_MEASURED)};
        for (guint i = 0; i < n; i++)
            samples_add(c->more[0].samples, values[i], NULL, 0);
        arms[2] = &c->more[0];
    }
    for (guint a = 0; a < 3 && arms[a] && kind > 1; a++) {
        GPtrArray *labels = g_ptr_array_new_with_free_func(g_free);

        for (guint i = 0; i < samples_count(arms[a]->samples); i++)
            g_ptr_array_add(labels, kind == 2
                                        ? g_strdup_printf("%u", i)
                                        : g_strdup_printf("%u", (unsigned int)gsl_rng_uniform_int(rng, 5) +
                                                                    (n % 2 ? 10 * a : 0)));
        *(kind == 2 ? &arms[a]->pair : &arms[a]->block) = labels;
    }
}

static void assert_numbers_finite(json_t *node)
{
    const char *key;
    size_t index;
    json_t *child;

    if (json_is_real(node))
        g_assert_true(isfinite(json_real_value(node)));
    json_object_foreach(node, key, child) assert_numbers_finite(child);
    json_array_foreach(node, index, child) assert_numbers_finite(child);
}

/* Runs of every kind: constant, zero, coarse (many ties), spread over many powers of ten. */
static double odd_value(gsl_rng *rng, unsigned kind)
{
    switch (kind) {
    case 0:
        return 42;
    case 1:
        return 0;
    case 2:
        return (double)gsl_rng_uniform_int(rng, 3);
    case 3:
        return gsl_ran_gaussian(rng, 1) * pow(10, (double)gsl_rng_uniform_int(rng, 119) - 59);
    case 4:
        return gsl_ran_cauchy(rng, 1);
    default:
        return 100 + gsl_ran_gaussian(rng, 3);
    }
}

static void test_json(void)
{
    gsl_rng *rng = rng_stream(7, 0, "test/json");

    for (int trial = 0; trial < 400; trial++) {
        double x[12], y[12];
        bool paired = gsl_rng_uniform_int(rng, 4) == 0;
        guint n = (guint)gsl_rng_uniform_int(rng, 13), m = paired ? n : (guint)gsl_rng_uniform_int(rng, 13);
        unsigned kind = (unsigned)gsl_rng_uniform_int(rng, 6), other = (unsigned)gsl_rng_uniform_int(rng, 6);
        struct claim *c;
        struct judgement *j;
        json_error_t why;
        json_t *json;
        char *text, *words;

        for (guint i = 0; i < 12; i++) {
            x[i] = odd_value(rng, kind);
            y[i] = odd_value(rng, other);
        }
        c = claim_of(x, n, y, m, paired ? CLAIM_PAIRED : CLAIM_INTERLEAVED, trial % 2);
        complicate(c, rng, y, paired ? n : (guint)gsl_rng_uniform_int(rng, 13));
        j = judgement_new(c);
        words = export_text(j);
        g_assert_null(strstr(words, "nan"));
        g_assert_null(strstr(words, "inf "));
        g_free(words);
        text = export_json(j);
        json = json_loads(text, JSON_REJECT_DUPLICATES, &why);
        if (!json)
            g_error("trial %d: %s: %s", trial, why.text, text);
        assert_numbers_finite(json);
        g_assert_nonnull(json_object_get(json, "verdict"));
        g_assert_cmpuint(json_array_size(json_object_get(json, "arms")), ==, claim_arm_count(c));
        json_decref(json);
        g_free(text);
        judgement_free(j);
        claim_free(c);
    }
    gsl_rng_free(rng);
}

enum { EXPERIMENTS = 2000 };

/* Share of `decision` over experiments of n normal runs per arm at a true gain of `effect`: control mean 100, margin 5 %. Only
 * what the rule needs is computed, so that there can be many. */
static double rate_of(enum verdict_decision decision, double effect, guint n)
{
    gsl_rng *rng = rng_stream(11, n, "test/false-verdicts");
    int hits = 0;

    for (int e = 0; e < EXPERIMENTS; e++) {
        double x[30], y[30];
        struct contrast c;
        struct interval wide, narrow;
        struct verdict_evidence evidence = {.has_intervals = true};
        struct verdict v;

        for (guint i = 0; i < n; i++) {
            x[i] = 100 + gsl_ran_gaussian(rng, 4);
            y[i] = 100 + effect + gsl_ran_gaussian(rng, 6);
        }
        c = contrast_welch(y, n, x, n);
        wide = contrast_interval(&c, 0.95);
        narrow = contrast_interval(&c, 0.90);
        evidence.low = wide.low;
        evidence.high = wide.high;
        evidence.low_90 = narrow.low;
        evidence.high_90 = narrow.high;
        evidence.margin = 0.05 * c.control_mean;
        v = verdict_decide(&evidence);
        hits += v.decision == decision ||
                (decision == VERDICT_SUPPORTED && v.decision == VERDICT_SUPPORTED_SMALL);
    }
    gsl_rng_free(rng);
    return hits / (double)EXPERIMENTS;
}

/* Supported where there is no effect: at most 2.5 %. Refuted at an effect of the margin: at most 5 %. Each bound with three
 * standard errors of the Monte Carlo. And with runs enough, the right verdict is the rule. */
static void test_false_verdicts(void)
{
    static const guint SIZES[] = {3, 5, 8, 30};

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        g_assert_cmpfloat(rate_of(VERDICT_SUPPORTED, 0, SIZES[i]), <=,
                          0.025 + 3 * sqrt(0.025 * 0.975 / EXPERIMENTS));
        g_assert_cmpfloat(rate_of(VERDICT_REFUTED, 5, SIZES[i]), <=,
                          0.05 + 3 * sqrt(0.05 * 0.95 / EXPERIMENTS));
    }
    g_assert_cmpfloat(rate_of(VERDICT_SUPPORTED, 8, 30), >, 0.9);
    g_assert_cmpfloat(rate_of(VERDICT_REFUTED, 0, 30), >, 0.9);
}

/* Which direction is better turns the verdict round, and nothing else. */
static void test_direction(void)
{
    static const double LOW[] = {54.0, 55.1, 53.2, 54.4, 53.9}, HIGH[] = {61.2, 60.8, 61.9, 60.1, 61.5};
    static const struct {
        int better;
        const double *control, *treatment;
        enum verdict_reason reason;
    } CASES[] = {{CLAIM_HIGHER, LOW, HIGH, REASON_GAIN},
                 {CLAIM_HIGHER, HIGH, LOW, REASON_OPPOSITE},
                 {CLAIM_LOWER, HIGH, LOW, REASON_GAIN},
                 {CLAIM_LOWER, LOW, HIGH, REASON_OPPOSITE}};

    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct claim *c =
            claim_of(CASES[i].control, 5, CASES[i].treatment, 5, CLAIM_INTERLEAVED, CASES[i].better);
        struct judgement *j = judgement_new(c);

        g_assert_cmpint(j->verdict.reason, ==, CASES[i].reason);
        g_assert_cmpint(j->comparison.difference.value > 0, ==, CASES[i].treatment == HIGH);
        judgement_free(j);
        claim_free(c);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/judgement/json", test_json);
    g_test_add_func("/judgement/false-verdicts", test_false_verdicts);
    g_test_add_func("/judgement/direction", test_direction);
    return g_test_run();
}
