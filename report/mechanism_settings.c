/* Dumps of settings: PowerShell's lists and tables, netsh, sysctl and the like, .reg files and reg query. */
#include "report/mechanism_reader.h"
#include "report/evidence_reader.h"

#include <string.h>

/* PowerShell's tables: header lines, a line of dashes whose groups are the columns, rows. Narrow consoles drop columns and cut
 * values, so that a table proves what it shows and nothing else. */
static const char DASHES[] = "^\\s*-{2,}(\\s+-{2,})+\\s*$";

bool mechanism_table_recognise(const struct text_input *in)
{
    return evidence_matches(in, G_MAXUINT, DASHES);
}

struct column {
    size_t start; /* in bytes of the line of dashes, which is ASCII */
    GString *name;
};

static void clear_column(void *data)
{
    g_string_free(((struct column *)data)->name, TRUE);
}

/* The part of a line under a column, up to the next one. Returns owned. */
static char *cell(const char *text, const GArray *columns, guint index)
{
    glong length = g_utf8_strlen(text, -1), from = (glong)g_array_index(columns, struct column, index).start;
    glong to =
        index + 1 < columns->len ? (glong)g_array_index(columns, struct column, index + 1).start : length;

    if (from >= length)
        return g_strdup("");
    return g_strstrip(g_utf8_substring(text, from, MIN(to, length)));
}

static GArray *columns_of(const char *dashes)
{
    GArray *columns = g_array_new(FALSE, FALSE, sizeof(struct column));
    struct column *column;

    g_array_set_clear_func(columns, clear_column);
    for (const char *p = dashes; *p; p += strspn(p, "-")) {
        p += strspn(p, " \t");
        if (*p != '-')
            break;
        g_array_set_size(columns, columns->len + 1);
        column = &g_array_index(columns, struct column, columns->len - 1);
        column->start = (size_t)(p - dashes);
        column->name = g_string_new(NULL);
    }
    return columns;
}

/* The header stands between a blank line and the dashes, a word a line where it is broken. */
static void name_columns(const struct text_input *in, guint dashes, GArray *columns)
{
    guint first = dashes;

    while (first > 0 && !text_input_is_blank(text_input_line(in, first - 1)->text))
        first--;
    for (guint i = first; i < dashes; i++) {
        for (guint c = 0; c < columns->len; c++) {
            GString *name = g_array_index(columns, struct column, c).name;
            g_autofree char *part = cell(text_input_line(in, i)->text, columns, c);

            g_string_append_printf(name, "%s%s", name->len && *part ? " " : "", part);
        }
    }
}

static void read_table(const struct text_input *in, guint dashes, struct mechanism_listing *l)
{
    g_autoptr(GArray) columns = columns_of(text_input_line(in, dashes)->text);

    name_columns(in, dashes, columns);
    for (guint i = dashes + 1; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autofree char *where = g_strdup_printf("row %u", i - dashes);

        if (text_input_is_blank(line->text))
            return;
        for (guint c = 0; c < columns->len; c++) {
            g_autofree char *value = cell(line->text, columns, c);

            mechanism_add(l, MECHANISM_LOADED, where, g_array_index(columns, struct column, c).name->str,
                          value, line->number);
        }
    }
}

bool mechanism_table_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) dashes = evidence_pattern(DASHES);

    for (guint i = 0; i < text_input_count(in); i++) {
        if (g_regex_match(dashes, text_input_line(in, i)->text, 0, NULL))
            read_table(in, i, l);
    }
    mechanism_set_incomplete(l, 0, "a table drops the columns that the console has no room for");
    return l->entries->len > 0 || text_input_fail(in, 0, error, "is a table without rows");
}

/* The registry: .reg files say what is to be, reg query what is. */
static const char REG_QUERY_ROW[] = "^\\s+(\\S.*?)\\s{2,}(REG_[A-Z_]+)(?:\\s{2,}(.*))?$";

static bool is_reg_file(const struct text_input *in)
{
    return evidence_starts_with(in, "Windows Registry Editor") || evidence_starts_with(in, "REGEDIT4");
}

bool mechanism_registry_recognise(const struct text_input *in)
{
    return is_reg_file(in) || evidence_matches(in, G_MAXUINT, REG_QUERY_ROW);
}

/* "dword:0000000a" is "10", "\"True\"" is "True", "-" deletes. Returns owned. */
static char *reg_file_value(const char *text)
{
    size_t length = strlen(text);

    if (strcmp(text, "-") == 0)
        return g_strdup("(deleted)");
    if (g_ascii_strncasecmp(text, "dword:", 6) == 0 &&
        strspn(text + 6, "0123456789abcdefABCDEF") == length - 6)
        return g_strdup_printf("%" G_GUINT64_FORMAT, g_ascii_strtoull(text + 6, NULL, 16));
    if (length >= 2 && text[0] == '"' && text[length - 1] == '"')
        return g_strndup(text + 1, length - 2);
    return g_strdup(text);
}

