/* A copy to be simulated, as a claim file describes it:
 *
 *   simulation:
 *     network: branch-office          # a name or a file, as in copytrial predict; files lie beside the claim file
 *     client: robocopy
 *     server: windows-server-2022
 *     files: 16x19.75MiB              # or a list file, or a folder
 *     upload: yes                     # to the server
 *     cache: warm                     # or cold
 *     at_once: 4                      # files copied at once
 *     runs: 20
 *     seed: 1
 *     basis: predicted                # or fitted: these very figures were used to set a value of the profiles
 *
 * What all scenarios of a claim share stands once, under the claim file's own `simulation`; keys beside an arm or a figure override it.
 * This folder doesn't know what the names mean: claim_sources.h has who does.
 *
 * Ownership: strings belong to the scenario. */
#ifndef REPORT_SCENARIO_H
#define REPORT_SCENARIO_H

#include "base/yaml.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum scenario_basis { SCENARIO_PREDICTED, SCENARIO_FITTED };

struct scenario {
    char *network, *client, *server, *files, *cache;
    bool upload;
    int64_t at_once, runs, seed; /* 0: not said */
    int basis;                   /* enum scenario_basis */
    int line;                    /* 0: there is none */
};

extern const struct yaml_field SCENARIO_FIELDS[];

void scenario_clear(struct scenario *s);
/* What `own` doesn't say is taken from `common`. */
void scenario_inherit(struct scenario *own, const struct scenario *common);
/* The first key that is missing: "network". NULL: none. Static. */
const char *scenario_lacks(const struct scenario *s);
/* "client (robocopy, robocopy-compress)" for each key in which the two differ, in the order of the file; runs and basis left out.
 * Returns an array of owned strings. */
GPtrArray *scenario_differences(const struct scenario *a, const struct scenario *b);
/* "network branch-office, client robocopy, server samba, files 16x19.75MiB". Returns owned. */
char *scenario_text(const struct scenario *s);

#endif
