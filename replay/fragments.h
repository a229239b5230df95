/* IP packets put together from their fragments, IPv4 and IPv6.
 *
 * A table of FRAGMENTS_PACKETS unfinished packets of at most 64 KiB each, so at most 4 MiB. What never becomes whole is counted in the
 * ledger: when its place is needed for another, when a fragment with the same id comes more than 30 s later (the time that RFC 791 and
 * Linux give it, roughly), and at the end. Fragments that overlap others in part make the whole packet void, as RFC 5722 wants it and
 * as Linux does for IPv4 too; a repeated one is left out, also for FRAGMENTS_ECHO_NS after the packet became whole, and counted as
 * a duplicate. Of fragments cut by a snap length, the packet has its true length and the bytes before the first that is missing.
 *
 * Ownership: the table owns its memory. Cost: a walk through the table and a copy, for fragments alone. */
#ifndef REPLAY_FRAGMENTS_H
#define REPLAY_FRAGMENTS_H

#include "replay/frame.h"
#include "replay/ledger.h"

#include <glib.h>

enum { FRAGMENTS_PACKETS = 64, FRAGMENTS_ECHO_NS = 10000000 };

struct fragments_packet;

struct fragments {
    struct fragments_packet *packets; /* FRAGMENTS_PACKETS, from the first fragment on */
    GByteArray *whole;                /* the packet handed out last */
    struct ledger *ledger;
};

/* Starts with the IP header: a plain one of 20 or 40 bytes with the packet's ends, id, TTL, protocol and length. */
struct fragments_whole {
    const uint8_t *bytes; /* view, until the next whole packet */
    size_t captured, wire;
    uint64_t frames, frame_bytes; /* that it came in */
};

/* Borrows the ledger. */
void fragments_init(struct fragments *t, struct ledger *ledger);
/* Counts what isn't whole, and frees. */
void fragments_fini(struct fragments *t);
/* A frame of `frame_bytes` on the wire whose outcome was FRAME_FRAGMENT. True when it completes a packet. */
bool fragments_add(struct fragments *t, const struct frame *f, uint64_t frame_bytes, int64_t time_ns,
                   struct fragments_whole *whole);

#endif
