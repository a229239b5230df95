/* The messages that one end of a simulated connection has written, as bytes of its TCP stream, for as long as a packet that is yet to be
 * seen may hold any of them.
 *
 * Seen at its own end, a message is needed until it is acknowledged. Seen at the other end, until no packet is under way any more that
 * was sent before the acknowledgement came. Memory is what is in flight; file data are made when they are copied. */
#ifndef REPLAY_SIM_STREAM_H
#define REPLAY_SIM_STREAM_H

#include "replay/encode.h"
#include "sim/ring.h"

struct sim_stream {
    struct ring messages; /* of struct sim_stream_message */
    size_t acked;         /* of the oldest, how many are acknowledged */
};

struct sim_stream_message {
    uint64_t start, end;
    int64_t acked_ns;
    struct encoded encoded;
};

void sim_stream_init(struct sim_stream *s);
void sim_stream_fini(struct sim_stream *s);
/* Takes the message's bytes, which begin at offset `start`. */
void sim_stream_push(struct sim_stream *s, uint64_t start, const struct encoded *m);
/* Bytes [from, from + count), count > 0. Returns whether a message ends with the last of them. */
bool sim_stream_copy(const struct sim_stream *s, uint64_t from, uint8_t *to, uint32_t count);
/* The acknowledgement of all below `ack` came at `now_ns`. */
void sim_stream_acked(struct sim_stream *s, uint64_t ack, int64_t now_ns);
/* Drops what isn't needed any more: no packet sent before `sent_ns` is yet to be seen. */
void sim_stream_forget(struct sim_stream *s, int64_t sent_ns);

#endif
