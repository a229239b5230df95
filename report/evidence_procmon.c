/* Process Monitor's CSV: what a program asked the file system for, and when.
 *
 * Parts: every ReadFile and WriteFile, labelled by its operation ("ReadFile paging" for paging I/O, which repeats bytes that a
 * cached read or write moved: count the one or the other). Their figures: bytes, offset, seconds (duration), time (of day).
 * Runs: one a process and operation, labelled "explorer.exe ReadFile", with operations, bytes, seconds (first start to last
 * completion), rate, block_min, block_median, block_max, gap_median, gap_max (from one completion to the next start).
 * Only what succeeded counts: a refused fast I/O is followed by a second row for the same bytes, and a read at the end of a
 * file gives its request, not what it moved. */
#include "report/evidence_reader.h"
#include "report/csv_text.h"

#include <math.h>
#include <string.h>

static const double DAY_S = 86400;

struct operation {
    double start_s, end_s, bytes;
};

/* The operations of one process and kind. */
struct group {
    char *label;
    GArray *operations; /* of struct operation */
    int line;
};

struct columns {
    int operation, detail, result, process, time, duration;
};

struct log {
    const struct text_input *in;
    struct evidence *e;
    struct columns columns;
    GPtrArray *groups; /* of struct group, in the order of their first row */
    GHashTable *by_label;
    GRegex *detail, *time;
    double last_time, day_s;
    guint others;
};

bool evidence_procmon_recognise(const struct text_input *in)
{
    return evidence_matches(
               in, 3, "^\\s*\"?(Time of Day|Process Name|PID|Date & Time|Relative Time|Operation)\"?,") &&
           evidence_matches(in, 3, "\"?Operation\"?,") && evidence_matches(in, 3, ",\"?Detail\"?(,|$)");
}

static void free_group(void *data)
{
    struct group *g = data;

    g_free(g->label);
    g_array_unref(g->operations);
    g_free(g);
}

static struct group *group_of(struct log *log, const char *process, const char *operation, int line)
{
    g_autofree char *label = g_strdup_printf("%s%s%s", process, *process ? " " : "", operation);
    struct group *g = g_hash_table_lookup(log->by_label, label);

    if (g)
        return g;
    g = g_new0(struct group, 1);
    g->label = g_steal_pointer(&label);
    g->operations = g_array_new(FALSE, FALSE, sizeof(struct operation));
    g->line = line;
    g_ptr_array_add(log->groups, g);
    g_hash_table_insert(log->by_label, g->label, g);
    return g;
}

static const char *field(const struct csv_reader *r, int column)
{
    return column < 0 ? "" : csv_text(r, (guint)column);
}

/* "7:19:37.5653985 AM", or "07:19:37,5653985" where the day has 24 hours. No date: midnight is a jump back by most of a day. */
static bool read_time(struct log *log, const struct csv_reader *r, double *seconds, GError **error)
{
    const char *text = field(r, log->columns.time);
    g_autoptr(GMatchInfo) match = NULL;
    struct number hour, minute, second;
    g_autofree char *fraction = NULL, *half = NULL;

    if (!g_regex_match(log->time, text, 0, &match) || !evidence_group(match, 1, &hour) ||
        !evidence_group(match, 2, &minute) || !evidence_group(match, 3, &second))
        return text_input_fail(log->in, r->line, error, "\"%.40s\" is no time of day", text);
    fraction = g_match_info_fetch(match, 4);
    half = g_match_info_fetch(match, 5);
    if (*half)
        hour.value = fmod(hour.value, 12) + (g_ascii_toupper(*half) == 'P' ? 12 : 0);
    *seconds = log->day_s + hour.value * 3600 + minute.value * 60 + second.value;
    *seconds += *fraction ? g_ascii_strtod(fraction, NULL) / pow(10, (double)strlen(fraction)) : 0;
    if (*seconds < log->last_time - DAY_S / 2) {
        log->day_s += DAY_S;
        *seconds += DAY_S;
    }
    log->last_time = MAX(log->last_time, *seconds);
    return true;
}

