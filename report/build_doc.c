#include "report/build_doc.h"
#include "report/build_figures.h"
#include "report/format.h"
#include "report/wording.h"

#include <math.h>

static const char FIGURES[] = "figures", INPUTS[] = "inputs";

static enum doc_stamp stamp_of(const struct judgement *j)
{
    switch (j->verdict.decision) {
    case VERDICT_SUPPORTED:
    case VERDICT_SUPPORTED_SMALL:
        return DOC_STAMP_YES;
    case VERDICT_REFUTED:
        return DOC_STAMP_NO;
    case VERDICT_UNDECIDED:
        break;
    }
    return DOC_STAMP_OPEN;
}

static void add_stamp(struct doc *doc, const struct judgement *j)
{
    struct doc_block *stamp = doc_add(doc, DOC_STAMP, wording_stamp(j));

    stamp->stamp = stamp_of(j);
    stamp->aside = wording_basis(j);
    stamp->body = wording_reason(j);
}

/* The claim, then the verdict; the other way round where a very long claim would push the verdict off the first page. */
static void add_answer(struct doc *doc, const struct judgement *j)
{
    static const glong LONG_CLAIM = 800;
    g_autofree char *statement = wording_statement(j), *margin = wording_margin(j);
    bool verdict_first = g_utf8_strlen(statement, -1) > LONG_CLAIM;

    if (verdict_first)
        add_stamp(doc, j);
    doc_add(doc, DOC_TITLE, statement);
    doc_add(doc, DOC_NOTE, margin);
    if (!verdict_first)
        add_stamp(doc, j);
}

static char *effect_aside(const struct judgement *j)
{
    const struct claim *c = j->claim;
    g_autofree char *what =
        g_strdup_printf("%s mean %s", c->metric.better == CLAIM_HIGHER ? "higher" : "lower", c->metric.name);

    if (j->scale.known)
        return g_strdup_printf("gain is a %s, %% of the mean of \u201c%s\u201d", what, c->control.label);
    return g_strdup_printf("gain is a %s, %s", what, c->metric.unit);
}

static void add_effect(struct doc *doc, const struct judgement *j)
{
    const struct claim *c = j->claim;
    double unit = j->scale.known ? j->scale.value / 100 : 1;
    g_autofree char *aside = effect_aside(j), *low = NULL, *high = NULL;
    double doubt = format_doubt(&j->gain) / unit;
    struct chart_effect *chart;

    doc_add_heading(doc, "How large is the gain?", aside);
    if (!j->gain.bounded) {
        g_autofree char *why = g_strdup_printf("Nothing can be drawn: %s.", j->gain.why);

        doc_add(doc, DOC_PARAGRAPH, why);
        return;
    }
    chart = g_new0(struct chart_effect, 1);
    chart->value = j->gain.value / unit;
    chart->low = j->gain.low / unit;
    chart->high = j->gain.high / unit;
    chart->low_90 = j->gain_90.low / unit;
    chart->high_90 = j->gain_90.high / unit;
    chart->margin = j->margin.value / unit;
    chart->unit = j->scale.known ? g_strdup(FORMAT_NARROW "%") : g_strdup("");
    chart->band_label = g_strdup("too small to matter");
    low = format_signed(chart->low, doubt);
    high = format_signed(chart->high, doubt);
    chart->interval_label[0] = g_strdup("95" FORMAT_NARROW "%");
    chart->interval_label[1] =
        chart->low < chart->high ? g_strdup_printf("%s to %s", low, high) : g_strdup(low);
    chart->left_label = g_strdup_printf("\u2190 %s %s", c->metric.better == CLAIM_HIGHER ? "lower" : "higher",
                                        c->metric.name);
    chart->right_label =
        g_strdup_printf("%s %s: what the claim says \u2192",
                        c->metric.better == CLAIM_HIGHER ? "higher" : "lower", c->metric.name);
    doc_add(doc, DOC_EFFECT, NULL)->effect = chart;
}

/* Shape, ink and dash each repeat at another number, so that ten arms differ. The control comes first. */
static void add_series(struct chart_runs *chart, const struct claim_arm *arm, const struct summary *summary,
                       guint look)
{
    static const enum draw_shape SHAPES[] = {DRAW_DISC, DRAW_SQUARE, DRAW_DIAMOND, DRAW_CROSS, DRAW_TICK};
    static const enum draw_ink INKS[] = {DRAW_BLUE, DRAW_ORANGE, DRAW_BLACK, DRAW_GREY};
    static const enum draw_dash DASHES[] = {DRAW_SOLID, DRAW_DASHED, DRAW_DOTTED};
    g_autofree char *mean = build_mean(summary);
    /* Isolated, so that a label that reads from right to left doesn't carry the mean along. */
    struct chart_series s = {.label = g_strdup_printf("\u2068%s\u2069, mean %s", arm->label, mean),
                             .shape = SHAPES[look % G_N_ELEMENTS(SHAPES)],
                             .ink = INKS[look % G_N_ELEMENTS(INKS)],
                             .dash = DASHES[look % G_N_ELEMENTS(DASHES)],
                             .values = g_array_new(FALSE, FALSE, sizeof(double)),
                             .has_mean = summary->mean.known,
                             .mean = summary->mean.value};

    for (guint i = 0; i < samples_count(arm->samples); i++) {
        double value = samples_get(arm->samples, i);

        g_array_append_val(s.values, value);
    }
    g_array_append_val(chart->series, s);
}

