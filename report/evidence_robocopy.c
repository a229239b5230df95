/* robocopy logs of any language: one run a job.
 *
 * Figures: rate, seconds, bytes (of what was copied); dirs_, files_ and bytes_ with total, copied, skipped, mismatch, failed and
 * extras; seconds_ with total, copied, failed and extras; speed and speed_per_minute as printed; wall_seconds; errors (distinct
 * paths). Facts: language, options, start, end.
 *
 * What robocopy calls MB is 2^20 bytes. Its speed is Bytes(Copied) over Times(Copied): scanning and waiting for retries are
 * left out. With /MT the times are sums over threads, so the time between start and end is taken instead. */
#include "report/evidence_reader.h"
#include "report/date_text.h"
#include "report/robocopy_lines.h"

#include <math.h>
#include <string.h>

enum stage { STAGE_HEADER, STAGE_BODY, STAGE_SUMMARY, STAGE_TAIL };
enum row { ROW_DIRS, ROW_FILES, ROW_BYTES, ROW_TIMES, ROWS };
enum column { TOTAL, COPIED, SKIPPED, MISMATCH, FAILED, EXTRAS };

static const char *const ROW_NAMES[ROWS] = {"dirs", "files", "bytes", "seconds"};
static const char *const ROW_UNITS[ROWS] = {"", "", "B", "s"};
static const char *const COLUMN_NAMES[ROBOCOPY_COLUMNS] = {"total",    "copied", "skipped",
                                                           "mismatch", "failed", "extras"};

struct line_number {
    struct number number;
    int line; /* 0: there is none */
};

struct line_date {
    int64_t seconds;
    int line;
};

struct job {
    int line, summary_line;
    enum stage stage;
    int rules; /* lines of dashes since the banner */
    int rows;
    struct robocopy_figures figures[ROWS];
    int row_lines[ROWS];
    struct line_number speed, per_minute;
    struct line_date start, end;
    const char *language;
    GString *options;
    int options_line;
    GHashTable *failed_paths;
};

struct reader {
    const struct text_input *in;
    struct evidence *e;
    struct job *job; /* the one that is open, or NULL */
    GRegex *banner, *options, *more_options, *failure;
};

bool evidence_robocopy_recognise(const struct text_input *in)
{
    struct robocopy_figures f;
    struct number n;
    int rows = 0;

    for (guint i = 0; i < text_input_count(in); i++) {
        const char *text = text_input_line(in, i)->text;

        if (strstr(text, "ROBOCOPY ") && strstr(text, "::"))
            return true;
        rows += robocopy_read_row(text, false, &f) == ROBOCOPY_VALUES;
        if (robocopy_read_row(text, false, &f) == ROBOCOPY_TIMES && rows == ROW_TIMES)
            return true;
        if (robocopy_read_speed(text, false, &n) == ROBOCOPY_SPEED && i + 1 < text_input_count(in) &&
            robocopy_read_speed(text_input_line(in, i + 1)->text, true, &n) == ROBOCOPY_SPEED_PER_MINUTE)
            return true;
    }
    return false;
}

static void open_job(struct reader *r, int line, enum stage stage)
{
    r->job = g_new0(struct job, 1);
    r->job->line = line;
    r->job->stage = stage;
    r->job->language = "";
    r->job->options = g_string_new(NULL);
    r->job->failed_paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
}

static void free_job(struct reader *r)
{
    if (!r->job)
        return;
    g_string_free(r->job->options, TRUE);
    g_hash_table_unref(r->job->failed_paths);
    g_free(r->job);
    r->job = NULL;
}

static bool has_switch(const struct job *job, const char *name)
{
    g_auto(GStrv) switches = g_strsplit_set(job->options->str, " \t", -1);

    for (guint i = 0; switches[i]; i++) {
        size_t length = strlen(name);

        if (g_ascii_strncasecmp(switches[i], name, length) == 0 &&
            (switches[i][length] == '\0' || switches[i][length] == ':'))
            return true;
    }
    return false;
}

static void add_date(struct evidence *e, const char *name, const struct line_date *date)
{
    g_autofree char *text = date->line ? date_text_format(date->seconds) : NULL;

    if (text)
        evidence_add_fact(e, name, text, date->line);
}

static void add_rows(struct evidence *e, const struct job *job)
{
    for (int row = 0; row < job->rows; row++) {
        for (int column = 0; column < ROBOCOPY_COLUMNS; column++) {
            g_autofree char *name = g_strdup_printf("%s_%s", ROW_NAMES[row], COLUMN_NAMES[column]);

            if (row != ROW_TIMES || (column != SKIPPED && column != MISMATCH))
                evidence_add_number(e, name, ROW_UNITS[row], job->figures[row].values[column],
                                    job->row_lines[row]);
        }
    }
}

