#include "cli/question.h"
#include "cli/profiles.h"
#include "base/error.h"

#include <string.h>

enum { DEFAULT_RUNS = 40, NOT_GIVEN = G_MININT };

static GArray *load_files(const char *spec, GError **error)
{
    if (g_file_test(spec, G_FILE_TEST_IS_DIR))
        return file_groups_scan(spec, error);
    if (g_file_test(spec, G_FILE_TEST_EXISTS))
        return file_groups_read(spec, error);
    return file_groups_parse(spec, error);
}

static bool check_options(const struct question *q, GError **error)
{
    const char *missing = !q->network_names ? "--network"
                          : !q->client_name ? "--client"
                          : !q->server_name ? "--server"
                          : !q->files_spec  ? "--files"
                                            : NULL;
    const char *wrong = NULL;

    if (missing) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "%s is missing (copytrial predict --help)",
                    missing);
        return false;
    }
    if (q->runs != NOT_GIVEN && (q->runs < 1 || q->runs > 100000))
        wrong = "--runs must be between 1 and 100000";
    else if (q->at_once != NOT_GIVEN && (q->at_once < 1 || q->at_once > 1024))
        wrong = "--at-once must be between 1 and 1024";
    else if (q->cache && strcmp(q->cache, "cold") != 0 && strcmp(q->cache, "warm") != 0)
        wrong = "--cache must be cold or warm";
    if (wrong)
        g_set_error_literal(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, wrong);
    return !wrong;
}

static bool parse_options(struct question *q, int argc, char **argv, GError **error)
{
    const GOptionEntry entries[] = {
        {"network", 'n', 0, G_OPTION_ARG_STRING_ARRAY, &q->network_names,
         "Network: a name (copytrial list networks) or a file; several: paths of an SMB 3 session",
         "NAME|FILE"},
        {"client", 'c', 0, G_OPTION_ARG_STRING, &q->client_name,
         "Copy program: a name (copytrial list clients) or a file", "NAME|FILE"},
        {"server", 's', 0, G_OPTION_ARG_STRING, &q->server_name,
         "Server: a name (copytrial list servers) or a file", "NAME|FILE"},
        {"files", 'f', 0, G_OPTION_ARG_STRING, &q->files_spec,
         "What is copied: 16x19.75MiB,370x41KiB, a list file (\"size path\" a line), or a folder", "SPEC"},
        {"at-once", 0, 0, G_OPTION_ARG_INT, &q->at_once,
         "Files copied at once, instead of the client's files_at_once", "N"},
        {"cache", 0, 0, G_OPTION_ARG_STRING, &q->cache,
         "The client's caches: cold (default), or warm from a copy of the same files just before", "STATE"},
        {"upload", 'u', 0, G_OPTION_ARG_NONE, &q->upload, "Copy to the server (default: from it)", NULL},
        {"runs", 'r', 0, G_OPTION_ARG_INT, &q->runs,
         "Simulated runs (default: 40 where anything is random, else 1)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &q->seed, "Seed of the random streams (default: 1)", "N"},
        {"json", 'j', 0, G_OPTION_ARG_NONE, &q->as_json, "Print one JSON object", NULL},
        {"pcap", 0, 0, G_OPTION_ARG_FILENAME, &q->pcap.path,
         "Write the simulated traffic of the first run as a capture", "FILE"},
        {"pcap-at", 0, 0, G_OPTION_ARG_STRING, &q->pcap.at,
         "Where it is captured: client (default) or server", "END"},
        {"series", 0, 0, G_OPTION_ARG_FILENAME, &q->series.path,
         "Write the first run as a table over time (CSV)", "FILE"},
        {"series-every", 0, 0, G_OPTION_ARG_STRING, &q->series.every,
         "Time between its lines (default: 100 ms)", "TIME"},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context = g_option_context_new("- predict how long a copy takes");

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
    if (argc > 1) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "unexpected argument \"%s\"", argv[1]);
        return false;
    }
    return check_options(q, error) && pcap_option_check(&q->pcap, error) &&
           series_option_check(&q->series, error);
}

static bool load_networks(struct question *q, GError **error)
{
    guint count = g_strv_length(q->network_names);

    q->networks = g_new0(struct network_profile, count);
    for (; q->network_count < count; q->network_count++) {
        guint i = q->network_count;

        network_profile_init(&q->networks[i]);
        if (!profiles_load_network(q->network_names[i], &q->networks[i], error)) {
            network_profile_clear(&q->networks[i]);
            return false;
        }
    }
    return true;
}

bool question_is_random(const struct question *q)
{
    for (guint i = 0; i < q->network_count; i++) {
        if (network_is_random(&q->networks[i]))
            return true;
    }
    return false;
}

/* Bounds a data step's block by what the server grants. */
static void limit_blocks(GArray *steps, int64_t limit)
{
    for (guint i = 0; steps && limit && i < steps->len; i++) {
        struct client_step *s = &g_array_index(steps, struct client_step, i);

        s->block_bytes = MIN(s->block_bytes, limit);
    }
}

static bool fits_together(const struct question *q, GError **error)
{
    if (!(q->upload ? q->client.upload : q->client.download)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "client \"%s\" has no %s list",
                    q->client_name, q->upload ? "upload" : "download");
        return false;
    }
    if (q->network_count > 1 && q->client.dialect[0] != '3') {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "client \"%s\" speaks %s: several networks need SMB 3's multichannel", q->client_name,
                    q->client.dialect);
        return false;
    }
    return true;
}

bool question_load(struct question *q, GError **error)
{
    if (!load_networks(q, error) || !profiles_load_client(q->client_name, &q->client, error) ||
        !profiles_load_server(q->server_name, &q->server, error) || !fits_together(q, error))
        return false;
    limit_blocks(q->client.download, q->server.max_block_bytes);
    limit_blocks(q->client.upload, q->server.max_block_bytes);
    if (q->at_once != NOT_GIVEN)
        q->client.files_at_once = q->at_once;
    q->groups = load_files(q->files_spec, error);
    return q->groups != NULL;
}

bool question_is_warm(const struct question *q)
{
    return q->cache && strcmp(q->cache, "warm") == 0;
}

char *question_title(const struct question *q)
{
    GString *title = g_string_new(q->networks[0].name);

    for (guint i = 1; i < q->network_count; i++)
        g_string_append_printf(title, " + %s", q->networks[i].name);
    return g_string_free(title, FALSE);
}

void question_init(struct question *q)
{
    *q = (struct question){.runs = NOT_GIVEN, .at_once = NOT_GIVEN, .seed = 1};
    client_profile_init(&q->client);
    server_profile_init(&q->server);
}

bool question_read(struct question *q, int argc, char **argv, GError **error)
{
    if (!parse_options(q, argc, argv, error) || !question_load(q, error))
        return false;
    if (q->runs == NOT_GIVEN)
        q->runs = question_is_random(q) ? DEFAULT_RUNS : 1;
    return true;
}

void question_clear(struct question *q)
{
    g_strfreev(q->network_names);
    g_free(q->client_name);
    g_free(q->server_name);
    g_free(q->files_spec);
    g_free(q->cache);
    g_free(q->pcap.path);
    g_free(q->pcap.at);
    series_option_clear(&q->series);
    for (guint i = 0; i < q->network_count; i++)
        network_profile_clear(&q->networks[i]);
    g_free(q->networks);
    client_profile_clear(&q->client);
    server_profile_clear(&q->server);
    g_clear_pointer(&q->groups, g_array_unref);
}
