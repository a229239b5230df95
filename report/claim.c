#include "report/claim.h"
#include "report/claim_arms.h"
#include "report/claim_figures.h"
#include "report/contradictions.h"
#include "base/error.h"
#include "base/yaml.h"

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
    GArray *arms;      /* of struct claim_arm_text */
    GArray *mechanism; /* of struct claim_mechanism */
    GArray *reported;  /* of struct claim_reported */
    GArray *figures;   /* of struct claim_figure_text */
    GPtrArray *background;
    struct scenario simulation;
};

static const char *const BETTER[] = {"higher", "lower", NULL};
static const char *const ORDERS[] = {"blocked", "interleaved", "paired", NULL};

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
     .fields = CLAIM_ARM_FIELDS,
     .item_size = sizeof(struct claim_arm_text)},
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
    {.key = "figures",
     .type = YAML_LIST,
     .offset = offsetof(struct file, figures),
     .fields = CLAIM_FIGURE_FIELDS,
     .item_size = sizeof(struct claim_figure_text)},
    {.key = "background", .type = YAML_TEXTS, .offset = offsetof(struct file, background)},
    {.key = "simulation",
     .type = YAML_MAP,
     .offset = offsetof(struct file, simulation),
     .fields = SCENARIO_FIELDS},
    {.type = YAML_END},
};

bool claim_fail(const char *path, int line, GError **error, const char *format, ...)
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

bool claim_tidy(const char *path, int line, const char *key, char *text, GError **error)
{
    tidy(text);
    return *text || claim_fail(path, line, error, "%s: is empty", key);
}

static bool check_claim(const char *path, struct file_claim *c, GError **error)
{
    if (!claim_tidy(path, c->line, "title", c->title, error) ||
        !claim_tidy(path, c->line, "statement", c->statement, error) ||
        !claim_tidy(path, c->line, "metric: name", c->metric.name, error) ||
        !claim_tidy(path, c->line, "metric: unit", c->metric.unit, error))
        return false;
    if (!(c->margin > 0))
        return claim_fail(path, c->line, error,
                          "margin: must be over 0 %%: it is the smallest difference that matters");
    return true;
}

static void take_claim(struct claim *c, struct file *f, const char *path, const char *sha256,
                       const struct claim_sources *sources)
{
    c->title = g_steal_pointer(&f->claim.title);
    c->statement = g_steal_pointer(&f->claim.statement);
    c->metric = f->claim.metric;
    f->claim.metric.name = f->claim.metric.unit = NULL;
    c->margin = f->claim.margin;
    c->order = f->claim.design.order;
    c->file = g_filename_display_basename(path);
    c->sha256 = g_strdup(sha256);
    claim_evidence_init(&c->evidence, sources);
    c->background = g_steal_pointer(&f->background);
}

static bool tidy_background(const struct claim *c, const char *path, int line, GError **error)
{
    for (guint i = 0; c->background && i < c->background->len; i++) {
        if (!claim_tidy(path, line, "background", c->background->pdata[i], error))
            return false;
    }
    return true;
}

/* Before anything is reckoned with them: numbers that can't be right. */
static void look_for_contradictions(struct claim *c, const struct file *f)
{
    GArray *found = c->evidence.contradictions;
    double wire_bps = (double)f->claim.wire_bps;

    contradictions_in_metric(found, c->metric.name, c->metric.unit, c->metric.better == CLAIM_HIGHER,
                             c->file);
    if (c->simulated_only)
        return;
    contradictions_in_samples(found, c->control.samples, wire_bps);
    contradictions_in_samples(found, c->treatment.samples, wire_bps);
    for (guint i = 0; i < c->n_more; i++)
        contradictions_in_samples(found, c->more[i].samples, wire_bps);
}

static struct claim *take(struct file *f, const char *path, const char *sha256,
                          const struct claim_sources *sources, GError **error)
{
    struct claim *c = g_new0(struct claim, 1);

    take_claim(c, f, path, sha256, sources);
    if (tidy_background(c, path, f->claim.line, error) &&
        claim_arms_take(c, path, f->claim.line, f->arms, &f->simulation, error) &&
        claim_evidence_read_mechanism(&c->evidence, path, f->mechanism, error) &&
        claim_evidence_read_reported(&c->evidence, path, f->reported, error) &&
        claim_figures_read(c->evidence.figures, &c->evidence, path, f->figures, &f->simulation,
                           c->metric.unit, c->margin, error)) {
        c->evidence.sources = NULL;
        look_for_contradictions(c, f);
        return c;
    }
    claim_free(c);
    return NULL;
}

struct claim *claim_load(const char *path, const struct claim_sources *sources, GError **error)
{
    struct file f = {.claim.design.order = CLAIM_ORDER_NOT_SAID};
    struct claim *claim = NULL;
    struct yaml_doc *doc = yaml_load_file(path, error);

    if (!doc)
        return NULL;
    if (yaml_bind(doc, NULL, FILE_FIELDS, &f, error) && check_claim(path, &f.claim, error))
        claim = take(&f, path, yaml_sha256(doc), sources, error);
    yaml_clear(FILE_FIELDS, &f);
    yaml_doc_free(doc);
    return claim;
}

guint claim_arm_count(const struct claim *claim)
{
    return claim->n_more + 2;
}

const struct claim_arm *claim_arm_at(const struct claim *claim, guint place)
{
    guint treatment = place < claim->control_at ? place : place - 1;

    if (place == claim->control_at)
        return &claim->control;
    return treatment == 0 ? &claim->treatment : &claim->more[treatment - 1];
}

double claim_turn(const struct claim *claim, guint place, guint i)
{
    guint turn = i;

    for (guint other = 0; other < claim_arm_count(claim) && claim->order != CLAIM_ORDER_NOT_SAID; other++) {
        guint n = samples_count(claim_arm_at(claim, other)->samples);

        if (other != place && claim->order != CLAIM_BLOCKED)
            turn += MIN(n, i + (other < place));
        else if (other < place)
            turn += n;
    }
    return turn;
}

void claim_free(struct claim *claim)
{
    if (!claim)
        return;
    g_free(claim->title);
    g_free(claim->statement);
    g_free(claim->metric.name);
    g_free(claim->metric.unit);
    claim_arm_clear(&claim->control);
    claim_arm_clear(&claim->treatment);
    for (guint i = 0; i < claim->n_more; i++)
        claim_arm_clear(&claim->more[i]);
    g_free(claim->more);
    g_free(claim->file);
    g_free(claim->sha256);
    claim_evidence_fini(&claim->evidence);
    g_clear_pointer(&claim->background, g_ptr_array_unref);
    g_free(claim);
}
