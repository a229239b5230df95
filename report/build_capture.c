#include "report/build_capture.h"
#include "report/format.h"

#include <stdarg.h>

static const char INPUTS[] = "inputs", EXCHANGES[] = "exchanges", LEDGER[] = "ledger";

/* ---- what is shown ------------------------------------------------------------------------------------------------ */

static void table_free(gpointer data)
{
    struct capture_table *t = data;

    g_free(t->heading);
    g_free(t->aside);
    g_free(t->note);
    g_ptr_array_unref(t->rows);
    g_free(t);
}

struct capture_pages *capture_pages_new(void)
{
    struct capture_pages *p = g_new0(struct capture_pages, 1);

    p->trust = g_ptr_array_new_with_free_func(g_free);
    p->tables = g_ptr_array_new_with_free_func(table_free);
    return p;
}

void capture_pages_free(struct capture_pages *p)
{
    char **const texts[] = {&p->file,        &p->what,     &p->seconds,      &p->held_back,  &p->evidence,
                            &p->filter,      &p->inputs,   &p->stretch_note, &p->lanes_note, &p->gains_note,
                            &p->blocks_note, &p->no_gains, &p->left_out};
    struct chart *const charts[] = {(struct chart *)p->parts, (struct chart *)p->stretch,
                                    (struct chart *)p->gains, (struct chart *)p->lanes,
                                    (struct chart *)p->rate,  (struct chart *)p->spread,
                                    (struct chart *)p->blocks};

    for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
        g_free(*texts[i]);
    for (guint i = 0; i < G_N_ELEMENTS(charts); i++)
        chart_free(charts[i]);
    g_ptr_array_unref(p->trust);
    g_ptr_array_unref(p->tables);
    g_free(p);
}

struct capture_table *capture_pages_table(struct capture_pages *pages, const char *heading, const char *aside,
                                          const struct doc_column *columns, guint n_columns, bool has_header)
{
    struct capture_table *t = g_new0(struct capture_table, 1);

    g_assert(n_columns <= G_N_ELEMENTS(t->columns));
    t->heading = g_strdup(heading);
    t->aside = g_strdup(aside);
    t->n_columns = n_columns;
    t->has_header = has_header;
    for (guint i = 0; i < n_columns; i++)
        t->columns[i] = columns[i];
    t->rows = g_ptr_array_new_with_free_func((GDestroyNotify)g_strfreev);
    g_ptr_array_add(pages->tables, t);
    return t;
}

void capture_table_row(struct capture_table *table, char *first, ...)
{
    char **cells = g_new0(char *, table->n_columns + 1);
    va_list args;

    va_start(args, first);
    cells[0] = first;
    for (guint i = 1; i < table->n_columns; i++)
        cells[i] = va_arg(args, char *);
    va_end(args);
    g_ptr_array_add(table->rows, cells);
}

/* ---- the document ------------------------------------------------------------------------------------------------- */

#define TAKE_CHART(doc, chart) doc_add_chart(doc, &(chart)->base), (chart) = NULL

static void add_note(struct doc *doc, const char *text)
{
    if (text)
        doc_add(doc, DOC_NOTE, text);
}

static void add_table(struct doc *doc, const struct capture_table *from, const char *name)
{
    struct doc_table *table;

    doc_add_heading(doc, from->heading, from->aside)->name = name;
    add_note(doc, from->note);
    if (from->rows->len == 0)
        return;
    table = doc_add_table(doc, from->columns, from->n_columns, from->has_header);
    for (guint i = 0; i < from->rows->len; i++) {
        char **cells = g_ptr_array_index(from->rows, i);

        doc_table_row(table);
        for (guint k = 0; k < from->n_columns; k++)
            doc_table_set(table, k, cells[k], NULL);
    }
}

static void add_answer(struct doc *doc, struct capture_pages *p)
{
    struct doc_block *headline;

    doc_add(doc, DOC_TITLE, p->file);
    doc_add(doc, DOC_NOTE, p->what);
    headline = doc_add(doc, DOC_HEADLINE, p->seconds);
    headline->aside = g_strdup(p->held_back);
    headline->body = g_strdup(p->evidence);
    if (p->parts)
        TAKE_CHART(doc, p->parts);
}

static void add_help(struct doc *doc, struct capture_pages *p)
{
    if (!p->gains && !p->no_gains)
        return;
    doc_add_heading(doc, p->gains_note ? "What would help" : "How long it would take",
                    p->gains ? p->gains_note : NULL);
    if (p->gains)
        TAKE_CHART(doc, p->gains);
    if (p->no_gains)
        doc_add(doc, p->gains_note ? DOC_NOTE : DOC_PARAGRAPH, p->no_gains);
}

static void add_trust(struct doc *doc, const struct capture_pages *p)
{
    struct doc_block *last;

    doc_add_heading(doc, "Can these figures be trusted?", NULL);
    for (guint i = 0; i < p->trust->len; i++)
        doc_add(doc, DOC_BULLET, g_ptr_array_index(p->trust, i));
    last = doc_add(doc, DOC_BULLET, p->left_out);
    last->anchor = LEDGER;
}

static void add_stretch(struct doc *doc, struct capture_pages *p)
{
    struct doc_block *more;

    if (!p->stretch)
        return;
    doc_add_heading(doc, "A stretch of it", p->stretch_note);
    TAKE_CHART(doc, p->stretch);
    more = doc_add(doc, DOC_NOTE, "Every exchange: p." FORMAT_NO_BREAK);
    more->anchor = EXCHANGES;
}

static void add_plots(struct doc *doc, struct capture_pages *p)
{
    if (p->lanes) {
        doc_add_heading(doc, "Every exchange", p->lanes_note)->name = EXCHANGES;
        TAKE_CHART(doc, p->lanes);
    }
    if (p->rate) {
        doc_add_heading(doc, "Throughput over time", "TCP payload; what was sent again counts again");
        TAKE_CHART(doc, p->rate);
    }
    if (p->spread) {
        doc_add_heading(doc, "How long answers took",
                        "from a request\u2019s last frame to its answer\u2019s first, where it was captured");
        TAKE_CHART(doc, p->spread);
    }
    if (p->blocks) {
        doc_add_heading(doc, "Block sizes", p->blocks_note);
        TAKE_CHART(doc, p->blocks);
    }
}

struct doc *build_capture(struct capture_pages *p, const char *program)
{
    struct doc *doc = doc_new();

    doc->running = g_strdup("WHERE THE TIME WENT");
    doc->program = g_strdup(program);
    doc->footer[0] = g_strdup_printf("Input: %s, in full on p." FORMAT_NO_BREAK, p->inputs);
    doc->footer_anchor = INPUTS;
    doc->footer[1] = p->filter ? g_strdup_printf("Look at it in Wireshark: %s", p->filter) : g_strdup("");
    add_answer(doc, p);
    add_stretch(doc, p);
    add_help(doc, p);
    if (p->glance)
        add_table(doc, p->glance, NULL);
    add_trust(doc, p);
    doc_add(doc, DOC_PAGE_BREAK, NULL);
    add_plots(doc, p);
    for (guint i = 0; i < p->tables->len; i++) {
        const struct capture_table *t = g_ptr_array_index(p->tables, i);

        if (t != p->glance)
            add_table(doc, t, t == p->inputs_table ? INPUTS : t == p->ledger ? LEDGER : NULL);
    }
    return doc;
}
