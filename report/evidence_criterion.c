/* criterion's raw.csv: one run a row, labelled "group/function". A row is the time of many iterations: seconds is their mean. */
#include "report/evidence_reader.h"
#include "report/csv_text.h"

#include <string.h>

bool evidence_criterion_recognise(const struct text_input *in)
{
    return evidence_matches(in, 3, "^group,function,.*sample_measured_value");
}

struct columns {
    int group, function, value, measured, unit, iterations;
};

static char *label_of(const struct csv_reader *r, const struct columns *c)
{
    const char *parts[] = {csv_text(r, (guint)c->group), csv_text(r, (guint)c->function),
                           c->value < 0 ? "" : csv_text(r, (guint)c->value)};
    GString *label = g_string_new(NULL);

    for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
        if (*parts[i])
            g_string_append_printf(label, "%s%s", label->len ? "/" : "", parts[i]);
    }
    return g_string_free(label, FALSE);
}

static bool read_row(const struct csv_reader *r, const struct columns *c, struct evidence *e, GError **error)
{
    const char *measured = csv_text(r, (guint)c->measured), *iterations = csv_text(r, (guint)c->iterations);
    const char *unit = csv_text(r, (guint)c->unit);
    g_autofree char *label = label_of(r, c);
    struct number time, count;

    if (!number_marked(measured, strlen(measured), '.', &time) ||
        !number_whole(iterations, strlen(iterations), &count) || count.value <= 0)
        return text_input_fail(r->in, r->line, error, "\"%s\" in %s iterations can't be read", measured,
                               iterations);
    if (strcmp(unit, "ns") != 0)
        return text_input_fail(r->in, r->line, error, "unit: \"%s\" should be ns", unit);
    evidence_add_run(e, EVIDENCE_RUN, label, r->line);
    evidence_add_figure(e, "seconds", "ns", time.value / count.value, time.half_step / count.value, r->line);
    return true;
}

bool evidence_criterion_read(const struct text_input *in, struct evidence *e, GError **error)
{
    struct columns c;
    struct csv_reader r;
    bool ok = true;

    csv_init(&r, in, 0, ',', true);
    csv_next(&r);
    c = (struct columns){csv_column(&r, "group"), csv_column(&r, "function"),
                         csv_column(&r, "value"), csv_column(&r, "sample_measured_value"),
                         csv_column(&r, "unit"),  csv_column(&r, "iteration_count")};
    if (c.group < 0 || c.function < 0 || c.measured < 0 || c.unit < 0 || c.iterations < 0)
        ok = text_input_fail(in, r.line, error, "lacks a column of criterion's raw CSV");
    while (ok && csv_next(&r))
        ok = read_row(&r, &c, e, error);
    csv_fini(&r);
    return ok;
}
