/* The table of TCP connections: which connection a frame belongs to.
 *
 * A connection is known by its two ends. A SYN with another sequence number on the ends of an older connection starts a new one
 * (the port was reused). At FLOW_LIMIT connections those without SMB are forgotten and those that are over are finished; if
 * that makes no room, new ones are refused.
 *
 * Cost: one hash look-up a frame, none when it is of the same connection as the frame before. */
#ifndef REPLAY_FLOW_H
#define REPLAY_FLOW_H

#include "replay/calibrate.h"
#include "replay/connection.h"

enum { FLOW_LIMIT = 1 << 15 };

struct flow_table {
    GHashTable *by_ends; /* of struct flow, which is its own key */
    struct flow *last;
    struct connection_shared *shared;
    GPtrArray *finished; /* of struct replay_connection *, owned */
    GArray *segments;    /* of struct replay_segment: of all connections with SMB, since the last advance */
    struct calibration
        rates; /* what the windows so far say of rates and caps, when there was more than one such connection */
    bool rates_known;
};

/* Borrows `shared`. */
void flow_init(struct flow_table *t, struct connection_shared *shared);
void flow_fini(struct flow_table *t);
/* Times must not run back. */
void flow_frame(struct flow_table *t, const struct frame *f, uint64_t number, int64_t time_ns);
/* With options.measure: works through the windows of all connections, and takes from them what they say of the network that they
 * share. */
void flow_advance(struct flow_table *t);
/* Ends all connections. Returns owned: those that carried SMB, by first frame. With options.measure *network is the calibration
 * of what they share, owned and without services: rates and caps from all their segments in one sequence, all else from the one
 * that saw most. */
GPtrArray *flow_finish(struct flow_table *t, struct calibration **network);

#endif
