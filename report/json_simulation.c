#include "report/json_simulation.h"
#include "report/claim_figures.h"
#include "report/wording.h"

#include <string.h>

static json_t *text(const char *string)
{
    g_autofree char *valid = string ? g_utf8_make_valid(string, -1) : NULL;

    return valid ? json_string(valid) : json_null();
}

static json_t *real(bool known, double value)
{
    return known ? json_real(value) : json_null();
}

static const char *basis_name(const struct claim_simulated *s)
{
    return s->scenario.basis == SCENARIO_FITTED ? "fitted" : "predicted";
}

static json_t *values(const struct samples *s)
{
    json_t *array = json_array();

    for (guint i = 0; i < samples_count(s); i++)
        json_array_append_new(array, json_real(samples_get(s, i)));
    return array;
}

/* What was simulated, and by what its runs differ. */
static void describe(json_t *object, const struct claim_simulated *s)
{
    g_autofree char *scenario = scenario_text(&s->scenario);

    json_object_set_new(object, "scenario", text(scenario));
    json_object_set_new(object, "basis", json_string(basis_name(s)));
    json_object_set_new(object, "random", text(s->random));
    json_object_set_new(object, "samples", values(s->samples));
}

static json_t *arm(const struct claim_arm *a, const struct summary *s)
{
    json_t *object = json_pack("{s:s, s:I, s:o}", "label", a->label, "n", (json_int_t)s->n, "mean",
                               real(s->mean.known, s->mean.value));

    describe(object, &a->simulated);
    return object;
}

json_t *json_simulation(const struct judgement *j)
{
    const struct simulated *s = &j->simulated;
    json_t *differences = json_array();
    json_t *gain;

    if (!s->known) {
        json_decref(differences);
        return json_null();
    }
    for (guint i = 0; i < s->differences->len; i++)
        json_array_append_new(differences, text(s->differences->pdata[i]));
    gain = json_pack("{s:o, s:o, s:o, s:o}", "value", real(s->gain.known, s->gain.value), "low",
                     real(s->gain.bounded, s->gain.low), "high", real(s->gain.bounded, s->gain.high), "share",
                     real(s->share.known, s->share.value));
    return json_pack("{s:o, s:o, s:o, s:o, s:s}", "control", arm(&j->claim->control, &s->control),
                     "treatment", arm(&j->claim->treatment, &s->treatment), "gain", gain, "differences",
                     differences, "outcome", wording_simulation_pill(j));
}

json_t *json_claim_figures(const struct claim *c)
{
    json_t *array = json_array();

    for (guint i = 0; i < c->evidence.figures->len; i++) {
        const struct claim_figure *f = &g_array_index(c->evidence.figures, struct claim_figure, i);
        bool simulated = f->simulated.samples != NULL;
        json_t *object =
            json_pack("{s:o, s:s, s:o, s:o, s:o, s:s}", "what", text(f->what), "unit", f->unit, "measured",
                      real(f->has_measured, f->measured), "simulated", real(simulated, f->median), "off",
                      real(simulated && f->has_measured && f->measured != 0, f->median / f->measured - 1),
                      "outcome", claim_figure_outcome_name(f->outcome));

        if (simulated)
            describe(object, &f->simulated);
        json_array_append_new(array, object);
    }
    return array;
}

json_t *json_captures(const struct claim *c)
{
    const GPtrArray *captures = c->evidence.captures;
    json_t *array = json_array();

    for (guint i = 0; i < captures->len; i++) {
        const struct evidence *e = captures->pdata[i];
        const struct evidence_run *run = evidence_run(e, 0);
        json_t *figures = json_object(), *ledger = json_object();

        for (guint k = 0; k < run->figures; k++) {
            const struct evidence_figure *f =
                &g_array_index(e->figures, struct evidence_figure, run->first_figure + k);

            json_object_set_new(figures, f->name, json_real(f->value));
        }
        for (guint k = 0; k < e->facts->len; k++) {
            const struct evidence_fact *f = &g_array_index(e->facts, struct evidence_fact, k);

            json_object_set_new(ledger, f->name,
                                json_integer((json_int_t)g_ascii_strtoull(f->value, NULL, 10)));
        }
        json_array_append_new(
            array, json_pack("{s:o, s:o, s:o}", "file", text(e->file), "figures", figures, "ledger", ledger));
    }
    return array;
}
