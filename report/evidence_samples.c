#include "report/evidence_samples.h"
#include "report/unit_convert.h"
#include "base/error.h"
#include "base/yaml.h"

#include <string.h>

struct taking {
    const struct evidence *e;
    const struct evidence_choice *choice;
    struct samples *into;
    GPtrArray *left_out;
    const char *meaning;
    guint taken;
};

static bool fail(const struct evidence *e, int line, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static bool fail(const struct evidence *e, int line, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    if (line > 0)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: %s", e->file, line, what);
    else
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: %s", e->file, what);
    return false;
}

/* Appends a name once. */
static void list_name(GPtrArray *names, const char *name)
{
    for (guint i = 0; i < names->len; i++) {
        if (strcmp(names->pdata[i], name) == 0)
            return;
    }
    g_ptr_array_add(names, (void *)name);
}

/* "a", "b", "c", ... for a sentence: at most ten. Returns owned. */
static char *join(const GPtrArray *names)
{
    GString *text = g_string_new(NULL);

    for (guint i = 0; i < MIN(names->len, 10); i++)
        g_string_append_printf(text, "%s\"%s\"", i ? ", " : "", (const char *)names->pdata[i]);
    if (names->len > 10)
        g_string_append_printf(text, " and %u more", names->len - 10);
    return g_string_free(text, FALSE);
}

static bool is_whole_run(const struct evidence_run *run)
{
    return run->kind == EVIDENCE_RUN || run->kind == EVIDENCE_FAILED;
}

static bool has_label(const struct evidence *e, const char *label)
{
    for (guint i = 0; i < evidence_count(e); i++) {
        const struct evidence_run *run = evidence_run(e, i);

        if (run->kind != EVIDENCE_SUMMARY && run->label && strcmp(run->label, label) == 0)
            return true;
    }
    return false;
}

static bool check_one_label(const struct evidence *e, GError **error)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    g_autofree char *names = NULL;

    for (guint i = 0; i < evidence_count(e); i++) {
        const struct evidence_run *run = evidence_run(e, i);

        if (run->kind == EVIDENCE_RUN && run->label)
            list_name(labels, run->label);
    }
    if (labels->len < 2)
        return true;
    names = join(labels);
    return fail(e, 0, error, "holds runs of several kinds (%s): say which with job", names);
}

static bool no_such_job(const struct evidence *e, const char *job, GError **error)
{
    g_autoptr(GPtrArray) labels = g_ptr_array_new();
    g_autofree char *names = NULL;
    guint runs = 0;

    for (guint i = 0; i < evidence_count(e); i++) {
        const struct evidence_run *run = evidence_run(e, i);

        runs += is_whole_run(run);
        if (run->label && run->kind != EVIDENCE_SUMMARY)
            list_name(labels, run->label);
    }
    names = join(labels);
    return fail(e, 0, error, "has no job \"%s\" (it holds %u run%s%s%s)", job, runs, runs == 1 ? "" : "s",
                labels->len ? ", labelled " : "", names);
}

static const struct evidence_figure *figure_at(const struct taking *t, const struct evidence_run *run,
                                               guint i)
{
    return &g_array_index(t->e->figures, struct evidence_figure, run->first_figure + i);
}

/* Of figures with one name, the one that needs no conversion. */
static const struct evidence_figure *find_figure(const struct taking *t, const struct evidence_run *run,
                                                 const char *name)
{
    for (guint i = 0; i < run->figures; i++) {
        const struct evidence_figure *f = figure_at(t, run, i);

        if (strcmp(f->name, name) == 0 && (strcmp(f->unit, t->choice->unit) == 0 ||
                                           (f->written && strcmp(f->written, t->choice->unit) == 0)))
            return f;
    }
    return evidence_figure(t->e, run, name);
}

static bool no_such_column(const struct taking *t, const struct evidence_run *run, const char *wanted,
                           GError **error)
{
    g_autoptr(GPtrArray) columns = g_ptr_array_new();
    g_autofree char *names = NULL;
    const char *nearest;

    for (guint i = 0; i < run->figures; i++)
        list_name(columns, figure_at(t, run, i)->name);
    names = join(columns);
    if (!wanted)
        return fail(t->e, run->line, error, "has the columns %s: say which with column", names);
    g_ptr_array_add(columns, NULL);
    nearest = yaml_nearest(wanted, (const char *const *)columns->pdata);
    if (nearest)
        return fail(t->e, run->line, error, "has no column \"%s\": did you mean \"%s\"?", wanted, nearest);
    return fail(t->e, run->line, error, "has no column \"%s\" (it has %s)", wanted, *names ? names : "none");
}