static bool read_reg_file(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) row = evidence_pattern("^\"((?:[^\"\\\\]|\\\\.)*)\"\\s*=\\s*(.*?)\\s*$");
    g_autofree char *key = g_strdup("");
    bool continues = false;

    l->intention = true;
    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) match = NULL;
        const char *text = text_input_skip_blanks(line->text);
        bool goes_on = g_str_has_suffix(text, "\\");

        if (*text == '[') {
            g_free(key);
            key = g_strndup(text + 1, strcspn(text + 1, "]"));
        } else if (g_regex_match(row, text, 0, &match)) {
            g_autofree char *name = g_match_info_fetch(match, 1), *raw = g_match_info_fetch(match, 2),
                            *value = reg_file_value(raw);

            mechanism_add(l, MECHANISM_LOADED, key, name, value, line->number);
        } else if (*text == '"') {
            return text_input_fail(in, line->number, error, "is no value of a .reg file");
        } else if (!continues && *text && *text != ';' && *text != '@' && i > 0) {
            mechanism_set_incomplete(l, line->number, "a line can't be read");
        }
        continues = goes_on;
    }
    return true;
}

static bool read_reg_query(const struct text_input *in, struct mechanism_listing *l)
{
    g_autoptr(GRegex) row = evidence_pattern(REG_QUERY_ROW);
    g_autofree char *key = g_strdup("");

    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        g_autoptr(GMatchInfo) match = NULL;

        if (g_str_has_prefix(line->text, "HKEY_")) {
            g_free(key);
            key = g_strchomp(g_strdup(line->text));
        } else if (g_regex_match(row, line->text, 0, &match)) {
            g_autofree char *name = g_match_info_fetch(match, 1), *type = g_match_info_fetch(match, 2),
                            *value = g_match_info_fetch(match, 3);

            if (strstr(type, "WORD") && value && g_str_has_prefix(value, "0x")) {
                char *decimal = g_strdup_printf("%" G_GUINT64_FORMAT, g_ascii_strtoull(value, NULL, 16));

                g_free(value);
                value = decimal;
            }
            mechanism_add(l, MECHANISM_LOADED, key, name, value ? g_strchomp(value) : "", line->number);
        }
    }
    return true;
}

bool mechanism_registry_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    return is_reg_file(in) ? read_reg_file(in, l, error) : read_reg_query(in, l);
}

/* "name : value", "name = value". A name that comes again starts the next object; "[section]" names it. */
static const char PAIR[] = "^\\s*([^\\s:=*#;][^:=]*?)\\s*[:=]\\s*(.*?)\\s*$";

bool mechanism_pairs_recognise(const struct text_input *in)
{
    return evidence_matches(in, G_MAXUINT, PAIR);
}

/* netsh: the level that is shown isn't the one in force. Labels are localised, the words for levels aren't. */
static void override_tuning(struct mechanism_listing *l)
{
    static const char *const levels[] = {"normal",           "disabled",     "restricted",
                                         "highlyrestricted", "experimental", NULL};

    for (guint i = 0; i < l->entries->len; i++) {
        struct mechanism_entry *e = &g_array_index(l->entries, struct mechanism_entry, i);

        if (g_strv_contains(levels, e->value) && strstr(e->name, "uto"))
            e->state = MECHANISM_OVERRIDDEN;
    }
}

bool mechanism_pairs_read(const struct text_input *in, struct mechanism_listing *l, GError **error)
{
    g_autoptr(GRegex) pair = evidence_pattern(PAIR);
    g_autoptr(GString) where = g_string_new("");
    g_autoptr(GHashTable) names =
        g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL); /* of the object */
    guint objects = 1;

    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);
        const char *text = text_input_skip_blanks(line->text);
        g_autoptr(GMatchInfo) match = NULL;

        if (g_str_has_prefix(text, "**")) {
            override_tuning(l);
        } else if (*text == '[') {
            g_string_printf(where, "%.*s", (int)strcspn(text + 1, "]"), text + 1);
            g_hash_table_remove_all(names);
        } else if (g_regex_match(pair, line->text, 0, &match)) {
            g_autofree char *name = g_match_info_fetch(match, 1), *value = g_match_info_fetch(match, 2);

            if (g_hash_table_contains(names, name)) {
                g_string_printf(where, "object %u", ++objects);
                g_hash_table_remove_all(names);
            }
            g_hash_table_add(names, g_strdup(name));
            mechanism_add(l, MECHANISM_LOADED, where->str, name, value, line->number);
        }
    }
    return l->entries->len > 0 || text_input_fail(in, 0, error, "holds no settings");
}
