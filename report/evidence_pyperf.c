/* pyperf's JSON (also gzipped): one run a value, labelled by its benchmark's name. Warm-ups and calibration are left out.
 *
 * Figures: seconds, or value where the file's unit is no time. The values of one process share its state: a note says how many
 * processes there were. */
#include "report/evidence_reader.h"
#include "report/jsondoc.h"

#include <string.h>

struct file {
    const struct text_input *in;
    const struct jsondoc *doc;
    struct evidence *e;
};

bool evidence_pyperf_recognise(const struct text_input *in)
{
    return evidence_starts_with(in, "{") && evidence_contains(in, "\"benchmarks\"") &&
           evidence_contains(in, "\"runs\"") && evidence_contains(in, "\"version\"");
}

/* Metadata is inherited: run, benchmark, file. */
static const char *metadata(const struct file *f, const json_t *benchmark, const json_t *run, const char *key)
{
    const json_t *levels[] = {run, benchmark, f->doc->root};

    for (guint i = 0; i < G_N_ELEMENTS(levels); i++) {
        const char *text = jsondoc_text(json_object_get(levels[i], "metadata"), key);

        if (text)
            return text;
    }
    return NULL;
}

static const char *unit_of(const char *text)
{
    if (!text || strcmp(text, "second") == 0)
        return "s";
    return strcmp(text, "byte") == 0 ? "B" : "";
}

static bool read_value(const struct file *f, const json_t *benchmark, const json_t *run, const json_t *value,
                       GError **error)
{
    const char *unit = unit_of(metadata(f, benchmark, run, "unit"));
    const char *figure = strcmp(unit, "s") == 0 ? "seconds" : strcmp(unit, "B") == 0 ? "bytes" : "value";
    int line = jsondoc_line(f->doc, value);

    if (!json_is_number(value))
        return text_input_fail(f->in, MAX(line, jsondoc_line(f->doc, run)), error, "a value is no number");
    evidence_add_run(f->e, EVIDENCE_RUN, metadata(f, benchmark, run, "name"), line);
    evidence_add_figure(f->e, figure, unit, json_number_value(value), 0, line);
    return true;
}

static bool read_benchmark(const struct file *f, const json_t *benchmark, GError **error)
{
    json_t *run, *value;
    guint processes = 0;
    size_t i, j;

    json_array_foreach(json_object_get(benchmark, "runs"), i, run)
    {
        json_t *values = json_object_get(run, "values");

        if (!values)
            values = json_object_get(run, "samples"); /* before version 6 of the format */
        processes += json_array_size(values) > 0;
        json_array_foreach(values, j, value)
        {
            if (!read_value(f, benchmark, run, value, error))
                return false;
        }
    }
    if (processes > 0)
        evidence_add_note(f->e, EVIDENCE_REMARK, jsondoc_line(f->doc, benchmark),
                          "the values come from %u processes, and those of one process aren't independent",
                          processes);
    return true;
}

bool evidence_pyperf_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct jsondoc *doc = jsondoc_parse(in, 0, true, error);
    struct file f = {in, doc, e};
    json_t *benchmarks, *benchmark;
    bool ok = doc != NULL;
    size_t i;

    benchmarks = doc ? json_object_get(doc->root, "benchmarks") : NULL;
    if (doc && !json_is_array(benchmarks))
        ok = text_input_fail(in, 0, error, "has no list \"benchmarks\": it isn't pyperf's JSON");
    json_array_foreach(benchmarks, i, benchmark)
    {
        ok = ok && read_benchmark(&f, benchmark, error);
    }
    jsondoc_free(doc);
    return ok;
}