static const char *order_note(const struct claim *c)
{
    if (c->simulated_only)
        return "by number, one kind after the other";
    switch (c->order) {
    case CLAIM_BLOCKED:
        return "all of one kind first: order and effect are mixed";
    case CLAIM_INTERLEAVED:
        return "the two kinds took turns";
    case CLAIM_PAIRED:
        return "in pairs that belong together";
    default:
        return "as listed: the claim doesn\u2019t say how they alternated";
    }
}

static void add_runs(struct doc *doc, const struct judgement *j)
{
    const struct claim *c = j->claim;
    bool higher = c->metric.better == CLAIM_HIGHER;
    struct chart_runs *chart = g_new0(struct chart_runs, 1);
    guint looks = 0;

    chart->order_title =
        g_strdup(c->simulated_only ? "Every simulated run" : "Every run, in the order measured");
    chart->order_note = g_strdup_printf("%s; %s", c->metric.unit, order_note(c));
    chart->sorted_title = g_strdup("The same runs, sorted");
    chart->sorted_note = g_strdup_printf("%s to %s; lines are the means", higher ? "highest" : "lowest",
                                         higher ? "lowest" : "highest");
    chart->alternating = c->order == CLAIM_INTERLEAVED || c->order == CLAIM_PAIRED;
    chart->highest_first = higher;
    chart->series = g_array_new(FALSE, FALSE, sizeof(struct chart_series));
    for (guint i = 0; i < j->n_arms; i++)
        add_series(chart, claim_arm_at(c, i), &j->arms[i].summary, i == c->control_at ? 0 : ++looks);
    doc_add(doc, DOC_RUNS, NULL)->runs = chart;
}

static void add_next_steps(struct doc *doc, const struct judgement *j)
{
    g_autoptr(GPtrArray) steps = wording_next_steps(j);

    doc_add_heading(doc, "What to do next", NULL);
    for (guint i = 0; i < steps->len; i++)
        doc_add(doc, DOC_BULLET, g_ptr_array_index(steps, i));
}

/* Logs, listings, captures and profiles. */
static void add_input_files(struct doc_table *table, const GArray *inputs)
{
    static const guint MOST = 40;

    for (guint i = 0; i < MIN(inputs->len, MOST); i++) {
        const struct claim_input *in = &g_array_index(inputs, struct claim_input, i);
        g_autofree char *text = g_strdup_printf("%s, SHA-256 %s", in->file, in->sha256);

        doc_table_row(table);
        doc_table_set(table, 0, i ? "" : "Evidence", NULL);
        doc_table_set(table, 1, text, NULL);
    }
    if (inputs->len > MOST) {
        g_autofree char *more = g_strdup_printf("and %u files more, in the JSON", inputs->len - MOST);

        doc_table_row(table);
        doc_table_set(table, 1, more, NULL);
    }
}

static void add_inputs(struct doc *doc, const struct judgement *j, const char *program,
                       const char *command_line)
{
    static const struct doc_column COLUMNS[] = {{0.2, DOC_CELL_STRONG}, {0.8, DOC_CELL_TEXT}};
    const char *const rows[][2] = {{"Claim", j->claim->title},
                                   {"Claim file", j->claim->file},
                                   {"SHA-256", j->claim->sha256},
                                   {"Judged by", program},
                                   {"Command line", command_line}};
    struct doc_table *table;

    doc_add_heading(doc, "Inputs", NULL)->name = INPUTS;
    table = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), false);
    for (guint i = 0; i < G_N_ELEMENTS(rows) && rows[i][1]; i++) {
        doc_table_row(table);
        doc_table_set(table, 0, rows[i][0], NULL);
        doc_table_set(table, 1, rows[i][1], NULL);
    }
    add_input_files(table, j->claim->evidence.inputs);
}

struct doc *build_doc(const struct judgement *j, const char *program, const char *command_line)
{
    struct doc *doc = doc_new();
    const char *sum = j->claim->sha256;

    doc->running = g_strdup("VERDICT ON A CLAIM");
    doc->program = g_strdup(program);
    doc->footer[0] =
        g_strdup_printf("Input: %s, SHA-256 %.4s" FORMAT_ELLIPSIS "%s, in full on p." FORMAT_NO_BREAK,
                        j->claim->file, sum, sum + 60);
    doc->footer_anchor = INPUTS;
    doc->footer[1] = g_strdup("Intervals at 95" FORMAT_NARROW
                              "% confidence; equivalence by two one-sided tests at 5" FORMAT_NARROW
                              "%; figures rounded to their uncertainty");
    add_answer(doc, j);
    add_effect(doc, j);
    add_runs(doc, j);
    build_evidence(doc, j, FIGURES);
    add_next_steps(doc, j);
    doc_add(doc, DOC_PAGE_BREAK, NULL);
    build_figures(doc, j, FIGURES);
    add_inputs(doc, j, program, command_line);
    return doc;
}
