/* iperf3 --json, and --json-stream: one run a file, what the receiver saw (what the sender saw where that is missing).
 *
 * Figures: rate, seconds, bytes. Parts: the intervals ("interval"), without those that -O leaves out. */
#include "report/evidence_reader.h"
#include "report/jsondoc.h"

#include <math.h>
#include <string.h>

/* An interval's own clock and its length agree to this; a first interval behind -O has been seen to be off by half a second. */
static const double CLOCK_TOLERANCE_S = 1e-3;

struct file {
    const struct text_input *in;
    const struct jsondoc *doc;
    struct evidence *e;
    guint omitted;
};

bool evidence_iperf3_recognise(const struct text_input *in)
{
    return evidence_starts_with(in, "{") &&
           ((evidence_contains(in, "\"intervals\"") && evidence_contains(in, "\"start\"")) ||
            evidence_matches(in, 20, "^\\s*\\{\\s*\"event\"\\s*:\\s*\"start\""));
}

static bool add_sum(struct file *f, enum evidence_kind kind, const char *label, const json_t *sum,
                    GError **error)
{
    int line = jsondoc_line(f->doc, sum);
    double bytes, seconds, bits_per_second;

    if (!jsondoc_number(sum, "bytes", &bytes) || !jsondoc_number(sum, "seconds", &seconds) ||
        !jsondoc_number(sum, "bits_per_second", &bits_per_second))
        return text_input_fail(f->in, line, error, "a sum lacks bytes, seconds or bits_per_second");
    evidence_add_run(f->e, kind, label, line);
    evidence_add_figure(f->e, "rate", "bit/s", bits_per_second, 0,
                        jsondoc_line(f->doc, json_object_get(sum, "bits_per_second")));
    evidence_add_figure(f->e, "seconds", "s", seconds, 0.0000005, line);
    evidence_add_figure(f->e, "bytes", "B", bytes, 0, line);
    return true;
}

static bool add_interval(struct file *f, const json_t *interval, GError **error)
{
    const json_t *sum = json_object_get(interval, "sum");
    double start, end, seconds;

    if (json_is_true(json_object_get(sum, "omitted"))) {
        f->omitted++;
        evidence_add_note(f->e, EVIDENCE_IGNORED, jsondoc_line(f->doc, sum),
                          "an interval that -O leaves out");
        return true;
    }
    if (!add_sum(f, EVIDENCE_PART, "interval", sum, error))
        return false;
    if (jsondoc_number(sum, "start", &start) && jsondoc_number(sum, "end", &end) &&
        jsondoc_number(sum, "seconds", &seconds) && fabs(end - start - seconds) > CLOCK_TOLERANCE_S)
        evidence_set_failed(f->e, "its %.6f s don't fit its start and end (%.6f s apart)", seconds,
                            end - start);
    return true;
}

static bool add_end(struct file *f, const json_t *end, GError **error)
{
    static const char *const sums[] = {"sum_received", "sum", "sum_sent"};

    for (guint i = 0; i < G_N_ELEMENTS(sums); i++) {
        const json_t *sum = json_object_get(end, sums[i]);

        if (!sum)
            continue;
        if (i > 0)
            evidence_add_note(f->e, EVIDENCE_REMARK, jsondoc_line(f->doc, sum),
                              "the receiver's figures are missing: these are %s", sums[i]);
        return add_sum(f, EVIDENCE_RUN, NULL, sum, error);
    }
    evidence_add_run(f->e, EVIDENCE_RUN, NULL, MAX(jsondoc_line(f->doc, end), 1));
    evidence_set_failed(f->e, "has no sum at its end");
    f->e->complete = false;
    return true;
}

static bool read_whole(struct file *f, GError **error)
{
    const json_t *root = f->doc->root;
    const char *why = jsondoc_text(root, "error");
    json_t *interval;
    size_t i;

    json_array_foreach(json_object_get(root, "intervals"), i, interval)
    {
        if (!add_interval(f, interval, error))
            return false;
    }
    if (!add_end(f, json_object_get(root, "end"), error))
        return false;
    if (why)
        evidence_set_failed(f->e, "ended with an error: %s", why);
    return true;
}

/* One line of a stream: {"event": "interval", "data": {...}}. */
static bool read_event(struct file *f, bool *ended, GError **error)
{
    const char *event = jsondoc_text(f->doc->root, "event");
    const json_t *data = json_object_get(f->doc->root, "data");

    if (!event)
        return text_input_fail(f->in, jsondoc_line(f->doc, f->doc->root), error,
                               "is no event of iperf3's stream");
    if (strcmp(event, "interval") == 0)
        return add_interval(f, data, error);
    if (strcmp(event, "end") != 0)
        return true;
    *ended = true;
    return add_end(f, data, error);
}

static bool read_stream(struct file *f, guint next, GError **error)
{
    bool ended = false;

    for (;;) {
        struct jsondoc *doc;
        bool ok;

        while (next < text_input_count(f->in) && text_input_is_blank(text_input_line(f->in, next)->text))
            next++;
        if (next >= text_input_count(f->in))
            break;
        doc = jsondoc_parse(f->in, next, false, error);
        if (!doc)
            return false;
        f->doc = doc;
        next = doc->end;
        ok = read_event(f, &ended, error);
        jsondoc_free(doc);
        if (!ok)
            return false;
    }
    if (!ended) {
        f->e->complete = false;
        evidence_add_run(f->e, EVIDENCE_RUN, NULL, 1);
        evidence_set_failed(f->e, "ends before its sum");
    }
    return true;
}

bool evidence_iperf3_read(const struct text_input *in, struct evidence *e, GError **error)
{
    bool stream = !evidence_contains(in, "\"intervals\"");
    struct jsondoc *doc = stream ? NULL : jsondoc_parse(in, 0, true, error);
    struct file f = {in, doc, e, 0};
    bool ok;

    if (stream)
        return read_stream(&f, 0, error);
    ok = doc && read_whole(&f, error);
    jsondoc_free(doc);
    return ok;
}
