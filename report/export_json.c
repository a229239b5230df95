#include "report/export_json.h"
#include "report/contradictions.h"
#include "report/mechanism.h"
#include "report/format.h"
#include "report/wording.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

/* Why figures are null: {"comparison.hedges_g": "the runs show no spread"}. */
struct reasons {
    json_t *object;
    const char *prefix;
};

static json_t *real_or_null(struct reasons *r, const char *name, bool known, double value, const char *why)
{
    g_autofree char *path = NULL;

    if (known && isfinite(value))
        return json_real(value);
    path = g_strconcat(r->prefix, name, NULL);
    json_object_set_new(r->object, path, json_string(why ? why : "not a finite number"));
    return json_null();
}

static json_t *number(struct reasons *r, const char *name, struct quantity q)
{
    return real_or_null(r, name, q.known, q.value, q.why);
}

static void add(json_t *object, struct reasons *r, const char *key, const char *name, struct quantity q)
{
    json_object_set_new(object, key, number(r, name, q));
}

static void add_count(json_t *object, struct reasons *r, const char *key, const char *name, struct quantity q)
{
    json_object_set_new(object, key, q.known ? json_integer((json_int_t)q.value) : number(r, name, q));
}

static json_t *interval(struct reasons *r, const char *name, struct interval i)
{
    json_t *object = json_object();
    g_autofree char *bounds = g_strconcat(name, ".low, .high", NULL);

    json_object_set_new(object, "value", real_or_null(r, name, i.known, i.value, i.why));
    json_object_set_new(object, "low", real_or_null(r, bounds, i.bounded, i.low, i.why));
    json_object_set_new(object, "high", real_or_null(r, bounds, i.bounded, i.high, i.why));
    return object;
}

static json_t *outliers(const struct arm *figures)
{
    json_t *places = json_array();

    for (size_t i = 0; i < figures->summary.n && figures->marked; i++) {
        if (figures->marked[i])
            json_array_append_new(places, json_integer((json_int_t)i + 1));
    }
    return places;
}

static json_t *quantiles(struct reasons *r, const struct arm *figures)
{
    static const char *const NAMES[] = {"p05", "p25", "p75", "p95"};
    json_t *object = json_object();

    for (int i = 0; i < ARM_QUANTILES; i++) {
        g_autofree char *name = g_strconcat("quantiles.", NAMES[i], NULL);

        json_object_set_new(object, NAMES[i], interval(r, name, figures->quantiles[i]));
    }
    return object;
}

/* Reported, never a gate. */
static json_t *shape(struct reasons *r, const struct arm *figures)
{
    json_t *normality = json_object(), *peaks = json_object();

    add(normality, r, "w", "shape.normality", figures->normality.w);
    add(normality, r, "p", "shape.normality", figures->normality.p);
    add(peaks, r, "dip", "shape.bimodality", figures->dip.dip);
    add(peaks, r, "p", "shape.bimodality", figures->dip.p);
    return json_pack("{s:o, s:o}", "normality", normality, "bimodality", peaks);
}

static json_t *arm(struct reasons *r, const struct claim *claim, const struct claim_arm *a,
                   const struct arm *figures)
{
    static const char *const ROLES[] = {"control", "treatment"};
    const struct summary *s = &figures->summary;
    json_t *object = json_object();
    json_t *runs = json_array();

    json_object_set_new(object, "label", json_string(a->label));
    json_object_set_new(object, "role", json_string(ROLES[a->role]));
    json_object_set_new(object, "unit", json_string(claim->metric.unit));
    json_object_set_new(object, "n", json_integer((json_int_t)s->n));
    json_object_set_new(object, "mean", real_or_null(r, "mean", s->mean.known, s->mean.value, s->mean.why));
    add(object, r, "median", "median", s->median);
    add(object, r, "sd", "sd", s->sd);
    json_object_set_new(object, "mean_low",
                        real_or_null(r, "mean_low, mean_high", s->mean.bounded, s->mean.low, s->mean.why));
    json_object_set_new(object, "mean_high",
                        real_or_null(r, "mean_low, mean_high", s->mean.bounded, s->mean.high, s->mean.why));
    json_object_set_new(object, "mean_bca", interval(r, "mean_bca", figures->mean_bca));
    json_object_set_new(object, "resamples", json_integer((json_int_t)figures->resamples));
    json_object_set_new(object, "median_exact", interval(r, "median_exact", figures->median));
    json_object_set_new(object, "quantiles", quantiles(r, figures));
    json_object_set_new(object, "outliers", outliers(figures));
    json_object_set_new(object, "shape", shape(r, figures));
    for (guint i = 0; i < samples_count(a->samples); i++)
        json_array_append_new(runs, json_real(samples_get(a->samples, i)));
    json_object_set_new(object, "samples", runs);
    return object;
}

