#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/pcap_option.h"
#include "cli/prediction.h"
#include "cli/profiles.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"

#include <stdio.h>

enum { DEFAULT_RUNS = 40, RUNS_NOT_GIVEN = G_MININT };

/* Seconds of each group of files, noted as the nominal run goes on. */
struct group_times {
    const GArray *groups;
    guint group;
    int64_t last_file_of_group;
    int64_t group_start_ns;
    int64_t end_ns;
    GArray *seconds; /* of double */
};

struct predict {
    char *network_name, *client_name, *server_name, *files_spec;
    gboolean upload, as_json;
    int runs;
    gint64 seed;
    struct network_profile network;
    struct client_profile client;
    struct server_profile server;
    GArray *groups; /* of struct file_group */
    struct group_times *times;
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
    else if (p->runs != RUNS_NOT_GIVEN && (p->runs < 1 || p->runs > 100000))
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--runs must be between 1 and 100000");
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

static void note_exchange(void *observer, const struct exchange *e, int64_t issued_ns, int64_t done_ns)
{
    struct group_times *t = observer;

    (void)issued_ns;
    while (t->group < t->groups->len && e->file > t->last_file_of_group) {
        double s = units_seconds(t->end_ns - t->group_start_ns);

        g_array_append_val(t->seconds, s);
        t->group_start_ns = t->end_ns;
        t->group++;
        if (t->group < t->groups->len)
            t->last_file_of_group += g_array_index(t->groups, struct file_group, t->group).count;
    }
    t->end_ns = done_ns;
}

struct copy_run {
    struct network_profile network; /* view of the profile, with this run's values */
    struct copy_source source;
    struct sim_connection connection;
};

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    const struct predict *p = self;
    struct copy_run *r = g_new0(struct copy_run, 1);

    copy_source_init(&r->source, &p->client, p->upload, p->groups);
    r->connection.source = r->source.source;
    network_profile_draw(&p->network, (uint64_t)p->seed, run, &r->network);
    out->owned = r;
    out->setup = (struct sim_setup){
        .network = &r->network,
        .client_tcp = &p->client.tcp,
        .server_tcp = &p->server.tcp,
        .server = &p->server,
        .client_host = &p->client.host,
        .server_host = &p->server.host,
        .credits = p->client.credits,
        .request_timeout_ns = p->client.request_timeout_ns,
        .connections = &r->connection,
        .connection_count = 1,
        .seed = (uint64_t)p->seed,
        .run = run,
    };
    if (run == 0) {
        out->setup.on_exchange = note_exchange;
        out->setup.observer = p->times;
        out->setup.probe = pcap_option_probe(&p->pcap);
    }
}

static void release(struct simulation_run *run)
{
    g_free(run->owned);
}

static json_t *files_json(const struct predict *p, const GArray *seconds)
{
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

static void files_text(const struct predict *p, const GArray *seconds, GString *to)
{
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
    return json_pack("{s:o, s:o, s:o}", "prediction", prediction_json(prediction), "files",
                     files_json(p, p->times->seconds), "breakdown_s",
                     breakdown_json(&prediction->simulation.typical.waits));
}

static bool show(const struct predict *p, const struct prediction *prediction, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (p->as_json)
        return print_json(predict_json(p, prediction), error);
    files_text(p, p->times->seconds, text);
    prediction_text(prediction, text);
    return outfile_write("-", text->str, text->len, error);
}

static void close_last_group(struct group_times *t)
{
    double s = units_seconds(t->end_ns - t->group_start_ns);

    if (t->group < t->groups->len && t->end_ns > 0)
        g_array_append_val(t->seconds, s);
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

static bool predict(struct predict *p, GError **error)
{
    bool ok;
    struct group_times times = {
        .groups = p->groups,
        .last_file_of_group = g_array_index(p->groups, struct file_group, 0).count - 1,
        .seconds = g_array_new(FALSE, FALSE, sizeof(double)),
    };
    struct prediction prediction = {.network = p->network.name,
                                    .validity = g_ptr_array_new_with_free_func(g_free)};
    int64_t window = p->upload ? p->server.tcp.receive_window_bytes : p->client.tcp.receive_window_bytes;
    guint runs = p->runs != RUNS_NOT_GIVEN        ? (guint)p->runs
                 : network_is_random(&p->network) ? DEFAULT_RUNS
                                                  : 1;

    limit_blocks(p->client.download, p->server.max_block_bytes);
    limit_blocks(p->client.upload, p->server.max_block_bytes);
    p->times = &times;
    ok = simulate(p, runs, &prediction.simulation, error);
    if (!prediction.simulation.failed)
        close_last_group(&times);
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
    ok = ok && show(p, &prediction, error);
    g_ptr_array_unref(prediction.validity);
    g_array_unref(times.seconds);
    return ok;
}

static void clear(struct predict *p)
{
    g_free(p->network_name);
    g_free(p->client_name);
    g_free(p->server_name);
    g_free(p->files_spec);
    g_free(p->pcap.path);
    g_free(p->pcap.at);
    network_profile_clear(&p->network);
    client_profile_clear(&p->client);
    server_profile_clear(&p->server);
    g_clear_pointer(&p->groups, g_array_unref);
}

bool cmd_predict(int argc, char **argv, int *status, GError **error)
{
    struct predict p = {.seed = 1, .runs = RUNS_NOT_GIVEN};
    bool ok;

    (void)status;
    network_profile_init(&p.network);
    client_profile_init(&p.client);
    server_profile_init(&p.server);
    ok = parse_options(&p, argc, argv, error) && load(&p, error) && predict(&p, error);
    clear(&p);
    return ok;
}
