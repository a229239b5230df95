#include "cli/experiment.h"
#include "cli/profiles.h"
#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* A list of the file, and which of its values a combination has. */
enum axis {
    AXIS_NETWORKS,
    AXIS_CLIENTS,
    AXIS_SERVERS,
    AXIS_FILES,
    AXIS_DIRECTIONS,
    AXIS_CACHES,
    AXIS_AT_ONCE,
    AXIS_RTT,
    AXIS_RATE,
    AXIS_QUEUE,
    AXIS_LOSS,
    AXES
};

struct experiment {
    struct yaml_doc *doc;
    char *title, *folder;
    GPtrArray *axes[AXES]; /* of char *; NULL where the file has no such list */
    int64_t runs, seed;
};

#define AT(member) offsetof(struct experiment, member)

static const struct yaml_field FIELDS[] = {
    {.key = "title", .type = YAML_TEXT, .offset = AT(title)},
    {.key = "networks", .type = YAML_TEXTS, .offset = AT(axes[AXIS_NETWORKS]), .required = true},
    {.key = "clients", .type = YAML_TEXTS, .offset = AT(axes[AXIS_CLIENTS]), .required = true},
    {.key = "servers", .type = YAML_TEXTS, .offset = AT(axes[AXIS_SERVERS]), .required = true},
    {.key = "files", .type = YAML_TEXTS, .offset = AT(axes[AXIS_FILES]), .required = true},
    {.key = "directions", .type = YAML_TEXTS, .offset = AT(axes[AXIS_DIRECTIONS])},
    {.key = "caches", .type = YAML_TEXTS, .offset = AT(axes[AXIS_CACHES])},
    {.key = "at_once", .type = YAML_TEXTS, .offset = AT(axes[AXIS_AT_ONCE])},
    {.key = "rtt", .type = YAML_TEXTS, .offset = AT(axes[AXIS_RTT])},
    {.key = "rate", .type = YAML_TEXTS, .offset = AT(axes[AXIS_RATE])},
    {.key = "queue", .type = YAML_TEXTS, .offset = AT(axes[AXIS_QUEUE])},
    {.key = "loss", .type = YAML_TEXTS, .offset = AT(axes[AXIS_LOSS])},
    {.key = "runs", .type = YAML_COUNT, .offset = AT(runs)},
    {.key = "seed", .type = YAML_COUNT, .offset = AT(seed)},
    {.type = YAML_END},
};

static const char *key_of(enum axis axis)
{
    for (const struct yaml_field *f = FIELDS; f->type != YAML_END; f++) {
        if (f->offset == AT(axes) + sizeof(GPtrArray *) * (size_t)axis)
            return f->key;
    }
    g_assert_not_reached();
}

/* Sets a value of a network, of both directions where it is one of theirs. */
static bool set_network(enum axis axis, const char *text, struct network_profile *n, GError **error)
{
    switch (axis) {
    case AXIS_RTT:
        n->one_way_delay_ns = -1;
        n->rtt_range = (struct network_range){0};
        return units_parse_time(text, &n->rtt_ns, error);
    case AXIS_RATE:
        n->down.rate_range = n->up.rate_range = (struct network_range){0};
        return units_parse_rate(text, &n->down.rate_bps, error) &&
               units_parse_rate(text, &n->up.rate_bps, error);
    case AXIS_QUEUE:
        n->down.queue_range = n->up.queue_range = (struct network_range){0};
        return units_parse_size(text, &n->down.queue_bytes, error) &&
               units_parse_size(text, &n->up.queue_bytes, error);
    default:
        n->down.loss_range = n->up.loss_range = (struct network_share_range){0};
        return units_parse_percent(text, &n->down.loss, error) &&
               units_parse_percent(text, &n->up.loss, error);
    }
}

static bool choose(const char *text, const char *first, const char *second, bool *is_second, GError **error)
{
    *is_second = strcmp(text, second) == 0;
    if (*is_second || strcmp(text, first) == 0)
        return true;
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" is neither %s nor %s", text, first,
                second);
    return false;
}

static bool set_at_once(const char *text, int *at_once, GError **error)
{
    int64_t count;

    if (!units_parse_count(text, &count, error))
        return false;
    if (count < 1 || count > 1024) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" is not between 1 and 1024", text);
        return false;
    }
    *at_once = (int)count;
    return true;
}

