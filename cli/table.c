#include "cli/table.h"

#include <string.h>

enum { COLUMNS_MOST = 16, INDENT = 2, FIRST_LEAST = 8 };

struct layout {
    glong width[COLUMNS_MOST];
    bool out[COLUMNS_MOST];
    glong gap;
};

struct table table_new(const struct table_column *columns, guint count)
{
    g_assert(count > 0 && count <= COLUMNS_MOST);
    return (struct table){columns, count, g_ptr_array_new_with_free_func(g_free)};
}

void table_add(struct table *t, char *text)
{
    g_ptr_array_add(t->cells, text ? text : g_strdup("-"));
}

static const char *cell(const struct table *t, guint row, guint column)
{
    return g_ptr_array_index(t->cells, row * t->count + column);
}

static glong total(const struct table *t, const struct layout *l)
{
    glong sum = INDENT - l->gap;

    for (guint i = 0; i < t->count; i++)
        sum += l->out[i] ? 0 : l->width[i] + l->gap;
    return sum;
}

static bool leave_one_out(const struct table *t, struct layout *l)
{
    int most = 0;
    guint which = 0;

    for (guint i = 0; i < t->count; i++) {
        if (!l->out[i] && t->columns[i].drop > most) {
            most = t->columns[i].drop;
            which = i;
        }
    }
    l->out[which] = most > 0;
    return most > 0;
}

static void lay_out(const struct table *t, guint rows, int width, struct layout *l)
{
    glong over;

    *l = (struct layout){.gap = 2};
    for (guint i = 0; i < t->count; i++) {
        l->width[i] = g_utf8_strlen(t->columns[i].name, -1);
        for (guint row = 0; row < rows; row++)
            l->width[i] = MAX(l->width[i], g_utf8_strlen(cell(t, row, i), -1));
    }
    if (total(t, l) > width)
        l->gap = 1;
    while (total(t, l) > width && leave_one_out(t, l))
        ;
    over = total(t, l) - width;
    if (over > 0)
        l->width[0] = MAX(l->width[0] - over, FIRST_LEAST);
}

static void pad(GString *to, glong count)
{
    for (; count > 0; count--)
        g_string_append_c(to, ' ');
}

/* The end of a text says more than its beginning where it is a path: the middle goes. */
static char *shortened(const char *text, glong width)
{
    glong length = g_utf8_strlen(text, -1);
    g_autofree char *head = NULL;

    if (length <= width)
        return g_strdup(text);
    head = g_utf8_substring(text, 0, (width - 1) / 2);
    return g_strconcat(head, "…", g_utf8_offset_to_pointer(text, length - (width - 1 - (width - 1) / 2)),
                       NULL);
}

static void put_row(const struct table *t, const struct layout *l, guint row, bool names, GString *to)
{
    gsize start = to->len;

    pad(to, INDENT);
    for (guint i = 0; i < t->count; i++) {
        g_autofree char *text = shortened(names ? t->columns[i].name : cell(t, row, i), l->width[i]);
        glong room = l->width[i] - g_utf8_strlen(text, -1);

        if (l->out[i])
            continue;
        if (i > 0)
            pad(to, l->gap);
        pad(to, t->columns[i].left ? 0 : room);
        g_string_append(to, text);
        pad(to, t->columns[i].left ? room : 0);
    }
    while (to->len > start && to->str[to->len - 1] == ' ')
        g_string_truncate(to, to->len - 1);
}

void table_print(struct table *t, const struct style *s, GString *to)
{
    guint rows = t->cells->len / t->count;
    g_autoptr(GString) names = g_string_new(NULL);
    struct layout l;

    lay_out(t, rows, s->width, &l);
    if (rows > 0) {
        put_row(t, &l, 0, true, names);
        style_put(s, STYLE_HEADING, names->str, to);
        g_string_append_c(to, '\n');
    }
    for (guint row = 0; row < rows; row++) {
        put_row(t, &l, row, false, to);
        g_string_append_c(to, '\n');
    }
    g_ptr_array_unref(t->cells);
}