static bool read_duration(struct log *log, const struct csv_reader *r, struct number *n, GError **error)
{
    const char *text = field(r, log->columns.duration);
    char mark = strchr(text, ',') ? ',' : '.';

    *n = (struct number){0, 0};
    if (!*text || number_marked(text, strlen(text), mark, n))
        return true;
    return text_input_fail(log->in, r->line, error, "Duration: \"%.40s\" is no number", text);
}

/* "Offset: 5,242,880, Length: 1,048,576, I/O Flags: Non-cached, Paging I/O": the comma groups and parts. */
static bool read_detail(struct log *log, const struct csv_reader *r, struct number *offset,
                        struct number *length, bool *paging, GError **error)
{
    const char *text = field(r, log->columns.detail);
    g_autoptr(GMatchInfo) match = NULL;
    g_autofree char *a = NULL, *b = NULL;

    if (g_regex_match(log->detail, text, 0, &match)) {
        a = g_match_info_fetch(match, 1);
        b = g_match_info_fetch(match, 2);
    }
    if (!a || !number_whole(a, strlen(a), offset) || !number_whole(b, strlen(b), length))
        return text_input_fail(log->in, r->line, error, "Detail: \"%.60s\" holds no offset and length", text);
    offset->half_step = length->half_step = 0;
    *paging = strstr(text, "Paging I/O") != NULL;
    return true;
}

static bool read_io(struct log *log, const struct csv_reader *r, GError **error)
{
    const char *operation = field(r, log->columns.operation), *result = field(r, log->columns.result);
    struct number offset, length, duration;
    g_autofree char *label = NULL;
    bool paging = false;
    double time = 0;

    if (!read_detail(log, r, &offset, &length, &paging, error) || !read_duration(log, r, &duration, error) ||
        !read_time(log, r, &time, error))
        return false;
    label = g_strdup_printf("%s%s", operation, paging ? " paging" : "");
    evidence_add_run(log->e, EVIDENCE_PART, label, r->line);
    evidence_add_number(log->e, "bytes", "B", length, r->line);
    evidence_add_number(log->e, "offset", "B", offset, r->line);
    evidence_add_figure(log->e, "time", "s", time, 5e-8, r->line);
    if (*field(r, log->columns.duration))
        evidence_add_number(log->e, "seconds", "s", duration, r->line);
    if (*result && strcmp(result, "SUCCESS") != 0) {
        evidence_set_failed(log->e, "its result is %s", result);
    } else {
        struct operation o = {time, time + duration.value, length.value};

        g_array_append_val(group_of(log, field(r, log->columns.process), label, r->line)->operations, o);
    }
    return true;
}

