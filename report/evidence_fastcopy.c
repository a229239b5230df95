/* FastCopy's log: one run a block.
 *
 * Figures: bytes (total_write, MiB), total_read, seconds (total time), printed_rate (decimal MB), rate, errors. Verifying is in the
 * total time and not in the printed rate: then the two don't agree, and the rate is the bytes over the total time. */
#include "report/evidence_reader.h"

#include <string.h>

struct reader {
    const struct text_input *in;
    struct evidence *e;
    GRegex *start, *total, *time, *rate, *result;
    bool open;
};

bool evidence_fastcopy_recognise(const struct text_input *in)
{
    return evidence_contains(in, "FastCopy(ver") ||
           (evidence_sums_up(in, "^\\s*TotalWrite\\s*=") && evidence_sums_up(in, "^\\s*TransRate\\s*="));
}

static void close_run(struct reader *r)
{
    const struct evidence_figure *bytes, *seconds;

    if (!r->open)
        return;
    r->open = false;
    bytes = evidence_figure(r->e, evidence_last(r->e), "bytes");
    seconds = evidence_figure(r->e, evidence_last(r->e), "seconds");
    if (!bytes || !seconds) {
        evidence_set_failed(r->e, "has no totals: it was aborted, or the log is cut");
        r->e->complete = false;
    } else if (bytes->value <= 0) {
        evidence_set_failed(r->e, "copied nothing");
    } else if (seconds->value <= 0) {
        evidence_set_failed(r->e, "took less than its clock can show");
    } else {
        double rate = bytes->value / seconds->value;

        evidence_add_figure(r->e, "rate", "B/s", rate,
                            rate *
                                MIN(1, bytes->half_step / bytes->value + seconds->half_step / seconds->value),
                            bytes->line);
    }
}

static void open_run(struct reader *r, int line)
{
    close_run(r);
    evidence_add_run(r->e, EVIDENCE_RUN, NULL, line);
    r->open = true;
}

/* "8,153 MiB", "7.7 GiB"; older versions write MB and mean the same. */
static bool take_total(struct reader *r, const GMatchInfo *match, int line, GError **error)
{
    static const char prefixes[] = "KMGT";
    g_autofree char *which = g_match_info_fetch(match, 1), *prefix = g_match_info_fetch(match, 3);
    const char *at = *prefix ? strchr(prefixes, g_ascii_toupper(*prefix)) : NULL;
    bool is_write = g_ascii_strcasecmp(which, "Write") == 0;
    struct number n;

    if (!evidence_group(match, 2, &n))
        return text_input_fail(r->in, line, error, "the total can't be read");
    for (; at && at >= prefixes; at--) {
        n.value *= 1024;
        n.half_step *= 1024;
    }
    evidence_add_number(r->e, is_write ? "bytes" : "total_read", "B", n, line);
    return true;
}

/* "02:43:06", "00:12", "9.8 sec". */
static bool take_time(struct reader *r, const GMatchInfo *match, int line, GError **error)
{
    g_autofree char *text = g_match_info_fetch(match, 1);
    g_auto(GStrv) parts = g_strsplit(text, ":", -1);
    struct number sum = {0, 0};

    for (guint i = 0; parts[i]; i++) {
        struct number n;

        if (!number_marked(parts[i], strlen(parts[i]), '.', &n))
            return text_input_fail(r->in, line, error, "the total time can't be read");
        sum = (struct number){sum.value * 60 + n.value, n.half_step};
    }
    evidence_add_number(r->e, "seconds", "s", sum, line);
    return true;
}

static bool read_line(struct reader *r, const struct text_line *line, GError **error)
{
    g_autoptr(GMatchInfo) total = NULL, time = NULL, rate = NULL, result = NULL;
    struct number n;

    if (g_regex_match(r->start, line->text, 0, NULL)) {
        open_run(r, line->number);
        return true;
    }
    if (g_regex_match(r->total, line->text, 0, &total)) {
        if (!r->open)
            open_run(r, line->number);
        return take_total(r, total, line->number, error);
    }
    if (!r->open)
        return true;
    if (g_regex_match(r->time, line->text, 0, &time))
        return take_time(r, time, line->number, error);
    if (g_regex_match(r->rate, line->text, 0, &rate)) {
        if (!evidence_group(rate, 1, &n))
            return text_input_fail(r->in, line->number, error, "the rate can't be read");
        evidence_add_number(r->e, "printed_rate", "MB/s", n, line->number);
    } else if (g_regex_match(r->result, line->text, 0, &result) && evidence_group(result, 1, &n)) {
        evidence_add_figure(r->e, "errors", "", n.value, 0, line->number);
        close_run(r);
    }
    return true;
}

bool evidence_fastcopy_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct reader r = {
        .in = in,
        .e = e,
        .start = evidence_pattern("FastCopy\\s*\\(ver"),
        .total = evidence_pattern("^\\s*Total(Read|Write)\\s*=\\s*(\\S+) ([KMGT]?)i?B"),
        .time = evidence_pattern("^\\s*TotalTime\\s*=\\s*([0-9:.]+)"),
        .rate = evidence_pattern("^\\s*TransRate\\s*=\\s*(\\S+) MB/s"),
        .result = evidence_pattern("^\\s*Result\\s*:\\s*\\(ErrFiles\\s*:\\s*([0-9,]+)"),
    };
    bool ok = true;

    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = read_line(&r, text_input_line(in, i), error);
    if (ok)
        close_run(&r);
    g_regex_unref(r.start);
    g_regex_unref(r.total);
    g_regex_unref(r.time);
    g_regex_unref(r.rate);
    g_regex_unref(r.result);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no copy by FastCopy");
    return ok;
}
