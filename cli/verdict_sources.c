#include "cli/verdict_sources.h"
#include "cli/verdict_mechanism.h"
#include "cli/verdict_simulation.h"

static const struct verdict_capture *capture_at(struct verdict_sources *s, const char *path, GError **error)
{
    struct verdict_capture *v = g_hash_table_lookup(s->captures, path);

    if (!v)
        v = verdict_capture_read(path, error);
    if (v && !g_hash_table_contains(s->captures, path))
        g_hash_table_insert(s->captures, g_strdup(path), v);
    return v;
}

static bool read_capture(void *self, const char *path, struct evidence *e, GError **error)
{
    const struct verdict_capture *v = capture_at(self, path, error);

    if (v)
        verdict_capture_evidence(v, e);
    return v != NULL;
}

static bool find_mechanism(void *self, const char *path, const char *required, struct claim_finding *found,
                           GError **error)
{
    const struct verdict_capture *v = capture_at(self, path, error);

    return v && verdict_mechanism_find(v, path, required, found, error);
}

static bool simulate(void *self, const char *claim_path, const struct scenario *scenario, struct evidence *e,
                     GError **error)
{
    (void)self;
    return verdict_simulation_run(claim_path, scenario, e, error);
}

static void free_capture(void *data)
{
    verdict_capture_free(data);
}

void verdict_sources_init(struct verdict_sources *s)
{
    s->table = (struct claim_sources){s, read_capture, find_mechanism, simulate};
    s->captures = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_capture);
}

void verdict_sources_clear(struct verdict_sources *s)
{
    g_hash_table_unref(s->captures);
}
