#include "report/claim.h"
#include "report/contradictions.h"
#include "base/error.h"
#include "base/yaml.h"

#include <math.h>
#include <string.h>

/* Beyond these the squares of ratios leave double precision; no measurement of a copy comes near them. */
static const double TINIEST = 1e-60, LARGEST = 1e60;

struct file_arm {
    char *label;
    int role;
    GArray *samples; /* of struct yaml_number, NULL when the arm has files */
    struct claim_files files;
    int line;
};

struct file_design {
    int order;
};

struct file_claim {
    char *title, *statement;
    struct claim_metric metric;
    double margin;
    int64_t wire_bps; /* 0: not said */
    struct file_design design;
    int line;
};

struct file {
    struct file_claim claim;
    GArray *arms;      /* of struct file_arm */
    GArray *mechanism; /* of struct claim_mechanism */
    GArray *reported;  /* of struct claim_reported */
};

static const char *const BETTER[] = {"higher", "lower", NULL};
static const char *const ORDERS[] = {"blocked", "interleaved", "paired", NULL};
static const char *const ROLES[] = {"control", "treatment", NULL};

static const struct yaml_field METRIC_FIELDS[] = {
    {.key = "name", .type = YAML_TEXT, .offset = offsetof(struct claim_metric, name), .required = true},
    {.key = "unit", .type = YAML_TEXT, .offset = offsetof(struct claim_metric, unit), .required = true},
    {.key = "better",
     .type = YAML_CHOICE,
     .offset = offsetof(struct claim_metric, better),
     .required = true,
     .choices = BETTER},
    {.type = YAML_END},
};

static const struct yaml_field DESIGN_FIELDS[] = {
    {.key = "order", .type = YAML_CHOICE, .offset = offsetof(struct file_design, order), .choices = ORDERS},
    {.type = YAML_END},
};

static const struct yaml_field CLAIM_FIELDS[] = {
    {.key = "title", .type = YAML_TEXT, .offset = offsetof(struct file_claim, title), .required = true},
    {.key = "statement",
     .type = YAML_TEXT,
     .offset = offsetof(struct file_claim, statement),
     .required = true},
    {.key = "metric",
     .type = YAML_MAP,
     .offset = offsetof(struct file_claim, metric),
     .required = true,
     .fields = METRIC_FIELDS},
    {.key = "margin", .type = YAML_PERCENT, .offset = offsetof(struct file_claim, margin), .required = true},
    {.key = "wire", .type = YAML_RATE, .offset = offsetof(struct file_claim, wire_bps)},
    {.key = "design",
     .type = YAML_MAP,
     .offset = offsetof(struct file_claim, design),
     .fields = DESIGN_FIELDS},
    {.type = YAML_LINE, .offset = offsetof(struct file_claim, line)},
    {.type = YAML_END},
};

static const struct yaml_field ARM_FIELDS[] = {
    {.key = "label", .type = YAML_TEXT, .offset = offsetof(struct file_arm, label), .required = true},
    {.key = "role",
     .type = YAML_CHOICE,
     .offset = offsetof(struct file_arm, role),
     .required = true,
     .choices = ROLES},
    {.key = "samples", .type = YAML_NUMBERS, .offset = offsetof(struct file_arm, samples)},
    {.key = "files",
     .type = YAML_MAP,
     .offset = offsetof(struct file_arm, files),
     .fields = CLAIM_FILES_FIELDS},
    {.type = YAML_LINE, .offset = offsetof(struct file_arm, line)},
    {.type = YAML_END},
};

