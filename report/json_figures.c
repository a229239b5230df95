#include "report/json_figures.h"

#include <math.h>

static json_t *real_or_null(struct json_reasons *r, const char *name, bool known, double value,
                            const char *why)
{
    g_autofree char *path = NULL;

    if (known && isfinite(value))
        return json_real(value);
    path = g_strconcat(r->prefix, name, NULL);
    json_object_set_new(r->object, path, json_string(why ? why : "not a finite number"));
    return json_null();
}

static json_t *number(struct json_reasons *r, const char *name, struct quantity q)
{
    return real_or_null(r, name, q.known, q.value, q.why);
}

static void add(json_t *object, struct json_reasons *r, const char *key, const char *name, struct quantity q)
{
    json_object_set_new(object, key, number(r, name, q));
}

static void add_count(json_t *object, struct json_reasons *r, const char *key, const char *name,
                      struct quantity q)
{
    json_object_set_new(object, key, q.known ? json_integer((json_int_t)q.value) : number(r, name, q));
}

static json_t *interval(struct json_reasons *r, const char *name, struct interval i)
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

static json_t *quantiles(struct json_reasons *r, const struct arm *figures)
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
static json_t *shape(struct json_reasons *r, const struct arm *figures)
{
    json_t *normality = json_object(), *peaks = json_object();

    add(normality, r, "w", "shape.normality", figures->normality.w);
    add(normality, r, "p", "shape.normality", figures->normality.p);
    add(peaks, r, "dip", "shape.bimodality", figures->dip.dip);
    add(peaks, r, "p", "shape.bimodality", figures->dip.p);
    return json_pack("{s:o, s:o}", "normality", normality, "bimodality", peaks);
}

/* Where the samples stand, in their order: a file with the line of each, and the next file. */
static json_t *sources(const struct samples *samples)
{
    json_t *list = json_array(), *lines = NULL;
    const char *file = NULL;

    for (guint i = 0; i < samples_count(samples); i++) {
        const struct sample *s = &g_array_index(samples->values, struct sample, i);

        if (!s->file || samples->origin == SAMPLES_SIMULATED)
            continue;
        if (!lines || g_strcmp0(s->file, file) != 0) {
            lines = json_array();
            json_array_append_new(list, json_pack("{s:s, s:o}", "file", s->file, "lines", lines));
            file = s->file;
        }
        json_array_append_new(lines, s->line > 0 ? json_integer(s->line) : json_null());
    }
    return list;
}

json_t *json_arm(struct json_reasons *r, const struct judgement *j, guint place)
{
    const struct claim_arm *a = claim_arm_at(j->claim, place);
    const struct arm *figures = &j->arms[place];
    static const char *const ROLES[] = {"control", "treatment"};
    const struct summary *s = &figures->summary;
    json_t *object = json_object();
    json_t *runs = json_array();

    json_object_set_new(object, "label", json_string(a->label));
    json_object_set_new(object, "role", json_string(ROLES[a->role]));
    json_object_set_new(object, "unit", json_string(j->claim->metric.unit));
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
    json_object_set_new(object, "sources", sources(a->samples));
    return object;
}

static json_t *t_test(struct json_reasons *r, const char *name, const struct t_test *t)
{
    json_t *object = json_object();

    add(object, r, "t", name, t->t);
    add(object, r, "df", name, t->df);
    add(object, r, "p", name, t->p);
    return object;
}

static json_t *equivalence(struct json_reasons *r, const struct equivalence *e, double share)
{
    json_t *object = json_object();

    add(object, r, "margin", "equivalence.margin", e->margin);
    json_object_set_new(object, "margin_share", json_real(share));
    add(object, r, "p_lower", "equivalence", e->p_lower);
    add(object, r, "p_upper", "equivalence", e->p_upper);
    add(object, r, "p", "equivalence", e->p);
    return object;
}

static json_t *rank_test(struct json_reasons *r, const char *name, const struct rank_test *t)
{
    json_t *object = json_object();

    add(object, r, "u", name, t->u);
    add(object, r, "p", name, t->p);
    json_object_set_new(object, "exact", t->p.known ? json_boolean(t->exact) : json_null());
    json_object_set_new(object, "smallest_p", json_real(t->smallest_p));
    return object;
}

static json_t *permutation(struct json_reasons *r, const struct permutation_test *t)
{
    json_t *object = json_object();

    add(object, r, "p", "permutation", t->p);
    json_object_set_new(object, "exact", t->p.known ? json_boolean(t->exact) : json_null());
    json_object_set_new(object, "arrangements", json_integer((json_int_t)t->arrangements));
    return object;
}

static json_t *runs_of(struct json_reasons *r, const char *name, struct quantity power_80,
                       struct quantity power_90)
{
    json_t *runs = json_object();

    add_count(runs, r, "power_80", name, power_80);
    add_count(runs, r, "power_90", name, power_90);
    return runs;
}

static json_t *equal_variances(struct json_reasons *r, const struct spread_test *t)
{
    json_t *object = json_object();

    add(object, r, "f", "equal_variances", t->f);
    add(object, r, "df", "equal_variances", t->df);
    add(object, r, "p", "equal_variances", t->p);
    return object;
}

/* By what the comparison goes, and what is left of the runs. */
static json_t *design(struct json_reasons *r, const struct design *d)
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

static void add_estimates(json_t *object, struct json_reasons *r, const struct judgement *j)
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

static void add_tests(json_t *object, struct json_reasons *r, const struct judgement *j)
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

json_t *json_comparison(struct json_reasons *r, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    json_t *object = json_object();

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

json_t *json_experiment(struct json_reasons *r, const struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    json_t *drift = json_object(), *neighbours = json_object(), *change = json_object(),
           *first = json_object();

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
