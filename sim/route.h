/* One direction of a network: its hops' links, one behind the other. */
#ifndef SIM_ROUTE_H
#define SIM_ROUTE_H

#include "sim/link.h"
#include "sim/tcp.h"

struct route {
    struct link *links; /* in the direction of travel */
    guint count;
};

struct route_setup {
    struct event_queue *queue;
    const struct network_profile *network; /* borrowed as long as the path lives */
    size_t number;                         /* of the network: its random streams have names of their own */
    bool down;                             /* towards the client */
    uint64_t seed, run;
    void (*receive)(void *owner, const struct packet *p);
    void *owner;
};

void route_init(struct route *p, const struct route_setup *setup);
void route_fini(struct route *p);
/* The link that the receiver hears. */
struct link *route_last(struct route *p);
/* What a TCP end needs to send into it. */
struct tcp_path route_for_tcp(struct route *p);
/* Packets offered to the first link; drops of all of them. */
struct sim_direction_counters route_counters(const struct route *p);

#endif
