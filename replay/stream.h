/* One direction of a TCP connection put in order.
 *
 * Segments go in as they were captured; the stream comes out once, in order, as chunks: data (a view, no copy, when the
 * segment came in order) or a hole of known length. Repeated and overlapping bytes come out once, as first captured.
 * A segment ahead of its turn is copied and waits, until
 *   - what is missing arrives, or
 *   - the receiver acknowledges what is missing (so it was lost in the capture, not on the network), or
 *   - over STREAM_WAITING_BYTES or STREAM_WAITING_SEGMENTS wait: the hole is given up, or
 *   - stream_finish() ends the stream.
 * Bytes that the snap length cut off come out as a hole too. Positions are stream offsets as analysis.h defines them.
 *
 * Ownership: the caller owns the struct; chunk data is valid during the sink's call. Cost: in order, one call; out of order,
 * one copy and an insertion near the end of a sorted array. */
#ifndef REPLAY_STREAM_H
#define REPLAY_STREAM_H

#include "replay/ledger.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum { STREAM_WAITING_BYTES = 16 << 20, STREAM_WAITING_SEGMENTS = 16384 };

struct stream_chunk {
    int64_t offset;
    uint64_t length;
    const uint8_t *data; /* NULL: a hole */
    int64_t time_ns;     /* of the frame that brought it; a hole has those of the frame that showed it */
    uint64_t frame;
    bool cut; /* a hole that the snap length made: these bytes did come in that frame at that time */
};

typedef void stream_sink(void *self, const struct stream_chunk *chunk);

struct stream {
    stream_sink *sink;
    void *self;
    struct ledger *ledger;
    int64_t next;    /* offset of the next byte to come out */
    int64_t acked;   /* highest offset that the other end acknowledged */
    GArray *waiting; /* of struct waiting, by offset; NULL until a segment first has to wait */
    uint64_t waiting_bytes;
    uint64_t hole_bytes; /* not captured or given up */
    uint64_t cut_bytes;  /* holes that the snap length made */
};

/* Starts at offset 0. Borrows `ledger` and `self`. */
void stream_init(struct stream *s, stream_sink *sink, void *self, struct ledger *ledger);
void stream_fini(struct stream *s);
/* `length` bytes at `offset`, of which `seen` were captured at `data`. */
void stream_segment(struct stream *s, int64_t offset, const uint8_t *data, uint32_t length, uint32_t seen,
                    uint64_t frame, int64_t time_ns);
/* The other end has received everything before `offset`. */
void stream_acked(struct stream *s, int64_t offset);
/* Lets out whatever waits, with its holes. */
void stream_finish(struct stream *s);

#endif
