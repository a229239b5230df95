#include "report/export_text.h"
#include "report/build_figures.h"
#include "report/build_parts.h"
#include "report/format.h"
#include "report/wording.h"

static const int WIDTH = 88;

/* Words on lines of at most WIDTH characters: `indent` spaces before the first, `hang` before the others. */
static void append_wrapped(GString *out, const char *text, int indent, int hang)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    int column = 0;

    for (char **w = words; *w; w++) {
        int length = (int)g_utf8_strlen(*w, -1);

        if (column > 0 && column + 1 + length > WIDTH) {
            g_string_append_c(out, '\n');
            column = 0;
            indent = hang;
        }
        if (column == 0)
            g_string_append_printf(out, "%*s", indent, "");
        g_string_append_printf(out, "%s%s", column ? " " : "", *w);
        column = (column ? column + 1 : indent) + length;
    }
    g_string_append_c(out, '\n');
}

static void append_arm(GString *out, const struct claim *c, const struct claim_arm *arm,
                       const struct summary *s)
{
    g_autofree char *mean = build_mean(s), *runs = wording_runs(s->n), *low = NULL, *high = NULL;

    g_string_append_printf(out, "  %s: %s, mean %s %s", arm->label, runs, mean, c->metric.unit);
    if (s->mean.bounded) {
        low = format_number(s->mean.low, format_doubt(&s->mean));
        high = format_number(s->mean.high, format_doubt(&s->mean));
        g_string_append_printf(out, " (95 %%: %s to %s)", low, high);
    }
    g_string_append_c(out, '\n');
}

static void append_comparison(GString *out, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    g_autofree char *gain = wording_share(j, j->gain.value, true), *margin = wording_margin_value(j);
    g_autofree char *range = wording_range(j, j->gain.low, j->gain.high);

    if (!j->gain.bounded)
        return;
    g_string_append_printf(out, "  gain %s (95 %%: %s)", gain, range);
    if (c->t_test.p.known) {
        g_autofree char *p = format_p(c->t_test.p.value), *same = format_p(c->equivalence.p.value);

        g_string_append_printf(out, "; %s %s; same within %s: %s", c->paired ? "paired t test" : "Welch", p,
                               margin, same);
    }
    g_string_append_c(out, '\n');
}

static const char *cell_of(const struct doc_table *t, guint row, guint column)
{
    const struct doc_cell_text *cells = t->rows->pdata[row];

    return cells[column].text ? cells[column].text : "";
}

/* Columns as wide as their longest cell; the last one ends where it ends. */
static void append_table(GString *out, const struct doc_table *t)
{
    for (guint row = 0; row < t->rows->len; row++) {
        g_autoptr(GString) line = g_string_new("  ");
        glong end = 2;

        for (guint column = 0; column < t->n_columns; column++) {
            glong widest = 0;

            for (guint other = 0; other < t->rows->len; other++)
                widest = MAX(widest, g_utf8_strlen(cell_of(t, other, column), -1));
            g_string_append(line, cell_of(t, row, column));
            end += widest + 2;
            for (glong at = g_utf8_strlen(line->str, -1); at < end; at++)
                g_string_append_c(line, ' ');
        }
        g_string_append_printf(out, "%s\n", g_strchomp(line->str));
    }
    g_string_append_c(out, '\n');
}

