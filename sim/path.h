/* One direction of a network: its hops' links, one behind the other. */
#ifndef SIM_PATH_H
#define SIM_PATH_H

#include "sim/link.h"
#include "sim/tcp.h"

struct path {
    struct link *links; /* in the direction of travel */
    guint count;
};

struct path_setup {
    struct event_queue *queue;
    const struct network_profile *network; /* borrowed as long as the path lives */
    bool down;                             /* towards the client */
    uint64_t seed, run;
    void (*receive)(void *owner, const struct packet *p);
    void *owner;
};

void path_init(struct path *p, const struct path_setup *setup);
void path_fini(struct path *p);
/* The link that the receiver hears. */
struct link *path_last(struct path *p);
/* What a TCP end needs to send into it. */
struct tcp_path path_for_tcp(struct path *p);
/* Packets offered to the first link; drops of all of them. */
struct sim_direction_counters path_counters(const struct path *p);

#endif
