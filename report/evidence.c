#include "report/evidence.h"
#include "report/evidence_reader.h"
#include "base/error.h"
#include "base/yaml.h"

#include <math.h>
#include <string.h>

static const struct evidence_format FORMATS[] = {
    {"robocopy", "robocopy log", evidence_robocopy_recognise, evidence_robocopy_read},
    {"perfmon", "Performance Monitor CSV", evidence_perfmon_recognise, evidence_perfmon_read},
    {"procmon", "Process Monitor CSV", evidence_procmon_recognise, evidence_procmon_read},
    {"hyperfine", "hyperfine JSON or CSV", evidence_hyperfine_recognise, evidence_hyperfine_read},
    {"pyperf", "pyperf JSON", evidence_pyperf_recognise, evidence_pyperf_read},
    {"google-benchmark", "Google Benchmark JSON", evidence_google_benchmark_recognise,
     evidence_google_benchmark_read},
    {"criterion", "criterion raw CSV", evidence_criterion_recognise, evidence_criterion_read},
    {"iperf3", "iperf3 JSON", evidence_iperf3_recognise, evidence_iperf3_read},
    {"fio", "fio JSON or bandwidth log", evidence_fio_recognise, evidence_fio_read},
    {"diskspd", "diskspd XML or text", evidence_diskspd_recognise, evidence_diskspd_read},
    {"rsync", "rsync output", evidence_rsync_recognise, evidence_rsync_read},
    {"rclone", "rclone log", evidence_rclone_recognise, evidence_rclone_read},
    {"dd", "dd output", evidence_dd_recognise, evidence_dd_read},
    {"smbclient", "smbclient output", evidence_smbclient_recognise, evidence_smbclient_read},
    {"fastcopy", "FastCopy log", evidence_fastcopy_recognise, evidence_fastcopy_read},
    {"time", "time or Measure-Command output", evidence_time_recognise, evidence_time_read},
    {"csv", "table of samples", evidence_csv_recognise, evidence_csv_read},
    {NULL, NULL, NULL, NULL},
};

const struct evidence_format *evidence_formats(void)
{
    return FORMATS;
}

const struct evidence_format *evidence_capture_format(void)
{
    static const struct evidence_format format = {"capture", "capture", NULL, NULL};

    return &format;
}

const struct evidence_format *evidence_simulation_format(void)
{
    static const struct evidence_format format = {"simulation", "simulated runs", NULL, NULL};

    return &format;
}

const struct evidence_format *evidence_format_named(const char *name, GError **error)
{
    const char *names[G_N_ELEMENTS(FORMATS) + 1] = {NULL};
    const char *nearest;

    names[G_N_ELEMENTS(FORMATS) - 1] = evidence_capture_format()->name;
    if (strcmp(name, evidence_capture_format()->name) == 0)
        return evidence_capture_format();

    for (guint i = 0; FORMATS[i].name; i++) {
        if (strcmp(FORMATS[i].name, name) == 0)
            return &FORMATS[i];
        names[i] = FORMATS[i].name;
    }
    nearest = yaml_nearest(name, names);
    if (nearest) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "\"%s\" is no format of evidence: did you mean \"%s\"?", name, nearest);
    } else {
        g_autofree char *known = g_strjoinv(", ", (char **)names);

        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "\"%s\" is no format of evidence (known: %s)", name, known);
    }
    return NULL;
}

static const struct evidence_format *recognise(const struct text_input *in, GError **error)
{
    for (const struct evidence_format *f = FORMATS; f->name; f++) {
        if (f->recognise(in))
            return f;
    }
    text_input_fail(in, 0, error, "is no log or table that is known: name its format");
    return NULL;
}

struct evidence *evidence_new(const char *file, const struct evidence_format *format)
{
    struct evidence *e = g_new0(struct evidence, 1);

    e->format = format;
    e->file = g_strdup(file);
    e->complete = true;
    e->runs = g_array_new(FALSE, FALSE, sizeof(struct evidence_run));
    e->figures = g_array_new(FALSE, FALSE, sizeof(struct evidence_figure));
    e->facts = g_array_new(FALSE, FALSE, sizeof(struct evidence_fact));
    e->notes = g_array_new(FALSE, FALSE, sizeof(struct evidence_note));
    e->strings = g_string_chunk_new(1024);
    return e;
}

struct evidence *evidence_read(const struct text_input *in, const struct evidence_format *format,
                               GError **error)
{
    struct evidence *e;

    if (!format)
        format = recognise(in, error);
    if (!format)
        return NULL;
    e = evidence_new(in->name, format);
    if (format->read(in, e, error))
        return e;
    evidence_free(e);
    return NULL;
}

struct evidence *evidence_load(const char *path, const struct evidence_format *format, GError **error)
{
    struct text_input *in = text_input_load(path, error);
    struct evidence *e = in ? evidence_read(in, format, error) : NULL;

    text_input_free(in);
    return e;
}

void evidence_free(struct evidence *e)
{
    if (!e)
        return;
    g_free(e->file);
    g_array_unref(e->runs);
    g_array_unref(e->figures);
    g_array_unref(e->facts);
    g_array_unref(e->notes);
    g_string_chunk_free(e->strings);
    g_free(e);
}

guint evidence_count(const struct evidence *e)
{
    return e->runs->len;
}

const struct evidence_run *evidence_run(const struct evidence *e, guint index)
{
    g_assert(index < e->runs->len);
    return &g_array_index(e->runs, struct evidence_run, index);
}

