#include "cli/commands.h"
#include "base/error.h"
#include "base/outfile.h"
#include "cli/prediction.h"
#include "cli/replay_outcome.h"
#include "cli/replay_output.h"
#include "cli/replay_pages.h"
#include "replay/smb2_key_list.h"

#include <string.h>

static const char SUMMARY[] =
    "Reads packet captures of SMB copies and says how each connection worked and where its time "
    "went. Then replays\n"
    "the copy in a simulation of its own network, to show how far the model can be trusted, and on "
    "another network\nif one is named, to predict how long it would take there.";

static const char DESCRIPTION[] =
    "CAPTURE is a pcap or pcapng file, plain or compressed with gzip or zstd, or - for standard input. "
    "Several are\n"
    "read as one, in time order.\n"
    "Bytes are counted from IP headers, so a capture cut to a snap length (tcpdump -s 200) tells as much "
    "about time.\n"
    "The service time runs from a request's last frame to its answer's first, where the capture was "
    "taken.\n\n"
    "FILE of --keys is Wireshark's table of SMB2 session keys (smb2_seskey_list): a line a session, session "
    "id,\n"
    "session key, and optionally the keys from server to client and client to server, in hexadecimal.\n\n"
    "  copytrial replay slow.pcap                            where did the time go?\n"
    "  copytrial replay slow.pcap --network branch-office    how long over there?\n"
    "  copytrial replay --json slow.pcap.gz                  one JSON object\n"
    "  copytrial replay slow.pcap --pdf slow.pdf             pages to print or to pass on\n\n"
    "Exit status: 0 done, 2 usage, 3 a capture that can't be read or holds no SMB, 4 output.";

static const char SHELL_PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";

struct options {
    char *network, *keys, *pages, *command_line;
    enum draw_format format; /* when pages is set */
    int runs;
    gint64 seed;
    gboolean no_simulation;
    gboolean json;
    char **captures;
};

static bool parse(int argc, char **argv, struct options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"network", 'n', 0, G_OPTION_ARG_STRING, &o->network,
         "Predict the same copy on this network: a name (copytrial list networks) or a file", "NAME|FILE"},
        {"runs", 'r', 0, G_OPTION_ARG_INT, &o->runs, "Simulated runs for the prediction (default: 60)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "Seed of the random streams (default: 1)", "N"},
        {"keys", 'k', 0, G_OPTION_ARG_FILENAME, &o->keys,
         "Decrypt SMB3 messages with the session keys in this file", "FILE"},
        {"no-simulation", 0, 0, G_OPTION_ARG_NONE, &o->no_simulation, "Only read and measure", NULL},
        {"pdf", 0, 0, G_OPTION_ARG_FILENAME, &o->pages,
         "Write a report, too: .pdf, or its page 1 as .png or .svg", "FILE"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Print one JSON object", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->captures, NULL, NULL},
        {NULL, 0, 0, G_OPTION_ARG_NONE, NULL, NULL, NULL},
    };
    g_autoptr(GOptionContext) context = g_option_context_new("CAPTURE…");

    g_option_context_set_summary(context, SUMMARY);
    g_option_context_set_description(context, DESCRIPTION);
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, error))
        return false;
    if (!o->captures)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "takes at least one capture file; \"copytrial replay --help\" explains");
    else if (o->network && o->no_simulation)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "--network needs a simulation: not with --no-simulation");
    else if (o->runs < 0 || o->runs > 100000)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--runs must be between 1 and 100000");
    else
        return !o->pages || report_file_format("--pdf", o->pages, &o->format, error);
    return false;
}

static bool print_text(const struct replay_outcome *outcome, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    replay_text(outcome, text);
    return outfile_write("-", text->str, text->len, error);
}

static bool replay_captures(const struct options *o, GError **error)
{
    g_autoptr(GArray) keys = o->keys ? smb2_key_list_read(o->keys, error) : NULL;
    const struct replay_options options = {
        .measure = true, .trace = !o->no_simulation, .timeline = o->pages, .keys = keys};
    const struct replay_request request = {
        .network = o->network,
        .simulate = !o->no_simulation,
        .runs = (guint)o->runs,
        .seed = (uint64_t)o->seed,
    };
    struct replay *r = NULL;
    struct replay_outcome outcome;
    bool ok;

    if (o->pages && !outfile_probe(o->pages, error))
        return false;
    if (keys || !o->keys)
        r = replay_read((const char *const *)o->captures, &options, error);
    if (!r)
        return false;
    ok = replay_outcome_init(&outcome, r, &request, error);
    if (ok && o->pages)
        ok = replay_pages_write(&outcome, o->pages, o->format, o->command_line, error);
    if (ok)
        ok = o->json ? print_json(replay_json(&outcome), error) : print_text(&outcome, error);
    replay_outcome_clear(&outcome);
    replay_free(r);
    return ok;
}

/* As it can be typed again. Returns owned. */
static char *command_line(int argc, char **argv)
{
    g_autoptr(GString) line = g_string_new("copytrial");

    for (int i = 0; i < argc; i++) {
        bool plain = argv[i][0] && strspn(argv[i], SHELL_PLAIN) == strlen(argv[i]);
        g_autofree char *quoted = plain ? g_strdup(argv[i]) : g_shell_quote(argv[i]);

        g_string_append_printf(line, " %s", quoted);
    }
    return g_utf8_make_valid(line->str, -1);
}

bool cmd_replay(int argc, char **argv, int *status, GError **error)
{
    struct options o = {.seed = 1, .command_line = command_line(argc, argv)};
    bool ok;

    (void)status; /* a reading that succeeds is CLI_DONE */
    ok = parse(argc, argv, &o, error) && replay_captures(&o, error);
    g_free(o.network);
    g_free(o.keys);
    g_free(o.pages);
    g_free(o.command_line);
    g_strfreev(o.captures);
    return ok;
}
