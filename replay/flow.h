/* The table of TCP connections: which connection a frame belongs to.
 *
 * A connection is known by its two ends. A SYN with another sequence number on the ends of an older connection starts a new one
 * (the port was reused). At FLOW_LIMIT connections those without SMB are forgotten and those that are over are finished; if
 * that makes no room, new ones are refused.
 *
 * Cost: one hash look-up a frame, none when it is of the same connection as the frame before. */
#ifndef REPLAY_FLOW_H
#define REPLAY_FLOW_H

#include "replay/connection.h"

enum { FLOW_LIMIT = 1 << 15 };

struct flow_table {
    GHashTable *by_ends; /* of struct flow, which is its own key */
    struct flow *last;
    struct connection_shared *shared;
    GPtrArray *finished; /* of struct replay_connection *, owned */
};

/* Borrows `shared`. */
void flow_init(struct flow_table *t, struct connection_shared *shared);
void flow_fini(struct flow_table *t);
void flow_frame(struct flow_table *t, const struct frame *f, uint64_t number, int64_t time_ns);
/* Ends all connections. Returns owned: those that carried SMB, by first frame. */
GPtrArray *flow_finish(struct flow_table *t);

#endif
