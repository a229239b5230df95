#include "report/csv_text.h"

#include <string.h>

void csv_init(struct csv_reader *r, const struct text_input *in, guint first, char separator, bool multiline)
{
    *r = (struct csv_reader){.in = in, .next = first, .separator = separator, .multiline = multiline};
    r->fields = g_array_new(FALSE, FALSE, sizeof(struct csv_field));
    r->text = g_string_new(NULL);
}

void csv_fini(struct csv_reader *r)
{
    g_array_unref(r->fields);
    g_string_free(r->text, TRUE);
}

static bool at_separator(const struct csv_reader *r, const char *p)
{
    return r->separator == ' ' ? *p == ' ' || *p == '\t' : *p == r->separator;
}

static const char *skip_blanks(const struct csv_reader *r, const char *p)
{
    while (*p == ' ' || (*p == '\t' && r->separator != '\t'))
        p++;
    return p;
}

/* Copies a quoted field behind its opening quote, with the lines that it goes on in. Returns what follows. */
static const char *take_quoted(struct csv_reader *r, const char *p)
{
    for (;;) {
        if (p[0] == '"' && p[1] == '"') {
            g_string_append_c(r->text, '"');
            p += 2;
        } else if (*p == '"') {
            return p + 1;
        } else if (*p) {
            g_string_append_c(r->text, *p++);
        } else if (r->multiline && r->next < text_input_count(r->in)) {
            g_string_append_c(r->text, '\n');
            p = text_input_line(r->in, r->next++)->text;
        } else {
            r->cut = true;
            return p;
        }
    }
}

static const char *take_plain(struct csv_reader *r, const char *p)
{
    gsize start = r->text->len;

    while (*p && !at_separator(r, p))
        g_string_append_c(r->text, *p++);
    while (r->text->len > start && g_ascii_isspace(r->text->str[r->text->len - 1]))
        g_string_truncate(r->text, r->text->len - 1);
    return p;
}

/* The buffer may move while it grows: fields keep offsets until the row is whole. */
static void take_row(struct csv_reader *r, const char *p)
{
    for (;;) {
        gsize start = r->text->len;
        struct csv_field field;

        p = skip_blanks(r, p);
        field.quoted = *p == '"';
        p = field.quoted ? take_quoted(r, p + 1) : take_plain(r, p);
        while (field.quoted && *p &&
               !at_separator(r, p)) /* what stands behind a closing quote belongs to the field */
            g_string_append_c(r->text, *p++);
        g_string_append_c(r->text, '\0');
        field.text = GSIZE_TO_POINTER(start);
        g_array_append_val(r->fields, field);
        if (r->separator == ' ')
            p = skip_blanks(r, p);
        if (!*p)
            return;
        if (r->separator != ' ')
            p++;
    }
}

bool csv_next(struct csv_reader *r)
{
    const struct text_line *line;

    do {
        if (r->next >= text_input_count(r->in))
            return false;
        line = text_input_line(r->in, r->next++);
    } while (text_input_is_blank(line->text));
    g_array_set_size(r->fields, 0);
    g_string_truncate(r->text, 0);
    r->cut = false;
    r->line = line->number;
    take_row(r, line->text);
    for (guint i = 0; i < r->fields->len; i++) {
        struct csv_field *field = &g_array_index(r->fields, struct csv_field, i);

        field->text = r->text->str + GPOINTER_TO_SIZE(field->text);
    }
    return true;
}

const char *csv_text(const struct csv_reader *r, guint column)
{
    return column < r->fields->len ? g_array_index(r->fields, struct csv_field, column).text : "";
}

int csv_column(const struct csv_reader *r, const char *name)
{
    for (guint i = 0; i < r->fields->len; i++) {
        if (g_ascii_strcasecmp(csv_text(r, i), name) == 0)
            return (int)i;
    }
    return -1;
}