static json_t *t_test(struct reasons *r, const char *name, const struct t_test *t)
{
    json_t *object = json_object();

    add(object, r, "t", name, t->t);
    add(object, r, "df", name, t->df);
    add(object, r, "p", name, t->p);
    return object;
}

static json_t *equivalence(struct reasons *r, const struct equivalence *e, double share)
{
    json_t *object = json_object();

    add(object, r, "margin", "equivalence.margin", e->margin);
    json_object_set_new(object, "margin_share", json_real(share));
    add(object, r, "p_lower", "equivalence", e->p_lower);
    add(object, r, "p_upper", "equivalence", e->p_upper);
    add(object, r, "p", "equivalence", e->p);
    return object;
}

static json_t *rank_test(struct reasons *r, const char *name, const struct rank_test *t)
{
    json_t *object = json_object();

    add(object, r, "u", name, t->u);
    add(object, r, "p", name, t->p);
    json_object_set_new(object, "exact", t->p.known ? json_boolean(t->exact) : json_null());
    json_object_set_new(object, "smallest_p", json_real(t->smallest_p));
    return object;
}

static json_t *permutation(struct reasons *r, const struct permutation_test *t)
{
    json_t *object = json_object();

    add(object, r, "p", "permutation", t->p);
    json_object_set_new(object, "exact", t->p.known ? json_boolean(t->exact) : json_null());
    json_object_set_new(object, "arrangements", json_integer((json_int_t)t->arrangements));
    return object;
}

static json_t *runs_of(struct reasons *r, const char *name, struct quantity power_80,
                       struct quantity power_90)
{
    json_t *runs = json_object();

    add_count(runs, r, "power_80", name, power_80);
    add_count(runs, r, "power_90", name, power_90);
    return runs;
}

static json_t *equal_variances(struct reasons *r, const struct spread_test *t)
{
    json_t *object = json_object();

    add(object, r, "f", "equal_variances", t->f);
    add(object, r, "df", "equal_variances", t->df);
    add(object, r, "p", "equal_variances", t->p);
    return object;
}

/* By what the comparison goes, and what is left of the runs. */
static json_t *design(struct reasons *r, const struct design *d)
{
    static const char *const UNITS[] = {[DESIGN_RUNS] = "runs",
                                        [DESIGN_PAIRS] = "pairs",
                                        [DESIGN_BLOCKS] = "blocks",
                                        [DESIGN_CLUSTERS] = "clusters"};
    json_t *object =
        json_pack("{s:s, s:I, s:I, s:I}", "unit", UNITS[d->unit], "control", (json_int_t)d->n_control,
                  "treatment", (json_int_t)d->n_treatment, "left_out", (json_int_t)d->left_out);

    add(object, r, "intraclass_correlation", "design", d->icc);
    add(object, r, "effective_control", "design", d->effective_control);
    add(object, r, "effective_treatment", "design", d->effective_treatment);
    return object;
}

static void add_estimates(json_t *object, struct reasons *r, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;

    json_object_set_new(object, "treatment", json_string(j->claim->treatment.label));
    json_object_set_new(object, "verdict", json_string(verdict_name(j->verdict.decision)));
    json_object_set_new(object, "design", design(r, &j->design));
    json_object_set_new(object, "gain", interval(r, "gain", j->gain));
    json_object_set_new(object, "gain_90", interval(r, "gain_90", j->gain_90));
    json_object_set_new(object, "difference", interval(r, "difference", c->difference));
    json_object_set_new(object, "difference_90", interval(r, "difference_90", c->difference_90));
    json_object_set_new(object, "difference_bca", interval(r, "difference_bca", c->difference_bca));
    json_object_set_new(object, "resamples", json_integer((json_int_t)c->resamples));
    json_object_set_new(object, "shift", interval(r, "shift", c->shift));
    json_object_set_new(object, "ratio", interval(r, "ratio", c->ratio));
}