/* The figure for a unit when no column is named. */
static const struct evidence_figure *default_figure(const struct taking *t, const struct evidence_run *run,
                                                    GError **error)
{
    static const char *const names[] = {[UNIT_TIME] = "seconds", [UNIT_SIZE] = "bytes", [UNIT_RATE] = "rate"};
    const struct evidence_figure *f = NULL;
    struct unit unit;

    if (unit_parse(t->choice->unit, &unit, NULL)) {
        f = find_figure(t, run, names[unit.quantity]);
        if (!f && unit.quantity != UNIT_SIZE)
            f = find_figure(t, run, names[unit.quantity == UNIT_TIME ? UNIT_RATE : UNIT_TIME]);
    }
    if (!f && run->figures == 1)
        f = figure_at(t, run, 0);
    if (!f)
        no_such_column(t, run, NULL, error);
    return f;
}

static const struct evidence_figure *choose(const struct taking *t, const struct evidence_run *run,
                                            GError **error)
{
    const struct evidence_figure *f;

    if (!t->choice->column)
        return default_figure(t, run, error);
    f = find_figure(t, run, t->choice->column);
    if (!f)
        no_such_column(t, run, t->choice->column, error);
    return f;
}

static double size_of(const struct taking *t, const struct evidence_run *run)
{
    const struct evidence_figure *bytes = evidence_figure(t->e, run, "bytes");

    if (t->choice->size_bytes > 0)
        return t->choice->size_bytes;
    return bytes ? bytes->value : 0;
}

static bool convert(struct taking *t, const struct evidence_run *run, const struct evidence_figure *f,
                    double *value, GError **error)
{
    const char *unit = *f->unit ? f->unit : t->choice->column_unit;
    g_autoptr(GError) why = NULL;
    struct unit parsed;

    *value = f->value;
    t->meaning = t->choice->unit;
    if (f->written && strcmp(f->written, t->choice->unit) == 0) {
        t->meaning = f->unit;
        return true;
    }
    if (!unit && strcmp(t->e->format->name, "csv") == 0)
        return fail(t->e, f->line, error, "column \"%s\" names no unit: say it with unit", f->name);
    if (!unit && unit_parse(t->choice->unit, &parsed, NULL))
        return fail(t->e, f->line, error, "%s is a plain number, and %s measures %s", f->name,
                    t->choice->unit, unit_quantity_name(parsed.quantity));
    if (!unit)
        return true; /* a count, in whatever the claim counts */
    if (unit_convert(f->value, unit, t->choice->unit, size_of(t, run), value, &why))
        return true;
    return fail(t->e, f->line, error, "%s: %s", f->name, why->message);
}

static bool take(struct taking *t, const struct evidence_run *run, GError **error)
{
    const struct evidence_figure *f;
    double value = 0;

    if (run->kind == EVIDENCE_FAILED) {
        g_ptr_array_add(t->left_out,
                        g_strdup_printf("%s:%d: left out: it %s", t->e->file, run->line, run->why));
        return true;
    }
    f = choose(t, run, error);
    if (!f || !convert(t, run, f, &value, error))
        return false;
    samples_add(t->into, value, t->e->file, f->line);
    t->taken++;
    return true;
}

/* Whether a run is chosen; `number` counts the whole runs. */
static bool is_chosen(const struct evidence_run *run, const char *job, bool by_label, guint64 wanted,
                      guint64 number)
{
    if (run->kind == EVIDENCE_SUMMARY)
        return false;
    if (!job)
        return is_whole_run(run);
    if (by_label)
        return run->label && strcmp(run->label, job) == 0;
    return is_whole_run(run) && number == wanted;
}

static bool nothing_taken(const struct taking *t, guint chosen, GError **error)
{
    const char *job = t->choice->job;

    if (chosen == 0 && job)
        return no_such_job(t->e, job, error);
    if (t->left_out->len > 0)
        return fail(t->e, 0, error, "holds no run that measured anything: %s",
                    (const char *)t->left_out->pdata[t->left_out->len - 1]);
    return fail(t->e, 0, error, "holds no runs: %s",
                evidence_count(t->e) ? "only parts or means of some" : "it has no rows");
}

bool evidence_take_samples(const struct evidence *e, const struct evidence_choice *choice,
                           struct samples *into, GPtrArray *left_out, const char **meaning, GError **error)
{
    struct taking t = {e, choice, into, left_out, choice->unit, 0};
    bool by_label = choice->job && has_label(e, choice->job);
    guint64 wanted = 0, number = 0;
    guint chosen = 0;

    if (!choice->job && !check_one_label(e, error))
        return false;
    if (choice->job && !by_label && !g_ascii_string_to_unsigned(choice->job, 10, 1, G_MAXUINT, &wanted, NULL))
        return no_such_job(e, choice->job, error);
    samples_expect(into, evidence_count(e));
    for (guint i = 0; i < evidence_count(e); i++) {
        const struct evidence_run *run = evidence_run(e, i);

        number += is_whole_run(run);
        if (!is_chosen(run, choice->job, by_label, wanted, number))
            continue;
        chosen++;
        if (!take(&t, run, error))
            return false;
    }
    *meaning = t.meaning;
    return t.taken > 0 || nothing_taken(&t, chosen, error);
}