const struct evidence_figure *evidence_figure(const struct evidence *e, const struct evidence_run *run,
                                              const char *name)
{
    for (guint i = 0; i < run->figures; i++) {
        const struct evidence_figure *f =
            &g_array_index(e->figures, struct evidence_figure, run->first_figure + i);

        if (strcmp(f->name, name) == 0)
            return f;
    }
    return NULL;
}

const char *evidence_fact(const struct evidence *e, const struct evidence_run *run, const char *name)
{
    guint first = run ? run->first_fact : 0, count = run ? run->facts : e->file_facts;

    for (guint i = first; i < first + count; i++) {
        const struct evidence_fact *f = &g_array_index(e->facts, struct evidence_fact, i);

        if (strcmp(f->name, name) == 0)
            return f->value;
    }
    return NULL;
}

static const char *keep(struct evidence *e, const char *text)
{
    return text ? g_string_chunk_insert_const(e->strings, text) : NULL;
}

static struct evidence_run *last(const struct evidence *e)
{
    g_assert(e->runs->len > 0);
    return &g_array_index(e->runs, struct evidence_run, e->runs->len - 1);
}

const struct evidence_run *evidence_last(const struct evidence *e)
{
    return last(e);
}

void evidence_add_run(struct evidence *e, enum evidence_kind kind, const char *label, int line)
{
    struct evidence_run run = {
        .kind = kind,
        .label = keep(e, label),
        .line = line,
        .first_figure = e->figures->len,
        .first_fact = e->facts->len,
    };

    g_array_append_val(e->runs, run);
}

static void make_room(GArray *array, guint more)
{
    guint have = array->len;

    g_array_set_size(array, have + more);
    g_array_set_size(array, have);
}

void evidence_expect(struct evidence *e, guint runs, guint figures)
{
    make_room(e->runs, runs);
    make_room(e->figures, figures);
}

void evidence_set_failed(struct evidence *e, const char *format, ...)
{
    g_autofree char *why = NULL;
    va_list args;

    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    last(e)->kind = EVIDENCE_FAILED;
    last(e)->why = keep(e, why);
}

void evidence_add_written(struct evidence *e, const char *name, const char *unit, const char *written,
                          struct number number, int line)
{
    struct evidence_figure figure = {
        .name = keep(e, name),
        .unit = keep(e, unit),
        .written = keep(e, written),
        .value = number.value,
        .half_step = number.half_step,
        .line = line,
    };

    if (!isfinite(number.value) || !isfinite(number.half_step)) {
        evidence_add_note(e, EVIDENCE_IGNORED, line, "%s is beyond what can be computed with", name);
        return;
    }
    g_array_append_val(e->figures, figure);
    last(e)->figures++;
}

void evidence_add_number(struct evidence *e, const char *name, const char *unit, struct number number,
                         int line)
{
    evidence_add_written(e, name, unit, NULL, number, line);
}

void evidence_add_figure(struct evidence *e, const char *name, const char *unit, double value,
                         double half_step, int line)
{
    evidence_add_number(e, name, unit, (struct number){value, half_step}, line);
}

void evidence_add_fact(struct evidence *e, const char *name, const char *value, int line)
{
    struct evidence_fact fact = {keep(e, name), keep(e, value), line};

    g_array_append_val(e->facts, fact);
    if (e->runs->len > 0)
        last(e)->facts++;
    else
        e->file_facts++;
}

void evidence_add_note(struct evidence *e, enum evidence_note_kind kind, int line, const char *format, ...)
{
    g_autofree char *text = NULL;
    struct evidence_note note = {kind, line, NULL};
    va_list args;

    va_start(args, format);
    text = g_strdup_vprintf(format, args);
    va_end(args);
    note.text = keep(e, text);
    g_array_append_val(e->notes, note);
}

bool evidence_starts_with(const struct text_input *in, const char *start)
{
    for (guint i = 0; i < text_input_count(in); i++) {
        const char *text = text_input_skip_blanks(text_input_line(in, i)->text);

        if (*text)
            return g_str_has_prefix(text, start);
    }
    return false;
}

bool evidence_contains(const struct text_input *in, const char *what)
{
    for (guint i = 0; i < text_input_count(in); i++) {
        if (strstr(text_input_line(in, i)->text, what))
            return true;
    }
    return false;
}

static bool any_matches(const struct text_input *in, guint from, guint to, const GRegex *regex)
{
    for (guint i = from; i < to; i++) {
        if (g_regex_match(regex, text_input_line(in, i)->text, 0, NULL))
            return true;
    }
    return false;
}

bool evidence_matches(const struct text_input *in, guint lines, const char *pattern)
{
    g_autoptr(GRegex) regex = evidence_pattern(pattern);

    return any_matches(in, 0, MIN(lines, text_input_count(in)), regex);
}

bool evidence_sums_up(const struct text_input *in, const char *pattern)
{
    enum { NEAR = 2000 };
    g_autoptr(GRegex) regex = evidence_pattern(pattern);
    guint count = text_input_count(in), head = MIN(count, NEAR);

    return any_matches(in, MAX(head, count - head), count, regex) || any_matches(in, 0, head, regex);
}

GRegex *evidence_pattern(const char *pattern)
{
    GRegex *regex = g_regex_new(pattern, G_REGEX_CASELESS, 0, NULL);

    g_assert(regex);
    return regex;
}

bool evidence_group(const GMatchInfo *match, int group, struct number *n)
{
    g_autofree char *text = g_match_info_fetch(match, group);

    return text && number_marked(text, strlen(text), '.', n);
}