static const struct yaml_field FILE_FIELDS[] = {
    {.key = "claim",
     .type = YAML_MAP,
     .offset = offsetof(struct file, claim),
     .required = true,
     .fields = CLAIM_FIELDS},
    {.key = "arms",
     .type = YAML_LIST,
     .offset = offsetof(struct file, arms),
     .required = true,
     .fields = ARM_FIELDS,
     .item_size = sizeof(struct file_arm)},
    {.key = "mechanism",
     .type = YAML_LIST,
     .offset = offsetof(struct file, mechanism),
     .fields = CLAIM_MECHANISM_FIELDS,
     .item_size = sizeof(struct claim_mechanism)},
    {.key = "reported",
     .type = YAML_LIST,
     .offset = offsetof(struct file, reported),
     .fields = CLAIM_REPORTED_FIELDS,
     .item_size = sizeof(struct claim_reported)},
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

/* In place: each run of white space and control characters becomes one space, none at either end. Bytes of multi-byte
 * characters pass as they are. */
static void tidy(char *text)
{
    char *to = text;

    for (const char *p = text; *p; p++) {
        bool blank = (unsigned char)*p <= ' ' || *p == 0x7f;

        if (!blank)
            *to++ = *p;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    if (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

static bool tidy_required(const char *path, int line, const char *key, char *text, GError **error)
{
    tidy(text);
    return *text || fail(path, line, error, "%s: is empty", key);
}

static bool check_claim(const char *path, struct file_claim *c, GError **error)
{
    if (!tidy_required(path, c->line, "title", c->title, error) ||
        !tidy_required(path, c->line, "statement", c->statement, error) ||
        !tidy_required(path, c->line, "metric: name", c->metric.name, error) ||
        !tidy_required(path, c->line, "metric: unit", c->metric.unit, error))
        return false;
    if (!(c->margin > 0))
        return fail(path, c->line, error,
                    "margin: must be over 0 %%: it is the smallest difference that matters");
    return true;
}

static bool check_arm(const char *path, struct file_arm *arm, GError **error)
{
    if (!tidy_required(path, arm->line, "label", arm->label, error))
        return false;
    if (!arm->samples == !arm->files.line)
        return fail(path, arm->line, error, "\"%s\" needs either samples or files", arm->label);
    for (guint i = 0; arm->samples && i < arm->samples->len; i++) {
        const struct yaml_number *number = &g_array_index(arm->samples, struct yaml_number, i);
        double size = fabs(number->value);

        if (size != 0 && (size < TINIEST || size > LARGEST))
            return fail(path, number->line, error, "samples: %g is no measurement of a copy", number->value);
    }
    return true;
}

static bool check_arms(const char *path, const struct file *f, GError **error)
{
    guint n = f->arms ? f->arms->len : 0;
    struct file_arm *a, *b;

    if (n != 2)
        return fail(path, f->claim.line, error,
                    "arms: has %u, and a verdict compares two: one control and one treatment", n);
    a = &g_array_index(f->arms, struct file_arm, 0);
    b = &g_array_index(f->arms, struct file_arm, 1);
    if (!check_arm(path, a, error) || !check_arm(path, b, error))
        return false;
    if (a->role == b->role)
        return fail(path, b->line, error,
                    "arms: both are the %s, and a verdict compares a treatment with a control",
                    ROLES[a->role]);
    if (strcmp(a->label, b->label) == 0)
        return fail(path, b->line, error, "label: \"%s\" stands twice, so the arms can't be told apart",
                    a->label);
    return true;
}

static bool take_arm(struct claim *claim, struct claim_arm *to, struct file_arm *from, const char *path,
                     char **meaning, GError **error)
{
    to->label = g_steal_pointer(&from->label);
    to->role = from->role;
    to->samples = samples_new(to->label, claim->metric.unit, SAMPLES_MEASURED);
    if (from->files.line)
        return claim_evidence_read_files(&claim->evidence, path, &from->files, claim->metric.unit,
                                         to->samples, meaning, error);
    for (guint i = 0; i < from->samples->len; i++) {
        const struct yaml_number *number = &g_array_index(from->samples, struct yaml_number, i);

        samples_add(to->samples, number->value, path, number->line);
    }
    return true;
}

static void take_claim(struct claim *c, struct file *f, const char *path, const char *sha256)
{
    c->title = g_steal_pointer(&f->claim.title);
    c->statement = g_steal_pointer(&f->claim.statement);
    c->metric = f->claim.metric;
    f->claim.metric.name = f->claim.metric.unit = NULL;
    c->margin = f->claim.margin;
    c->order = f->claim.design.order;
    c->file = g_filename_display_basename(path);
    c->sha256 = g_strdup(sha256);
    claim_evidence_init(&c->evidence);
}

static bool take_arms(struct claim *c, struct file *f, const char *path, GError **error)
{
    char *meaning[2] = {NULL, NULL};
    bool ok = true;

    for (guint i = 0; ok && i < 2; i++) {
        struct file_arm *arm = &g_array_index(f->arms, struct file_arm, i);

        if (arm->role == CLAIM_CONTROL)
            c->control_first = i == 0;
        ok = take_arm(c, arm->role == CLAIM_CONTROL ? &c->control : &c->treatment, arm, path, &meaning[i],
                      error);
    }
    if (ok && meaning[0] && meaning[1] && strcmp(meaning[0], meaning[1]) != 0)
        ok = fail(path, f->claim.line, error,
                  "metric: unit: %s means %s in the files of one arm and %s in those of the other: write the "
                  "exact unit",
                  c->metric.unit, meaning[0], meaning[1]);
    g_free(meaning[0]);
    g_free(meaning[1]);
    return ok;
}

/* Paired runs belong together one by one, wherever they come from. */
static bool check_pairs(const struct claim *c, const struct file *f, const char *path, GError **error)
{
    guint n = samples_count(c->control.samples), m = samples_count(c->treatment.samples);

    return c->order != CLAIM_PAIRED || n == m ||
           fail(path, f->claim.line, error, "samples: paired arms need equally many runs, not %u and %u", n,
                m);
}

/* Before anything is reckoned with them: numbers that can't be right. */
static void look_for_contradictions(struct claim *c, const struct file *f)
{
    GArray *found = c->evidence.contradictions;
    double wire_bps = (double)f->claim.wire_bps;

    contradictions_in_metric(found, c->metric.name, c->metric.unit, c->metric.better == CLAIM_HIGHER,
                             c->file);
    contradictions_in_samples(found, c->control.samples, wire_bps);
    contradictions_in_samples(found, c->treatment.samples, wire_bps);
}

static struct claim *take(struct file *f, const char *path, const char *sha256, GError **error)
{
    struct claim *c = g_new0(struct claim, 1);

    take_claim(c, f, path, sha256);
    if (take_arms(c, f, path, error) && check_pairs(c, f, path, error) &&
        claim_evidence_read_mechanism(&c->evidence, path, f->mechanism, error) &&
        claim_evidence_read_reported(&c->evidence, path, f->reported, error)) {
        look_for_contradictions(c, f);
        return c;
    }
    claim_free(c);
    return NULL;
}

struct claim *claim_load(const char *path, GError **error)
{
    struct file f = {.claim.design.order = CLAIM_ORDER_NOT_SAID};
    struct claim *claim = NULL;
    struct yaml_doc *doc = yaml_load_file(path, error);

    if (!doc)
        return NULL;
    if (yaml_bind(doc, NULL, FILE_FIELDS, &f, error) && check_claim(path, &f.claim, error) &&
        check_arms(path, &f, error))
        claim = take(&f, path, yaml_sha256(doc), error);
    yaml_clear(FILE_FIELDS, &f);
    yaml_doc_free(doc);
    return claim;
}

void claim_free(struct claim *claim)
{
    if (!claim)
        return;
    g_free(claim->title);
    g_free(claim->statement);
    g_free(claim->metric.name);
    g_free(claim->metric.unit);
    for (int i = 0; i < 2; i++) {
        struct claim_arm *arm = i ? &claim->treatment : &claim->control;

        g_free(arm->label);
        samples_free(arm->samples);
    }
    g_free(claim->file);
    g_free(claim->sha256);
    claim_evidence_fini(&claim->evidence);
    g_free(claim);
}
