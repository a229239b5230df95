#include "replay/intake.h"

#include <string.h>

void intake_init(struct intake *in, struct ledger *ledger)
{
    memset(in, 0, sizeof *in);
    in->ledger = ledger;
    fragments_init(&in->fragments, ledger);
    duplicates_init(&in->duplicates);
}

void intake_fini(struct intake *in)
{
    fragments_fini(&in->fragments);
    duplicates_fini(&in->duplicates);
}

static enum ledger_reason reason_of(enum frame_outcome outcome)
{
    switch (outcome) {
    case FRAME_NOT_IP:
        return LEDGER_NOT_IP;
    case FRAME_NOT_TCP:
        return LEDGER_NOT_TCP;
    case FRAME_FRAGMENT:
        return LEDGER_FRAGMENT;
    case FRAME_CUT:
        return LEDGER_FRAME_CUT;
    case FRAME_UNREAD:
        return LEDGER_LINK_TYPE;
    default:
        return LEDGER_FRAME_MALFORMED;
    }
}

/* A packet that was whole again may be a tunnel's, with a fragment in it. False while more has to come. */
static bool put_together(struct intake *in, const struct set_frame *frame, struct frame *segment,
                         struct fragments_whole *whole, enum frame_outcome *outcome)
{
    enum frame_heading heading = segment->heading;

    for (int depth = 0; *outcome == FRAME_FRAGMENT && depth <= FRAME_TUNNELS_MAX; depth++) {
        uint64_t frames = whole->frames, bytes = whole->frame_bytes;

        if (!fragments_add(&in->fragments, segment, frame->wire, frame->time_ns, whole))
            return false;
        *outcome = frame_decode(FRAME_LINK_RAW, whole->bytes, whole->captured, whole->wire, segment);
        segment->heading = heading;
        whole->frames = MAX(whole->frames, frames);
        whole->frame_bytes = MAX(whole->frame_bytes, bytes);
    }
    return true;
}

bool intake_segment(struct intake *in, const struct set_frame *frame, struct frame *segment)
{
    enum frame_outcome outcome =
        frame_decode(frame->link, frame->bytes, frame->captured, frame->wire, segment);
    struct fragments_whole whole = {.frames = 1, .frame_bytes = frame->wire};

    if (outcome == FRAME_FRAGMENT && !put_together(in, frame, segment, &whole, &outcome))
        return false;
    if (outcome != FRAME_TCP) {
        ledger_add(in->ledger, reason_of(outcome), whole.frames, whole.frame_bytes);
        return false;
    }
    if (frame->heading != FRAME_ANYWHERE)
        segment->heading = frame->heading;
    in->tcp_packets++;
    if (!duplicates_seen(&in->duplicates, segment, frame->time_ns))
        return true;
    ledger_add(in->ledger, LEDGER_DUPLICATE, whole.frames, whole.frame_bytes);
    return false;
}
