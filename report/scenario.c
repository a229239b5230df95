#include "report/scenario.h"

#include <string.h>

static const char *const BASES[] = {"predicted", "fitted", NULL};

const struct yaml_field SCENARIO_FIELDS[] = {
    {.key = "network", .type = YAML_TEXT, .offset = offsetof(struct scenario, network)},
    {.key = "client", .type = YAML_TEXT, .offset = offsetof(struct scenario, client)},
    {.key = "server", .type = YAML_TEXT, .offset = offsetof(struct scenario, server)},
    {.key = "files", .type = YAML_TEXT, .offset = offsetof(struct scenario, files)},
    {.key = "cache", .type = YAML_TEXT, .offset = offsetof(struct scenario, cache)},
    {.key = "upload", .type = YAML_BOOL, .offset = offsetof(struct scenario, upload)},
    {.key = "at_once", .type = YAML_COUNT, .offset = offsetof(struct scenario, at_once)},
    {.key = "runs", .type = YAML_COUNT, .offset = offsetof(struct scenario, runs)},
    {.key = "seed", .type = YAML_COUNT, .offset = offsetof(struct scenario, seed)},
    {.key = "basis", .type = YAML_CHOICE, .offset = offsetof(struct scenario, basis), .choices = BASES},
    {.type = YAML_LINE, .offset = offsetof(struct scenario, line)},
    {.type = YAML_END},
};

/* What a simulated copy depends on, as texts. */
enum { KEYS = 8 };

struct key {
    const char *name;
    char *text; /* owned; NULL: not said */
};

static char *count_text(int64_t n)
{
    return n > 0 ? g_strdup_printf("%" G_GINT64_FORMAT, n) : NULL;
}

static void keys_of(const struct scenario *s, struct key keys[KEYS])
{
    const struct key list[KEYS] = {
        {"network", g_strdup(s->network)},   {"client", g_strdup(s->client)},
        {"server", g_strdup(s->server)},     {"files", g_strdup(s->files)},
        {"cache", g_strdup(s->cache)},       {"direction", g_strdup(s->upload ? "upload" : NULL)},
        {"at_once", count_text(s->at_once)}, {"seed", count_text(s->seed)},
    };

    memcpy(keys, list, sizeof list);
}

static void keys_clear(struct key keys[KEYS])
{
    for (guint i = 0; i < KEYS; i++)
        g_free(keys[i].text);
}

void scenario_clear(struct scenario *s)
{
    g_free(s->network);
    g_free(s->client);
    g_free(s->server);
    g_free(s->files);
    g_free(s->cache);
    *s = (struct scenario){0};
}

static void inherit_text(char **own, const char *common)
{
    if (!*own)
        *own = g_strdup(common);
}

static void inherit_count(int64_t *own, int64_t common)
{
    if (*own == 0)
        *own = common;
}

void scenario_inherit(struct scenario *own, const struct scenario *common)
{
    inherit_text(&own->network, common->network);
    inherit_text(&own->client, common->client);
    inherit_text(&own->server, common->server);
    inherit_text(&own->files, common->files);
    inherit_text(&own->cache, common->cache);
    inherit_count(&own->at_once, common->at_once);
    inherit_count(&own->runs, common->runs);
    inherit_count(&own->seed, common->seed);
    own->upload = own->upload || common->upload;
    own->basis = MAX(own->basis, common->basis);
}

const char *scenario_lacks(const struct scenario *s)
{
    return !s->network  ? "network"
           : !s->client ? "client"
           : !s->server ? "server"
           : !s->files  ? "files"
                        : NULL;
}

GPtrArray *scenario_differences(const struct scenario *a, const struct scenario *b)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    struct key x[KEYS], y[KEYS];

    keys_of(a, x);
    keys_of(b, y);
    for (guint i = 0; i < KEYS; i++) {
        if (g_strcmp0(x[i].text, y[i].text) != 0)
            g_ptr_array_add(list, g_strdup_printf("%s (%s, %s)", x[i].name, x[i].text ? x[i].text : "default",
                                                  y[i].text ? y[i].text : "default"));
    }
    keys_clear(x);
    keys_clear(y);
    return list;
}

char *scenario_text(const struct scenario *s)
{
    GString *text = g_string_new(NULL);
    struct key keys[KEYS];

    keys_of(s, keys);
    for (guint i = 0; i < KEYS; i++) {
        if (keys[i].text)
            g_string_append_printf(text, "%s%s %s", text->len ? ", " : "", keys[i].name, keys[i].text);
    }
    keys_clear(keys);
    return g_string_free(text, FALSE);
}
