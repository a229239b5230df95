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

static json_t *arm(struct reasons *r, const struct claim *claim, const struct claim_arm *a,
                   const struct summary *s)
{
    static const char *const ROLES[] = {"control", "treatment"};
    json_t *object = json_object();
    json_t *runs = json_array();

    r->prefix = a->role == CLAIM_CONTROL ? "arms.control." : "arms.treatment.";
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

static json_t *rank_test(struct reasons *r, const struct rank_test *t)
{
    json_t *object = json_object();

    add(object, r, "u", "mann_whitney", t->u);
    add(object, r, "p", "mann_whitney", t->p);
    json_object_set_new(object, "exact", t->p.known ? json_boolean(t->exact) : json_null());
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

static json_t *comparison(struct reasons *r, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    json_t *object = json_object(), *runs = json_object();

    r->prefix = "comparison.";
    json_object_set_new(object, "difference", interval(r, "difference", c->difference));
    json_object_set_new(object, "difference_90", interval(r, "difference_90", c->difference_90));
    json_object_set_new(object, "ratio", interval(r, "ratio", c->ratio));
    json_object_set_new(object, "welch", c->paired ? json_null() : t_test(r, "welch", &c->t_test));
    json_object_set_new(object, "paired", c->paired ? t_test(r, "paired", &c->t_test) : json_null());
    json_object_set_new(object, "mann_whitney", rank_test(r, &c->ranks));
    json_object_set_new(object, "permutation", permutation(r, &c->permutation));
    json_object_set_new(object, "equivalence", equivalence(r, &c->equivalence, j->claim->margin));
    add(object, r, "hedges_g", "hedges_g", c->hedges_g);
    add(object, r, "bayes_factor_01", "bayes_factor_01", c->bayes_factor_01);
    add(object, r, "smallest_detectable", "smallest_detectable", c->smallest_detectable);
    add_count(runs, r, "power_80", "runs_needed", c->runs_needed_80);
    add_count(runs, r, "power_90", "runs_needed", c->runs_needed_90);
    json_object_set_new(object, "runs_needed", runs);
    return object;
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

static json_t *warnings(const struct judgement *j)
{
    json_t *array = json_array();

    for (guint i = 0; i < j->cautions->len; i++) {
        g_autofree char *text = wording_caution(j, g_array_index(j->cautions, enum caution, i));

        format_to_terminal(text);
        json_array_append_new(array, json_string(text));
    }
    for (guint i = 0; i < j->claim->evidence.remarks->len; i++)
        json_array_append_new(array, text_of(j->claim->evidence.remarks->pdata[i]));
    return array;
}

static json_t *arms(struct reasons *r, const struct judgement *j)
{
    json_t *control = arm(r, j->claim, &j->claim->control, &j->control);
    json_t *treatment = arm(r, j->claim, &j->claim->treatment, &j->treatment);

    return j->claim->control_first ? json_pack("[o, o]", control, treatment)
                                   : json_pack("[o, o]", treatment, control);
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
    json_object_set_new(object, "comparison", comparison(&unknown, j));
    json_object_set_new(object, "mechanism", mechanism(c));
    json_object_set_new(object, "simulation", json_null());
    json_object_set_new(object, "contradictions", contradictions(c));
    json_object_set_new(object, "warnings", warnings(j));
    json_object_set_new(object, "unknown", unknown.object);
    json_object_set_new(object, "inputs", inputs(c));
    text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(object);
    g_assert(text);
    lines = g_strconcat(text, "\n", NULL);
    free(text);
    return lines;
}
