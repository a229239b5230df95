/* A connection's segments on the clocks of both ends, from where one capture point saw them.
 *
 * Model. Each direction is a FIFO link: a frame is serialised when the one before is through, and arrives one propagation
 * delay later. Seen before the link (a client's capture of what it sends), the arrival follows from that rule. Seen
 * behind it (what the client receives), the arrival is the time seen; the departure is one delay and one serialisation
 * earlier, and when the frame came right behind the one before it, it may have waited on the link for longer: it is
 * then marked queued and its departure is the latest that fits. With a packet budget per millisecond, the first frame of
 * a millisecond whose predecessor was used up counts as queued too, and the pause as its wait for the budget. A capture
 * in the middle sees both directions from behind a link. Whatever left was there before the receiver acknowledged it: an arrival
 * that the rule puts later than that is moved back, and the link was free by as much sooner. A packet budget that the
 * acknowledgements show from there delays arrivals to the next millisecond.
 *
 * Cost: one pass. The wire borrows the connection. */
#ifndef REPLAY_WIRE_H
#define REPLAY_WIRE_H

#include "replay/calibrate.h"

struct wire_segment {
    int64_t sent_ns;
    int64_t arrived_ns;
    int64_t budget_wait_ns; /* part of its time on the link */
    bool queued;
};

struct wire {
    const struct replay_connection *connection;
    struct wire_segment *segments; /* one for each of connection->segments_kept */
    struct window window;
    int64_t one_way_ns;
    int64_t full_ns[REPLAY_DIRECTIONS]; /* that the link needs for a full packet */
    int64_t doubt_ns;                   /* of it, there and back */
    enum replay_capture_point point;    /* an unknown one counts as the client's */
};

/* Whether what that direction's sender does was seen at the sender. */
static inline bool wire_at_sender(const struct wire *w, enum replay_direction d)
{
    return w->point == (d == REPLAY_UP ? REPLAY_POINT_CLIENT : REPLAY_POINT_SERVER);
}

void wire_init(struct wire *p, const struct replay_connection *c, const struct calibration *k,
               const struct window *window);
void wire_fini(struct wire *p);
/* Index of the segment of that frame, or of the first after it. */
guint wire_find(const struct wire *p, uint64_t frame);
/* Time that the link needs for a packet of that size. */
int64_t wire_serialisation_ns(const struct calibration *k, enum replay_direction d, int64_t ip_bytes);

static inline const struct replay_segment *wire_seen(const struct wire *p, guint i)
{
    return &g_array_index(p->connection->segments_kept, struct replay_segment, i);
}

#endif