/* The same figures as on the pages, from the same document. */
static void append_figures(GString *out, const struct judgement *j)
{
    struct doc *doc = doc_new();

    build_arms(doc, j, NULL);
    build_comparison(doc, j);
    for (guint i = 0; i < j->others->len; i++)
        build_comparison(doc, j->others->pdata[i]);
    build_experiment(doc, j);
    build_simulation(doc, j);
    build_captures(doc, j);
    for (guint i = 0; i < doc->blocks->len; i++) {
        const struct doc_block *block = doc->blocks->pdata[i];
        g_autofree char *bullet = g_strdup_printf("- %s", block->text ? block->text : "");

        if (block->kind == DOC_TABLE)
            append_table(out, block->table);
        else if (block->kind == DOC_HEADING)
            g_string_append_printf(out, "%s%s%s%s\n", block->text, block->aside ? " (" : "",
                                   block->aside ? block->aside : "", block->aside ? ")" : "");
        else if (block->kind == DOC_BULLET)
            append_wrapped(out, bullet, 2, 4);
        else if (block->text)
            append_wrapped(out, block->text, 2, 2);
        if (block->kind == DOC_NOTE)
            g_string_append_c(out, '\n');
    }
    doc_free(doc);
}

static void append_list(GString *out, const char *heading, GPtrArray *lines)
{
    if (lines->len > 0)
        g_string_append_printf(out, "\n%s\n", heading);
    for (guint i = 0; i < lines->len; i++) {
        g_autofree char *line = g_strdup_printf("- %s", (const char *)lines->pdata[i]);

        append_wrapped(out, line, 2, 4);
    }
}

static void append_evidence(GString *out, const struct judgement *j)
{
    const struct claim *c = j->claim;
    g_autoptr(GPtrArray) simulation = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) findings = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GPtrArray) contradictions = g_ptr_array_new_with_free_func(g_free);

    for (guint i = 0; i < c->evidence.findings->len; i++)
        g_ptr_array_add(findings,
                        wording_finding(&g_array_index(c->evidence.findings, struct claim_finding, i)));
    for (guint i = 0; i < c->evidence.contradictions->len; i++)
        g_ptr_array_add(contradictions, wording_contradiction(&g_array_index(c->evidence.contradictions,
                                                                             struct contradiction, i)));
    if (j->simulated.known)
        g_ptr_array_add(simulation, wording_simulation(j));
    if (c->evidence.figures->len > 0)
        g_ptr_array_add(simulation, wording_figures(c));
    append_list(out, "Mechanism", findings);
    append_list(out, "Simulation", simulation);
    append_list(out, "Numbers that contradict each other", contradictions);
    if (c->background)
        append_list(out, "What to know about this claim", c->background);
    append_list(out, "How the logs were read", c->evidence.remarks);
}

/* A line for each further treatment. */
static void append_others(GString *out, const struct judgement *j)
{
    for (guint i = 0; i < j->others->len; i++) {
        const struct judgement *other = j->others->pdata[i];
        g_autofree char *basis = wording_basis(other);

        g_string_append_printf(out, "  %s: %s (%s)\n", other->claim->treatment.label, wording_stamp(other),
                               basis);
        append_comparison(out, other);
    }
}

char *export_text(const struct judgement *j)
{
    const struct claim *c = j->claim;
    GString *out = g_string_new(NULL);
    g_autofree char *statement = wording_statement(j), *margin = wording_margin(j), *basis = wording_basis(j);
    g_autofree char *reason = wording_reason(j);
    g_autoptr(GPtrArray) steps = wording_next_steps(j);

    append_wrapped(out, statement, 0, 0);
    g_string_append_printf(out, "%s\n\n%s (%s)\n\n", margin, wording_stamp(j), basis);
    append_wrapped(out, reason, 0, 0);
    g_string_append_c(out, '\n');
    for (guint i = 0; i < j->n_arms; i++)
        append_arm(out, c, claim_arm_at(c, i), &j->arms[i].summary);
    append_comparison(out, j);
    append_others(out, j);
    append_evidence(out, j);
    g_string_append(out, "\nWhat to do next\n");
    for (guint i = 0; i < steps->len; i++) {
        g_autofree char *step = g_strdup_printf("- %s", (const char *)g_ptr_array_index(steps, i));

        append_wrapped(out, step, 2, 4);
    }
    g_string_append_c(out, '\n');
    append_figures(out, j);
    format_to_terminal(out->str);
    return g_string_free(out, FALSE);
}
