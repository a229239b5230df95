/* Frames that show a packet a second time: a switch that mirrors both sides of it, a capture on several interfaces, or captures of
 * several points put together. The first copy counts, the others are left out.
 *
 * The rule, for two segments of the same ends with the same TCP header (options too) and the same lengths:
 * - With an IP id that the sender counts up: a copy when the ids are the same and not more than DUPLICATES_ID_NS lie between. A
 *   retransmission is another packet, and gets another id (RFC 6864, 4.3, allows none to be used twice while it may be
 *   under way). The TCP checksum may differ, for a sender's own capture has it unfinished.
 * - Without one (IPv6; id 0, as of many hosts that set "don't fragment"; an id that doesn't change from packet to packet): a copy when the
 *   TTL or the link header shows that it came another way, within the same time; or, when nothing tells them apart,
 *   when it carries payload, SYN or FIN and follows within DUPLICATES_PLAIN_NS, which is too soon for a
 *   retransmission. Checksums have to agree. Bare acknowledgements are kept then: a receiver sends the same one for each segment
 *   out of order.
 *
 * Limits: copies on both sides of an address translation are two connections; a super-frame of segmentation offload and its
 * segments on the wire aren't copies by this rule; nor are copies that lie further apart, through a queue between the two points
 * or by clocks that differ, and those look like retransmissions.
 *
 * Cost: a hash of at most 100 bytes and two look-ups, in tables of 32 KiB in all; no allocation after duplicates_init(). They remember about
 * 1,000 frames: what passes in 1 ms at 10 Gbit/s, and much longer than a switch or a router lies between copies. */
#ifndef REPLAY_DUPLICATES_H
#define REPLAY_DUPLICATES_H

#include "replay/frame.h"

#include <glib.h>

enum { DUPLICATES_ID_NS = 5000000, DUPLICATES_PLAIN_NS = 20000 };

struct duplicates_entry;
struct duplicates_sender;

struct duplicates {
    struct duplicates_entry *entries;
    struct duplicates_sender *senders;
};

void duplicates_init(struct duplicates *d);
void duplicates_fini(struct duplicates *d);
/* True when the segment was seen before. Remembers it. */
bool duplicates_seen(struct duplicates *d, const struct frame *f, int64_t time_ns);

#endif
