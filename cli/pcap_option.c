#include "cli/pcap_option.h"
#include "base/error.h"

#include <string.h>

bool pcap_option_check(const struct pcap_option *o, GError **error)
{
    const char *what = NULL;

    if (o->at && !o->path)
        what = "--pcap-at needs --pcap";
    else if (o->at && strcmp(o->at, "client") != 0 && strcmp(o->at, "server") != 0)
        what = "--pcap-at must be client or server";
    else if (o->path && strcmp(o->path, "-") == 0)
        what = "--pcap needs a file: standard output has the prediction";
    if (what)
        g_set_error_literal(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, what);
    return !what;
}

static const struct file_group *group_of(const struct pcap_option *o)
{
    return &g_array_index(o->groups, struct file_group, o->group);
}

static int64_t file_size(void *self, uint32_t file)
{
    struct pcap_option *o = self;

    if (file < o->first_of_group) {
        o->group = 0;
        o->first_of_group = 0;
    }
    while (o->group + 1 < o->groups->len && file >= o->first_of_group + group_of(o)->count)
        o->first_of_group += g_array_index(o->groups, struct file_group, o->group++).count;
    return group_of(o)->size_bytes;
}

bool pcap_option_begin(struct pcap_option *o, const struct client_profile *client, bool upload,
                       const GArray *groups, const struct sim_setup *setup, GError **error)
{
    struct encode_setup encode = encode_setup_of(client, setup->server);
    enum sim_capture_at at = o->at && strcmp(o->at, "server") == 0 ? SIM_CAPTURE_SERVER : SIM_CAPTURE_CLIENT;

    if (!o->path)
        return true;
    if (!encode_check_client(client, upload, error)) {
        g_prefix_error(error, "client \"%s\": ", client->name);
        return false;
    }
    o->groups = groups;
    encode.file_size = file_size;
    encode.self = o;
    o->capture = sim_capture_open(o->path, setup, &encode, at, error);
    return o->capture != NULL;
}

const struct sim_probe *pcap_option_probe(const struct pcap_option *o)
{
    return o->capture ? sim_capture_probe(o->capture) : NULL;
}

bool pcap_option_end(struct pcap_option *o, GError **error)
{
    struct sim_capture *capture = g_steal_pointer(&o->capture);

    return !capture || sim_capture_commit(capture, error);
}
