/* fio --output-format=json: one run a job and direction, labelled "job read" (write, trim). bw_*.log: one part a row.
 *
 * Figures: rate (bw_bytes), seconds (whole milliseconds, so short runs are coarse), bytes, bw as printed; of log rows: rate,
 * seconds (when it was written), block. */
#include "report/evidence_reader.h"
#include "report/csv_text.h"
#include "report/jsondoc.h"

#include <string.h>

static const char *const DIRECTIONS[] = {"read", "write", "trim"};

static bool is_json(const struct text_input *in)
{
    return evidence_contains(in, "\"fio version\"");
}

bool evidence_fio_recognise(const struct text_input *in)
{
    return is_json(in) || evidence_matches(in, 1, "^[0-9]+, [0-9]+, [012], [0-9]+(, [0-9]+){0,3}$");
}

static bool add_direction(const struct text_input *in, const struct jsondoc *doc, const json_t *job,
                          const char *direction, struct evidence *e, GError **error)
{
    const json_t *d = json_object_get(job, direction);
    const char *name = jsondoc_text(job, "jobname");
    g_autofree char *label = g_strdup_printf("%s %s", name ? name : "job", direction);
    int line = jsondoc_line(doc, d);
    double bytes, rate, runtime_ms, kib, failed;

    if (!d)
        return true;
    if (!jsondoc_number(d, "io_bytes", &bytes) || !jsondoc_number(d, "runtime", &runtime_ms))
        return text_input_fail(in, line, error, "%s lacks io_bytes or runtime", label);
    if (bytes <= 0)
        return true; /* a direction that the job didn't use */
    evidence_add_run(e, EVIDENCE_RUN, label, line);
    if (jsondoc_number(d, "bw_bytes", &rate))
        evidence_add_figure(e, "rate", "B/s", rate, 0.5, jsondoc_line(doc, json_object_get(d, "bw_bytes")));
    if (jsondoc_number(d, "bw", &kib)) {
        evidence_add_figure(e, "bw", "KiB/s", kib, 0.5, line);
        if (!evidence_figure(e, evidence_last(e), "rate")) /* versions before bw_bytes */
            evidence_add_figure(e, "rate", "KiB/s", kib, 0.5, line);
    }
    evidence_add_figure(e, "seconds", "s", runtime_ms / 1000, 0.0005, line);
    evidence_add_figure(e, "bytes", "B", bytes, 0, line);
    if (runtime_ms < 100)
        evidence_add_note(e, EVIDENCE_REMARK, line, "%s ran for %g ms, and fio counts whole ones", label,
                          runtime_ms);
    if (jsondoc_number(job, "error", &failed) && failed != 0)
        evidence_set_failed(e, "ended with error %g", failed);
    return true;
}

static bool read_object(const struct text_input *in, const struct jsondoc *doc, struct evidence *e,
                        GError **error)
{
    json_t *jobs = json_object_get(doc->root, "jobs"), *job;
    size_t i;

    if (!json_is_array(jobs))
        return text_input_fail(in, jsondoc_line(doc, doc->root), error,
                               "has no list \"jobs\": it isn't fio's JSON");
    json_array_foreach(jobs, i, job)
    {
        for (guint d = 0; d < G_N_ELEMENTS(DIRECTIONS); d++) {
            if (!add_direction(in, doc, job, DIRECTIONS[d], e, error))
                return false;
        }
    }
    return true;
}

/* Warnings may stand before an object, and several objects may follow each other. */
static bool read_json(const struct text_input *in, struct evidence *e, GError **error)
{
    for (guint next = 0; next < text_input_count(in);) {
        const struct text_line *line = text_input_line(in, next);
        struct jsondoc *doc;
        bool ok;

        if (*text_input_skip_blanks(line->text) != '{') {
            if (!text_input_is_blank(line->text))
                evidence_add_note(e, EVIDENCE_IGNORED, line->number, "text outside the JSON");
            next++;
            continue;
        }
        doc = jsondoc_parse(in, next, false, error);
        ok = doc && read_object(in, doc, e, error);
        next = doc ? doc->end : next;
        jsondoc_free(doc);
        if (!ok)
            return false;
    }
    return true;
}

static bool read_row(const struct csv_reader *r, struct evidence *e, GError **error)
{
    struct number n[4];

    for (guint i = 0; i < G_N_ELEMENTS(n); i++) {
        const char *text = csv_text(r, i);

        if (!number_whole(text, strlen(text), &n[i]))
            return text_input_fail(r->in, r->line, error, "column %u: \"%s\" is no whole number", i + 1,
                                   text);
    }
    if (n[2].value > 2)
        return text_input_fail(r->in, r->line, error, "direction: %g is none of 0, 1 and 2", n[2].value);
    evidence_add_run(e, EVIDENCE_PART, DIRECTIONS[(int)n[2].value], r->line);
    evidence_add_figure(e, "rate", "KiB/s", n[1].value, 0.5, r->line);
    evidence_add_figure(e, "seconds", "ms", n[0].value, 0.5, r->line);
    evidence_add_figure(e, "block", "B", n[3].value, 0, r->line);
    return true;
}

static bool read_log(const struct text_input *in, struct evidence *e, GError **error)
{
    struct csv_reader r;
    bool ok = true;

    csv_init(&r, in, 0, ',', false);
    while (ok && csv_next(&r))
        ok = read_row(&r, e, error);
    csv_fini(&r);
    return ok;
}

bool evidence_fio_read(const struct text_input *in, struct evidence *e, GError **error)
{
    return is_json(in) ? read_json(in, e, error) : read_log(in, e, error);
}
