/* Tables of samples: one run a row, with a figure for every column of numbers, named by its header ("1", "2", ... without one).
 *
 * Separators: TAB, ";", "," or blanks, the first of these that the first row holds. Lines that start with "#" are comments. The unit
 * stands in the header: "rate [MB/s]", "time (s)", "copy time ms". A row's label is its first cell that is text. The decimal mark is
 * settled by column: "." with "," as separator; with TAB and ";" a comma is one. A last row that is the mean, sum or the like of the rows
 * above is a summary. "NA", "N/A" and "-" are missing values. */
#include "report/evidence_reader.h"
#include "report/csv_text.h"
#include "report/unit_convert.h"

#include <math.h>
#include <string.h>

struct row {
    int line;
    guint first_cell, cells;
};

struct column {
    char *name, *unit;
    bool numeric;
    char mark;
};

struct table {
    const struct text_input *in;
    char separator;
    bool has_header;
    int header_line;
    GArray *rows;    /* of struct row, without the header */
    GArray *cells;   /* of gsize: where the cell's text begins in `text` */
    GString *text;   /* of all cells, each ended by a zero: a table may have a million */
    GArray *columns; /* of struct column */
};

bool evidence_csv_recognise(const struct text_input *in)
{
    for (guint i = 0; i < text_input_count(in); i++) {
        const char *text = text_input_line(in, i)->text;

        if (!text_input_is_blank(text) && *text != '#' && strpbrk(text, "0123456789"))
            return true;
    }
    return false;
}

static bool is_missing(const char *text)
{
    return !*text || strcmp(text, "-") == 0 || g_ascii_strcasecmp(text, "NA") == 0 ||
           g_ascii_strcasecmp(text, "N/A") == 0;
}

static bool looks_numeric(const char *text)
{
    struct number n;

    return number_marked(text, strlen(text), '.', &n) || number_marked(text, strlen(text), ',', &n) ||
           number_free(text, strlen(text), &n) != NUMBER_NONE;
}

static const struct text_line *first_row(const struct text_input *in, guint *index)
{
    for (guint i = 0; i < text_input_count(in); i++) {
        const struct text_line *line = text_input_line(in, i);

        if (!text_input_is_blank(line->text) && *line->text != '#') {
            *index = i;
            return line;
        }
    }
    return NULL;
}

/* Blanks part cells where a row of numbers has them and no other separator is there. '\n' for a single column: it is in none. */
static char separator_of(const struct text_input *in, guint first, const char *text)
{
    static const char separators[] = "\t;,";
    struct number n;

    for (guint i = 0; separators[i]; i++) {
        if (strchr(text, separators[i]))
            return separators[i];
    }
    for (guint i = first; i < text_input_count(in); i++) {
        const char *p = text_input_skip_blanks(text_input_line(in, i)->text);
        size_t length = strcspn(p, " ");

        if (*p && *p != '#' && p[length] && !text_input_is_blank(p + length) &&
            (number_marked(p, length, '.', &n) || i > first))
            return number_whole(p, strlen(p), &n) ? '\n' : ' ';
    }
    return '\n';
}

static void clear_column(void *data)
{
    struct column *c = data;

    g_free(c->name);
    g_free(c->unit);
}

static const struct row *row_at(const struct table *t, guint i)
{
    return &g_array_index(t->rows, struct row, i);
}

/* View, valid until the next row is taken. */
static const char *cell(const struct table *t, const struct row *row, guint column)
{
    return column < row->cells ? t->text->str + g_array_index(t->cells, gsize, row->first_cell + column) : "";
}

static bool is_header(const struct csv_reader *r)
{
    for (guint i = 0; i < r->fields->len; i++) {
        if (looks_numeric(csv_text(r, i)))
            return false;
    }
    return true;
}

/* The unit of a header: in brackets, or its last word where that is a unit. */
static char *unit_of(const char *header)
{
    g_autoptr(GRegex) brackets = evidence_pattern("[\\[(]([^\\])]+)[\\])]\\s*$");
    g_autoptr(GMatchInfo) match = NULL;
    const char *word = strpbrk(header, " _");
    struct unit unit;

    if (g_regex_match(brackets, header, 0, &match))
        return g_match_info_fetch(match, 1);
    while (word && strpbrk(word + 1, " _"))
        word = strpbrk(word + 1, " _");
    word = word ? word + 1 : header;
    if (unit_parse(word, &unit, NULL) && strcmp(header, "min") != 0) /* the least, beside "max" and "mean" */
        return g_strdup(word);
    return g_strdup("");
}

