/* Where a connection was captured, by the marks that some captures put on frames: Linux cooked headers and the packet blocks of pcapng
 * say which way a frame crossed the interface.
 *
 * A host is at the capture point when all its frames leave there, none come in, and all still have a TTL that systems start with; a
 * router's are one less. Through a loopback interface both ends are there, which says nothing. */
#ifndef REPLAY_CAPTURE_MARKS_H
#define REPLAY_CAPTURE_MARKS_H

#include "replay/frame.h"

/* Of one end's frames. */
struct capture_marks {
    uint64_t outbound, inbound;
    uint64_t travelled; /* outbound, with a TTL that none starts with */
};

static inline void capture_marks_note(struct capture_marks *m, const struct frame *f)
{
    if (f->heading == FRAME_ANYWHERE)
        return;
    m->inbound += f->heading == FRAME_INBOUND;
    m->outbound += f->heading == FRAME_OUTBOUND;
    m->travelled += f->heading == FRAME_OUTBOUND && f->ttl != 64 && f->ttl != 128 && f->ttl != 255;
}

static inline bool capture_marks_is_here(const struct capture_marks *m)
{
    return m->outbound > 0 && m->inbound == 0 && m->travelled == 0;
}

#endif
