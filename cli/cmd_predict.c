#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/copy_plan.h"
#include "cli/counters.h"
#include "cli/file_times.h"
#include "cli/prediction.h"
#include "cli/question.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

struct predict {
    struct question *q;
    GArray *seconds; /* of double: of each group, in the first run */
    struct file_times *times;
};

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    const struct predict *p = self;

    copy_plan_prepare(p->q, run, out);
    if (run == 0) {
        out->setup.on_exchange = file_times_note;
        out->setup.observer = p->times;
        out->setup.probe = pcap_option_probe(&p->q->pcap);
        out->setup.sampler = series_option_sampler(&p->q->series);
    }
}

static json_t *files_json(const struct predict *p)
{
    const GArray *seconds = p->seconds;
    json_t *files = json_array();

    for (guint i = 0; i < p->q->groups->len; i++) {
        const struct file_group *g = &g_array_index(p->q->groups, struct file_group, i);

        json_array_append_new(
            files, json_pack("{s:I, s:I, s:o}", "count", (json_int_t)g->count, "size_bytes",
                             (json_int_t)g->size_bytes, "seconds",
                             i < seconds->len ? json_real(g_array_index(seconds, double, i)) : json_null()));
    }
    return files;
}

enum { MAX_FILE_ROWS = 12 };

static void files_text(const struct predict *p, GString *to)
{
    const GArray *seconds = p->seconds;

    g_string_append_printf(to, "%s by \"%s\" with \"%s\"\n\n", p->q->upload ? "Upload" : "Download",
                           p->q->client.name, p->q->server.name);
    g_string_append_printf(to, "  %8s  %12s  %12s\n", "files", "of", "take");
    for (guint i = 0; i < p->q->groups->len && i < MAX_FILE_ROWS; i++) {
        const struct file_group *g = &g_array_index(p->q->groups, struct file_group, i);
        g_autofree char *size = units_format_size(g->size_bytes, 5);
        g_autofree char *time = i < seconds->len
                                    ? g_strdup_printf("%.3f s", g_array_index(seconds, double, i))
                                    : g_strdup("fails");

        g_string_append_printf(to, "  %8" G_GINT64_FORMAT "  %12s  %12s\n", g->count, size, time);
    }
    if (p->q->groups->len > MAX_FILE_ROWS)
        g_string_append_printf(to, "  and %u more lines (--json has them all)\n",
                               p->q->groups->len - MAX_FILE_ROWS);
    g_string_append_printf(to, "\n");
}

static json_t *predict_json(const struct predict *p, const struct prediction *prediction)
{
    const struct sim_result *typical = &prediction->simulation.typical;

    return json_pack("{s:o, s:o, s:o, s:o}", "prediction", prediction_json(prediction), "files",
                     files_json(p), "breakdown_s", breakdown_json(&typical->waits), "counters",
                     counters_json(typical));
}

static bool show(const struct predict *p, const struct prediction *prediction, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (p->q->as_json)
        return print_json(predict_json(p, prediction), error);
    files_text(p, text);
    prediction_text(prediction, text);
    counters_text(&prediction->simulation.typical, text);
    return outfile_write("-", text->str, text->len, error);
}

/* All runs, the first with its capture and its series where they were asked for. */
static bool simulate(struct predict *p, guint runs, struct simulation *out, GError **error)
{
    struct simulation_plan plan = {prepare, copy_plan_release, NULL, p};
    struct simulation_run first = {0};
    bool ok;

    if (!series_option_begin(&p->q->series, error))
        return false;
    prepare(p, 0, &first);
    ok = pcap_option_begin(&p->q->pcap, &p->q->client, p->q->upload, p->q->groups, &first.setup, error);
    copy_plan_release(&first);
    if (!ok)
        return false;
    simulation_run(&plan, runs, out);
    ok = series_option_end(&p->q->series, error);
    return pcap_option_end(&p->q->pcap, ok ? error : NULL) && ok;
}

/* What a warm copy found in the client's caches. */
static void add_cache_note(const struct predict *p, GPtrArray *validity)
{
    const struct client_file_cache *cache = &p->q->client.file_cache;
    g_autofree char *above = units_format_time(cache->above_ns, 3);
    char *note;

    if (!question_is_warm(p->q))
        return;
    if (!cache->line)
        note = g_strdup_printf("Warm caches spare what \"%s\" marks as cached for a directory or the "
                               "connection; it has no cache of file data.",
                               p->q->client_name);
    else if (2 * network_one_way_ns(&p->q->networks[0]) > cache->above_ns)
        note = g_strdup_printf("File data come from the client's cache: the round trip is above its "
                               "threshold of %s.",
                               above);
    else
        note = g_strdup_printf("File data come from the server: the round trip isn't above the threshold "
                               "of the client's cache, %s.",
                               above);
    g_ptr_array_add(validity, note);
}

static bool predict(struct predict *p, GError **error)
{
    bool ok;
    struct file_times times;
    g_autofree char *title = question_title(p->q);
    struct prediction prediction = {.network = title, .validity = g_ptr_array_new_with_free_func(g_free)};
    int64_t window = tcp_profile_largest_window(p->q->upload ? &p->q->server.tcp : &p->q->client.tcp);

    file_times_init(&times, p->q->groups);
    p->times = &times;
    ok = simulate(p, (guint)p->q->runs, &prediction.simulation, error);
    p->seconds = file_times_seconds(&times, prediction.simulation.failed > 0);
    prediction.baselines =
        baselines_of(p->q->networks, p->q->network_count, p->q->upload, file_groups_bytes(p->q->groups),
                     window, prediction.simulation.typical.exchanges);
    g_ptr_array_add(
        prediction.validity,
        g_strdup(question_is_random(p->q)
                     ? "The interval covers what is random in the network only: client, server and link are "
                       "taken as known."
                     : "Nothing in this simulation is random, so the interval is a point: client, "
                       "server and link are taken as known."));
    g_ptr_array_add(
        prediction.validity,
        g_strdup_printf(
            "The client's exchanges are those of its profile: see the basis of each line in \"%s\".",
            p->q->client_name));
    add_cache_note(p, prediction.validity);
    ok = ok && show(p, &prediction, error);
    g_ptr_array_unref(prediction.validity);
    g_array_unref(p->seconds);
    file_times_clear(&times);
    return ok;
}

bool cmd_predict(int argc, char **argv, int *status, GError **error)
{
    struct question q;
    struct predict p = {.q = &q};
    bool ok;

    (void)status;
    question_init(&q);
    ok = question_read(&q, argc, argv, error) && predict(&p, error);
    question_clear(&q);
    return ok;
}
