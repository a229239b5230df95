#include "report/claim_outside.h"
#include "report/claim.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static bool no_source(const char *path, GError **error)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                "%s: captures and simulations are for the program only", path);
    return false;
}

bool claim_outside_is_capture(const char *format, const char *path)
{
    static const unsigned char MAGIC[][4] = {{0xa1, 0xb2, 0xc3, 0xd4},
                                             {0xd4, 0xc3, 0xb2, 0xa1},
                                             {0xa1, 0xb2, 0x3c, 0x4d},
                                             {0x4d, 0x3c, 0xb2, 0xa1},
                                             {0x0a, 0x0d, 0x0d, 0x0a}};
    unsigned char start[4];
    FILE *file;
    bool whole, known = false;

    if (format)
        return strcmp(format, evidence_capture_format()->name) == 0;
    file = fopen(path, "rb");
    if (!file)
        return false;
    whole = fread(start, 1, sizeof start, file) == sizeof start;
    (void)fclose(file);
    for (guint i = 0; whole && i < G_N_ELEMENTS(MAGIC); i++)
        known = known || memcmp(start, MAGIC[i], sizeof start) == 0;
    return known;
}

struct evidence *claim_outside_capture(struct claim_evidence *e, const char *path, GError **error)
{
    struct evidence *read;

    if (!e->sources) {
        no_source(path, error);
        return NULL;
    }
    if (!claim_evidence_add_input(e, path, error))
        return NULL;
    read = evidence_new(path, evidence_capture_format());
    if (e->sources->capture(e->sources->self, path, read, error))
        return read;
    evidence_free(read);
    return NULL;
}

bool claim_outside_finding(struct claim_evidence *e, const char *path, const char *required,
                           struct claim_finding *found, GError **error)
{
    if (!e->sources)
        return no_source(path, error);
    return claim_evidence_add_input(e, path, error) &&
           e->sources->mechanism(e->sources->self, path, required, found, error);
}

void claim_simulated_clear(struct claim_simulated *s)
{
    samples_free(s->samples);
    scenario_clear(&s->scenario);
    g_free(s->random);
}

/* The files that the simulation was made from. */
static bool add_inputs(struct claim_evidence *e, const struct evidence *made, GError **error)
{
    for (guint i = 0; i < made->file_facts; i++) {
        const struct evidence_fact *f = &g_array_index(made->facts, struct evidence_fact, i);

        if (strcmp(f->name, "input") == 0 && !claim_evidence_add_input(e, f->value, error))
            return false;
    }
    return true;
}

static bool take(struct claim_evidence *e, const char *unit, const struct evidence *made,
                 struct claim_simulated *out, GError **error)
{
    const struct evidence_choice choice = {.unit = unit};
    const char *meaning;

    out->random = g_strdup(evidence_fact(made, NULL, "random"));
    return add_inputs(e, made, error) &&
           evidence_take_samples(made, &choice, out->samples, e->remarks, &meaning, error);
}

bool claim_outside_simulate(struct claim_evidence *e, const char *claim_path, const char *name,
                            const struct scenario *own, const struct scenario *common, const char *unit,
                            struct claim_simulated *out, GError **error)
{
    struct scenario *s = &out->scenario;
    g_autofree char *origin = NULL;
    struct evidence *made;
    bool ok;

    scenario_inherit(s, own);
    scenario_inherit(s, common);
    s->line = own->line;
    if (scenario_lacks(s))
        return claim_fail(claim_path, s->line, error, "simulation: lacks its %s", scenario_lacks(s));
    if (!e->sources)
        return no_source(claim_path, error);
    origin = g_strdup_printf("simulated, seed %" G_GINT64_FORMAT ", run", MAX(s->seed, 1));
    made = evidence_new(origin, evidence_simulation_format());
    out->samples = samples_new(name, unit, SAMPLES_SIMULATED);
    ok =
        e->sources->simulate(e->sources->self, claim_path, s, made, error) && take(e, unit, made, out, error);
    evidence_free(made);
    return ok;
}