static void add_tests(json_t *object, struct reasons *r, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;

    json_object_set_new(object, "welch", c->paired ? json_null() : t_test(r, "welch", &c->t_test));
    json_object_set_new(object, "paired", c->paired ? t_test(r, "paired", &c->t_test) : json_null());
    add(object, r, "p_holm", "p_holm", j->p_holm);
    json_object_set_new(object, "mann_whitney",
                        c->paired ? json_null() : rank_test(r, "mann_whitney", &c->ranks));
    json_object_set_new(object, "signed_ranks",
                        c->paired ? rank_test(r, "signed_ranks", &c->ranks) : json_null());
    json_object_set_new(object, "permutation", permutation(r, &c->permutation));
    json_object_set_new(object, "equal_variances", equal_variances(r, &c->equal_spread));
    json_object_set_new(object, "equivalence", equivalence(r, &c->equivalence, j->claim->margin));
    add(object, r, "non_inferiority_p", "non_inferiority_p", c->non_inferiority);
    add(object, r, "minimal_effect_p", "minimal_effect_p", c->minimal_effect);
}

static json_t *comparison(struct reasons *r, const char *prefix, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    json_t *object = json_object();

    r->prefix = prefix;
    add_estimates(object, r, j);
    add_tests(object, r, j);
    add(object, r, "hedges_g", "hedges_g", c->hedges_g);
    add(object, r, "superiority", "superiority", c->ranks.superiority);
    add(object, r, "bayes_factor_01", "bayes_factor_01", c->bayes_factor_01);
    add(object, r, "smallest_detectable", "smallest_detectable", c->smallest_detectable);
    json_object_set_new(object, "runs_needed",
                        runs_of(r, "runs_needed", c->runs_needed_80, c->runs_needed_90));
    json_object_set_new(object, "runs_to_find",
                        runs_of(r, "runs_to_find", c->runs_to_find_80, c->runs_to_find_90));
    return object;
}

/* Of every treatment, the first one again. */
static json_t *comparisons(struct reasons *r, const struct judgement *j)
{
    json_t *array = json_array();

    for (guint i = 0; i < j->n_treatments; i++) {
        const struct judgement *own = i ? j->others->pdata[i - 1] : j;
        g_autofree char *prefix = g_strdup_printf("comparisons.%u.", i);

        json_array_append_new(array, comparison(r, prefix, own));
    }
    return array;
}

static json_t *experiment(struct reasons *r, const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    json_t *drift = json_object(), *neighbours = json_object(), *change = json_object(),
           *first = json_object();

    r->prefix = "experiment.";
    add(drift, r, "per_run", "drift", s->slope);
    add(drift, r, "p", "drift", s->drift_p);
    add(neighbours, r, "lag_1", "autocorrelation", s->lag_1);
    add(neighbours, r, "p", "autocorrelation", s->lag_1_p);
    json_object_set_new(change, "after",
                        s->change_p.known ? json_integer((json_int_t)s->change_after) : json_null());
    add(change, r, "size", "change_point", s->change_size);
    add(change, r, "p", "change_point", s->change_p);
    json_object_set_new(first, "size", s->first_p.known ? json_real(s->first_off) : json_null());
    add(first, r, "p", "first_run", s->first_p);
    return json_pack("{s:o, s:o, s:o, s:o}", "drift", drift, "autocorrelation", neighbours, "change_point",
                     change, "first_run", first);
}

static json_t *metric(const struct claim_metric *m)
{
    return json_pack("{s:s, s:s, s:s}", "name", m->name, "unit", m->unit, "better",
                     m->better == CLAIM_HIGHER ? "higher" : "lower");
}

/* Names of files may be in any encoding. */
static json_t *text_of(const char *string)
{
    g_autofree char *valid = g_utf8_make_valid(string, -1);

    return json_string(valid);
}