static void add_printed(struct evidence *e, const struct job *job)
{
    if (*job->language)
        evidence_add_fact(e, "language", job->language, job->line);
    if (job->options_line)
        evidence_add_fact(e, "options", job->options->str, job->options_line);
    add_date(e, "start", &job->start);
    add_date(e, "end", &job->end);
    add_rows(e, job);
    if (job->speed.line)
        evidence_add_number(e, "speed", "B/s", job->speed.number, job->speed.line);
    if (job->per_minute.line)
        evidence_add_written(e, "speed_per_minute", "MiB/min", "MB/min", job->per_minute.number,
                             job->per_minute.line);
    if (job->start.line && job->end.line)
        evidence_add_figure(e, "wall_seconds", "s", (double)(job->end.seconds - job->start.seconds), 1,
                            job->end.line);
    if (g_hash_table_size(job->failed_paths) > 0)
        evidence_add_figure(e, "errors", "", g_hash_table_size(job->failed_paths), 0, job->line);
}

/* A quotient with what the rounding of its parts may hide. */
static struct number divide(struct number a, struct number b)
{
    double q = a.value / b.value, share = a.half_step / a.value + b.half_step / b.value;

    return (struct number){q, q * MIN(share, 1)};
}

/* Rate in both units that robocopy prints. */
static void add_rate(struct evidence *e, struct number rate, int line)
{
    const double per_minute = 60.0 / 1048576;

    evidence_add_number(e, "rate", "B/s", rate, line);
    evidence_add_written(e, "rate", "MiB/min", "MB/min",
                         (struct number){rate.value * per_minute, rate.half_step * per_minute}, line);
}

static void add_result(struct evidence *e, struct number bytes, struct number seconds, int line)
{
    add_rate(e, divide(bytes, seconds), line);
    evidence_add_number(e, "seconds", "s", seconds, line);
}

/* Both speeds are one figure in two units. */
static void check_pair(struct evidence *e, const struct job *job)
{
    double expected = job->speed.number.value * 60 / 1048576;

    if (job->speed.line && job->per_minute.line && fabs(expected - job->per_minute.number.value) > 0.0011)
        evidence_add_note(e, EVIDENCE_CONTRADICTION, job->per_minute.line,
                          "%.3f MB/min isn't %.0f B/s (that would be %.3f): one of them was changed",
                          job->per_minute.number.value, job->speed.number.value, expected);
}

static void check_times(struct evidence *e, const struct job *job, bool has_wall, double wall)
{
    struct number bytes = job->figures[ROW_BYTES].values[COPIED],
                  copied = job->figures[ROW_TIMES].values[COPIED];
    double total = job->figures[ROW_TIMES].values[TOTAL].value;

    if (has_wall && total > wall + 2)
        evidence_add_note(e, EVIDENCE_CONTRADICTION, job->row_lines[ROW_TIMES],
                          "the times add up to %.0f s, and only %.0f s passed between start and end", total,
                          wall);
    if (job->speed.line && job->speed.number.value > 0) {
        double seconds = bytes.value / job->speed.number.value;

        if (fabs(seconds - copied.value) >
            1 + 2 * copied.half_step + bytes.half_step / job->speed.number.value)
            evidence_add_note(e, EVIDENCE_CONTRADICTION, job->speed.line,
                              "%.0f B/s would have taken %.0f s for the bytes copied, and Times says %.0f s",
                              job->speed.number.value, seconds, copied.value);
    }
}

/* The speed pair without its summary: an excerpt that somebody pasted. */
static void add_excerpt(struct evidence *e, const struct job *job)
{
    e->complete = false;
    if (!job->speed.line) {
        evidence_set_failed(e, has_switch(job, "/NJS") ? "was run with /NJS, so it has no summary"
                                                       : "has no summary: it was aborted, or the log is cut");
        return;
    }
    evidence_add_note(e, EVIDENCE_REMARK, job->speed.line, "the speed stands without the summary of its job");
    add_rate(e, job->speed.number, job->speed.line);
}

