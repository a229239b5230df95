#include "report/contradictions.h"
#include "report/unit_convert.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

/* Payload and wire bytes of the largest common Ethernet frame: MTU 9000 less IP and TCP headers, and 38 bytes of Ethernet header,
 * FCS, preamble and gap more. */
static const double LARGEST_PAYLOAD = 9000 - 40, LARGEST_ON_WIRE = 9000 + 38;
/* Clocks and counters of different tools aren't the same: agreement is not asked for below this share. */
static const double SLACK = 0.005;
/* Measured copies scatter: values that are all multiples of more than this share of their mean were rounded. */
static const double COARSE_SHARE = 0.02;

/* Other meanings that people give to a unit. The binary one is what Windows means. */
static const struct reading {
    const char *unit, *other;
    bool is_binary;
} READINGS[] = {
    {"kB", "KiB", true},       {"MB", "MiB", true},         {"GB", "GiB", true},
    {"TB", "TiB", true},       {"kB/s", "KiB/s", true},     {"MB/s", "MiB/s", true},
    {"GB/s", "GiB/s", true},   {"MB/min", "MiB/min", true}, {"MB/s", "Mbit/s", false},
    {"GB/s", "Gbit/s", false}, {"Mbit/s", "MB/s", false},   {"Gbit/s", "GB/s", false},
    {"MB/s", "MB/min", false}, {"MB/min", "MB/s", false},
};

static void clear(void *data)
{
    struct contradiction *c = data;

    g_free(c->what);
    g_free(c->text);
    g_free(c->source);
}

GArray *contradictions_new(void)
{
    GArray *found = g_array_new(FALSE, FALSE, sizeof(struct contradiction));

    g_array_set_clear_func(found, clear);
    return found;
}

static void add(GArray *found, const char *what, const char *source, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

static void add(GArray *found, const char *what, const char *source, const char *format, ...)
{
    struct contradiction *c;
    va_list args;

    g_array_set_size(found, found->len + 1);
    c = &g_array_index(found, struct contradiction, found->len - 1);
    c->what = g_strdup(what);
    c->source = g_strdup(source);
    va_start(args, format);
    c->text = g_strdup_vprintf(format, args);
    va_end(args);
}

static bool parse(const char *text, enum unit_quantity quantity, struct stated *s, GError **error)
{
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    size_t length = number_length(trimmed);
    const char *unit = text_input_skip_blanks(trimmed + length);
    struct unit parsed;

    if (length == 0 || !number_marked(trimmed, length, '.', &s->number)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" doesn't start with a number",
                    text);
        return false;
    }
    if (!*unit) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" lacks its unit", text);
        return false;
    }
    if (!unit_parse(unit, &parsed, error))
        return false;
    if (parsed.quantity != quantity) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" is %s, and should be %s", text,
                    unit_quantity_name(parsed.quantity), unit_quantity_name(quantity));
        return false;
    }
    s->given = true;
    s->unit = g_strdup(unit);
    return true;
}

bool stated_parse_size(const char *text, struct stated *s, GError **error)
{
    return parse(text, UNIT_SIZE, s, error);
}

bool stated_parse_time(const char *text, struct stated *s, GError **error)
{
    return parse(text, UNIT_TIME, s, error);
}

bool stated_parse_rate(const char *text, struct stated *s, GError **error)
{
    return parse(text, UNIT_RATE, s, error);
}

void statement_clear(struct statement *s)
{
    g_free(s->size.unit);
    g_free(s->time.unit);
    g_free(s->rate.unit);
    g_free(s->source);
}

/* In the base unit, with `unit` in place of the written one. */
static struct number in_base(const struct stated *s, const char *unit)
{
    struct unit u;

    if (!unit_parse(unit, &u, NULL))
        u.factor = 0; /* in_base is called with units that were parsed before, and with those of the table */
    return (struct number){s->number.value * u.factor, s->number.half_step * u.factor};
}

/* Whether bytes over seconds may be the rate, each anywhere within its rounding. */
static bool agree(struct number bytes, struct number seconds, struct number rate)
{
    double low = (bytes.value - bytes.half_step) / (seconds.value + seconds.half_step);
    double high = seconds.value > seconds.half_step
                      ? (bytes.value + bytes.half_step) / (seconds.value - seconds.half_step)
                      : INFINITY;

    return (rate.value + rate.half_step) * (1 + SLACK) >= low &&
           (rate.value - rate.half_step) * (1 - SLACK) <= high;
}

