#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/file_times.h"
#include "cli/pcap_option.h"
#include "cli/prediction.h"
#include "cli/profiles.h"
#include "sim/copy.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"

#include <stdio.h>
#include <string.h>

enum { DEFAULT_RUNS = 40, NOT_GIVEN = G_MININT };

struct predict {
    char *network_name, *client_name, *server_name, *files_spec, *cache;
    gboolean upload, as_json;
    int runs, at_once; /* NOT_GIVEN */
    gint64 seed;
    struct network_profile network;
    struct client_profile client;
    struct server_profile server;
    GArray *groups;  /* of struct file_group */
    GArray *seconds; /* of double: of each group, in the first run */
    struct file_times *times;
    struct pcap_option pcap;
};

static GArray *load_files(const char *spec, GError **error)
{
    if (g_file_test(spec, G_FILE_TEST_IS_DIR))
        return file_groups_scan(spec, error);
    if (g_file_test(spec, G_FILE_TEST_EXISTS))
        return file_groups_read(spec, error);
    return file_groups_parse(spec, error);
}

static bool parse_options(struct predict *p, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"network", 'n', 0, G_OPTION_ARG_STRING, &p->network_name,
         "Network: a name (copytrial list networks) or a file", "NAME|FILE"},
        {"client", 'c', 0, G_OPTION_ARG_STRING, &p->client_name,
         "Copy program: a name (copytrial list clients) or a file", "NAME|FILE"},
        {"server", 's', 0, G_OPTION_ARG_STRING, &p->server_name,
         "Server: a name (copytrial list servers) or a file", "NAME|FILE"},
        {"files", 'f', 0, G_OPTION_ARG_STRING, &p->files_spec,
         "What is copied: 16x19.75MiB,370x41KiB, a list file (\"size path\" a line), or a folder", "SPEC"},
        {"at-once", 0, 0, G_OPTION_ARG_INT, &p->at_once,
         "Files copied at once, instead of the client's files_at_once", "N"},
        {"cache", 0, 0, G_OPTION_ARG_STRING, &p->cache,
         "The client's caches: cold (default), or warm from a copy of the same files just before", "STATE"},
        {"upload", 'u', 0, G_OPTION_ARG_NONE, &p->upload, "Copy to the server (default: from it)", NULL},
        {"runs", 'r', 0, G_OPTION_ARG_INT, &p->runs,
         "Simulated runs (default: 40 where anything is random, else 1)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &p->seed, "Seed of the random streams (default: 1)", "N"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &p->as_json, "Print one JSON object", NULL},
        {"pcap", 0, 0, G_OPTION_ARG_FILENAME, &p->pcap.path,
         "Write the simulated traffic of the first run as a capture", "FILE"},
        {"pcap-at", 0, 0, G_OPTION_ARG_STRING, &p->pcap.at,
         "Where it is captured: client (default) or server", "END"},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("- predict how long a copy takes");
    const char *missing;

    g_option_context_add_main_entries(context, entries, NULL);
    g_option_context_set_description(
        context,
        "Simulates the copy packet by packet: the client's exchanges for each file, TCP at both ends as the\n"
        "named systems have it, and the network's rate, delay, queue and loss.\n\n"
        "Example: 16 files of 316 MiB in all, Windows XP, a 2 Mbit/s branch office:\n"
        "  copytrial predict --network branch-office --client xp-explorer --server filer-2010 \\\n"
        "      --files 16x19.75MiB\n");
    if (!g_option_context_parse(context, &argc, &argv, error))
        return false;
    missing = !p->network_name  ? "--network"
              : !p->client_name ? "--client"
              : !p->server_name ? "--server"
                                : NULL;
    if (!missing && !p->files_spec)
        missing = "--files";
    if (missing)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "%s is missing (copytrial predict --help)",
                    missing);
    else if (argc > 1)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "unexpected argument \"%s\"", argv[1]);
    else if (p->runs != NOT_GIVEN && (p->runs < 1 || p->runs > 100000))
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--runs must be between 1 and 100000");
    else if (p->at_once != NOT_GIVEN && (p->at_once < 1 || p->at_once > 1024))
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--at-once must be between 1 and 1024");
    else if (p->cache && strcmp(p->cache, "cold") != 0 && strcmp(p->cache, "warm") != 0)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--cache must be cold or warm");
    else
        return pcap_option_check(&p->pcap, error);
    return false;
}

