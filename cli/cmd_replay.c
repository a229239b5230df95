#include "cli/commands.h"
#include "base/error.h"
#include "base/outfile.h"
#include "cli/replay_output.h"

#include <stdlib.h>
#include <string.h>

static const char SUMMARY[] = "Reads packet captures of SMB copies and says how each connection worked: "
                              "dialect, round trip, exchanges, bytes,\n"
                              "service times by command, and what of the capture couldn't be used.";

static const char DESCRIPTION[] =
    "CAPTURE is a pcap or pcapng file, plain or gzip-compressed. Several are read as one, in time order.\n"
    "Bytes are counted from IP headers, so a capture cut to a snap length (tcpdump -s 200) tells as much "
    "about time.\n"
    "The service time runs from a request's last frame to its answer's first, where the capture was "
    "taken.\n\n"
    "  copytrial replay slow.pcap              tables for people\n"
    "  copytrial replay --json slow.pcap.gz    one JSON object\n\n"
    "Exit status: 0 done, 2 usage, 3 a capture that can't be read or holds no SMB, 4 output.";

struct options {
    gboolean no_simulation;
    gboolean json;
    char **captures;
};

static bool parse(int argc, char **argv, struct options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"no-simulation", 0, 0, G_OPTION_ARG_NONE, &o->no_simulation, "Only read and measure", NULL},
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
    if (o->captures)
        return true;
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                "takes at least one capture file; \"copytrial replay --help\" explains");
    return false;
}

static bool print_json(const struct replay *r, GError **error)
{
    json_t *object = replay_json(r);
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    g_autofree char *line = g_strconcat(text, "\n", NULL);

    free(text);
    json_decref(object);
    return outfile_write("-", line, strlen(line), error);
}

static bool print_text(const struct replay *r, GError **error)
{
    g_autoptr(GString) text = g_string_new(NULL);

    replay_text(r, text);
    return outfile_write("-", text->str, text->len, error);
}

bool cmd_replay(int argc, char **argv, int *status, GError **error)
{
    struct options o = {0};
    struct replay *r = NULL;
    bool ok = false;

    (void)status; /* a reading that succeeds is CLI_DONE */
    if (parse(argc, argv, &o, error))
        r = replay_read((const char *const *)o.captures, NULL, error);
    if (r)
        ok = o.json ? print_json(r, error) : print_text(r, error);
    replay_free(r);
    g_strfreev(o.captures);
    return ok;
}