static void add_columns(struct table *t, const struct csv_reader *header, guint count)
{
    for (guint i = 0; i < count; i++) {
        const char *name = header ? csv_text(header, i) : "";
        struct column c = {*name ? g_strdup(name) : g_strdup_printf("%u", i + 1), unit_of(name), false, '.'};

        g_array_append_val(t->columns, c);
    }
}

static bool take_row(struct table *t, const struct csv_reader *r, GError **error)
{
    struct row row = {r->line, t->cells->len, 0};
    guint filled = r->fields->len;

    if (r->cut)
        return text_input_fail(t->in, r->line, error, "a quoted cell is never closed");
    while (filled > t->columns->len && !*csv_text(r, filled - 1))
        filled--; /* empty columns at the end, as spreadsheets write them */
    if (t->columns->len == 0)
        add_columns(t, NULL, filled);
    if (filled > t->columns->len)
        return text_input_fail(t->in, r->line, error, "has %u cells, and the first row has %u", filled,
                               t->columns->len);
    row.cells = filled;
    for (guint i = 0; i < filled; i++) {
        const char *text = csv_text(r, i);

        g_array_append_val(t->cells, t->text->len);
        g_string_append_len(t->text, text, (gssize)strlen(text) + 1);
    }
    g_array_append_val(t->rows, row);
    return true;
}

static bool read_table(struct table *t, GError **error)
{
    struct csv_reader r;
    guint first = 0;
    const struct text_line *line = first_row(t->in, &first);
    bool ok = true, any = false;

    if (!line)
        return text_input_fail(t->in, 0, error, "holds no rows");
    t->separator = separator_of(t->in, first, line->text);
    csv_init(&r, t->in, first, t->separator, true);
    while (ok && csv_next(&r)) {
        if (csv_text(&r, 0)[0] == '#')
            continue;
        if (!any && is_header(&r)) {
            t->has_header = true;
            t->header_line = r.line;
            add_columns(t, &r, r.fields->len);
        } else {
            ok = take_row(t, &r, error);
        }
        any = true;
    }
    csv_fini(&r);
    return ok;
}

/* "1.234" could be a thousand or one and a bit. */
static bool is_one_group(const char *text)
{
    struct number n;

    return number_free(text, strlen(text), &n) == NUMBER_AMBIGUOUS;
}

/* Which decimal mark the cells of a column show for certain: those where the mark can't group. */
static bool settle_mark(const struct table *t, guint index, GError **error)
{
    struct column *c = &g_array_index(t->columns, struct column, index);
    bool point = false, comma = false, any_comma = false;
    int unclear = 0;

    for (guint i = 0; i < t->rows->len; i++) {
        const struct row *row = row_at(t, i);
        const char *text = cell(t, row, index);
        struct number n;

        any_comma = any_comma || strchr(text, ',');
        if (is_missing(text) || is_one_group(text)) {
            if (strpbrk(text, ".,") && !unclear)
                unclear = row->line;
            continue;
        }
        point = point || (strchr(text, '.') && number_marked(text, strlen(text), '.', &n));
        comma = comma || (strchr(text, ',') && number_marked(text, strlen(text), ',', &n) &&
                          !number_marked(text, strlen(text), '.', &n));
    }
    if (point && comma)
        return text_input_fail(t->in, t->header_line, error,
                               "column %s has decimal points and decimal commas", c->name);
    if (!point && !comma && unclear && (t->separator == ',' ? any_comma : t->separator == ';' && !any_comma))
        return text_input_fail(
            t->in, unclear, error,
            "column %s: its mark may group thousands or part decimals: write it with other digits", c->name);
    c->mark = comma || (!point && any_comma && t->separator != ',') ? ',' : '.';
    return true;
}

/* A column of numbers is one where most cells are: the others are then errors. */
static bool settle_columns(const struct table *t, GError **error)
{
    for (guint i = 0; i < t->columns->len; i++) {
        struct column *c = &g_array_index(t->columns, struct column, i);
        guint numbers = 0, texts = 0;

        for (guint j = 0; j < t->rows->len; j++) {
            const char *text = cell(t, row_at(t, j), i);

            numbers += !is_missing(text) && looks_numeric(text);
            texts += !is_missing(text) && !looks_numeric(text);
        }
        c->numeric = numbers > texts;
        if (c->numeric && !settle_mark(t, i, error))
            return false;
    }
    return true;
}

