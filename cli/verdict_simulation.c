#include "cli/verdict_simulation.h"
#include "cli/copy_plan.h"
#include "base/error.h"
#include "base/units.h"
#include "report/evidence_reader.h"

#include <string.h>

enum { DEFAULT_RUNS = 20, MOST_RUNS = 10000 };

static bool is_file_name(const char *name)
{
    return strchr(name, '/') || g_str_has_suffix(name, ".yaml") || g_str_has_suffix(name, ".yml");
}

/* A profile's name, or a file that lies beside the claim file. Returns owned. */
static char *profile_of(const char *folder, const char *name, struct evidence *e)
{
    char *path;

    if (!is_file_name(name))
        return g_strdup(name);
    path = g_path_is_absolute(name) ? g_strdup(name) : g_build_filename(folder, name, NULL);
    evidence_add_fact(e, "input", path, 0);
    return path;
}

static char *files_of(const char *folder, const char *spec, struct evidence *e)
{
    g_autofree char *path = g_path_is_absolute(spec) ? g_strdup(spec) : g_build_filename(folder, spec, NULL);

    if (!g_file_test(path, G_FILE_TEST_EXISTS))
        return g_strdup(spec);
    if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
        evidence_add_fact(e, "input", path, 0);
    return g_steal_pointer(&path);
}

static bool ask(const char *claim_path, const struct scenario *s, struct question *q, struct evidence *e,
                GError **error)
{
    g_autofree char *folder = g_path_get_dirname(claim_path);

    if (s->cache && strcmp(s->cache, "cold") != 0 && strcmp(s->cache, "warm") != 0) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "cache: must be cold or warm, not \"%s\"",
                    s->cache);
        return false;
    }
    if (s->at_once > 1024 || s->runs > MOST_RUNS) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    s->runs > MOST_RUNS ? "runs: must be at most 10000" : "at_once: must be at most 1024");
        return false;
    }
    q->network_names = g_new0(char *, 2);
    q->network_names[0] = profile_of(folder, s->network, e);
    q->client_name = profile_of(folder, s->client, e);
    q->server_name = profile_of(folder, s->server, e);
    q->files_spec = files_of(folder, s->files, e);
    q->cache = g_strdup(s->cache);
    q->upload = s->upload;
    q->seed = s->seed > 0 ? s->seed : 1;
    if (s->at_once > 0)
        q->at_once = (int)s->at_once;
    return question_load(q, error);
}

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    copy_plan_prepare(self, run, out);
}

static void add_run(struct evidence *e, const struct sim_result *r, double bytes, int number)
{
    double seconds = units_seconds(r->elapsed_ns);

    evidence_add_run(e, EVIDENCE_RUN, NULL, number);
    if (r->failed) {
        evidence_set_failed(e, "fails after %.4g s: %s", units_seconds(r->failed_at_ns), r->fail_reason);
        return;
    }
    evidence_add_figure(e, "seconds", "s", seconds, 0, number);
    evidence_add_figure(e, "bytes", "B", bytes, 0, number);
    if (seconds > 0)
        evidence_add_figure(e, "rate", "B/s", bytes / seconds, 0, number);
}

static void simulate(const struct question *q, const struct scenario *s, struct evidence *e)
{
    const struct simulation_plan plan = {prepare, copy_plan_release, NULL, q};
    bool random = question_is_random(q);
    guint runs = random ? (guint)(s->runs > 0 ? s->runs : DEFAULT_RUNS) : 1;
    guint counted = random ? runs : 2;
    g_autofree struct sim_result *results = g_new0(struct sim_result, runs);
    double bytes = (double)file_groups_bytes(q->groups);

    simulation_each(&plan, runs, results);
    if (random)
        evidence_add_fact(e, "random", "loss, jitter and the ranges of the network\u2019s profile", 0);
    for (guint i = 0; i < counted; i++)
        add_run(e, &results[MIN(i, runs - 1)], bytes, (int)i + 1);
}

bool verdict_simulation_run(const char *claim_path, const struct scenario *s, struct evidence *e,
                            GError **error)
{
    g_autoptr(GError) why = NULL;
    struct question q;
    bool ok;

    question_init(&q);
    ok = ask(claim_path, s, &q, e, &why);
    if (ok)
        simulate(&q, s, e);
    else
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: simulation: %s", claim_path,
                    s->line, why->message);
    question_clear(&q);
    return ok;
}
