#include "report/doc.h"

static void row_free(struct doc_cell_text *row, guint n)
{
    for (guint i = 0; i < n; i++)
        g_free(row[i].text);
    g_free(row);
}

static void table_free(struct doc_table *table)
{
    for (guint i = 0; table && i < table->rows->len; i++)
        row_free(g_ptr_array_index(table->rows, i), table->n_columns);
    if (table)
        g_ptr_array_unref(table->rows);
    g_free(table);
}

static void block_free(gpointer data)
{
    struct doc_block *b = data;

    g_free(b->text);
    g_free(b->aside);
    g_free(b->body);
    table_free(b->table);
    chart_effect_free(b->effect);
    chart_runs_free(b->runs);
    chart_free(b->chart);
    g_free(b);
}

struct doc *doc_new(void)
{
    struct doc *doc = g_new0(struct doc, 1);

    doc->blocks = g_ptr_array_new_with_free_func(block_free);
    return doc;
}

void doc_free(struct doc *doc)
{
    if (!doc)
        return;
    g_free(doc->running);
    g_free(doc->program);
    g_free(doc->footer[0]);
    g_free(doc->footer[1]);
    g_ptr_array_unref(doc->blocks);
    g_free(doc);
}

struct doc_block *doc_add(struct doc *doc, enum doc_kind kind, const char *text)
{
    struct doc_block *b = g_new0(struct doc_block, 1);

    b->kind = kind;
    b->text = g_strdup(text);
    g_ptr_array_add(doc->blocks, b);
    return b;
}

struct doc_block *doc_add_heading(struct doc *doc, const char *text, const char *aside)
{
    struct doc_block *b = doc_add(doc, DOC_HEADING, text);

    b->aside = g_strdup(aside);
    return b;
}

void doc_add_chart(struct doc *doc, struct chart *chart)
{
    doc_add(doc, DOC_CHART, NULL)->chart = chart;
}

struct doc_table *doc_add_table(struct doc *doc, const struct doc_column *columns, guint n_columns,
                                bool has_header)
{
    struct doc_table *table = g_new0(struct doc_table, 1);

    g_assert(n_columns <= G_N_ELEMENTS(table->columns));
    table->n_columns = n_columns;
    table->has_header = has_header;
    for (guint i = 0; i < n_columns; i++)
        table->columns[i] = columns[i];
    table->rows = g_ptr_array_new();
    doc_add(doc, DOC_TABLE, NULL)->table = table;
    return table;
}

void doc_table_row(struct doc_table *table)
{
    g_ptr_array_add(table->rows, g_new0(struct doc_cell_text, table->n_columns));
}

void doc_table_set(struct doc_table *table, guint column, const char *text, const char *anchor)
{
    struct doc_cell_text *row = g_ptr_array_index(table->rows, table->rows->len - 1);

    g_assert(column < table->n_columns);
    row[column].text = g_strdup(text);
    row[column].anchor = anchor;
}