static bool load(struct predict *p, GError **error)
{
    if (!profiles_load_network(p->network_name, &p->network, error) ||
        !profiles_load_client(p->client_name, &p->client, error) ||
        !profiles_load_server(p->server_name, &p->server, error))
        return false;
    if (!(p->upload ? p->client.upload : p->client.download)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "client \"%s\" has no %s list",
                    p->client_name, p->upload ? "upload" : "download");
        return false;
    }
    if (p->at_once != NOT_GIVEN)
        p->client.files_at_once = p->at_once;
    p->groups = load_files(p->files_spec, error);
    return p->groups != NULL;
}

/* Bounds a data step's block by what the server grants. */
static void limit_blocks(GArray *steps, int64_t limit)
{
    for (guint i = 0; steps && limit && i < steps->len; i++) {
        struct client_step *s = &g_array_index(steps, struct client_step, i);

        s->block_bytes = MIN(s->block_bytes, limit);
    }
}

static bool is_warm(const struct predict *p)
{
    return p->cache && strcmp(p->cache, "warm") == 0;
}

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    const struct predict *p = self;
    struct copy *copy = g_new(struct copy, 1);

    copy_init(copy, &(struct copy_setup){.client = &p->client,
                                         .groups = p->groups,
                                         .upload = p->upload,
                                         .warm = is_warm(p),
                                         .rtt_ns = 2 * network_one_way_ns(&p->network)});
    out->owned = copy;
    out->setup = (struct sim_setup){
        .network = &p->network,
        .client_tcp = &p->client.tcp,
        .server_tcp = &p->server.tcp,
        .server = &p->server,
        .client_host = &p->client.host,
        .server_host = &p->server.host,
        .credits = p->client.credits,
        .most_outstanding = profiles_max_requests(&p->client, &p->server),
        .request_timeout_ns = p->client.request_timeout_ns,
        .connections = &copy->connection,
        .connection_count = 1,
        .seed = (uint64_t)p->seed,
        .run = run,
    };
    if (run == 0) {
        out->setup.on_exchange = file_times_note;
        out->setup.observer = p->times;
        out->setup.probe = pcap_option_probe(&p->pcap);
    }
}

static void release(struct simulation_run *run)
{
    copy_clear(run->owned);
    g_free(run->owned);
}