static json_t *mechanism(const struct claim *c)
{
    json_t *array = json_array();

    for (guint i = 0; i < c->evidence.findings->len; i++) {
        const struct claim_finding *f = &g_array_index(c->evidence.findings, struct claim_finding, i);

        json_array_append_new(array,
                              json_pack("{s:o, s:s, s:o, s:o}", "what", text_of(f->what), "found",
                                        mechanism_answer_name((enum mechanism_answer)f->answer), "source",
                                        text_of(f->source), "explanation", text_of(f->text)));
    }
    return array;
}

static json_t *contradictions(const struct claim *c)
{
    json_t *array = json_array();

    for (guint i = 0; i < c->evidence.contradictions->len; i++) {
        const struct contradiction *found =
            &g_array_index(c->evidence.contradictions, struct contradiction, i);

        json_array_append_new(array, json_pack("{s:s, s:o, s:o}", "what", found->what, "source",
                                               text_of(found->source), "explanation", text_of(found->text)));
    }
    return array;
}

/* The claim file, and every file that it points at. */
static json_t *inputs(const struct claim *c)
{
    json_t *array = json_pack("[{s:s, s:s}]", "file", c->file, "sha256", c->sha256);

    for (guint i = 0; i < c->evidence.inputs->len; i++) {
        const struct claim_input *in = &g_array_index(c->evidence.inputs, struct claim_input, i);

        json_array_append_new(array, json_pack("{s:s, s:s}", "file", in->file, "sha256", in->sha256));
    }
    return array;
}

static void append_cautions(json_t *array, const struct judgement *j, const GArray *list)
{
    for (guint i = 0; i < list->len; i++) {
        g_autofree char *text = wording_caution(j, g_array_index(list, enum caution, i));

        format_to_terminal(text);
        json_array_append_new(array, json_string(text));
    }
}

static json_t *warnings(const struct judgement *j)
{
    json_t *array = json_array();

    append_cautions(array, j, j->cautions);
    for (guint i = 0; i < j->claim->evidence.remarks->len; i++)
        json_array_append_new(array, text_of(j->claim->evidence.remarks->pdata[i]));
    return array;
}

static json_t *notes(const struct judgement *j)
{
    json_t *array = json_array();

    append_cautions(array, j, j->notes);
    return array;
}

static json_t *arms(struct reasons *r, const struct judgement *j)
{
    json_t *array = json_array();

    for (guint i = 0; i < j->n_arms; i++) {
        g_autofree char *prefix = g_strdup_printf("arms.%u.", i);

        r->prefix = prefix;
        json_array_append_new(array, arm(r, j->claim, claim_arm_at(j->claim, i), &j->arms[i]));
    }
    return array;
}

char *export_json(const struct judgement *j)
{
    const struct claim *c = j->claim;
    json_t *object = json_object();
    struct reasons unknown = {json_object(), ""};
    g_autofree char *why = wording_reason(j);
    char *text, *lines;

    format_to_terminal(why);
    json_object_set_new(object, "claim", json_string(c->statement));
    json_object_set_new(object, "title", json_string(c->title));
    json_object_set_new(object, "metric", metric(&c->metric));
    json_object_set_new(object, "verdict", json_string(verdict_name(j->verdict.decision)));
    json_object_set_new(object, "basis", json_string(verdict_basis_name(j->verdict.basis)));
    json_object_set_new(object, "reason", json_string(verdict_reason_name(j->verdict.reason)));
    json_object_set_new(object, "explanation", json_string(why));
    json_object_set_new(object, "arms", arms(&unknown, j));
    json_object_set_new(object, "comparison", comparison(&unknown, "comparison.", j));
    if (j->n_treatments > 1)
        json_object_set_new(object, "comparisons", comparisons(&unknown, j));
    json_object_set_new(object, "experiment", experiment(&unknown, j));
    json_object_set_new(object, "mechanism", mechanism(c));
    json_object_set_new(object, "simulation", json_null());
    json_object_set_new(object, "contradictions", contradictions(c));
    json_object_set_new(object, "warnings", warnings(j));
    json_object_set_new(object, "notes", notes(j));
    json_object_set_new(object, "unknown", unknown.object);
    json_object_set_new(object, "inputs", inputs(c));
    text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    g_assert(text);
    lines = g_strconcat(text, "\n", NULL);
    free(text);
    return lines;
}
