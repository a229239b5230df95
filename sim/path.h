/* One of the ways between the two hosts: a network's routes, the hosts' stages at both ends, and the probe. What arrives goes to the
 * connection that the packet names. Each path has an adapter of its own at both ends. */
#ifndef SIM_PATH_H
#define SIM_PATH_H

#include "sim/host.h"
#include "sim/route.h"

struct path {
    struct route down, up;
    struct host client_host, server_host; /* stages between TCP and the routes, where they are needed */
    bool has_client_host, has_server_host;
    struct tcp_path from_client, from_server; /* out of the hosts, behind the probe */
    const struct sim_probe *probe;            /* or NULL */
    const struct event_queue *queue;
    void (*reach_client)(void *owner, const struct packet *p);
    void (*reach_server)(void *owner, const struct packet *p);
    void *owner;
};

struct path_setup {
    struct event_queue *queue;
    const struct sim_setup *setup;
    size_t number;                   /* of the network: 0 is the setup's, then its further ones */
    struct machine *client, *server; /* borrowed */
    void (*reach_client)(void *owner, const struct packet *p);
    void (*reach_server)(void *owner, const struct packet *p);
    void *owner;
};

/* The path must not move. */
void path_init(struct path *p, const struct path_setup *setup);
void path_fini(struct path *p);
/* What the two TCP ends send into. */
struct tcp_path path_of_client(struct path *p);
struct tcp_path path_of_server(struct path *p);
/* Adds its counters. */
void path_count(const struct path *p, struct sim_result *result);

#endif
