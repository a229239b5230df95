/* The flight of one direction, in packets, as its sender knew it: what it had sent, and what the acknowledgements that had
 * reached it left outstanding. Congestion windows count packets, so this is what they limit.
 *
 * The caller walks the segments in the order of the capture and adds what the direction sends; acknowledgements are
 * taken in by time. Cost: each segment is looked at once. */
#ifndef REPLAY_FLIGHT_H
#define REPLAY_FLIGHT_H

#include "replay/wire.h"

struct flight {
    const struct wire *wire; /* borrowed */
    enum replay_direction direction;
    GArray *ends;     /* of int64_t: offset behind each packet of new data */
    guint acked;      /* of them, acknowledged by what has reached the sender */
    int64_t acked_to; /* the offset up to which that was said */
    guint next;       /* segment from which to go on looking for acknowledgements */
    guint largest;    /* flight so far */
    guint before;     /* flight when the last acknowledgement of new data came, and the largest up to then */
    guint largest_before;
    int64_t heard_ns; /* when that was; INT64_MIN / 2: never */
    guint heard;      /* acknowledgements of new data since the last packet was added */
};

void flight_init(struct flight *f, const struct wire *w, enum replay_direction d);
void flight_fini(struct flight *f);
/* The sender sends a segment of new data. */
void flight_add(struct flight *f, const struct replay_segment *s);
/* Takes in the acknowledgements that had reached the sender by then. */
void flight_hear(struct flight *f, int64_t time_ns);

static inline guint flight_now(const struct flight *f)
{
    return f->ends->len - f->acked;
}

#endif
