/* How long a new version takes over a network: copied whole by a client profile, and moved by RDC in the same session. */
#ifndef CLI_RDC_TIMES_H
#define CLI_RDC_TIMES_H

#include "cli/simulation.h"
#include "replay/rdc_transfer.h"
#include "sim/profile.h"

struct rdc_times {
    char *network_name, *client_name, *server_name; /* network_name NULL: no times */
    int runs;                                       /* G_MININT: 40 where anything is random, else 1 */
    gint64 seed;
    struct network_profile network;
    struct client_profile client;
    struct server_profile server;
    struct simulation whole, rdc;
};

void rdc_times_init(struct rdc_times *t);
void rdc_times_clear(struct rdc_times *t);
/* Reads the profiles that the names stand for. */
bool rdc_times_load(struct rdc_times *t, GError **error);
/* Fills in both simulations of a file that had `after_bytes`. */
void rdc_times_run(struct rdc_times *t, const struct rdc_transfer *transfer, uint64_t after_bytes);

#endif
