#include "cli/commands.h"
#include "base/error.h"
#include "base/outfile.h"
#include "replay/analysis.h"
#include "replay/calibrated_profile.h"
#include "replay/smb2_key_list.h"

#include <string.h>

static const char DESCRIPTION[] =
    "PROFILE.yaml holds a network, a client and a server as the capture shows them, each value with the\n"
    "interval in which it lies; predict takes each from it:\n\n"
    "  copytrial calibrate slow.pcap -o slow.yaml\n"
    "  copytrial predict --network slow.yaml --client slow.yaml --server slow.yaml --files 100x2MiB\n"
    "  copytrial predict --network vpn --client slow.yaml --server slow.yaml --files 100x2MiB\n\n"
    "Several captures are read as one, in time order.";

struct options {
    char *output, *keys;
    char **captures;
};

static bool parse(int argc, char **argv, struct options *o, GError **error)
{
    const GOptionEntry entries[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o->output,
         "Write the profile to this file (- is standard output)", "PROFILE.yaml"},
        {"keys", 'k', 0, G_OPTION_ARG_FILENAME, &o->keys,
         "Decrypt SMB3 messages with the session keys in this file", "FILE"},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->captures, NULL, NULL},
        G_OPTION_ENTRY_NULL,
    };
    g_autoptr(GOptionContext) context =
        g_option_context_new("CAPTURE… - turn a captured copy into a profile that predict reads");

    g_option_context_set_description(context, DESCRIPTION);
    g_option_context_add_main_entries(context, entries, NULL);
    if (!g_option_context_parse(context, &argc, &argv, error))
        return false;
    if (!o->captures)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "takes at least one capture file; \"copytrial calibrate --help\" explains");
    else if (!o->output)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "-o PROFILE.yaml is missing");
    else
        return strcmp(o->output, "-") == 0 || outfile_probe(o->output, error);
    return false;
}

static char *profile_of(const struct options *o, const GArray *keys, GError **error)
{
    const struct replay_options options = {.measure = true, .trace = true, .keys = keys};
    struct replay *r = replay_read((const char *const *)o->captures, &options, error);
    struct replay_model *m = r ? replay_model_new(r, error) : NULL;
    char *text = m ? calibrated_profile(r, m, error) : NULL;

    replay_model_free(m);
    replay_free(r);
    return text;
}

static bool calibrate_captures(const struct options *o, GError **error)
{
    g_autoptr(GArray) keys = o->keys ? smb2_key_list_read(o->keys, error) : NULL;
    g_autofree char *text = keys || !o->keys ? profile_of(o, keys, error) : NULL;

    return text && outfile_write(o->output, text, strlen(text), error);
}

bool cmd_calibrate(int argc, char **argv, int *status, GError **error)
{
    struct options o = {0};
    bool ok;

    (void)status;
    ok = parse(argc, argv, &o, error) && calibrate_captures(&o, error);
    g_free(o.output);
    g_free(o.keys);
    g_strfreev(o.captures);
    return ok;
}
