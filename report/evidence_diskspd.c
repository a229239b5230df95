/* diskspd's results, XML or text: runs labelled "total", "read" and "write" a time span.
 *
 * Figures: rate (bytes over the test time, because the printed one has two decimals), seconds, bytes. */
#include "report/evidence_reader.h"

#include <string.h>

static bool is_xml(const struct text_input *in)
{
    return evidence_starts_with(in, "<");
}

bool evidence_diskspd_recognise(const struct text_input *in)
{
    if (is_xml(in))
        return evidence_contains(in, "<TestTimeSeconds>") || evidence_contains(in, "<TimeSpan>");
    return evidence_matches(in, 2000, "^\\s*actual test time:\\s+[0-9.]+s");
}

enum sum { SUM_TOTAL, SUM_READ, SUM_WRITE, SUMS };

static const char *const LABELS[SUMS] = {"total", "read", "write"};
static const char *const ELEMENTS[SUMS] = {"BytesCount", "ReadBytes", "WriteBytes"};

struct span {
    int line;
    bool has_seconds;
    double seconds;
    double bytes[SUMS];
    int lines[SUMS]; /* 0: nothing was seen of it */
};

static bool add_span(const struct text_input *in, struct evidence *e, const struct span *s, GError **error)
{
    if (!s->has_seconds || s->seconds <= 0)
        return text_input_fail(in, s->line, error, "a time span of diskspd's results lacks its test time");
    for (int i = 0; i < SUMS; i++) {
        if (!s->lines[i] || (i != SUM_TOTAL && s->bytes[i] <= 0))
            continue;
        evidence_add_run(e, EVIDENCE_RUN, LABELS[i], s->lines[i]);
        evidence_add_figure(e, "rate", "B/s", s->bytes[i] / s->seconds,
                            s->bytes[i] / s->seconds * (0.005 / s->seconds), s->lines[i]);
        evidence_add_figure(e, "seconds", "s", s->seconds, 0.005, s->line);
        evidence_add_figure(e, "bytes", "B", s->bytes[i], 0, s->lines[i]);
    }
    return true;
}

/* The XML: Results/TimeSpan holds TestTimeSeconds and Thread/Target elements with their counts; another TimeSpan stands in
 * Results/Profile and describes what was asked for. */
struct xml {
    const struct text_input *in;
    struct evidence *e;
    GPtrArray *path; /* names of the open elements */
    GString *text;
    struct span span;
    guint spans;
    int line; /* that is being parsed */
};

static bool is_at(const struct xml *x, guint depth, const char *name)
{
    return x->path->len > depth && strcmp(x->path->pdata[depth], name) == 0;
}

static void start_element(GMarkupParseContext *context, const char *name, const char **names,
                          const char **values, gpointer data, GError **error)
{
    struct xml *x = data;

    (void)context;
    (void)names;
    (void)values;
    (void)error;
    g_ptr_array_add(x->path, g_strdup(name));
    g_string_truncate(x->text, 0);
    if (x->path->len == 2 && is_at(x, 1, "TimeSpan"))
        x->span = (struct span){.line = x->line};
}

static bool take_number(struct xml *x, int line, double *value, GError **error)
{
    struct number n;

    if (!number_marked(x->text->str, x->text->len, '.', &n))
        return text_input_fail(x->in, line, error, "%s: \"%.40s\" is no number",
                               (const char *)x->path->pdata[x->path->len - 1], x->text->str);
    *value = n.value;
    return true;
}

static bool end_in_span(struct xml *x, int line, GError **error)
{
    struct span *s = &x->span;

    if (x->path->len == 3 && is_at(x, 2, "TestTimeSeconds")) {
        s->has_seconds = true;
        s->line = line;
        return take_number(x, line, &s->seconds, error);
    }
    for (int i = 0; x->path->len == 5 && is_at(x, 2, "Thread") && is_at(x, 3, "Target") && i < SUMS; i++) {
        double bytes = 0;

        if (!is_at(x, 4, ELEMENTS[i]))
            continue;
        if (!take_number(x, line, &bytes, error))
            return false;
        s->bytes[i] += bytes;
        s->lines[i] = s->lines[i] ? s->lines[i] : line;
    }
    return true;
}

static void end_element(GMarkupParseContext *context, const char *name, gpointer data, GError **error)
{
    struct xml *x = data;
    bool ok = true;

    (void)context;
    (void)name;
    if (is_at(x, 0, "Results") && is_at(x, 1, "TimeSpan")) {
        if (x->path->len == 2) {
            ok = add_span(x->in, x->e, &x->span, error);
            x->spans++;
        } else {
            ok = end_in_span(x, x->line, error);
        }
    }
    if (ok)
        g_ptr_array_set_size(x->path, (int)x->path->len - 1);
}

static void take_text(GMarkupParseContext *context, const char *text, gsize length, gpointer data,
                      GError **error)
{
    struct xml *x = data;

    (void)context;
    (void)error;
    g_string_append_len(x->text, text, (gssize)length);
}

