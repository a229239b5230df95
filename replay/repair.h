/* Losses of one direction, by what replaced them.
 *
 * Seen from the receiver's side, a lost segment is a hole: bytes behind it arrive first, and the segment that fills it comes a
 * round trip later at the least (sooner, it was only overtaken, unless REPLAY_RESENT says that it was sent again). When the last segments of a message were lost, nothing
 * comes behind them: the hole is a pause in the middle of a message, a round trip and more after the sender last heard
 * anything that could have made it wait. A hole that is never filled was lost by the capture, not by the network. Seen
 * from the sender's side, a segment that is sent again and had not been acknowledged counts as lost.
 *
 * Cost: one pass. */
#ifndef REPLAY_REPAIR_H
#define REPLAY_REPAIR_H

#include "replay/wire.h"

enum { REPAIR_UNSEEN = G_MAXUINT };

struct repair {
    guint segment;     /* that replaced the lost one */
    guint lost;        /* the lost one; REPAIR_UNSEEN from the receiver's side */
    int64_t missed_ns; /* when bytes behind the hole arrived; -1: none did, or the sender's side was seen */
    uint64_t number;   /* of the lost packet among all that this end sent, from 1 */
};

/* Returns owned GArray of struct repair, in the order of the capture. */
GArray *repair_list(const struct wire *w, enum replay_direction d);

#endif
