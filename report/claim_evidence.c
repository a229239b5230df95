#include "report/claim_evidence.h"
#include "report/claim_figures.h"
#include "report/claim_outside.h"
#include "report/contradictions.h"
#include "report/evidence_samples.h"
#include "report/mechanism.h"
#include "base/error.h"
#include "base/file_sum.h"

#include <glob.h>
#include <string.h>

static const char *const KINDS[] = {"module-list", "service-list", "settings", "capture", NULL};

const struct yaml_field CLAIM_FILES_FIELDS[] = {
    {.key = "format", .type = YAML_TEXT, .offset = offsetof(struct claim_files, format)},
    {.key = "paths", .type = YAML_TEXTS, .offset = offsetof(struct claim_files, paths), .required = true},
    {.key = "column", .type = YAML_TEXT, .offset = offsetof(struct claim_files, column)},
    {.key = "job", .type = YAML_TEXT, .offset = offsetof(struct claim_files, job)},
    {.key = "unit", .type = YAML_TEXT, .offset = offsetof(struct claim_files, unit)},
    {.key = "size", .type = YAML_SIZE, .offset = offsetof(struct claim_files, size_bytes)},
    {.type = YAML_LINE, .offset = offsetof(struct claim_files, line)},
    {.type = YAML_END},
};

const struct yaml_field CLAIM_MECHANISM_FIELDS[] = {
    {.key = "kind",
     .type = YAML_CHOICE,
     .offset = offsetof(struct claim_mechanism, kind),
     .required = true,
     .choices = KINDS},
    {.key = "file", .type = YAML_TEXT, .offset = offsetof(struct claim_mechanism, file), .required = true},
    {.key = "process", .type = YAML_TEXT, .offset = offsetof(struct claim_mechanism, process)},
    {.key = "required_by_claim",
     .type = YAML_TEXT,
     .offset = offsetof(struct claim_mechanism, required),
     .required = true},
    {.type = YAML_LINE, .offset = offsetof(struct claim_mechanism, line)},
    {.type = YAML_END},
};

const struct yaml_field CLAIM_REPORTED_FIELDS[] = {
    {.key = "what", .type = YAML_TEXT, .offset = offsetof(struct claim_reported, what)},
    {.key = "size", .type = YAML_TEXT, .offset = offsetof(struct claim_reported, size)},
    {.key = "time", .type = YAML_TEXT, .offset = offsetof(struct claim_reported, time)},
    {.key = "rate", .type = YAML_TEXT, .offset = offsetof(struct claim_reported, rate)},
    {.key = "wire", .type = YAML_RATE, .offset = offsetof(struct claim_reported, wire_bps)},
    {.type = YAML_LINE, .offset = offsetof(struct claim_reported, line)},
    {.type = YAML_END},
};

static bool fail(const char *path, int line, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);

static bool fail(const char *path, int line, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: %s", path, line, what);
    return false;
}

static void clear_finding(void *data)
{
    struct claim_finding *f = data;

    g_free(f->what);
    g_free(f->text);
    g_free(f->source);
}

static void clear_input(void *data)
{
    struct claim_input *in = data;

    g_free(in->file);
    g_free(in->sha256);
}

static void free_evidence(void *data)
{
    evidence_free(data);
}

void claim_evidence_init(struct claim_evidence *e, const struct claim_sources *sources)
{
    e->sources = sources;
    e->findings = g_array_new(FALSE, FALSE, sizeof(struct claim_finding));
    e->contradictions = contradictions_new();
    e->remarks = g_ptr_array_new_with_free_func(g_free);
    e->inputs = g_array_new(FALSE, FALSE, sizeof(struct claim_input));
    e->figures = claim_figures_new();
    e->captures = g_ptr_array_new_with_free_func(free_evidence);
    g_array_set_clear_func(e->findings, clear_finding);
    g_array_set_clear_func(e->inputs, clear_input);
}

void claim_evidence_fini(struct claim_evidence *e)
{
    g_array_unref(e->findings);
    g_array_unref(e->contradictions);
    g_ptr_array_unref(e->remarks);
    g_array_unref(e->inputs);
    g_array_unref(e->figures);
    g_ptr_array_unref(e->captures);
}

static void note_input(struct claim_evidence *e, const char *path, const char *sha256)
{
    struct claim_input input = {g_filename_display_basename(path), g_strdup(sha256)};

    for (guint i = 0; i < e->inputs->len; i++) {
        const struct claim_input *other = &g_array_index(e->inputs, struct claim_input, i);

        if (strcmp(other->sha256, input.sha256) == 0 && strcmp(other->file, input.file) == 0) {
            clear_input(&input);
            return;
        }
    }
    g_array_append_val(e->inputs, input);
}