/* Without a header "12,5" is one number of one country and two numbers of another. */
static bool check_commas(const struct table *t, GError **error)
{
    if (t->has_header || t->separator != ',' || t->columns->len != 2 || t->rows->len == 0)
        return true;
    for (guint i = 0; i < t->rows->len; i++) {
        const struct row *row = row_at(t, i);

        if (row->cells != 2 || !*cell(t, row, 0) ||
            strspn(cell(t, row, 0), "0123456789") != strlen(cell(t, row, 0)) || !*cell(t, row, 1) ||
            strspn(cell(t, row, 1), "0123456789") != strlen(cell(t, row, 1)))
            return true;
    }
    return text_input_fail(t->in, row_at(t, 0)->line, error,
                           "its comma may be a decimal mark or part two columns: give the columns a header");
}

static const char *label_of(const struct table *t, const struct row *row)
{
    for (guint i = 0; i < t->columns->len; i++) {
        if (!g_array_index(t->columns, struct column, i).numeric && *cell(t, row, i))
            return cell(t, row, i);
    }
    return NULL;
}

static bool read_cell(const struct table *t, const struct row *row, guint index, struct number *n,
                      GError **error)
{
    const struct column *c = &g_array_index(t->columns, struct column, index);
    const char *text = cell(t, row, index);

    if (number_marked(text, strlen(text), c->mark, n))
        return true;
    return text_input_fail(t->in, row->line, error, "column %s: \"%.40s\" is no number", c->name, text);
}

static bool is_summary_name(const char *label)
{
    static const char *const names[] = {"mean",   "average", "avg", "total", "sum",
                                        "median", "stddev",  "sd",  NULL};
    g_autofree char *small = label ? g_ascii_strdown(label, -1) : NULL;

    return small && g_strv_contains(names, g_strdelimit(small, ":", '\0'));
}

/* Whether the last row is the mean of at least three rows above it, in every column of numbers. */
static bool is_mean(const struct table *t)
{
    guint n = t->rows->len - 1, columns = 0;
    struct number last, v;

    for (guint i = 0; n >= 3 && i < t->columns->len; i++) {
        double sum = 0;

        if (!g_array_index(t->columns, struct column, i).numeric)
            continue;
        for (guint j = 0; j < n; j++) {
            if (!read_cell(t, row_at(t, j), i, &v, NULL))
                return false;
            sum += v.value;
        }
        if (!read_cell(t, row_at(t, n), i, &last, NULL) ||
            fabs(sum / n - last.value) > MIN(last.half_step, fabs(last.value) * 1e-3) * 1.001)
            return false;
        columns++;
    }
    return columns > 0;
}

static bool add_row(const struct table *t, guint index, bool last_is_mean, struct evidence *e, GError **error)
{
    const struct row *row = row_at(t, index);
    const char *label = label_of(t, row);
    bool is_last = index + 1 == t->rows->len, summary = is_last && (last_is_mean || is_summary_name(label));

    evidence_add_run(e, summary ? EVIDENCE_SUMMARY : EVIDENCE_RUN, label, row->line);
    if (summary)
        evidence_add_note(e, EVIDENCE_IGNORED, row->line, "sums up the rows above it");
    for (guint i = 0; i < t->columns->len; i++) {
        const struct column *c = &g_array_index(t->columns, struct column, i);
        struct number n;

        if (!c->numeric)
            continue;
        if (is_missing(cell(t, row, i))) {
            evidence_add_note(e, EVIDENCE_IGNORED, row->line, "column %s has no value here", c->name);
            continue;
        }
        if (!read_cell(t, row, i, &n, error))
            return false;
        evidence_add_number(e, c->name, c->unit, n, row->line);
    }
    return true;
}

static guint count_numeric(const struct table *t)
{
    guint count = 0;

    for (guint i = 0; i < t->columns->len; i++)
        count += g_array_index(t->columns, struct column, i).numeric;
    return count;
}

bool evidence_csv_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct table t = {.in = in};
    bool ok, last_is_mean;

    t.rows = g_array_new(FALSE, FALSE, sizeof(struct row));
    t.cells = g_array_new(FALSE, FALSE, sizeof(gsize));
    t.text = g_string_new(NULL);
    t.columns = g_array_new(FALSE, FALSE, sizeof(struct column));
    g_array_set_clear_func(t.columns, clear_column);
    ok = read_table(&t, error) && check_commas(&t, error) && settle_columns(&t, error);
    last_is_mean = ok && t.rows->len > 3 && is_mean(&t);
    if (ok)
        evidence_expect(e, t.rows->len, t.rows->len * count_numeric(&t));
    for (guint i = 0; ok && i < t.rows->len; i++)
        ok = add_row(&t, i, last_is_mean, e, error);
    g_array_unref(t.rows);
    g_array_unref(t.cells);
    g_string_free(t.text, TRUE);
    g_array_unref(t.columns);
    return ok;
}
