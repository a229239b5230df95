/* Performance Monitor's text logs (PDH-CSV, PDH-TSV; logman, relog, typeperf): a run "average" with the mean of every counter, and a
 * part "row" for each row.
 *
 * Figures are named by the counter's path without its host: "PhysicalDisk(_Total)\Disk Bytes/sec"; a row's time is "time", and
 * the average counts its "rows". A blank is a missing value. Facts of the file: zone, bias_minutes (UTC minus local); of the
 * average: time_monotonic (no: the clock was set back inside the log). */
#include "report/evidence_reader.h"
#include "report/csv_text.h"

#include <string.h>

struct counter {
    char *name;
    const char *unit;
    double sum;
    guint count;
};

struct log {
    const struct text_input *in;
    struct evidence *e;
    GArray *counters; /* of struct counter: columns 1 and up */
    char mark;        /* decimal */
    double last_time;
    bool has_time;
    guint backwards;
    int first_line;
    guint rows;
};

bool evidence_perfmon_recognise(const struct text_input *in)
{
    return evidence_starts_with(in, "\"(PDH-CSV") || evidence_starts_with(in, "\"(PDH-TSV") ||
           evidence_starts_with(in, "(PDH-CSV") || evidence_starts_with(in, "(PDH-TSV");
}

/* From the counter's own name, in the languages that the unit can be seen in; "" where it can't. */
static const char *unit_of(const char *path)
{
    static const char *const bytes[] = {"byte",        "octet", "bajt",
                                        "b\xc3\xa1jt", "bayt",  "\xd0\xb1\xd0\xb0\xd0\xb9\xd1\x82"};
    static const char *const each_second[] = {"/s", "per second", "/\xd1\x81"};
    const char *name = strrchr(path, '\\');
    g_autofree char *small = g_utf8_strdown(name ? name + 1 : path, -1);

    if (strchr(small, '%'))
        return "%";
    for (guint i = 0; i < G_N_ELEMENTS(bytes); i++) {
        for (guint j = 0; strstr(small, bytes[i]) && j < G_N_ELEMENTS(each_second); j++) {
            if (strstr(small, each_second[j]))
                return "B/s";
        }
    }
    if (strstr(small, " sec/"))
        return "s";
    return strstr(small, "mbytes") ? "MiB" : "";
}

/* "\\HOST\Object(instance)\Counter" without the host, which says nothing about the copy and much about its owner. */
static const char *without_host(const char *path)
{
    const char *end;

    if (!g_str_has_prefix(path, "\\\\"))
        return path;
    end = strchr(path + 2, '\\');
    return end ? end + 1 : path;
}

static void clear_counter(void *data)
{
    g_free(((struct counter *)data)->name);
}

/* "(PDH-CSV 4.0) (Pacific Daylight Time)(420)" */
static void take_zone(struct log *log, const struct csv_reader *r)
{
    g_autoptr(GRegex) zone = evidence_pattern("\\) \\((.*)\\)\\((-?[0-9]+)\\)$");
    g_autoptr(GMatchInfo) match = NULL;

    if (g_regex_match(zone, csv_text(r, 0), 0, &match)) {
        g_autofree char *name = g_match_info_fetch(match, 1), *bias = g_match_info_fetch(match, 2);

        evidence_add_fact(log->e, "zone", name, r->line);
        evidence_add_fact(log->e, "bias_minutes", bias, r->line);
    }
}

static void take_counters(struct log *log, const struct csv_reader *r)
{
    take_zone(log, r);
    for (guint i = 1; i < r->fields->len; i++) {
        const char *name = without_host(csv_text(r, i));
        struct counter counter = {g_strdup(name), unit_of(name), 0, 0};

        g_array_append_val(log->counters, counter);
    }
}

/* "07/23/2026 06:04:43.000": the same in every language. */
static bool take_time(struct log *log, const struct csv_reader *r, double *seconds, GError **error)
{
    g_autoptr(GRegex) shape = evidence_pattern(
        "^([0-9]{1,2})/([0-9]{1,2})/([0-9]{4}) ([0-9]{1,2}):([0-9]{2}):([0-9]{2}(\\.[0-9]+)?)$");
    g_autoptr(GMatchInfo) match = NULL;
    g_autoptr(GDateTime) date = NULL;

    if (g_regex_match(shape, csv_text(r, 0), 0, &match)) {
        struct number n[6];
        bool ok = true;

        for (int i = 0; i < 6; i++)
            ok = evidence_group(match, i + 1, &n[i]) && ok;
        date = ok ? g_date_time_new_utc((int)n[2].value, (int)n[0].value, (int)n[1].value, (int)n[3].value,
                                        (int)n[4].value, n[5].value)
                  : NULL;
    }
    if (!date)
        return text_input_fail(log->in, r->line, error, "\"%.40s\" is no date of Performance Monitor",
                               csv_text(r, 0));
    *seconds = (double)g_date_time_to_unix(date) + g_date_time_get_microsecond(date) / 1e6;
    return true;
}

