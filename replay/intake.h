/* From the frames of a capture to its TCP segments: frames decoded, fragments put together, duplicates left out, and everything
 * that gives no segment counted in the ledger.
 *
 * Views in a segment live until the next intake_segment(). Cost: the decoder's and the duplicates' a frame. */
#ifndef REPLAY_INTAKE_H
#define REPLAY_INTAKE_H

#include "replay/capture_set.h"
#include "replay/duplicates.h"
#include "replay/fragments.h"

struct intake {
    struct ledger *ledger;
    struct fragments fragments;
    struct duplicates duplicates;
    uint64_t tcp_packets; /* duplicates included */
};

/* Borrows the ledger. */
void intake_init(struct intake *in, struct ledger *ledger);
void intake_fini(struct intake *in);
/* True when the frame gives a segment, alone or as the last fragment of a packet. */
bool intake_segment(struct intake *in, const struct set_frame *frame, struct frame *segment);

#endif
