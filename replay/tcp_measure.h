/* What one TCP connection's segments say about the path and its ends.
 *
 * tcp_measure_segment() turns each decoded frame into a replay_segment: sequence numbers unwrapped to 64-bit stream
 * offsets, and a verdict on what kind of segment it is. The kinds are Wireshark's ("TCP Analysis" in its user's guide), so
 * that the two can be compared on any capture:
 *   keep-alive        no or one byte, just before the next expected; no SYN, FIN or RST
 *   window probe      one byte at the next expected, while the other end's window is 0
 *   spurious          bytes that had been acknowledged
 *   fast              at the last ACK, after two duplicates of it and within 20 ms
 *   out of order      late by less than the handshake's RTT (3 ms without one)
 *   retransmission    any other payload, SYN or FIN before the next expected
 * Near the sender a quick repeat falls under "out of order" by that rule. Such a segment also counts as resent when its IP identification,
 * or without one its timestamp, says that it left its host later than the segment with the highest bytes (hosts count both up).
 * RTT samples run from a segment to the first ACK that covers it, on both sides of the capture point, and skip
 * whatever was outstanding at a retransmission (RFC 6298, 3: Karn).
 *
 * Plain storage that the caller owns, no allocation. Cost: a few comparisons a segment. */
#ifndef REPLAY_TCP_MEASURE_H
#define REPLAY_TCP_MEASURE_H

#include "replay/facts.h"
#include "replay/frame.h"

enum { TCP_MEASURE_OUTSTANDING = 64 };

/* Sent, and not yet acknowledged: waits for its RTT sample. */
struct tcp_outstanding {
    int64_t end;
    int64_t time_ns;
};

/* What is known of the bytes that one end sends. */
struct tcp_stream {
    bool numbered; /* `base` is known */
    uint32_t base; /* sequence number of offset 0 */
    bool sent;     /* a segment of it was seen: `next` and the window are known */
    int64_t next;  /* highest offset seen + 1 */
    int64_t next_ns;
    uint32_t next_timestamp; /* of the segment that set `next`, and ... */
    uint16_t next_ip_id;     /* ... its IP identification; 0: none */
    int64_t unseen; /* highest offset that was acknowledged without having been seen, when above `next` */
    bool acked;     /* it sent an ACK: the three below are known */
    int64_t ack;
    int64_t ack_ns;
    int duplicates;
    bool probed;     /* its last segment was a keep-alive or a window probe */
    uint32_t window; /* as in its last segment, unscaled */
    struct tcp_outstanding ring[TCP_MEASURE_OUTSTANDING];
    unsigned ring_head, ring_count;
};

struct tcp_measure {
    struct tcp_stream stream[REPLAY_DIRECTIONS];
    struct replay_tcp facts;
    int64_t syn_ns[REPLAY_DIRECTIONS]; /* of the one SYN each way; -1: none, or several */
    bool syn_seen[REPLAY_DIRECTIONS];
    bool sack_seen, timestamps_seen;
};

void tcp_measure_init(struct tcp_measure *m);
/* Returns false, with nothing counted, for a segment that lies over 1 GiB away from its stream. */
bool tcp_measure_segment(struct tcp_measure *m, enum replay_direction direction, const struct frame *f,
                         uint64_t number, int64_t time_ns, struct replay_segment *out);
/* Roles were guessed the wrong way round: exchanges the two ends. */
void tcp_measure_swap(struct tcp_measure *m);
/* Fills in what needs the whole connection: RTT, capture point, options in use. */
void tcp_measure_finish(struct tcp_measure *m);

#endif