static bool take_value(struct log *log, const struct csv_reader *r, guint column, GError **error)
{
    struct counter *counter = &g_array_index(log->counters, struct counter, column - 1);
    const char *text = csv_text(r, column);
    struct number n;

    if (text_input_is_blank(text))
        return true;
    if (!number_marked(text, strlen(text), log->mark, &n))
        return text_input_fail(log->in, r->line, error, "%s: \"%.40s\" is no number", counter->name, text);
    if (n.value < 0)
        evidence_add_note(log->e, EVIDENCE_REMARK, r->line, "%s is negative", counter->name);
    evidence_add_number(log->e, counter->name, counter->unit, n, r->line);
    counter->sum += n.value;
    counter->count++;
    return true;
}

static bool read_row(struct log *log, const struct csv_reader *r, GError **error)
{
    double seconds = 0;

    if (!take_time(log, r, &seconds, error))
        return false;
    if (r->fields->len > log->counters->len + 1)
        return text_input_fail(log->in, r->line, error, "has %u fields, and the header names %u",
                               r->fields->len, log->counters->len + 1);
    if (log->has_time && seconds < log->last_time) {
        log->backwards++;
        evidence_add_note(log->e, EVIDENCE_REMARK, r->line,
                          "the clock was set back by %.0f s: rows keep their order",
                          log->last_time - seconds);
    }
    log->last_time = seconds;
    log->has_time = true;
    log->rows++;
    evidence_add_run(log->e, EVIDENCE_PART, "row", r->line);
    evidence_add_figure(log->e, "time", "s", seconds, 0.0005, r->line);
    for (guint i = 1; i < r->fields->len; i++) {
        if (!take_value(log, r, i, error))
            return false;
    }
    return true;
}

static void add_average(struct log *log)
{
    evidence_add_run(log->e, EVIDENCE_RUN, "average", log->first_line);
    if (log->rows == 0)
        evidence_set_failed(log->e, "the log holds no rows");
    for (guint i = 0; i < log->counters->len; i++) {
        const struct counter *c = &g_array_index(log->counters, struct counter, i);

        if (c->count > 0)
            evidence_add_figure(log->e, c->name, c->unit, c->sum / c->count, 0, log->first_line);
    }
    evidence_add_figure(log->e, "rows", "", log->rows, 0, log->first_line);
    evidence_add_fact(log->e, "time_monotonic", log->backwards ? "no" : "yes", log->first_line);
}

/* Rows end at the first line that isn't quoted like the header (typeperf says goodbye there). A header without quotes was saved
 * anew by a spreadsheet. */
static bool read_rows(struct log *log, struct csv_reader *r, GError **error)
{
    bool quoted = g_array_index(r->fields, struct csv_field, 0).quoted, ended = false;

    while (csv_next(r)) {
        if (!ended && (!quoted || g_array_index(r->fields, struct csv_field, 0).quoted)) {
            if (r->cut) {
                evidence_add_note(log->e, EVIDENCE_IGNORED, r->line, "the file ends inside this row");
                log->e->complete = false;
            } else if (!read_row(log, r, error)) {
                return false;
            }
        } else {
            ended = true;
            evidence_add_note(log->e, EVIDENCE_IGNORED, r->line, "text behind the rows");
        }
    }
    return true;
}

/* The separator is what follows the first field; files saved anew with ";" have "," as their decimal mark. */
static char separator_of(const struct text_input *in)
{
    for (guint i = 0; i < text_input_count(in); i++) {
        const char *start = strstr(text_input_line(in, i)->text, "(PDH-");

        if (start && strpbrk(start, "\t;,"))
            return strchr(start, '\t') ? '\t' : strstr(start, "\";") ? ';' : ',';
    }
    return ',';
}

bool evidence_perfmon_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct log log = {.in = in, .e = e};
    struct csv_reader r;
    bool ok;

    log.counters = g_array_new(FALSE, FALSE, sizeof(struct counter));
    g_array_set_clear_func(log.counters, clear_counter);
    csv_init(&r, in, 0, separator_of(in), false);
    log.mark = r.separator == ';' ? ',' : '.';
    ok = csv_next(&r) || text_input_fail(in, 0, error, "is empty");
    if (ok) {
        log.first_line = r.line;
        take_counters(&log, &r);
        ok = read_rows(&log, &r, error);
    }
    if (ok)
        add_average(&log);
    csv_fini(&r);
    g_array_unref(log.counters);
    return ok;
}
