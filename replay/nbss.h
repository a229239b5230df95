/* From a stream to messages: the 4-byte framing of RFC 1001/1002 session messages and of SMB over TCP ([MS-SMB2] 2.1).
 *
 * Only what the reader of messages asks for is looked at. For each message it is given the first NBSS_PART bytes (or
 * the whole of a shorter one) as a part, a view where the bytes lie in one chunk; it answers with the position of the
 * next part that it wants (the next command of a compound chain), or 0. All other payload passes by unread: lengths
 * alone keep the place, so a hole inside a message costs nothing unless it covers a wanted part. A reader may also ask for
 * a message as a whole; that one is copied and handed over when its last byte, or a hole, has come.
 *
 * Where the place is lost (start in mid-stream, a hole over a prefix, bytes that aren't a message) framing resumes at
 * the next prefix that is followed by one of SMB's four identifiers.
 *
 * Where a prefix is known to lie but the snap length cut it off, the reader may say how long the message should be, for
 * instance because it answers a read whose size is known. Framing then goes on behind it, and hands such messages over as inferred
 * once it is sure: at the next prefix that can be seen and is where it ought to be, where one ends with its segment, or when the reader
 * says that they were answered.
 * Those at the end of the stream are handed over as unsure. A last one of them that is shorter than it should be ends at a
 * segment that begins with a prefix. If what comes isn't a prefix, the place is lost, and they are dropped unless the next prefix that
 * is found explains them (nbss_inferred.h).
 *
 * Plain storage that the caller owns; allocates for whole messages alone, as their bytes come, and frees each at its end. */
#ifndef REPLAY_NBSS_H
#define REPLAY_NBSS_H

#include "replay/ledger.h"
#include "replay/stream.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NBSS_PREFIX = 4, NBSS_PART = 1024, NBSS_TAIL = 7, NBSS_INFERRED_MAX = 1024 };

/* The answer to a message's first part that asks for all of it. */
#define NBSS_WHOLE UINT32_MAX

/* A message as far as it is known. It counts as complete at the last of the times at which its bytes came. */
struct nbss_message {
    int64_t offset;  /* of its prefix in the stream */
    uint32_t length; /* without the prefix */
    int64_t first_ns, last_ns;
    uint64_t first_frame, last_frame;
    uint64_t missing; /* bytes of it that fell into holes, but for those that the snap length cut off */
};

struct nbss_reader {
    /* `length` bytes of the message from `at` on. With `cut` more were wanted but fell into a hole. Returns where the next
     * part begins, which may be inside this one; a value not beyond `at`, or beyond the message, means none. NBSS_WHOLE,
     * from the first part, asks for the whole message. */
    uint32_t (*part)(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                     size_t length, bool cut);
    /* The message that was asked for: its first `length` bytes, and all of them unless a hole or the end cut it. */
    void (*whole)(void *self, const struct nbss_message *m, const uint8_t *bytes, size_t length);
    /* All of it has passed. With `broken` the stream ended first, and the message's length is that of what there was. */
    void (*end)(void *self, const struct nbss_message *m, bool broken);
    void *self;
    /* A session message without SMB's identifier, or without any bytes, has passed: raw data of SMB1. False when the reader expected none.
     * May be NULL. */
    bool (*raw)(void *self, const struct nbss_message *m);
    /* The length of the message behind the last one handed over and `ahead` more; 0: can't be known. May be NULL. */
    uint32_t (*infer)(void *self, unsigned ahead);
    /* The length of messages that may come between those; 0: there are none. May be NULL. */
    uint32_t (*between)(void *self);
    /* `sure`: what came behind it fits. Otherwise the stream ended there, inside it if `broken`. */
    void (*inferred)(void *self, const struct nbss_message *m, bool sure, bool broken);
};

enum nbss_state { NBSS_SEARCH, NBSS_AT_PREFIX, NBSS_IN_MESSAGE, NBSS_IN_INFERRED };

struct nbss {
    struct nbss_reader reader;
    struct ledger *ledger;
    enum nbss_state state;
    bool other;                /* the message isn't SMB, and passes unread */
    bool raw;                  /* ... but may be raw data */
    uint8_t prefix[NBSS_TAIL]; /* what is there of a prefix; in a search, the last bytes that it has seen */
    size_t prefix_length;
    struct nbss_message message;
    uint32_t position; /* in the message, of the stream's next byte */
    bool wanted;       /* a part is: from `want` to `want_end` */
    uint32_t want, want_end;
    uint8_t copy[NBSS_PART]; /* of a part that lies in several chunks */
    size_t copied;
    bool doubtful;     /* the search is for a prefix that explains `inferred` */
    uint64_t skipped;  /* bytes that this search has passed */
    GArray *log;       /* see nbss_inferred.h; NULL until needed */
    GArray *inferred;  /* of struct nbss_message, of which framing isn't sure yet, or NULL */
    GByteArray *whole; /* what has come of a message that is wanted as a whole, or NULL */
};

/* `from_start`: the stream begins with the connection, so its first byte is a prefix. Copies `reader`. */
void nbss_init(struct nbss *n, bool from_start, const struct nbss_reader *reader, struct ledger *ledger);
void nbss_fini(struct nbss *n);
/* A stream_sink. */
void nbss_chunk(void *self, const struct stream_chunk *chunk);
/* Messages that framing has inferred and not handed over yet, the one that is coming in left out. */
unsigned nbss_inferred(const struct nbss *n);
/* The other end has answered the first `count` of them, counting the one that is coming in too, which then is as long as what
 * has come of it. They are handed over. */
void nbss_answered(struct nbss *n, unsigned count);
/* Offset up to which messages are whole, when the stream has come as far as `next`. */
int64_t nbss_whole_until(const struct nbss *n, int64_t next);
/* The stream has ended. */
void nbss_finish(struct nbss *n);
/* True when bytes look like the start of a stream of SMB messages. */
bool nbss_looks_like_smb(const uint8_t *bytes, size_t length);

#endif