/* The meaning of a unit to Windows; the unit itself where there is no other. */
static const char *binary_reading(const char *unit)
{
    for (guint i = 0; i < G_N_ELEMENTS(READINGS); i++) {
        if (READINGS[i].is_binary && strcmp(READINGS[i].unit, unit) == 0)
            return READINGS[i].other;
    }
    return unit;
}

static bool fits(const struct statement *s, const char *size_unit, const char *rate_unit)
{
    return agree(in_base(&s->size, size_unit), in_base(&s->time, s->time.unit), in_base(&s->rate, rate_unit));
}

/* " (they would fit if ...)" for another reading of one unit that makes them agree, or "". Returns owned. */
static char *explain(const struct statement *s)
{
    for (guint i = 0; i < G_N_ELEMENTS(READINGS); i++) {
        const struct reading *r = &READINGS[i];

        if (strcmp(r->unit, s->size.unit) == 0 && fits(s, r->other, s->rate.unit))
            return g_strdup_printf(" (they would fit if the size were in %s)", r->other);
        if (strcmp(r->unit, s->rate.unit) == 0 && fits(s, s->size.unit, r->other))
            return g_strdup_printf(" (they would fit if the rate were in %s)", r->other);
    }
    return g_strdup("");
}

double contradictions_ceiling(double wire_bps)
{
    return wire_bps / 8 * LARGEST_PAYLOAD / LARGEST_ON_WIRE;
}

static void check_wire(GArray *found, double low_bytes_per_s, double wire_bps, const char *source,
                       const char *what)
{
    double ceiling = contradictions_ceiling(wire_bps);

    if (wire_bps > 0 && low_bytes_per_s > ceiling * (1 + SLACK))
        add(found, "above the wire", source,
            "%s is at least %.4g MB/s, and a link of %.4g Mbit/s carries %.4g MB/s of file data at most: "
            "only a cache or "
            "compression could explain it",
            what, low_bytes_per_s / 1e6, wire_bps / 1e6, ceiling / 1e6);
}

static void check_triple(GArray *found, const struct statement *s)
{
    struct number bytes = in_base(&s->size, s->size.unit), seconds = in_base(&s->time, s->time.unit);
    struct unit rate;

    if (fits(s, s->size.unit, s->rate.unit) ||
        fits(s, binary_reading(s->size.unit), binary_reading(s->rate.unit)))
        return;
    g_autofree char *other = explain(s);

    unit_parse(s->rate.unit, &rate, NULL);
    add(found, "size, time and rate", s->source, "%.10g %s in %.10g %s is %.4g %s, and not %.10g %s%s",
        s->size.number.value, s->size.unit, s->time.number.value, s->time.unit,
        bytes.value / seconds.value / rate.factor, s->rate.unit, s->rate.number.value, s->rate.unit, other);
}

void contradictions_in_statement(GArray *found, const struct statement *s)
{
    if (s->size.given && s->time.given && s->time.number.value <= 0) {
        add(found, "no time at all", s->source, "%.10g %s were copied in %.10g %s", s->size.number.value,
            s->size.unit, s->time.number.value, s->time.unit);
        return;
    }
    if (s->size.given && s->time.given && s->rate.given)
        check_triple(found, s);
    if (s->rate.given) {
        struct number rate = in_base(&s->rate, s->rate.unit);

        check_wire(found, rate.value - rate.half_step, s->wire_bps, s->source, "the rate");
    }
    if (s->size.given && s->time.given) {
        struct number bytes = in_base(&s->size, s->size.unit), seconds = in_base(&s->time, s->time.unit);

        check_wire(found, (bytes.value - bytes.half_step) / (seconds.value + seconds.half_step), s->wire_bps,
                   s->source, "the size over the time");
    }
}

static void state(struct stated *s, const struct evidence_figure *f)
{
    if (!f)
        return;
    s->given = true;
    s->number = (struct number){f->value, f->half_step};
    s->unit = (char *)f->unit;
}

/* The rate as the program printed it where the reader computed another. */
static void check_run(GArray *found, const struct evidence *e, const struct evidence_run *run)
{
    const struct evidence_figure *printed = evidence_figure(e, run, "printed_rate");
    struct statement s = {.wire_bps = 0};
    g_autofree char *source = g_strdup_printf("%s:%d", e->file, run->line);

    state(&s.size, evidence_figure(e, run, "bytes"));
    state(&s.time, evidence_figure(e, run, "seconds"));
    state(&s.rate, printed ? printed : evidence_figure(e, run, "rate"));
    s.source = source;
    if (s.size.given && s.time.given && s.time.number.value > 0 && s.rate.given && s.rate.number.value > 0)
        check_triple(found, &s);
}