static json_t *files_json(const struct predict *p)
{
    const GArray *seconds = p->seconds;
    json_t *files = json_array();

    for (guint i = 0; i < p->groups->len; i++) {
        const struct file_group *g = &g_array_index(p->groups, struct file_group, i);

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

    g_string_append_printf(to, "%s by \"%s\" with \"%s\"\n\n", p->upload ? "Upload" : "Download",
                           p->client.name, p->server.name);
    g_string_append_printf(to, "  %8s  %12s  %12s\n", "files", "of", "take");
    for (guint i = 0; i < p->groups->len && i < MAX_FILE_ROWS; i++) {
        const struct file_group *g = &g_array_index(p->groups, struct file_group, i);
        g_autofree char *size = units_format_size(g->size_bytes, 5);
        g_autofree char *time = i < seconds->len
                                    ? g_strdup_printf("%.3f s", g_array_index(seconds, double, i))
                                    : g_strdup("fails");

        g_string_append_printf(to, "  %8" G_GINT64_FORMAT "  %12s  %12s\n", g->count, size, time);
    }
    if (p->groups->len > MAX_FILE_ROWS)
        g_string_append_printf(to, "  and %u more lines (--json has them all)\n",
                               p->groups->len - MAX_FILE_ROWS);
    g_string_append_printf(to, "\n");
}

static json_t *predict_json(const struct predict *p, const struct prediction *prediction)
{
    return json_pack("{s:o, s:o, s:o}", "prediction", prediction_json(prediction), "files", files_json(p),
                     "breakdown_s", breakdown_json(&prediction->simulation.typical.waits));
}

static bool show(const struct predict *p, const struct prediction *prediction, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (p->as_json)
        return print_json(predict_json(p, prediction), error);
    files_text(p, text);
    prediction_text(prediction, text);
    return outfile_write("-", text->str, text->len, error);
}

/* All runs, the first with its capture where one was asked for. */
static bool simulate(struct predict *p, guint runs, struct simulation *out, GError **error)
{
    struct simulation_plan plan = {prepare, release, NULL, p};
    struct simulation_run first = {0};
    bool ok;

    prepare(p, 0, &first);
    ok = pcap_option_begin(&p->pcap, &p->client, p->upload, p->groups, &first.setup, error);
    release(&first);
    if (!ok)
        return false;
    simulation_run(&plan, runs, out);
    return pcap_option_end(&p->pcap, error);
}

/* What a warm copy found in the client's caches. */
static void add_cache_note(const struct predict *p, GPtrArray *validity)
{
    const struct client_file_cache *cache = &p->client.file_cache;
    g_autofree char *above = units_format_time(cache->above_ns, 3);
    char *note;

    if (!is_warm(p))
        return;
    if (!cache->line)
        note = g_strdup_printf("Warm caches spare what \"%s\" marks as cached for a directory or the "
                               "connection; it has no cache of file data.",
                               p->client_name);
    else if (2 * network_one_way_ns(&p->network) > cache->above_ns)
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
    struct prediction prediction = {.network = p->network.name,
                                    .validity = g_ptr_array_new_with_free_func(g_free)};
    int64_t window = p->upload ? p->server.tcp.receive_window_bytes : p->client.tcp.receive_window_bytes;
    guint runs = p->runs != NOT_GIVEN ? (guint)p->runs : network_is_random(&p->network) ? DEFAULT_RUNS : 1;

    limit_blocks(p->client.download, p->server.max_block_bytes);
    limit_blocks(p->client.upload, p->server.max_block_bytes);
    file_times_init(&times, p->groups);
    p->times = &times;
    ok = simulate(p, runs, &prediction.simulation, error);
    p->seconds = file_times_seconds(&times, prediction.simulation.failed > 0);
    prediction.baselines = baselines_of(&p->network, p->upload, file_groups_bytes(p->groups), window,
                                        prediction.simulation.typical.exchanges);
    g_ptr_array_add(
        prediction.validity,
        g_strdup(network_is_random(&p->network)
                     ? "The interval covers what is random in the network only: client, server and link are "
                       "taken as known."
                     : "Nothing in this simulation is random, so the interval is a point: client, "
                       "server and link are taken as known."));
    g_ptr_array_add(
        prediction.validity,
        g_strdup_printf(
            "The client's exchanges are those of its profile: see the basis of each line in \"%s\".",
            p->client_name));
    add_cache_note(p, prediction.validity);
    ok = ok && show(p, &prediction, error);
    g_ptr_array_unref(prediction.validity);
    g_array_unref(p->seconds);
    file_times_clear(&times);
    return ok;
}

static void clear(struct predict *p)
{
    g_free(p->network_name);
    g_free(p->client_name);
    g_free(p->server_name);
    g_free(p->files_spec);
    g_free(p->cache);
    g_free(p->pcap.path);
    g_free(p->pcap.at);
    network_profile_clear(&p->network);
    client_profile_clear(&p->client);
    server_profile_clear(&p->server);
    g_clear_pointer(&p->groups, g_array_unref);
}

bool cmd_predict(int argc, char **argv, int *status, GError **error)
{
    struct predict p = {.seed = 1, .runs = NOT_GIVEN, .at_once = NOT_GIVEN};
    bool ok;

    (void)status;
    network_profile_init(&p.network);
    client_profile_init(&p.client);
    server_profile_init(&p.server);
    ok = parse_options(&p, argc, argv, error) && load(&p, error) && predict(&p, error);
    clear(&p);
    return ok;
}