/* What the job measured, from a whole summary. */
static void conclude(struct evidence *e, const struct job *job)
{
    struct number bytes = job->figures[ROW_BYTES].values[COPIED];
    struct number copied = job->figures[ROW_TIMES].values[COPIED];
    double files = job->figures[ROW_FILES].values[COPIED].value;
    struct number wall = {(double)(job->end.seconds - job->start.seconds), 1};
    bool has_wall = job->start.line && job->end.line && wall.value >= 0;
    bool sums =
        has_switch(job, "/MT") || (has_wall && job->figures[ROW_TIMES].values[TOTAL].value > wall.value + 2);

    evidence_add_number(e, "bytes", "B", bytes, job->row_lines[ROW_BYTES]);
    check_times(e, job, has_wall, wall.value);
    if (job->figures[ROW_FILES].values[FAILED].value > 0)
        evidence_add_note(
            e, EVIDENCE_REMARK, job->row_lines[ROW_FILES], "%.0f of %.0f files couldn't be copied",
            job->figures[ROW_FILES].values[FAILED].value, job->figures[ROW_FILES].values[TOTAL].value);
    if (has_switch(job, "/L")) {
        evidence_set_failed(e, "only listed (/L): it copied nothing");
    } else if (bytes.value <= 0) {
        evidence_set_failed(e, files > 0 ? "copied empty files only" : "copied nothing");
    } else if (sums && has_wall && wall.value > 0) {
        evidence_add_note(
            e, EVIDENCE_REMARK, job->row_lines[ROW_TIMES],
            "its times are sums over threads, so the rate is the bytes over the %.0f s from start to end",
            wall.value);
        add_result(e, bytes, wall, job->end.line);
    } else if (sums) {
        evidence_set_failed(e, "its times are sums over threads, and its dates don't tell how long it took");
    } else if (job->speed.line && job->speed.number.value > 0) {
        struct number seconds = divide(bytes, job->speed.number);

        add_rate(e, job->speed.number, job->speed.line);
        evidence_add_number(e, "seconds", "s", seconds, job->speed.line);
    } else if (copied.value > 0) {
        evidence_add_note(e, EVIDENCE_REMARK, job->row_lines[ROW_TIMES],
                          "it has no speed line, so the rate is the bytes over the time copied");
        add_result(e, bytes, copied, job->row_lines[ROW_TIMES]);
    } else {
        evidence_set_failed(e, "has no speed line, and took less than a second");
    }
}

static void close_job(struct reader *r)
{
    struct job *job = r->job;

    if (!job)
        return;
    evidence_add_run(r->e, EVIDENCE_RUN, NULL, job->line);
    add_printed(r->e, job);
    check_pair(r->e, job);
    if (job->rows == ROWS)
        conclude(r->e, job);
    else
        add_excerpt(r->e, job);
    free_job(r);
}

static bool is_rule(const char *text)
{
    const char *p = text_input_skip_blanks(text);
    size_t dashes = strspn(p, "-");

    return dashes >= 20 && text_input_is_blank(p + dashes);
}

static void take_date(struct reader *r, const struct text_line *line, const char *name,
                      struct line_date *date)
{
    if (date->line || !date_text_has_time(line->text))
        return;
    if (date_text_parse(line->text, &date->seconds))
        date->line = line->number;
    else
        evidence_add_note(r->e, EVIDENCE_IGNORED, line->number, "the %s date can't be read", name);
}

static void take_options(struct job *job, const struct text_line *line)
{
    const char *colon = strpbrk(line->text, ":=");

    g_string_assign(job->options, text_input_skip_blanks(colon + 1));
    g_strchomp(job->options->str);
    g_string_set_size(job->options, strlen(job->options->str));
    job->options_line = line->number;
}

static void read_header(struct reader *r, const struct text_line *line)
{
    struct job *job = r->job;

    if (is_rule(line->text)) {
        if (++job->rules > 1 || job->options_line)
            job->stage = STAGE_BODY;
    } else if (g_regex_match(r->options, line->text, 0, NULL)) {
        take_options(job, line);
    } else if (job->options_line && g_regex_match(r->more_options, line->text, 0, NULL)) {
        g_string_append_printf(job->options, " %s", text_input_skip_blanks(line->text));
    } else if (!job->options_line) {
        take_date(r, line, "start", &job->start);
    }
}

/* A file that failed, once per retry: the path counts once. */
static bool take_failure(struct reader *r, const struct text_line *line)
{
    g_autoptr(GMatchInfo) match = NULL;

    if (!strstr(line->text, "(0x") || !g_regex_match(r->failure, line->text, 0, &match))
        return false;
    g_hash_table_add(r->job->failed_paths, g_match_info_fetch(match, 1));
    return true;
}

