#include "report/claim_arms.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* Beyond these the squares of ratios leave double precision; no measurement of a copy comes near them. */
static const double TINIEST = 1e-60, LARGEST = 1e60;
/* As many as a chart can tell apart. */
static const guint MOST_ARMS = 10;

static const char *const ROLES[] = {"control", "treatment", NULL};

const struct yaml_field CLAIM_ARM_FIELDS[] = {
    {.key = "label", .type = YAML_TEXT, .offset = offsetof(struct claim_arm_text, label), .required = true},
    {.key = "role",
     .type = YAML_CHOICE,
     .offset = offsetof(struct claim_arm_text, role),
     .required = true,
     .choices = ROLES},
    {.key = "samples", .type = YAML_NUMBERS, .offset = offsetof(struct claim_arm_text, samples)},
    {.key = "pair", .type = YAML_TEXTS, .offset = offsetof(struct claim_arm_text, pair)},
    {.key = "block", .type = YAML_TEXTS, .offset = offsetof(struct claim_arm_text, block)},
    {.key = "files",
     .type = YAML_MAP,
     .offset = offsetof(struct claim_arm_text, files),
     .fields = CLAIM_FILES_FIELDS},
    {.key = "simulation",
     .type = YAML_MAP,
     .offset = offsetof(struct claim_arm_text, simulation),
     .fields = SCENARIO_FIELDS},
    {.type = YAML_LINE, .offset = offsetof(struct claim_arm_text, line)},
    {.type = YAML_END},
};

static struct claim_arm_text *text_at(const GArray *arms, guint i)
{
    return &g_array_index(arms, struct claim_arm_text, i);
}

static bool is_measured(const struct claim_arm_text *arm)
{
    return arm->samples || arm->files.line;
}

static bool check_values(const char *path, const struct claim_arm_text *arm, GError **error)
{
    if (!claim_tidy(path, arm->line, "label", arm->label, error))
        return false;
    if (arm->samples && arm->files.line)
        return claim_fail(path, arm->line, error, "\"%s\" has samples and files: one says it all",
                          arm->label);
    if (!is_measured(arm) && !arm->simulation.line)
        return claim_fail(path, arm->line, error, "\"%s\" needs samples, files or a simulation", arm->label);
    for (guint i = 0; arm->samples && i < arm->samples->len; i++) {
        const struct yaml_number *number = &g_array_index(arm->samples, struct yaml_number, i);
        double size = fabs(number->value);

        if (size != 0 && (size < TINIEST || size > LARGEST))
            return claim_fail(path, number->line, error, "samples: %g is no measurement of a copy",
                              number->value);
    }
    return true;
}

static bool check_labels(const char *path, const GArray *arms, GError **error)
{
    for (guint i = 0; i < arms->len; i++) {
        const struct claim_arm_text *arm = text_at(arms, i);

        for (guint k = 0; k < i; k++) {
            if (strcmp(arm->label, text_at(arms, k)->label) == 0)
                return claim_fail(path, arm->line, error,
                                  "label: \"%s\" stands twice, so the arms can't be told apart", arm->label);
        }
        if (is_measured(arm) != is_measured(text_at(arms, 0)))
            return claim_fail(
                path, arm->line, error,
                "\"%s\" and \"%s\": one is measured and the other only simulated, so the model's "
                "error would pass for an effect",
                text_at(arms, 0)->label, arm->label);
        if (!arm->pair != !text_at(arms, 0)->pair || !arm->block != !text_at(arms, 0)->block)
            return claim_fail(path, arm->line, error,
                              "\"%s\" and \"%s\": pair and block labels must stand in all arms or in none",
                              text_at(arms, 0)->label, arm->label);
        if (arm->pair && arm->block)
            return claim_fail(path, arm->line, error, "\"%s\" has pair and block labels: one says it all",
                              arm->label);
    }
    return true;
}

static bool check_roles(const char *path, int line, const GArray *arms, GError **error)
{
    guint controls = 0, n = arms ? arms->len : 0;

    if (n < 2 || n > MOST_ARMS)
        return claim_fail(path, line, error,
                          "arms: has %u, and a verdict compares one control with 1 to %u treatments", n,
                          MOST_ARMS - 1);
    for (guint i = 0; i < n; i++) {
        controls += text_at(arms, i)->role == CLAIM_CONTROL;
        if (controls > 1)
            return claim_fail(path, text_at(arms, i)->line, error,
                              "role: \"%s\" is a second control, and a verdict compares with one",
                              text_at(arms, i)->label);
    }
    if (controls == 0)
        return claim_fail(path, text_at(arms, 0)->line, error,
                          "role: every arm is a treatment, and a verdict compares with a control");
    return true;
}