/* Line by line, because GMarkup's own position is behind the element that it reports. */
static bool parse_lines(struct xml *x, GMarkupParseContext *context, GError **error)
{
    for (guint i = 0; i < text_input_count(x->in); i++) {
        const struct text_line *line = text_input_line(x->in, i);

        x->line = line->number;
        if (!g_markup_parse_context_parse(context, line->text, (gssize)strlen(line->text), error) ||
            !g_markup_parse_context_parse(context, "\n", 1, error))
            return false;
    }
    return g_markup_parse_context_end_parse(context, error);
}

/* GMarkup begins with a position of its own: "Error on line 1 char 30: ". */
static const char *without_position(const char *message)
{
    const char *end = g_str_has_prefix(message, "Error on line ") ? strstr(message, ": ") : NULL;

    return end ? end + 2 : message;
}

static bool read_xml(const struct text_input *in, struct evidence *e, GError **error)
{
    static const GMarkupParser parser = {start_element, end_element, take_text, NULL, NULL};
    struct xml x = {
        .in = in, .e = e, .path = g_ptr_array_new_with_free_func(g_free), .text = g_string_new(NULL)};
    g_autoptr(GMarkupParseContext) context = g_markup_parse_context_new(&parser, 0, &x, NULL);
    g_autoptr(GError) why = NULL;
    bool ok = parse_lines(&x, context, &why);

    if (!ok && why->domain == G_MARKUP_ERROR)
        text_input_fail(in, x.line, error, "isn't XML: %s", without_position(why->message));
    else if (!ok)
        g_propagate_error(error, g_steal_pointer(&why));
    else if (x.spans == 0)
        ok = text_input_fail(in, 0, error,
                             "holds no results: the test was interrupted, or this is only its profile");
    g_ptr_array_unref(x.path);
    g_string_free(x.text, TRUE);
    return ok;
}

/* The text: "actual test time", then tables headed "Total IO", "Read IO" and "Write IO", each with a row "total:". */
struct text {
    const struct text_input *in;
    struct evidence *e;
    GRegex *time, *heading, *total;
    bool in_span;
    int table; /* enum sum, or -1 */
    struct span span;
};

static bool close_span(struct text *t, GError **error)
{
    return !t->in_span || add_span(t->in, t->e, &t->span, error);
}

static bool take_total(struct text *t, const struct text_line *line, GError **error)
{
    g_autoptr(GMatchInfo) match = NULL;
    struct number n;

    if (!g_regex_match(t->total, line->text, 0, &match) || !evidence_group(match, 1, &n))
        return text_input_fail(t->in, line->number, error, "the total of a table can't be read");
    t->span.bytes[t->table] = n.value;
    t->span.lines[t->table] = line->number;
    t->table = -1;
    return true;
}

static int table_of(const char *heading)
{
    return g_ascii_strncasecmp(heading, "Read", 4) == 0    ? SUM_READ
           : g_ascii_strncasecmp(heading, "Write", 5) == 0 ? SUM_WRITE
                                                           : SUM_TOTAL;
}

static bool read_text_line(struct text *t, const struct text_line *line, GError **error)
{
    g_autoptr(GMatchInfo) match = NULL;
    struct number n;

    if (g_regex_match(t->time, line->text, 0, &match)) {
        if (!close_span(t, error))
            return false;
        if (!evidence_group(match, 1, &n))
            return text_input_fail(t->in, line->number, error, "the test time can't be read");
        t->in_span = true;
        t->table = -1;
        t->span = (struct span){.line = line->number, .has_seconds = true, .seconds = n.value};
        return true;
    }
    if (!t->in_span)
        return true;
    if (g_regex_match(t->heading, line->text, 0, NULL))
        t->table = table_of(text_input_skip_blanks(line->text));
    else if (t->table >= 0 && g_str_has_prefix(text_input_skip_blanks(line->text), "total:"))
        return take_total(t, line, error);
    return true;
}

static bool read_text(const struct text_input *in, struct evidence *e, GError **error)
{
    struct text t = {
        .in = in,
        .e = e,
        .time = evidence_pattern("^\\s*actual test time:\\s*([0-9.]+)s"),
        .heading = evidence_pattern("^\\s*(Total|Read|Write) IO\\s*$"),
        .total = evidence_pattern("^\\s*total:\\s*([0-9]+)\\s*\\|\\s*[0-9]+\\s*\\|\\s*[0-9.]+\\s*\\|"),
        .table = -1,
    };
    bool ok = true;

    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = read_text_line(&t, text_input_line(in, i), error);
    ok = ok && close_span(&t, error);
    g_regex_unref(t.time);
    g_regex_unref(t.heading);
    g_regex_unref(t.total);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no results of diskspd");
    return ok;
}

bool evidence_diskspd_read(const struct text_input *in, struct evidence *e, GError **error)
{
    return is_xml(in) ? read_xml(in, e, error) : read_text(in, e, error);
}