static int by_start(const void *a, const void *b)
{
    double x = ((const struct operation *)a)->start_s, y = ((const struct operation *)b)->start_s;

    return (x > y) - (x < y);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(GArray *values)
{
    guint n = values->len;

    g_array_sort(values, by_value);
    return (g_array_index(values, double, (n - 1) / 2) + g_array_index(values, double, n / 2)) / 2;
}

static void add_blocks(struct evidence *e, const struct group *g)
{
    g_autoptr(GArray) blocks = g_array_new(FALSE, FALSE, sizeof(double));
    g_autoptr(GArray) gaps = g_array_new(FALSE, FALSE, sizeof(double));
    double end = 0;

    for (guint i = 0; i < g->operations->len; i++) {
        const struct operation *o = &g_array_index(g->operations, struct operation, i);
        double gap = MAX(o->start_s - end, 0);

        g_array_append_val(blocks, o->bytes);
        if (i > 0)
            g_array_append_val(gaps, gap);
        end = MAX(end, o->end_s);
    }
    evidence_add_figure(e, "block_median", "B", median(blocks), 0, g->line);
    evidence_add_figure(e, "block_min", "B", g_array_index(blocks, double, 0), 0, g->line);
    evidence_add_figure(e, "block_max", "B", g_array_index(blocks, double, blocks->len - 1), 0, g->line);
    if (gaps->len > 0) {
        evidence_add_figure(e, "gap_median", "s", median(gaps), 1e-7, g->line);
        evidence_add_figure(e, "gap_max", "s", g_array_index(gaps, double, gaps->len - 1), 1e-7, g->line);
    }
}

static void add_group(struct log *log, const struct group *g)
{
    const struct operation *first;
    double bytes = 0, end = 0, seconds;

    g_array_sort(g->operations, by_start);
    first = &g_array_index(g->operations, struct operation, 0);
    for (guint i = 0; i < g->operations->len; i++) {
        const struct operation *o = &g_array_index(g->operations, struct operation, i);

        bytes += o->bytes;
        end = MAX(end, o->end_s);
    }
    seconds = end - first->start_s;
    evidence_add_run(log->e, EVIDENCE_RUN, g->label, g->line);
    evidence_add_figure(log->e, "operations", "", g->operations->len, 0, g->line);
    evidence_add_figure(log->e, "bytes", "B", bytes, 0, g->line);
    add_blocks(log->e, g);
    if (log->columns.duration < 0) {
        evidence_set_failed(log->e, "has no column Duration, so the last operation's end isn't known");
    } else if (seconds > 0) {
        evidence_add_figure(log->e, "seconds", "s", seconds, 1e-7, g->line);
        evidence_add_figure(log->e, "rate", "B/s", bytes / seconds, bytes / seconds * (1e-7 / seconds),
                            g->line);
    }
}

static bool read_header(struct log *log, struct csv_reader *r, GError **error)
{
    csv_next(r);
    log->columns = (struct columns){csv_column(r, "Operation"),   csv_column(r, "Detail"),
                                    csv_column(r, "Result"),      csv_column(r, "Process Name"),
                                    csv_column(r, "Time of Day"), csv_column(r, "Duration")};
    if (log->columns.operation < 0 || log->columns.detail < 0 || log->columns.time < 0)
        return text_input_fail(log->in, r->line, error,
                               "the header lacks one of the columns Operation, Detail and Time of Day");
    return true;
}

static bool read_rows(struct log *log, struct csv_reader *r, GError **error)
{
    while (csv_next(r)) {
        const char *operation = field(r, log->columns.operation);

        if (r->cut) {
            evidence_add_note(log->e, EVIDENCE_IGNORED, r->line, "the file ends inside this row");
            log->e->complete = false;
        } else if (strcmp(operation, "ReadFile") == 0 || strcmp(operation, "WriteFile") == 0) {
            if (!read_io(log, r, error))
                return false;
        } else if (r->fields->len <= (guint)log->columns.operation) {
            return text_input_fail(log->in, r->line, error, "is no row of this log: it has no Operation");
        } else {
            log->others++;
        }
    }
    return true;
}

bool evidence_procmon_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct log log = {
        .in = in,
        .e = e,
        .groups = g_ptr_array_new_with_free_func(free_group),
        .by_label = g_hash_table_new(g_str_hash, g_str_equal),
        .detail = evidence_pattern("Offset: (.+?), Length: ([0-9][^A-Za-z]*?)(, [A-Z].*)?$"),
        .time =
            evidence_pattern("^\\s*([0-9]{1,2}):([0-9]{2}):([0-9]{2})(?:[.,]([0-9]{1,9}))?\\s*([AP]M)?\\s*$"),
    };
    struct csv_reader r;
    bool ok;

    csv_init(&r, in, 0, ',', false);
    ok = read_header(&log, &r, error) && read_rows(&log, &r, error);
    for (guint i = 0; ok && i < log.groups->len; i++)
        add_group(&log, log.groups->pdata[i]);
    if (log.others > 0)
        evidence_add_note(e, EVIDENCE_IGNORED, 0, "%u rows are neither reads nor writes", log.others);
    csv_fini(&r);
    g_regex_unref(log.detail);
    g_regex_unref(log.time);
    g_hash_table_unref(log.by_label);
    g_ptr_array_unref(log.groups);
    return ok;
}
