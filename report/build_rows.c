#include "report/build_rows.h"
#include "report/format.h"

struct build_row build_row(struct doc_table *table)
{
    doc_table_row(table);
    return (struct build_row){table, 0};
}

void build_cell(struct build_row *r, const char *text)
{
    doc_table_set(r->table, r->column++, text, NULL);
}

void build_cell_take(struct build_row *r, char *text)
{
    build_cell(r, text);
    g_free(text);
}

void build_figure(struct doc_table *t, const char *name, char *value, char *range, const char *method,
                  const char *why)
{
    struct build_row r = build_row(t);

    build_cell(&r, name);
    build_cell_take(&r, value);
    build_cell_take(&r, range);
    if (why)
        build_cell_take(&r, g_strdup_printf("not known: %s", why));
    else
        build_cell(&r, method);
}

struct doc_table *build_figure_table(struct doc *doc)
{
    static const struct doc_column COLUMNS[] = {
        {0.2, DOC_CELL_STRONG}, {0.19, DOC_CELL_NUMBER}, {0.17, DOC_CELL_NUMBER}, {0.44, DOC_CELL_TEXT}};
    static const char *const HEADS[] = {"", "value", "95" FORMAT_NARROW "% interval, or p", "method"};
    struct doc_table *t = doc_add_table(doc, COLUMNS, G_N_ELEMENTS(COLUMNS), true);
    struct build_row head = build_row(t);

    for (guint i = 0; i < G_N_ELEMENTS(HEADS); i++)
        build_cell(&head, HEADS[i]);
    return t;
}

char *build_number(struct quantity q, double uncertainty)
{
    return q.known ? format_number(q.value, uncertainty) : g_strdup(BUILD_DASH);
}

char *build_signed(struct quantity q, double uncertainty)
{
    return q.known ? format_signed(q.value, uncertainty) : g_strdup(BUILD_DASH);
}

char *build_p(struct quantity p)
{
    return p.known ? format_p(p.value) : g_strdup(BUILD_DASH);
}

char *build_p_or_why(struct quantity p)
{
    return p.known ? format_p(p.value) : g_strdup_printf("not known: %s", p.why);
}

char *build_p_value(struct quantity p)
{
    return p.known ? format_p_value(p.value) : g_strdup(BUILD_DASH);
}

char *build_range(struct interval i, double doubt, bool sign)
{
    g_autofree char *low = NULL, *high = NULL;

    if (!i.bounded)
        return g_strdup(BUILD_DASH);
    low = sign ? format_signed(i.low, doubt) : format_number(i.low, doubt);
    high = sign ? format_signed(i.high, doubt) : format_number(i.high, doubt);
    return g_strdup_printf("%s to %s", low, high);
}

char *build_labelled(const char *label, struct quantity q, double uncertainty)
{
    g_autofree char *number = build_number(q, uncertainty);

    return q.known ? g_strdup_printf("%s" FORMAT_NO_BREAK "=" FORMAT_NO_BREAK "%s", label, number)
                   : g_strdup(BUILD_DASH);
}
