#include "report/export_json.h"
#include "report/contradictions.h"
#include "report/json_figures.h"
#include "report/json_simulation.h"
#include "report/mechanism.h"
#include "report/format.h"
#include "report/wording.h"

#include <stdlib.h>

/* Of every treatment, the first one again. */
static json_t *comparisons(struct json_reasons *r, const struct judgement *j)
{
    json_t *array = json_array();

    for (guint i = 0; i < j->n_treatments; i++) {
        const struct judgement *own = i ? j->others->pdata[i - 1] : j;
        g_autofree char *prefix = g_strdup_printf("comparisons.%u.", i);

        r->prefix = prefix;
        json_array_append_new(array, json_comparison(r, own));
    }
    return array;
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

static json_t *arms(struct json_reasons *r, const struct judgement *j)
{
    json_t *array = json_array();

    for (guint i = 0; i < j->n_arms; i++) {
        g_autofree char *prefix = g_strdup_printf("arms.%u.", i);

        r->prefix = prefix;
        json_array_append_new(array, json_arm(r, j, i));
    }
    return array;
}

static json_t *background(const struct claim *c)
{
    json_t *list = json_array();

    for (guint i = 0; c->background && i < c->background->len; i++)
        json_array_append_new(list, json_string(c->background->pdata[i]));
    return list;
}

char *export_json(const struct judgement *j)
{
    const struct claim *c = j->claim;
    json_t *object = json_object();
    struct json_reasons unknown = {json_object(), ""};
    g_autofree char *why = wording_reason(j);
    char *text, *lines;

    format_to_terminal(why);
    json_object_set_new(object, "claim", json_string(c->statement));
    json_object_set_new(object, "title", json_string(c->title));
    json_object_set_new(object, "metric", metric(&c->metric));
    json_object_set_new(object, "verdict", json_string(verdict_name(j->verdict.decision)));
    json_object_set_new(object, "basis", json_string(verdict_basis_name(j->verdict.basis)));
    json_object_set_new(object, "reason", json_string(verdict_reason_name(j->verdict.reason)));
    json_object_set_new(object, "verdict_by_runs", json_string(verdict_name(j->by_runs.decision)));
    json_object_set_new(object, "explanation", json_string(why));
    json_object_set_new(object, "arms", arms(&unknown, j));
    unknown.prefix = "comparison.";
    json_object_set_new(object, "comparison", json_comparison(&unknown, j));
    if (j->n_treatments > 1)
        json_object_set_new(object, "comparisons", comparisons(&unknown, j));
    unknown.prefix = "experiment.";
    json_object_set_new(object, "experiment", json_experiment(&unknown, j));
    json_object_set_new(object, "mechanism", mechanism(c));
    json_object_set_new(object, "simulation", json_simulation(j));
    json_object_set_new(object, "figures", json_claim_figures(c));
    json_object_set_new(object, "background", background(c));
    json_object_set_new(object, "captures", json_captures(c));
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
