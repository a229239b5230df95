/* Where a recorded copy's time went: DESIGN.md's breakdown, from the capture alone.
 *
 * Model. Each event of the copy (a segment arrives, a request is issued, an answer is written) follows from one before it,
 * and the time between the two has a cause: the path's delay, the link, the window, a loss, the server or the client. The
 * events are laid out at both ends' clocks (replay/wire.h, replay/timing.h), each with a link to the one that it followed from; the
 * chain behind the last payload frame is the critical path, and its causes sum to the recorded time to the nanosecond. Kinds
 * and their precedence are sim's (enum wait_kind), and so is the rule by which a segment's wait is judged: behind others of its burst
 * it waited for the link, sent late for the window (or for recovery, when it was sent again), else for the path. One more
 * case is needed for real hosts: a segment sent late though no acknowledgement released it waited for its host.
 *
 * The chain's longest stretch of the largest kind is the evidence, with a display filter that shows it in Wireshark.
 *
 * Cost: a sort of the events; 32 bytes for each. */
#ifndef REPLAY_BREAKDOWN_H
#define REPLAY_BREAKDOWN_H

#include "replay/timing.h"
#include "sim/run.h"

/* The stretches of one kind on the critical path, without another kind between. */
struct breakdown_kind {
    uint64_t count;
    int64_t longest_ns;
    uint64_t first_frame, last_frame; /* frames that show the longest */
};

/* One such stretch. */
struct breakdown_run {
    int kind;
    int64_t ns;
    uint64_t first_frame, last_frame;
};

/* A stretch of the path by itself. */
struct breakdown_stretch {
    int64_t from_ns, until_ns;
    int kind;
};

struct breakdown {
    struct waits waits; /* sum to replay_recorded_ns() */
    struct breakdown_kind kinds[WAIT_KINDS];
    struct breakdown_run tail; /* the last window's last stretch: the next may go on with it */
    int bottleneck;            /* enum wait_kind: the largest */
    uint64_t count;            /* of the bottleneck's stretches, and what shows the longest */
    int64_t longest_ns;
    uint64_t first_frame, last_frame;
    GArray *
        path; /* of struct breakdown_stretch, in the order of time: what was added since it was last emptied; NULL: not kept */
    char *evidence; /* owned: a sentence with its numbers */
    char *filter;   /* owned: a display filter for Wireshark */
};

/* `k` is the connection's calibration. */
void breakdown_init(struct breakdown *b, const struct replay_connection *c, const struct calibration *k);
/* The same by windows: each is added, in order, to a breakdown that began as zeroes; the chain of each ends with its last
 * payload frame, where the next one's begins. In w->connection, first_ns and last_ns (with their frames) are the window's. The
 * timings are of timing_new(). breakdown_conclude() then names the bottleneck of the whole connection `c`. */
void breakdown_add(struct breakdown *b, const struct wire *w, const struct calibration *k, GArray *timings);
void breakdown_conclude(struct breakdown *b, const struct replay_connection *c, const struct calibration *k);
void breakdown_clear(struct breakdown *b);

#endif
