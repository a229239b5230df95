/* predict's --pcap: the traffic of the nominal run as a capture. */
#ifndef CLI_PCAP_OPTION_H
#define CLI_PCAP_OPTION_H

#include "replay/sim_capture.h"

struct pcap_option {
    char *path; /* NULL: not asked for; owned by the caller */
    char *at;   /* NULL, "client" or "server"; the same */
    struct sim_capture *capture;
    /* Where the size of a file was last looked up: files are asked for mostly in their order. */
    const GArray *groups; /* of struct file_group */
    guint group;
    int64_t first_of_group;
};

/* Refuses what the options can't mean. */
bool pcap_option_check(const struct pcap_option *o, GError **error);
/* Opens the capture of the run with this setup, where it was asked for. Borrows `groups`. */
bool pcap_option_begin(struct pcap_option *o, const struct client_profile *client, bool upload,
                       const GArray *groups, const struct sim_setup *setup, GError **error);
/* The run's probe: NULL without a capture. */
const struct sim_probe *pcap_option_probe(const struct pcap_option *o);
/* Puts the file under its name. */
bool pcap_option_end(struct pcap_option *o, GError **error);

#endif
