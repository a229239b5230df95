/* What predict is asked: its options, and the profiles and files that they name. */
#ifndef CLI_QUESTION_H
#define CLI_QUESTION_H

#include "cli/pcap_option.h"
#include "cli/series_option.h"
#include "sim/profile.h"
#include "sim/workload.h"

#include <glib.h>
#include <stdbool.h>

struct question {
    char **network_names; /* the session's first connection goes over the first */
    char *client_name, *server_name, *files_spec, *cache;
    gboolean upload, as_json;
    int runs;
    int at_once; /* G_MININT: not given */
    gint64 seed;
    struct pcap_option pcap;
    struct series_option series;
    struct network_profile *networks;
    guint network_count;
    struct client_profile client; /* with what the options and the server change of it */
    struct server_profile server;
    GArray *groups; /* of struct file_group */
};

void question_init(struct question *q);
void question_clear(struct question *q);
/* Parses and loads. COPYTRIAL_ERROR_USAGE or _INPUT. */
bool question_read(struct question *q, int argc, char **argv, GError **error);
/* Loads what the names mean; names, files_spec and the numbers are set. COPYTRIAL_ERROR_USAGE or _INPUT. */
bool question_load(struct question *q, GError **error);
/* Whether two runs may differ. */
bool question_is_random(const struct question *q);
bool question_is_warm(const struct question *q);
/* The networks' names. Returns owned. */
char *question_title(const struct question *q);

#endif
