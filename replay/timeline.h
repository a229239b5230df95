/* A capture's course in constant memory: what plots of it need, however long it is.
 *
 * Time is cut into TIMELINE_BINS equal bins from the first payload on. When they don't reach any more, neighbours are merged and
 * their width doubles: sums stay exact, and so do the shortest and longest exchange of each bin. Exchanges are
 * booked under their command and the bin in which the request began; beyond TIMELINE_ROWS commands the rest shares the last row.
 * Two stretches of consecutive exchanges are kept whole: the first ones, and those from the largest power of two on that
 * leaves enough of them.
 *
 * Times are ns as in replay/analysis.h; durations run from a request's first frame to its answer's last, service times
 * from a request's last frame to its answer's first. Payload is TCP's, of connections that look like SMB, from their
 * first such byte on; what is sent again counts again, and apart.
 *
 * Ownership: whoever makes it. Cost: a few additions a segment and an exchange; about 500 kB. */
#ifndef REPLAY_TIMELINE_H
#define REPLAY_TIMELINE_H

#include "replay/durations.h"
#include "replay/facts.h"

enum {
    TIMELINE_BINS = 1024,
    TIMELINE_ROWS = 16,
    TIMELINE_STRETCH = 256,
    TIMELINE_SIZES = 33 /* class i: data bytes above 2^(i-1), up to 2^i; class 0: one byte */
};

struct timeline_bin {
    uint64_t count, unanswered; /* unanswered ones are not in `count` */
    int64_t shortest_ns, longest_ns;
};

struct timeline_row {
    uint16_t command; /* its first one, where `others` */
    bool opaque;      /* encrypted: commands unknown */
    bool others;      /* of several commands */
    uint64_t count, unanswered;
    int64_t longest_ns;
    uint64_t longest_frame;                                       /* where the longest began */
    struct durations service;                                     /* of those answered */
    uint64_t blocks[TIMELINE_SIZES], block_bytes[TIMELINE_SIZES]; /* exchanges with file data, by size */
    struct timeline_bin bins[TIMELINE_BINS];
};

struct timeline_flow {
    uint64_t bytes[REPLAY_DIRECTIONS], resent[REPLAY_DIRECTIONS];
};

struct timeline_exchange {
    guint row;
    uint32_t data_bytes;
    int64_t request_ns, answer_first_ns, answer_last_ns; /* -1: not answered */
    uint64_t first_frame, last_frame;
};

struct timeline {
    int64_t start_ns, bin_ns; /* start_ns -1: nothing was noted */
    guint used_bins;
    struct timeline_flow flow[TIMELINE_BINS];
    GPtrArray *rows; /* of struct timeline_row *, by first use */
    uint64_t exchanges;
    GArray *beginning, *stretch; /* of struct timeline_exchange; stretch NULL: the capture is short */
    GArray *filling;
};

struct timeline *timeline_new(void);
void timeline_free(struct timeline *t);
void timeline_segment(struct timeline *t, const struct replay_segment *s);
/* A finished exchange, answered or not. */
void timeline_exchange(struct timeline *t, const struct replay_exchange *x);

#endif
