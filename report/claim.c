#include "report/claim.h"
#include "base/error.h"
#include "base/yaml.h"

#include <math.h>
#include <string.h>

/* Beyond these the squares of ratios leave double precision; no measurement of a copy comes near them. */
static const double TINIEST = 1e-60, LARGEST = 1e60;

struct file_arm {
    char *label;
    int role;
    GArray *samples; /* of struct yaml_number */
    int line;
};

struct file_design {
    int order;
};

struct file_claim {
    char *title, *statement;
    struct claim_metric metric;
    double margin;
    struct file_design design;
    int line;
};

struct file {
    struct file_claim claim;
    GArray *arms; /* of struct file_arm */
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
    {.key = "samples", .type = YAML_NUMBERS, .offset = offsetof(struct file_arm, samples), .required = true},
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
    for (guint i = 0; arm->samples && i < arm->samples->len; i++) {
        const struct yaml_number *number = &g_array_index(arm->samples, struct yaml_number, i);
        double size = fabs(number->value);

        if (size != 0 && (size < TINIEST || size > LARGEST))
            return fail(path, number->line, error, "samples: %g is no measurement of a copy", number->value);
    }
    return true;
}

static guint runs_of(const struct file_arm *arm)
{
    return arm->samples ? arm->samples->len : 0;
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
    if (f->claim.design.order == CLAIM_PAIRED && runs_of(a) != runs_of(b))
        return fail(path, b->line, error, "samples: paired arms need equally many runs, not %u and %u",
                    runs_of(a), runs_of(b));
    return true;
}

static void take_arm(struct claim *claim, struct claim_arm *to, struct file_arm *from, const char *path)
{
    to->label = g_steal_pointer(&from->label);
    to->role = from->role;
    to->samples = samples_new(to->label, claim->metric.unit, SAMPLES_MEASURED);
    for (guint i = 0; i < runs_of(from); i++) {
        const struct yaml_number *number = &g_array_index(from->samples, struct yaml_number, i);

        samples_add(to->samples, number->value, path, number->line);
    }
}

static struct claim *take(struct file *f, const char *path, const char *text, gsize length)
{
    struct claim *c = g_new0(struct claim, 1);

    c->title = g_steal_pointer(&f->claim.title);
    c->statement = g_steal_pointer(&f->claim.statement);
    c->metric = f->claim.metric;
    f->claim.metric.name = f->claim.metric.unit = NULL;
    c->margin = f->claim.margin;
    c->order = f->claim.design.order;
    for (guint i = 0; i < 2; i++) {
        struct file_arm *arm = &g_array_index(f->arms, struct file_arm, i);

        if (arm->role == CLAIM_CONTROL)
            c->control_first = i == 0;
        take_arm(c, arm->role == CLAIM_CONTROL ? &c->control : &c->treatment, arm, path);
    }
    c->file = g_filename_display_basename(path);
    c->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
    return c;
}

/* The file is read once, so that the checksum is that of what was judged. */
static bool read_file(const char *path, char **text, gsize *length, GError **error)
{
    g_autoptr(GError) why = NULL;
    const char *reason;

    if (g_file_get_contents(path, text, length, &why))
        return true;
    reason = strrchr(why->message, ':');
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read:%s", path,
                reason ? reason + 1 : why->message);
    return false;
}

struct claim *claim_load(const char *path, GError **error)
{
    struct file f = {.claim.design.order = CLAIM_ORDER_NOT_SAID};
    g_autofree char *text = NULL;
    struct claim *claim = NULL;
    struct yaml_doc *doc;
    gsize length;

    if (!read_file(path, &text, &length, error))
        return NULL;
    doc = yaml_load_text(path, text, length, error);
    if (!doc)
        return NULL;
    if (yaml_bind(doc, NULL, FILE_FIELDS, &f, error) && check_claim(path, &f.claim, error) &&
        check_arms(path, &f, error))
        claim = take(&f, path, text, length);
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
    g_free(claim);
}
