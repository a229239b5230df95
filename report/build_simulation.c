/* What was simulated, beside what was measured; and where the time went in the captures. */
#include "report/build_figures.h"
#include "report/build_parts.h"
#include "report/build_rows.h"
#include "report/format.h"
#include "report/wording.h"

#include <math.h>
#include <string.h>

static char *number_text(double value)
{
    return format_number(value, fabs(value) / 2000);
}

static void arm_row(struct doc_table *t, const struct judgement *j, guint place)
{
    const struct claim_arm *arm = claim_arm_at(j->claim, place);
    const struct claim_simulated *sim = &arm->simulated;
    const struct summary *measured = &j->arms[place].summary;
    struct claim_figure f = {.has_measured = !j->claim->simulated_only && measured->mean.known,
                             .measured = measured->mean.value,
                             .simulated = *sim};
    struct build_row r;
    double sum = 0;
    guint n;

    if (!sim->samples)
        return;
    n = samples_count(sim->samples);
    for (guint i = 0; i < n; i++)
        sum += samples_get(sim->samples, i) / n;
    f.median = sum;
    r = build_row(t);
    build_cell(&r, arm->label);
    build_cell_take(&r, f.has_measured ? build_mean(measured) : g_strdup(BUILD_DASH));
    build_cell_take(&r, number_text(sum));
    build_cell_take(&r, wording_figure_off(&f));
    build_cell(&r, sim->scenario.basis == SCENARIO_FITTED ? "fitted" : "predicted");
}

static void head(struct doc_table *t, const char *first)
{
    struct build_row r = build_row(t);

    build_cell(&r, first);
    build_cell(&r, "measured");
    build_cell(&r, "simulated");
    build_cell(&r, "off by");
    build_cell(&r, "counts as");
}

static struct doc_table *table(struct doc *doc, const char *first)
{
    static const struct doc_column COLUMNS[] = {{0.40, DOC_CELL_STRONG},
                                                {0.16, DOC_CELL_NUMBER},
                                                {0.16, DOC_CELL_NUMBER},
                                                {0.12, DOC_CELL_NUMBER},
                                                {0.16, DOC_CELL_TEXT}};
    struct doc_table *t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), true);

    head(t, first);
    return t;
}

static void add_scenario(struct doc *doc, const char *name, const struct claim_simulated *s)
{
    g_autofree char *what = scenario_text(&s->scenario);
    guint n = samples_count(s->samples);
    g_autofree char *runs = s->random ? g_strdup_printf("%u runs, which differ by %s", n, s->random)
                                      : g_strdup("nothing is random, so all runs are equal");
    g_autofree char *text = g_strdup_printf("%s: %s; %s.", name, what, runs);

    doc_add(doc, DOC_BULLET, text);
}

static bool any_simulated(const struct claim *c)
{
    for (guint i = 0; i < claim_arm_count(c); i++) {
        if (claim_arm_at(c, i)->simulated.samples)
            return true;
    }
    return false;
}

static void add_arms(struct doc *doc, const struct judgement *j)
{
    const struct claim *c = j->claim;
    g_autofree char *aside = g_strdup_printf("mean %s, %s", c->metric.name, c->metric.unit);
    struct doc_table *t;

    if (!any_simulated(c))
        return;
    doc_add_heading(doc, c->simulated_only ? "The simulated copies" : "Simulated against measured", aside);
    t = table(doc, "kind of run");
    for (guint i = 0; i < j->n_arms; i++)
        arm_row(t, j, i);
    for (guint i = 0; i < j->n_arms; i++) {
        const struct claim_arm *arm = claim_arm_at(c, i);

        if (arm->simulated.samples)
            add_scenario(doc, arm->label, &arm->simulated);
    }
}

static char *with_unit(double value, bool plain, const char *unit)
{
    g_autofree char *number = plain ? format_plain(value) : number_text(value);

    return g_strconcat(number, FORMAT_NARROW, unit, NULL);
}

static void figure_row(struct doc_table *t, const struct claim_figure *f)
{
    struct build_row r = build_row(t);

    build_cell(&r, f->what);
    build_cell_take(&r, f->has_measured ? with_unit(f->measured, true, f->unit) : g_strdup(BUILD_DASH));
    build_cell_take(&r, f->simulated.samples ? with_unit(f->median, false, f->unit) : g_strdup(BUILD_DASH));
    build_cell_take(&r, wording_figure_off(f));
    build_cell(&r, claim_figure_outcome_name(f->outcome));
}