static bool take_row(struct reader *r, enum robocopy_line kind, const struct robocopy_figures *f,
                     const struct text_line *line, GError **error)
{
    struct job *job = r->job;

    if (kind == ROBOCOPY_UNREADABLE)
        return text_input_fail(
            r->in, line->number, error,
            "should be a row of the summary (six figures, or four times), and can't be read");
    if ((kind == ROBOCOPY_TIMES) != (job->rows == ROW_TIMES))
        return text_input_fail(r->in, line->number, error,
                               "the summary has %d rows before its times, and not dirs, files and bytes",
                               job->rows);
    job->stage = kind == ROBOCOPY_TIMES ? STAGE_TAIL : STAGE_SUMMARY;
    job->figures[job->rows] = *f;
    job->row_lines[job->rows++] = line->number;
    return true;
}

static bool read_speed(struct reader *r, const struct text_line *line, bool *taken, GError **error)
{
    struct job *job = r->job;
    struct number n;
    enum robocopy_line kind = robocopy_read_speed(line->text, job->speed.line > 0, &n);
    struct line_number *to = kind == ROBOCOPY_SPEED ? &job->speed : &job->per_minute;

    *taken = kind != ROBOCOPY_OTHER;
    if (kind == ROBOCOPY_OTHER)
        return true;
    if (kind == ROBOCOPY_UNREADABLE)
        return text_input_fail(r->in, line->number, error, "should be a speed, and can't be read");
    if (to->line)
        return text_input_fail(r->in, line->number, error,
                               "is a second speed for one job (the first: line %d)", to->line);
    *to = (struct line_number){n, line->number};
    return true;
}

static bool read_tail(struct reader *r, const struct text_line *line, GError **error)
{
    bool taken = false;

    if (!r->job->end.line && !read_speed(r, line, &taken, error))
        return false;
    if (!taken)
        take_date(r, line, "end", &r->job->end);
    return true;
}

/* A line outside any job: the summary of a log without headers, or a speed pair alone, opens one. */
static void open_without_banner(struct reader *r, const struct text_line *line, enum robocopy_line row)
{
    struct number n;

    if (g_regex_match(r->options, line->text, 0, NULL))
        open_job(r, line->number, STAGE_HEADER);
    else if (row == ROBOCOPY_VALUES || row == ROBOCOPY_TIMES)
        open_job(r, line->number, STAGE_BODY);
    else if (robocopy_read_speed(line->text, false, &n) == ROBOCOPY_SPEED)
        open_job(r, line->number, STAGE_TAIL);
}

static bool read_line(struct reader *r, const struct text_line *line, GError **error)
{
    struct robocopy_figures f;
    enum robocopy_line row;

    if (strstr(line->text, "::") && g_regex_match(r->banner, line->text, 0, NULL)) {
        close_job(r);
        open_job(r, line->number, STAGE_HEADER);
        r->job->language = robocopy_language(line->text);
        return true;
    }
    row = robocopy_read_row(line->text, r->job && r->job->stage == STAGE_SUMMARY, &f);
    if (r->job && r->job->stage == STAGE_TAIL && row == ROBOCOPY_VALUES)
        close_job(r); /* the next summary of a log without headers */
    if (!r->job)
        open_without_banner(r, line, row);
    if (!r->job || take_failure(r, line))
        return true;
    if (r->job->stage == STAGE_HEADER && row == ROBOCOPY_OTHER)
        read_header(r, line);
    else if (r->job->stage != STAGE_TAIL && row != ROBOCOPY_OTHER)
        return take_row(r, row, &f, line, error);
    else if (r->job->stage == STAGE_TAIL)
        return read_tail(r, line, error);
    return true;
}

bool evidence_robocopy_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct reader r = {
        .in = in,
        .e = e,
        .banner = evidence_pattern("^.{0,80}ROBOCOPY\\s+::"),
        .options = evidence_pattern("^[^/\\\\]*[:=].*\\s/(R|W|COPY|DCOPY):"),
        .more_options = evidence_pattern("^\\s*/[A-Z]"),
        .failure = evidence_pattern("^\\s*[0-9]{4}/[0-9]{2}/[0-9]{2} [0-9:]{8} .*\\(0x[0-9a-f]{8}\\) (.*)$"),
    };
    bool ok = true;

    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = read_line(&r, text_input_line(in, i), error);
    if (ok)
        close_job(&r);
    free_job(&r);
    g_regex_unref(r.banner);
    g_regex_unref(r.options);
    g_regex_unref(r.more_options);
    g_regex_unref(r.failure);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no robocopy job");
    return ok;
}
