/* Google Benchmark's JSON: one run a repetition, labelled by its benchmark. Aggregates (mean, cv, ...) are summaries.
 *
 * Figures: seconds (real time of one iteration), in the file's unit; rate from bytes_per_second; of aggregates: value. */
#include "report/evidence_reader.h"
#include "report/jsondoc.h"

#include <string.h>

bool evidence_google_benchmark_recognise(const struct text_input *in)
{
    return evidence_contains(in, "\"benchmarks\"") && evidence_contains(in, "\"real_time\"");
}

static void add_aggregate(struct evidence *e, const json_t *row, const char *unit, int line)
{
    const char *aggregate_unit = jsondoc_text(row, "aggregate_unit");
    bool is_share = aggregate_unit && strcmp(aggregate_unit, "percentage") == 0;
    double value;

    evidence_add_run(e, EVIDENCE_SUMMARY, jsondoc_text(row, "name"), line);
    if (jsondoc_number(row, "real_time", &value))
        evidence_add_figure(e, "value", is_share ? "" : unit, value, 0, line);
}

static bool add_repetition(const struct text_input *in, const struct jsondoc *doc, const json_t *row,
                           const char *unit, struct evidence *e, GError **error)
{
    const char *label = jsondoc_text(row, "run_name");
    int line = jsondoc_line(doc, row);
    double value;

    evidence_add_run(e, EVIDENCE_RUN, label ? label : jsondoc_text(row, "name"), line);
    if (json_is_true(json_object_get(row, "error_occurred"))) {
        evidence_set_failed(e, "ended with an error, so its times mean nothing");
        return true;
    }
    if (!jsondoc_number(row, "real_time", &value))
        return text_input_fail(in, line, error, "a repetition has no number \"real_time\"");
    line = jsondoc_line(doc, json_object_get(row, "real_time"));
    evidence_add_figure(e, "seconds", unit, value, 0, line);
    if (jsondoc_number(row, "bytes_per_second", &value))
        evidence_add_figure(e, "rate", "B/s", value, 0,
                            jsondoc_line(doc, json_object_get(row, "bytes_per_second")));
    return true;
}

static bool read_row(const struct text_input *in, const struct jsondoc *doc, const json_t *row,
                     struct evidence *e, GError **error)
{
    static const char *const units[] = {"ns", "us", "ms", "s", NULL};
    const char *type = jsondoc_text(row, "run_type"), *unit = jsondoc_text(row, "time_unit");

    if (!unit)
        unit = "ns"; /* files of old versions */
    if (!g_strv_contains(units, unit))
        return text_input_fail(in, jsondoc_line(doc, row), error, "time_unit: \"%s\" is no unit of time",
                               unit);
    if (type && strcmp(type, "aggregate") == 0) {
        add_aggregate(e, row, unit, jsondoc_line(doc, row));
        return true;
    }
    return add_repetition(in, doc, row, unit, e, error);
}

bool evidence_google_benchmark_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct jsondoc *doc = jsondoc_parse(in, 0, true, error);
    json_t *rows, *row;
    bool ok = doc != NULL;
    size_t i;

    rows = doc ? json_object_get(doc->root, "benchmarks") : NULL;
    if (doc && !json_is_array(rows))
        ok = text_input_fail(in, 0, error, "has no list \"benchmarks\": it isn't Google Benchmark's JSON");
    json_array_foreach(rows, i, row)
    {
        ok = ok && read_row(in, doc, row, e, error);
    }
    jsondoc_free(doc);
    return ok;
}
