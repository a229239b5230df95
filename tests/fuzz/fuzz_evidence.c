/* The readers of evidence: any bytes are read or refused with one sentence that begins with the file's name, in the format that
 * they have, in some other, and as every kind of listing; figures are finite and stand in lines of the file. */
#include "tests/fuzz/fuzz.h"
#include "report/contradictions.h"
#include "report/evidence.h"
#include "report/evidence_samples.h"
#include "report/mechanism.h"

#include <math.h>

static void check_error(bool ok, const GError *error)
{
    g_assert(ok == (error == NULL));
    g_assert(ok || g_str_has_prefix(error->message, "file:"));
}

static void check_figures(const struct evidence *e, int last_line)
{
    for (guint i = 0; i < e->figures->len; i++) {
        const struct evidence_figure *f = &g_array_index(e->figures, struct evidence_figure, i);

        g_assert(isfinite(f->value) && isfinite(f->half_step) && f->half_step >= 0);
        g_assert(f->line >= 1 && f->line <= last_line);
    }
}

static void take(const struct evidence *e, const char *unit)
{
    g_autoptr(GPtrArray) left_out = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GError) error = NULL;
    struct samples *samples = samples_new("arm", unit, SAMPLES_MEASURED);
    struct evidence_choice choice = {.unit = unit};
    const char *meaning = NULL;
    bool ok = evidence_take_samples(e, &choice, samples, left_out, &meaning, &error);
    g_autoptr(GArray) found = contradictions_new();

    check_error(ok, error);
    contradictions_in_samples(found, samples, 1e9);
    samples_free(samples);
}

static void read_as(const struct text_input *in, const struct evidence_format *format)
{
    g_autoptr(GError) error = NULL;
    struct evidence *e = evidence_read(in, format, &error);
    g_autoptr(GArray) found = contradictions_new();

    check_error(e != NULL, error);
    if (!e)
        return;
    check_figures(e, text_input_line(in, text_input_count(in) - 1)->number);
    contradictions_in_evidence(found, e);
    take(e, "MB/s");
    take(e, "s");
    evidence_free(e);
}

static void list_as(const struct text_input *in, enum mechanism_kind kind)
{
    g_autoptr(GError) error = NULL;
    struct mechanism_listing *l = mechanism_read(in, kind, &error);
    struct mechanism_finding f;

    check_error(l != NULL, error);
    if (!l)
        return;
    f = mechanism_find(l, "msrdc.dll", NULL);
    g_assert(f.text && *f.text);
    g_free(f.text);
    mechanism_free(l);
}

/* The format that somebody names needn't be the one that the file has. */
static const struct evidence_format *some_format(size_t size)
{
    size_t count = 0;

    while (evidence_formats()[count].name)
        count++;
    return &evidence_formats()[size % count];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GError) error = NULL;
    struct text_input *in = text_input_new("file", data, size, &error);

    check_error(in != NULL, error);
    if (!in)
        return 0;
    read_as(in, NULL);
    read_as(in, some_format(size));
    for (int kind = MECHANISM_MODULES; kind <= MECHANISM_SETTINGS; kind++)
        list_as(in, (enum mechanism_kind)kind);
    text_input_free(in);
    return 0;
}
