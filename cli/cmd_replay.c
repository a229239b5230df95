#include "cli/cli.h"
#include "cli/commands.h"
#include "base/error.h"
#include "base/outfile.h"
#include "base/units.h"
#include "cli/exchange_csv.h"
#include "cli/prediction.h"
#include "cli/progress.h"
#include "cli/replay_outcome.h"
#include "cli/replay_output.h"
#include "cli/replay_pages.h"
#include "replay/smb2_key_list.h"

#include <stdio.h>
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
    "  copytrial replay --csv exchanges.csv slow.pcap        and a table of its exchanges\n"
    "  copytrial replay slow.pcap --pdf slow.pdf             pages to print or to pass on\n\n"
    "The first lines say what held the copy back and what would help. Frame numbers and display filters are "
    "for "
    "Wireshark.\n\n"
    "Exit status: 0 done, 2 usage, 3 a capture that can't be read, holds no SMB or could be decoded to so "
    "little\n"
    "that only its plain facts were printed, 4 output.";

struct options {
    char *network, *as, *keys, *csv, *color, *files, *pages, *command_line;
    enum draw_format format; /* when pages is set */
    int runs;
    struct replay_view view;
    gint64 seed;
    gboolean no_simulation;
    gboolean json;
    char **captures;
};

static bool parse_view(struct options *o, GError **error)
{
    enum { FILES_SHOWN = 10, FILES_MOST = 1000000 };
    int64_t files = FILES_SHOWN;

    if (!style_init(&o->view.style, o->color, error))
        return false;
    if (o->files && strcmp(o->files, "all") == 0) {
        o->view.files = G_MAXUINT;
        return true;
    }
    if (o->files && (!units_parse_count(o->files, &files, NULL) || files > FILES_MOST)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "--files takes a number or \"all\", not \"%s\"", o->files);
        return false;
    }
    o->view.files = (guint)files;
    return true;
}

static bool parse(int argc, char **argv, struct options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"network", 'n', 0, G_OPTION_ARG_STRING, &o->network,
         "Predict the same copy on this network: a name (copytrial list networks) or a file", "NAME|FILE"},
        {"as", 0, 0, G_OPTION_ARG_STRING, &o->as,
         "Predict the same files copied by another program: a name (copytrial list clients) or a file; "
         "\"recorded\" "
         "is the captured one",
         "recorded|NAME|FILE"},
        {"runs", 'r', 0, G_OPTION_ARG_INT, &o->runs, "Simulated runs for the prediction (default: 60)", "N"},
        {"seed", 0, 0, G_OPTION_ARG_INT64, &o->seed, "Seed of the random streams (default: 1)", "N"},
        {"keys", 'k', 0, G_OPTION_ARG_FILENAME, &o->keys,
         "Decrypt SMB3 messages with the session keys in this file", "FILE"},
        {"no-simulation", 0, 0, G_OPTION_ARG_NONE, &o->no_simulation, "Only read and measure", NULL},
        {"pdf", 0, 0, G_OPTION_ARG_FILENAME, &o->pages,
         "Write a report, too: .pdf, or its page 1 as .png or .svg", "FILE"},
        {"files", 0, 0, G_OPTION_ARG_STRING, &o->files,
         "Files to list, those that took longest first (default: 10)", "N|all"},
        {"csv", 0, 0, G_OPTION_ARG_FILENAME, &o->csv, "Write the exchanges to this file, a row each", "FILE"},
        {"color", 0, 0, G_OPTION_ARG_STRING, &o->color, "Colour: auto (on a terminal), always or never",
         "WHEN"},
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
    else if ((o->network || o->as) && o->no_simulation)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "%s needs a simulation: not with --no-simulation", o->network ? "--network" : "--as");
    else if (o->runs < 0 || o->runs > 100000)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "--runs must be between 1 and 100000");
    else
        return parse_view(o, error) &&
               (!o->pages || report_file_format("--pdf", o->pages, &o->format, error));
    return false;
}

static bool print_text(const struct replay_outcome *outcome, const struct replay_view *view, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    replay_text(outcome, view, text);
    return outfile_write("-", text->str, text->len, error);
}

/* ---- reading --------------------------------------------------------------------------------------------------------- */

struct watch {
    struct progress progress;
    struct exchange_csv csv;
};

static void on_progress(void *self, uint64_t read, uint64_t of)
{
    progress_show(&((struct watch *)self)->progress, read, of);
}

static void on_exchange(void *self, const struct replay_connection *c, const struct replay_exchange *x,
                        const char *file)
{
    exchange_csv_row(&((struct watch *)self)->csv, c, x, file);
}

static struct replay *read_captures(const struct options *o, struct watch *w, GError **error)
{
    g_autoptr(GArray) keys = o->keys ? smb2_key_list_read(o->keys, error) : NULL;
    const struct replay_options options = {
        .measure = true,
        .trace = !o->no_simulation,
        .timeline = o->pages,
        .keys = keys,
        .exchange = o->csv ? on_exchange : NULL,
        .progress = on_progress,
        .self = w,
    };
    struct replay *r;

    if ((o->keys && !keys) || (o->csv && !exchange_csv_open(&w->csv, o->csv, error)))
        return NULL;
    progress_begin(&w->progress);
    r = replay_read((const char *const *)o->captures, &options, error);
    progress_end(&w->progress);
    if (!r || !o->csv || exchange_csv_commit(&w->csv, error))
        return r;
    replay_free(r);
    return NULL;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

static bool print_outcome(const struct options *o, const struct replay_outcome *outcome, int *status,
                          GError **error)
{
    if (o->pages && !replay_pages_write(outcome, o->pages, o->format, o->command_line, error))
        return false;
    if (!(o->json ? print_json(replay_json(outcome), error) : print_text(outcome, &o->view, error)))
        return false;
    if (!outcome->refused)
        return true;
    *status = CLI_INPUT; /* its facts are printed all the same */
    fprintf(stderr, "copytrial replay: %s\n", outcome->why_not);
    return true;
}

static bool replay_captures(const struct options *o, int *status, GError **error)
{
    const struct replay_request request = {
        .network = o->network,
        .as = o->as && strcmp(o->as, "recorded") != 0 ? o->as : NULL,
        .simulate = !o->no_simulation,
        .runs = (guint)o->runs,
        .seed = (uint64_t)o->seed,
    };
    struct watch watch = {0};
    struct replay *r = read_captures(o, &watch, error);
    struct replay_outcome outcome;
    bool ok;

    exchange_csv_clear(&watch.csv);
    if (!r)
        return false;
    ok = replay_outcome_init(&outcome, r, &request, error) && print_outcome(o, &outcome, status, error);
    replay_outcome_clear(&outcome);
    replay_free(r);
    return ok;
}

bool cmd_replay(int argc, char **argv, int *status, GError **error)
{
    struct options o = {.seed = 1, .command_line = report_file_command_line(argc, argv)};
    bool ok = parse(argc, argv, &o, error) && (!o.pages || outfile_probe(o.pages, error)) &&
              replay_captures(&o, status, error);

    g_free(o.network);
    g_free(o.as);
    g_free(o.keys);
    g_free(o.pages);
    g_free(o.command_line);
    g_free(o.csv);
    g_free(o.color);
    g_free(o.files);
    g_strfreev(o.captures);
    return ok;
}
