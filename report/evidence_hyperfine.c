/* hyperfine's --export-json: one run a time, labelled by its command. Its CSV holds means only: one summary a command.
 *
 * Figures: seconds; exit_code where it isn't 0, and then the run failed. Summaries: mean, stddev, median, min, max.
 * Facts: parameters by name. */
#include "report/evidence_reader.h"
#include "report/csv_text.h"
#include "report/jsondoc.h"

#include <string.h>

static const char *const MEANS[] = {"mean", "stddev", "median", "min", "max"};

static bool is_csv(const struct text_input *in)
{
    return evidence_starts_with(in, "command,mean,");
}

bool evidence_hyperfine_recognise(const struct text_input *in)
{
    return is_csv(in) || (evidence_starts_with(in, "{") && evidence_contains(in, "\"results\"") &&
                          evidence_contains(in, "\"command\"") && evidence_contains(in, "\"median\""));
}

static void add_parameters(struct evidence *e, const json_t *result, int line)
{
    const char *key;
    json_t *value;

    json_object_foreach(json_object_get(result, "parameters"), key, value)
    {
        if (json_is_string(value))
            evidence_add_fact(e, key, json_string_value(value), line);
    }
}

static void add_means(struct evidence *e, const json_t *result, const char *command, int line)
{
    evidence_add_run(e, EVIDENCE_SUMMARY, command, line);
    for (guint i = 0; i < G_N_ELEMENTS(MEANS); i++) {
        double value;

        if (jsondoc_number(result, MEANS[i], &value))
            evidence_add_figure(e, MEANS[i], "s", value, 0, line);
    }
}

/* Null stands for a run that a signal ended. */
static void check_exit(struct evidence *e, const json_t *result, size_t index)
{
    const json_t *code = json_array_get(json_object_get(result, "exit_codes"), index);

    if (json_is_null(code))
        evidence_set_failed(e, "was killed");
    if (!json_is_integer(code) || json_integer_value(code) == 0)
        return;
    evidence_add_figure(e, "exit_code", "", (double)json_integer_value(code), 0, evidence_last(e)->line);
    evidence_set_failed(e, "ended with exit code %" JSON_INTEGER_FORMAT, json_integer_value(code));
}

static bool read_result(const struct text_input *in, const struct jsondoc *doc, const json_t *result,
                        struct evidence *e, GError **error)
{
    const char *command = jsondoc_text(result, "command");
    json_t *times = json_object_get(result, "times"), *time;
    int line = jsondoc_line(doc, result);
    size_t i;

    if (!command)
        return text_input_fail(in, line, error, "a result of hyperfine has no \"command\"");
    if (!times) {
        add_means(e, result, command, line);
        return true;
    }
    json_array_foreach(times, i, time)
    {
        if (!json_is_number(time))
            return text_input_fail(in, MAX(jsondoc_line(doc, time), line), error,
                                   "a time of \"%s\" is no number", command);
        evidence_add_run(e, EVIDENCE_RUN, command, jsondoc_line(doc, time));
        add_parameters(e, result, line);
        evidence_add_figure(e, "seconds", "s", json_number_value(time), 0, jsondoc_line(doc, time));
        check_exit(e, result, i);
    }
    return true;
}

static bool read_json(const struct text_input *in, struct evidence *e, GError **error)
{
    struct jsondoc *doc = jsondoc_parse(in, 0, true, error);
    json_t *results, *result;
    bool ok = doc != NULL;
    size_t i;

    results = doc ? json_object_get(doc->root, "results") : NULL;
    if (doc && !json_is_array(results))
        ok = text_input_fail(in, 0, error, "has no list \"results\": it isn't hyperfine's JSON");
    json_array_foreach(results, i, result)
    {
        ok = ok && read_result(in, doc, result, e, error);
    }
    jsondoc_free(doc);
    return ok;
}

static bool read_row(const struct csv_reader *r, const int *columns, struct evidence *e, GError **error)
{
    evidence_add_run(e, EVIDENCE_SUMMARY, csv_text(r, 0), r->line);
    for (guint i = 0; i < G_N_ELEMENTS(MEANS); i++) {
        const char *text = columns[i] < 0 ? "" : csv_text(r, (guint)columns[i]);
        struct number n;

        if (!*text) /* one run has no deviation */
            continue;
        if (!number_marked(text, strlen(text), '.', &n))
            return text_input_fail(r->in, r->line, error, "%s: \"%s\" is no number", MEANS[i], text);
        evidence_add_figure(e, MEANS[i], "s", n.value, 0, r->line);
    }
    return true;
}

static bool read_csv(const struct text_input *in, struct evidence *e, GError **error)
{
    int columns[G_N_ELEMENTS(MEANS)];
    struct csv_reader r;
    bool ok = true;

    csv_init(&r, in, 0, ',', true);
    csv_next(&r);
    for (guint i = 0; i < G_N_ELEMENTS(MEANS); i++)
        columns[i] = csv_column(&r, MEANS[i]);
    while (ok && csv_next(&r))
        ok = read_row(&r, columns, e, error);
    csv_fini(&r);
    evidence_add_note(e, EVIDENCE_REMARK, 0,
                      "hyperfine's CSV holds means and no runs: export JSON for the samples");
    return ok;
}

bool evidence_hyperfine_read(const struct text_input *in, struct evidence *e, GError **error)
{
    return is_csv(in) ? read_csv(in, e, error) : read_json(in, e, error);
}