/* A label for each run, and each pair label once. Takes the labels. */
static bool take_labels(const char *path, const struct claim_arm *arm, const char *key, int line,
                        GPtrArray **from, GPtrArray **to, GError **error)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    guint n = samples_count(arm->samples);

    if (!*from)
        return true;
    if ((*from)->len != n)
        return claim_fail(path, line, error, "%s: has %u labels, and \"%s\" has %u runs", key, (*from)->len,
                          arm->label, n);
    for (guint i = 0; i < n && strcmp(key, "pair") == 0; i++) {
        if (!g_hash_table_add(seen, (*from)->pdata[i]))
            return claim_fail(path, line, error, "pair: \"%s\" stands twice in \"%s\"",
                              (const char *)(*from)->pdata[i], arm->label);
    }
    *to = g_steal_pointer(from);
    return true;
}

/* Beside the measured runs, or as the arm's runs where there are none. */
static bool take_simulation(struct claim *claim, struct claim_arm *to, const struct claim_arm_text *from,
                            const struct scenario *common, const char *path, const char *unit, GError **error)
{
    if (!from->simulation.line)
        return true;
    if (!claim_outside_simulate(&claim->evidence, path, to->label, &from->simulation, common, unit,
                                &to->simulated, error))
        return false;
    if (is_measured(from))
        return true;
    claim->simulated_only = true;
    to->samples->origin = SAMPLES_SIMULATED;
    for (guint i = 0; i < samples_count(to->simulated.samples); i++) {
        const struct sample *s = &g_array_index(to->simulated.samples->values, struct sample, i);

        samples_add(to->samples, s->value, s->file, s->line);
    }
    return true;
}

static bool take_arm(struct claim *claim, struct claim_arm *to, struct claim_arm_text *from,
                     const struct scenario *common, const char *path, char **meaning, GError **error)
{
    to->label = g_steal_pointer(&from->label);
    to->role = from->role;
    to->samples = samples_new(to->label, claim->metric.unit, SAMPLES_MEASURED);
    if (from->files.line && !claim_evidence_read_files(&claim->evidence, path, &from->files,
                                                       claim->metric.unit, to->samples, meaning, error))
        return false;
    for (guint i = 0; from->samples && i < from->samples->len; i++) {
        const struct yaml_number *number = &g_array_index(from->samples, struct yaml_number, i);

        samples_add(to->samples, number->value, path, number->line);
    }
    if (!take_simulation(claim, to, from, common, path, *meaning ? *meaning : claim->metric.unit, error))
        return false;
    return take_labels(path, to, "pair", from->line, &from->pair, &to->pair, error) &&
           take_labels(path, to, "block", from->line, &from->block, &to->block, error);
}

/* Where the next arm goes: the control, the first treatment, or one of the others. */
static struct claim_arm *room_for(struct claim *c, int role, guint place)
{
    if (role == CLAIM_CONTROL) {
        c->control_at = place;
        return &c->control;
    }
    return c->treatment.label ? &c->more[c->n_more++] : &c->treatment;
}

static bool check_meanings(const char *path, int line, const char *unit, GPtrArray *meanings, GError **error)
{
    const char *first = NULL;

    for (guint i = 0; i < meanings->len; i++) {
        const char *meaning = meanings->pdata[i];

        if (meaning && first && strcmp(first, meaning) != 0)
            return claim_fail(path, line, error,
                              "metric: unit: %s means %s in the files of one arm and %s in those of another: "
                              "write the exact unit",
                              unit, first, meaning);
        first = first ? first : meaning;
    }
    return true;
}

/* Runs that are pairs by their order belong together one by one, wherever they come from. */
static bool check_order(const char *path, int line, const struct claim *c, GError **error)
{
    for (guint i = 0;
         c->order == CLAIM_PAIRED && !c->control.pair && !c->control.block && i < claim_arm_count(c); i++) {
        guint n = samples_count(c->control.samples), m = samples_count(claim_arm_at(c, i)->samples);

        if (n != m)
            return claim_fail(
                path, line, error,
                "samples: paired arms need equally many runs, not %u and %u; or a pair label for "
                "each run",
                n, m);
    }
    return true;
}

bool claim_arms_take(struct claim *claim, const char *path, int line, GArray *arms,
                     const struct scenario *common, GError **error)
{
    g_autoptr(GPtrArray) meanings = g_ptr_array_new_with_free_func(g_free);

    if (!check_roles(path, line, arms, error))
        return false;
    for (guint i = 0; i < arms->len; i++) {
        if (!check_values(path, text_at(arms, i), error))
            return false;
    }
    if (!check_labels(path, arms, error))
        return false;
    claim->more = g_new0(struct claim_arm, arms->len);
    for (guint i = 0; i < arms->len; i++) {
        struct claim_arm_text *arm = text_at(arms, i);
        char *meaning = NULL;
        bool ok = take_arm(claim, room_for(claim, arm->role, i), arm, common, path, &meaning, error);

        g_ptr_array_add(meanings, meaning);
        if (!ok)
            return false;
    }
    return check_meanings(path, line, claim->metric.unit, meanings, error) &&
           check_order(path, line, claim, error);
}

void claim_arm_clear(struct claim_arm *arm)
{
    g_free(arm->label);
    samples_free(arm->samples);
    claim_simulated_clear(&arm->simulated);
    if (arm->pair)
        g_ptr_array_unref(arm->pair);
    if (arm->block)
        g_ptr_array_unref(arm->block);
}