bool claim_evidence_add_input(struct claim_evidence *e, const char *path, GError **error)
{
    g_autofree char *sum = file_sum_sha256(path, error);

    if (sum)
        note_input(e, path, sum);
    return sum != NULL;
}

static struct text_input *open_input(struct claim_evidence *e, const char *path, GError **error)
{
    struct text_input *in = text_input_load(path, error);

    if (in)
        note_input(e, path, in->sha256);
    return in;
}

/* A name in the claim file, seen from where the claim file lies. Returns owned. */
static char *beside(const char *claim_path, const char *name)
{
    g_autofree char *folder = g_path_get_dirname(claim_path);

    if (g_path_is_absolute(name) || strcmp(folder, ".") == 0)
        return g_strdup(name);
    return g_build_filename(folder, name, NULL);
}

/* The same, with the folder's own "*" and "?" meaning themselves. */
static char *pattern_beside(const char *claim_path, const char *name)
{
    g_autofree char *folder = g_path_get_dirname(claim_path);
    g_autoptr(GString) pattern = g_string_new(NULL);

    if (g_path_is_absolute(name) || strcmp(folder, ".") == 0)
        return g_strdup(name);
    for (const char *p = folder; *p; p++) {
        if (strchr("*?[\\", *p))
            g_string_append_c(pattern, '\\');
        g_string_append_c(pattern, *p);
    }
    return g_build_filename(pattern->str, name, NULL);
}

/* "run-2" comes before "run-10", in every locale. */
static int in_natural_order(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;

    while (*x && *y) {
        if (g_ascii_isdigit(*x) && g_ascii_isdigit(*y)) {
            size_t m, n;
            int order;

            while (*x == '0' && g_ascii_isdigit(x[1]))
                x++;
            while (*y == '0' && g_ascii_isdigit(y[1]))
                y++;
            m = strspn(x, "0123456789");
            n = strspn(y, "0123456789");
            order = m != n ? (m > n) - (m < n) : memcmp(x, y, m);
            if (order)
                return order;
            x += m;
            y += n;
        } else if (*x != *y) {
            break;
        } else {
            x++;
            y++;
        }
    }
    return (unsigned char)*x - (unsigned char)*y;
}

/* The files that a pattern matches, at least one. */
static GPtrArray *expand(const char *claim_path, const char *name, int line, GError **error)
{
    g_autofree char *pattern = pattern_beside(claim_path, name);
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    glob_t found = {0};

    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++)
            g_ptr_array_add(paths, g_strdup(found.gl_pathv[i]));
    }
    globfree(&found);
    if (paths->len == 0) {
        fail(claim_path, line, error, "paths: no file matches \"%s\"", name);
        return NULL;
    }
    g_ptr_array_sort(paths, in_natural_order);
    return g_steal_pointer(&paths);
}

static void add_remarks(struct claim_evidence *to, const struct evidence *e)
{
    for (guint i = 0; i < e->notes->len; i++) {
        const struct evidence_note *note = &g_array_index(e->notes, struct evidence_note, i);

        if (note->kind == EVIDENCE_REMARK)
            g_ptr_array_add(to->remarks, note->line
                                             ? g_strdup_printf("%s:%d: %s", e->file, note->line, note->text)
                                             : g_strdup_printf("%s: %s", e->file, note->text));
    }
}

/* What one file gives to an arm. */
struct taking {
    struct claim_evidence *to;
    const struct evidence_format *format;
    struct evidence_choice choice;
    struct samples *into;
    char *meaning; /* of the unit so far, or NULL */
};

static bool same_meaning(struct taking *t, const char *path, const char *meaning, GError **error)
{
    if (t->meaning && strcmp(t->meaning, meaning) != 0) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s: its %s means %s, and that of the files before it %s: give the claim an exact unit",
                    path, t->choice.unit, meaning, t->meaning);
        return false;
    }
    if (!t->meaning)
        t->meaning = g_strdup(meaning);
    return true;
}

static bool take_file(struct taking *t, const char *path, GError **error)
{
    bool capture = claim_outside_is_capture(t->format ? t->format->name : NULL, path);
    struct text_input *in = capture ? NULL : open_input(t->to, path, error);
    struct evidence *e = capture ? claim_outside_capture(t->to, path, error)
                         : in    ? evidence_read(in, t->format, error)
                                 : NULL;
    const char *meaning = NULL;
    bool ok = e && evidence_take_samples(e, &t->choice, t->into, t->to->remarks, &meaning, error) &&
              same_meaning(t, path, meaning, error);

    if (ok) {
        add_remarks(t->to, e);
        contradictions_in_evidence(t->to->contradictions, e);
    }
    if (ok && capture)
        g_ptr_array_add(t->to->captures, g_steal_pointer(&e));
    evidence_free(e);
    text_input_free(in);
    return ok;
}