/* A value before the profiles are loaded. */
static bool set_value(const struct experiment *e, enum axis axis, const char *text, struct question *q,
                      GError **error)
{
    bool second;

    switch (axis) {
    case AXIS_NETWORKS:
        q->network_names = g_new0(char *, 2);
        q->network_names[0] = profiles_beside(e->folder, text);
        return true;
    case AXIS_CLIENTS:
        q->client_name = profiles_beside(e->folder, text);
        return true;
    case AXIS_SERVERS:
        q->server_name = profiles_beside(e->folder, text);
        return true;
    case AXIS_FILES:
        q->files_spec = question_files_beside(e->folder, text);
        return true;
    case AXIS_DIRECTIONS:
        if (!choose(text, "download", "upload", &second, error))
            return false;
        q->upload = second;
        return true;
    case AXIS_CACHES:
        q->cache = g_strdup(text);
        return choose(text, "cold", "warm", &second, error);
    case AXIS_AT_ONCE:
        return set_at_once(text, &q->at_once, error);
    default:
        return set_network(axis, text, &(struct network_profile){0}, error);
    }
}

/* The value that a combination has of a list; NULL where there is no such list. */
static const char *value_of(const struct experiment *e, guint combination, enum axis axis)
{
    for (int a = AXES - 1; a > (int)axis; a--) {
        if (e->axes[a])
            combination /= e->axes[a]->len;
    }
    return e->axes[axis] ? e->axes[axis]->pdata[combination % e->axes[axis]->len] : NULL;
}

/* Prefixes where it is wrong. */
static bool fail_at(const struct experiment *e, enum axis axis, GError **error, GError *cause)
{
    const char *key = key_of(axis);

    yaml_fail(e->doc, yaml_line(e->doc, key), error, "%s: %s", key, cause->message);
    g_error_free(cause);
    return false;
}

static bool check_values(const struct experiment *e, GError **error)
{
    for (int a = 0; a < AXES; a++) {
        for (guint i = 0; e->axes[a] && i < e->axes[a]->len; i++) {
            struct question q;
            GError *wrong = NULL;

            question_init(&q);
            set_value(e, (enum axis)a, e->axes[a]->pdata[i], &q, &wrong);
            question_clear(&q);
            if (wrong)
                return fail_at(e, (enum axis)a, error, wrong);
        }
    }
    return true;
}

static bool check(const struct experiment *e, GError **error)
{
    guint64 count = 1;

    for (int a = 0; a < AXES; a++) {
        const char *key = key_of((enum axis)a);

        if (e->axes[a] && e->axes[a]->len == 0)
            return yaml_fail(e->doc, yaml_line(e->doc, key), error, "%s: the list is empty", key);
        count *= e->axes[a] ? e->axes[a]->len : 1;
        if (count > EXPERIMENT_MOST_COMBINATIONS)
            return yaml_fail(e->doc, yaml_line(e->doc, key), error, "more than %d combinations",
                             EXPERIMENT_MOST_COMBINATIONS);
    }
    if (e->runs > 100000)
        return yaml_fail(e->doc, yaml_line(e->doc, "runs"), error, "runs: at most 100000");
    return check_values(e, error);
}

struct experiment *experiment_read(const char *path, GError **error)
{
    struct experiment *e = g_new0(struct experiment, 1);

    e->seed = 1;
    e->folder = g_path_get_dirname(path);
    e->doc = yaml_load_file(path, error);
    if (e->doc && yaml_bind(e->doc, NULL, FIELDS, e, error) && check(e, error))
        return e;
    experiment_free(e);
    return NULL;
}

void experiment_free(struct experiment *e)
{
    if (!e)
        return;
    yaml_clear(FIELDS, e);
    yaml_doc_free(e->doc);
    g_free(e->folder);
    g_free(e);
}

guint experiment_count(const struct experiment *e)
{
    guint count = 1;

    for (int a = 0; a < AXES; a++)
        count *= e->axes[a] ? e->axes[a]->len : 1;
    return count;
}

static char *describe(const struct experiment *e, guint combination)
{
    GString *text = g_string_new(NULL);

    for (int a = 0; a < AXES; a++) {
        if (e->axes[a])
            g_string_append_printf(text, "%s%s", text->len ? ", " : "",
                                   value_of(e, combination, (enum axis)a));
    }
    return g_string_free(text, FALSE);
}

bool experiment_question(const struct experiment *e, guint combination, struct question *q, GError **error)
{
    bool ok = true;

    if (e->runs > 0)
        q->runs = (int)e->runs;
    q->seed = e->seed;
    for (int a = 0; ok && a < AXIS_RTT; a++) {
        if (e->axes[a])
            ok = set_value(e, (enum axis)a, value_of(e, combination, (enum axis)a), q, error);
    }
    ok = ok && question_load(q, error);
    for (int a = AXIS_RTT; ok && a < AXES; a++) {
        if (e->axes[a])
            ok = set_network((enum axis)a, value_of(e, combination, (enum axis)a), &q->networks[0], error);
    }
    if (ok)
        question_settle_runs(q);
    if (!ok && error) {
        g_autofree char *what = describe(e, combination);

        g_prefix_error(error, "%s: combination %u (%s): ", yaml_name(e->doc), combination + 1, what);
    }
    return ok;
}