void contradictions_in_evidence(GArray *found, const struct evidence *e)
{
    for (guint i = 0; i < e->notes->len; i++) {
        const struct evidence_note *note = &g_array_index(e->notes, struct evidence_note, i);
        g_autofree char *source = g_strdup_printf("%s:%d", e->file, note->line);

        if (note->kind == EVIDENCE_CONTRADICTION)
            add(found, "figures of a log", source, "%s", note->text);
    }
    for (guint i = 0; i < evidence_count(e); i++) {
        if (evidence_run(e, i)->kind == EVIDENCE_RUN)
            check_run(found, e, evidence_run(e, i));
    }
}

static char *source_of(const struct samples *s, guint index)
{
    const struct sample *v = &g_array_index(s->values, struct sample, index);

    if (!v->file)
        return g_strdup(s->name);
    return v->line ? g_strdup_printf("%s:%d", v->file, v->line) : g_strdup(v->file);
}

/* The coarsest power of ten, or five times one, that every value is a multiple of, within a double's precision; 0 when it is
 * too fine to matter. Few values can all be multiples of five by chance. */
static double step_of(const struct samples *s, double mean)
{
    static const double steps[] = {5, 1};

    for (double power = pow(10, ceil(log10(mean))); power > mean * COARSE_SHARE / 5; power /= 10) {
        for (guint i = samples_count(s) < 5; i < G_N_ELEMENTS(steps); i++) {
            double step = steps[i] * power;
            bool all = step > mean * COARSE_SHARE;

            for (guint j = 0; all && j < samples_count(s); j++) {
                double multiples = samples_get(s, j) / step;

                all = fabs(multiples - round(multiples)) < 1e-9 * MAX(1, fabs(multiples));
            }
            if (all)
                return step;
        }
    }
    return 0;
}

static void check_round(GArray *found, const struct samples *s, const char *source)
{
    double sum = 0, mean, step;
    bool equal = true;
    guint n = samples_count(s);

    for (guint i = 0; i < n; i++) {
        sum += samples_get(s, i);
        equal = equal && samples_get(s, i) == samples_get(s, 0);
    }
    mean = sum / n;
    if (!(mean > 0) || !isfinite(mean))
        return;
    if (equal) {
        add(found, "equal values", source,
            "%u runs of \"%s\" all gave %.10g %s: copies of one run, or read off a display", n, s->name,
            samples_get(s, 0), s->unit);
        return;
    }
    step = step_of(s, mean);
    if (step > 0)
        add(found, "round values", source,
            "all %u values of \"%s\" are multiples of %g %s: they were rounded, and a smaller difference "
            "can't be seen",
            n, s->name, step, s->unit);
}

void contradictions_in_samples(GArray *found, const struct samples *s, double wire_bps)
{
    g_autofree char *first = NULL, *fastest = NULL, *what = NULL;
    struct unit unit;
    guint highest = 0;

    if (samples_count(s) == 0)
        return;
    first = source_of(s, 0);
    if (samples_count(s) >= 3)
        check_round(found, s, first);
    if (!unit_parse(s->unit, &unit, NULL) || unit.quantity != UNIT_RATE)
        return;
    for (guint i = 1; i < samples_count(s); i++)
        highest = samples_get(s, i) > samples_get(s, highest) ? i : highest;
    fastest = source_of(s, highest);
    what = g_strdup_printf("the fastest run of \"%s\"", s->name);
    check_wire(found, samples_get(s, highest) * unit.factor, wire_bps, fastest, what);
}

static bool has_word(const char *name, const char *const *words)
{
    g_autofree char *small = g_utf8_strdown(name, -1);

    for (; *words; words++) {
        if (strstr(small, *words))
            return true;
    }
    return false;
}

void contradictions_in_metric(GArray *found, const char *name, const char *unit, bool higher_is_better,
                              const char *source)
{
    static const char *const times[] = {"time", "duration", "latency", "seconds", NULL};
    static const char *const rates[] = {"rate", "speed", "throughput", "bandwidth", NULL};
    struct unit u;

    if (!unit_parse(unit, &u, NULL))
        return;
    if ((u.quantity == UNIT_RATE && has_word(name, times) && !has_word(name, rates)) ||
        (u.quantity == UNIT_TIME && has_word(name, rates) && !has_word(name, times)))
        add(found, "unit and metric", source, "the metric is called \"%s\", and its unit %s measures %s",
            name, unit, unit_quantity_name(u.quantity));
    else if ((u.quantity == UNIT_RATE && !higher_is_better) || (u.quantity == UNIT_TIME && higher_is_better))
        add(found, "unit and direction", source, "its unit %s measures %s, of which %s is said to be better",
            unit, unit_quantity_name(u.quantity), higher_is_better ? "more" : "less");
}