static void add_figures(struct doc *doc, const struct claim *c)
{
    struct doc_table *t;

    if (c->evidence.figures->len == 0)
        return;
    doc_add_heading(doc, "Figure by figure", "what was fitted never counts as a confirmation");
    t = table(doc, "figure");
    for (guint i = 0; i < c->evidence.figures->len; i++)
        figure_row(t, &g_array_index(c->evidence.figures, struct claim_figure, i));
    doc_add(doc, DOC_NOTE,
            "Confirmed: predicted, and measured within the tolerance that the claim file gives. Off: "
            "predicted, and "
            "measured beyond it. Fitted: the figure set a value of the model, so that it fits says nothing. "
            "Unconfirmed: predicted, and not measured by anybody.");
    for (guint i = 0; i < c->evidence.figures->len; i++) {
        const struct claim_figure *f = &g_array_index(c->evidence.figures, struct claim_figure, i);

        if (f->simulated.samples)
            add_scenario(doc, f->what, &f->simulated);
    }
}

void build_simulation(struct doc *doc, const struct judgement *j)
{
    add_arms(doc, j);
    add_figures(doc, j->claim);
}

/* ---- captures --------------------------------------------------------------------------------------------------------- */

enum { PARTS = 6 };

static const struct {
    const char *name, *title;
} PART[PARTS] = {{"round_trips", "round trips"}, {"transmission", "transmission"},
                 {"server", "server"},           {"client", "client"},
                 {"tcp_window", "TCP window"},   {"loss_recovery", "lost packets"}};

static void capture_row(struct doc_table *t, const struct evidence *e)
{
    const struct evidence_run *run = evidence_run(e, 0);
    const struct evidence_figure *seconds = evidence_figure(e, run, "seconds");
    g_autofree char *name = g_filename_display_basename(e->file);
    struct build_row r = build_row(t);

    build_cell(&r, name);
    build_cell_take(&r, with_unit(seconds->value, false, "s"));
    for (guint i = 0; i < PARTS; i++) {
        const struct evidence_figure *part = evidence_figure(e, run, PART[i].name);

        build_cell_take(&r, part && seconds->value > 0
                                ? format_percent(part->value / seconds->value, 0.05, false)
                                : g_strdup(BUILD_DASH));
    }
}

/* What was not used of all captures together. */
static void add_ledger(struct doc *doc, const GPtrArray *captures)
{
    for (guint i = 0; i < captures->len; i++) {
        const struct evidence *e = captures->pdata[i];
        g_autofree char *name = g_filename_display_basename(e->file);
        g_autoptr(GString) text = g_string_new(NULL);

        for (guint k = 0; k < e->facts->len; k++) {
            const struct evidence_fact *f = &g_array_index(e->facts, struct evidence_fact, k);

            g_string_append_printf(text, "%s%s %s", k ? ", " : ": ", f->value, f->name);
        }
        g_string_prepend(text, name);
        if (e->facts->len > 0)
            doc_add(doc, DOC_BULLET, text->str);
    }
}

static bool has_ledger(const GPtrArray *captures)
{
    for (guint i = 0; i < captures->len; i++) {
        if (((const struct evidence *)captures->pdata[i])->facts->len > 0)
            return true;
    }
    return false;
}

void build_captures(struct doc *doc, const struct judgement *j)
{
    static const struct doc_column COLUMNS[2 + PARTS] = {
        {0.23, DOC_CELL_STRONG}, {0.11, DOC_CELL_NUMBER},  {0.115, DOC_CELL_NUMBER}, {0.13, DOC_CELL_NUMBER},
        {0.08, DOC_CELL_NUMBER}, {0.075, DOC_CELL_NUMBER}, {0.13, DOC_CELL_NUMBER},  {0.13, DOC_CELL_NUMBER}};
    static const guint MOST = 60;
    const GPtrArray *captures = j->claim->evidence.captures;
    struct doc_table *t;
    struct build_row r;

    if (captures->len == 0)
        return;
    doc_add_heading(doc, "Where the time went in the captures", "shares of the recorded seconds");
    t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), true);
    r = build_row(t);
    build_cell(&r, "capture");
    build_cell(&r, "recorded");
    for (guint i = 0; i < PARTS; i++)
        build_cell(&r, PART[i].title);
    for (guint i = 0; i < MIN(captures->len, MOST); i++)
        capture_row(t, captures->pdata[i]);
    if (!has_ledger(captures))
        return;
    doc_add_heading(doc, "Ledger", "what was not used of the captures");
    add_ledger(doc, captures);
}
