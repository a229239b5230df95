/* rsync's output: one run a transfer, from its summary or its last progress line.
 *
 * Figures: bytes (payload where --stats tells it, otherwise sent and received), sent, received, total_size, printed_rate. rsync
 * divides by half a second plus the whole seconds, so its rate tells a time within a second, and a run of a few seconds has
 * none. Progress lines count kB, MB and GB by 1024. */
#include "report/evidence_reader.h"

#include <math.h>
#include <string.h>

/* Whole seconds are off by up to one: below this many the rate is off by a tenth or more. */
static const double FEWEST_SECONDS = 10;

struct reader {
    const struct text_input *in;
    struct evidence *e;
    GRegex *sent, *size, *payload, *progress;
    struct number payload_bytes;
    int payload_line;
    struct number progress_bytes, progress_rate;
    char progress_prefix;
    int progress_line; /* 0: none since the last summary */
    int summary_line;
};

bool evidence_rsync_recognise(const struct text_input *in)
{
    return evidence_sums_up(in, "^\\s*sent [0-9.,KMGT]+ bytes  received [0-9.,KMGT]+ bytes  ") ||
           evidence_matches(
               in, 1000, "^\\s*[0-9][0-9,]*\\s+[0-9]{1,3}%\\s+[0-9.]+[kMGT]B/s\\s+[0-9]+:[0-9]{2}:[0-9]{2}");
}

static void add_time(struct reader *r, double wire_bytes, struct number rate, int line)
{
    double seconds = rate.value > 0 ? round(wire_bytes / rate.value - 0.5) : 0;
    /* The value, not the figure: adding figures moves them. */
    double bytes = evidence_figure(r->e, evidence_last(r->e), "bytes")->value;

    if (seconds < FEWEST_SECONDS) {
        evidence_set_failed(
            r->e, "took about %.0f s, and rsync counts whole seconds: its rate measures nothing", seconds);
        return;
    }
    evidence_add_figure(r->e, "seconds", "s", seconds, 1, line);
    evidence_add_figure(r->e, "rate", "B/s", bytes / seconds, bytes / seconds / seconds, line);
}

static bool take_summary(struct reader *r, const struct text_line *line, GMatchInfo *match, GError **error)
{
    struct number sent, received, rate;

    if (!evidence_group(match, 1, &sent) || !evidence_group(match, 2, &received) ||
        !evidence_group(match, 3, &rate))
        return text_input_fail(r->in, line->number, error,
                               "the bytes can't be read: run rsync without -h, so that it prints them whole");
    evidence_add_run(r->e, EVIDENCE_RUN, NULL, line->number);
    if (r->payload_line)
        evidence_add_number(r->e, "bytes", "B", r->payload_bytes, r->payload_line);
    else
        evidence_add_figure(r->e, "bytes", "B", sent.value + received.value, 0, line->number);
    evidence_add_figure(r->e, "sent", "B", sent.value, 0, line->number);
    evidence_add_figure(r->e, "received", "B", received.value, 0, line->number);
    evidence_add_number(r->e, "printed_rate", "B/s", rate, line->number);
    add_time(r, sent.value + received.value, rate, line->number);
    r->payload_line = r->progress_line = 0;
    r->summary_line = line->number;
    return true;
}

static bool take_progress(struct reader *r, const struct text_line *line, GMatchInfo *match, GError **error)
{
    g_autofree char *prefix = g_match_info_fetch(match, 3);

    if (!evidence_group(match, 1, &r->progress_bytes) || !evidence_group(match, 2, &r->progress_rate))
        return text_input_fail(r->in, line->number, error, "is a progress line that can't be read");
    r->progress_prefix = *prefix;
    r->progress_line = line->number;
    return true;
}

static bool read_line(struct reader *r, const struct text_line *line, GError **error)
{
    g_autoptr(GMatchInfo) sent = NULL, size = NULL, payload = NULL, progress = NULL;
    struct number n;

    if (g_regex_match(r->sent, line->text, 0, &sent))
        return take_summary(r, line, sent, error);
    if (g_regex_match(r->progress, line->text, 0, &progress))
        return take_progress(r, line, progress, error);
    if (g_regex_match(r->payload, line->text, 0, &payload)) {
        if (!evidence_group(payload, 1, &r->payload_bytes))
            return text_input_fail(r->in, line->number, error, "the transferred size can't be read");
        r->payload_bytes.half_step = 0;
        r->payload_line = line->number;
    } else if (r->summary_line && g_regex_match(r->size, line->text, 0, &size) &&
               evidence_group(size, 1, &n)) {
        evidence_add_figure(r->e, "total_size", "B", n.value, 0, line->number);
    }
    return true;
}

/* A log that ends with a progress line: its rate is the average of the last file or of all (--info=progress2). */
static void close_progress(struct reader *r)
{
    static const char prefixes[] = "kMGT";
    const char *at = strchr(prefixes, r->progress_prefix);
    double factor = 1024;

    if (!r->progress_line)
        return;
    for (; at && at > prefixes; at--)
        factor *= 1024;
    evidence_add_run(r->e, EVIDENCE_RUN, NULL, r->progress_line);
    evidence_add_figure(r->e, "bytes", "B", r->progress_bytes.value, 0, r->progress_line);
    if (r->progress_rate.value > 0)
        evidence_add_figure(r->e, "rate", "B/s", r->progress_rate.value * factor,
                            r->progress_rate.half_step * factor, r->progress_line);
    else
        evidence_set_failed(r->e, "its progress shows no rate");
}

bool evidence_rsync_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct reader r = {
        .in = in,
        .e = e,
        .sent = evidence_pattern("^\\s*sent (\\S+) bytes  received (\\S+) bytes  (\\S+) bytes/sec"),
        .size = evidence_pattern("^\\s*total size is (\\S+)  speedup"),
        .payload = evidence_pattern("^\\s*Total transferred file size: (\\S+) bytes"),
        .progress = evidence_pattern(
            "^\\s*([0-9][0-9,]*)\\s+[0-9]{1,3}%\\s+([0-9.]+)([kMGT])B/s\\s+[0-9]+:[0-9]{2}:[0-9]{2}"),
    };
    bool ok = true;

    for (guint i = 0; ok && i < text_input_count(in); i++)
        ok = read_line(&r, text_input_line(in, i), error);
    if (ok)
        close_progress(&r);
    g_regex_unref(r.sent);
    g_regex_unref(r.size);
    g_regex_unref(r.payload);
    g_regex_unref(r.progress);
    if (ok && evidence_count(e) == 0)
        return text_input_fail(in, 0, error, "holds no summary and no progress of rsync");
    return ok;
}