bool claim_evidence_read_files(struct claim_evidence *e, const char *claim_path,
                               const struct claim_files *files, const char *unit, struct samples *into,
                               char **meaning, GError **error)
{
    struct taking t = {
        .to = e,
        .choice = {files->column, files->job, unit, files->unit, (double)files->size_bytes},
        .into = into,
    };
    g_autoptr(GError) why = NULL;
    bool ok = true;

    if (files->format) {
        t.format = evidence_format_named(files->format, &why);
        if (!t.format)
            return fail(claim_path, files->line, error, "format: %s", why->message);
    }
    if (files->paths->len == 0)
        return fail(claim_path, files->line, error, "paths: names no file");
    for (guint i = 0; ok && i < files->paths->len; i++) {
        g_autoptr(GPtrArray) paths = expand(claim_path, files->paths->pdata[i], files->line, error);

        ok = paths != NULL;
        for (guint p = 0; ok && p < paths->len; p++)
            ok = take_file(&t, paths->pdata[p], error);
    }
    *meaning = t.meaning;
    return ok;
}

static bool read_capture(struct claim_evidence *e, const char *claim_path, const struct claim_mechanism *m,
                         GError **error)
{
    g_autofree char *path = beside(claim_path, m->file);
    struct claim_finding finding = {.what = NULL};
    g_autoptr(GError) why = NULL;

    if (m->process)
        return fail(claim_path, m->line, error, "process: a capture knows no processes");
    if (!claim_outside_finding(e, path, m->required, &finding, &why)) {
        g_clear_pointer(&finding.text, g_free);
        g_clear_pointer(&finding.source, g_free);
        return fail(claim_path, m->line, error, "%s", why->message);
    }
    finding.in_capture = true;
    finding.what = g_strdup(m->required);
    g_array_append_val(e->findings, finding);
    return true;
}

static bool read_listing(struct claim_evidence *e, const char *claim_path, const struct claim_mechanism *m,
                         GError **error)
{
    g_autofree char *path = beside(claim_path, m->file);
    struct text_input *in = open_input(e, path, error);
    struct mechanism_listing *l = in ? mechanism_read(in, (enum mechanism_kind)m->kind, error) : NULL;
    struct mechanism_finding found;
    struct claim_finding finding;
    bool ok = l != NULL;

    if (ok) {
        found = mechanism_find(l, m->required, m->process);
        finding = (struct claim_finding){
            .what = g_strdup(m->required),
            .answer = (int)found.answer,
            .text = found.text,
            .source = found.line ? g_strdup_printf("%s:%d", path, found.line) : g_strdup(path),
        };
        g_array_append_val(e->findings, finding);
    }
    mechanism_free(l);
    text_input_free(in);
    return ok;
}

bool claim_evidence_read_mechanism(struct claim_evidence *e, const char *claim_path, const GArray *items,
                                   GError **error)
{
    for (guint i = 0; items && i < items->len; i++) {
        const struct claim_mechanism *m = &g_array_index(items, struct claim_mechanism, i);

        if (!*m->required)
            return fail(claim_path, m->line, error, "required_by_claim: is empty");
        if (!(m->kind == CLAIM_MECHANISM_CAPTURE ? read_capture : read_listing)(e, claim_path, m, error))
            return false;
    }
    return true;
}

static bool parse_stated(const char *claim_path, const struct claim_reported *r, struct statement *s,
                         GError **error)
{
    g_autoptr(GError) why = NULL;
    const char *key = "size";
    bool ok = !r->size || stated_parse_size(r->size, &s->size, &why);

    if (ok) {
        key = "time";
        ok = !r->time || stated_parse_time(r->time, &s->time, &why);
    }
    if (ok) {
        key = "rate";
        ok = !r->rate || stated_parse_rate(r->rate, &s->rate, &why);
    }
    return ok || fail(claim_path, r->line, error, "%s: %s", key, why->message);
}

bool claim_evidence_read_reported(struct claim_evidence *e, const char *claim_path, const GArray *items,
                                  GError **error)
{
    for (guint i = 0; items && i < items->len; i++) {
        const struct claim_reported *r = &g_array_index(items, struct claim_reported, i);
        struct statement s = {.wire_bps = (double)r->wire_bps};
        bool ok = parse_stated(claim_path, r, &s, error);

        s.source = r->what ? g_strdup(r->what) : g_strdup_printf("%s:%d", claim_path, r->line);
        if (ok)
            contradictions_in_statement(e->contradictions, &s);
        statement_clear(&s);
        if (!ok)
            return false;
    }
    return true;
}
