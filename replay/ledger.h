/* The ledger: everything of a capture that was not used, counted under one of these reasons.
 *
 * Counting costs an addition, for some of it happens once a frame; ledger_write() turns the counts into the tally that
 * reports print. `bytes` are bytes on the wire, or stream bytes for reasons about streams. */
#ifndef REPLAY_LEDGER_H
#define REPLAY_LEDGER_H

#include "base/tally.h"

#include <stdint.h>

enum ledger_reason {
    /* frames */
    LEDGER_LINK_TYPE,
    LEDGER_NOT_IP,
    LEDGER_NOT_TCP,
    LEDGER_FRAGMENT,
    LEDGER_FRAME_CUT,
    LEDGER_FRAME_MALFORMED,
    LEDGER_DUPLICATE,
    /* connections and streams */
    LEDGER_OTHER_TCP,
    LEDGER_CONNECTION_LIMIT,
    LEDGER_SEQUENCE_OUTLIER,
    LEDGER_HOLE_NOT_CAPTURED,
    LEDGER_HOLE_SNAP_LENGTH,
    LEDGER_HOLE_GIVEN_UP,
    /* framing */
    LEDGER_NETBIOS_SESSION,
    LEDGER_NOT_SMB,
    LEDGER_RESYNC,
    LEDGER_MESSAGE_UNFINISHED,
    LEDGER_HEADER_NOT_CAPTURED,
    LEDGER_HEADER_MALFORMED,
    LEDGER_CHAIN_CUT,
    LEDGER_DATA_BEYOND_MESSAGE,
    LEDGER_INFERRED,
    LEDGER_INFERRED_UNCHECKED,
    LEDGER_ID_NOT_CAPTURED,
    LEDGER_SIZE_NOT_CAPTURED,
    /* matching */
    LEDGER_NO_REQUEST,
    LEDGER_NO_RESPONSE,
    LEDGER_OPLOCK_BREAK,
    LEDGER_ID_REUSED,
    LEDGER_TABLE_FULL,
    LEDGER_COMPRESSED,
    LEDGER_REASONS
};

struct ledger {
    uint64_t count[LEDGER_REASONS];
    uint64_t bytes[LEDGER_REASONS];
};

static inline void ledger_add(struct ledger *l, enum ledger_reason reason, uint64_t count, uint64_t bytes)
{
    l->count[reason] += count;
    l->bytes[reason] += bytes;
}

/* A phrase for people. View of static storage. */
const char *ledger_name(enum ledger_reason reason);
/* Adds the reasons that occurred to `t`, in the order above. */
void ledger_write(const struct ledger *l, struct tally *t);

#endif
