/* How many exchanges were outstanding, and for how long: a distribution over time, in constant memory.
 *
 * A request is known only when all of it has passed, and then was outstanding since its first frame: so the last PENDING_SPANS changes
 * are kept as spans of equal level and can still be changed. What is older than they are has been counted for good; a
 * request that began before them counts from the oldest on.
 *
 * Cost: a step a change, and one for each change during a request's own transmission. */
#ifndef REPLAY_PENDING_H
#define REPLAY_PENDING_H

#include "replay/facts.h"

enum { PENDING_SPANS = 256 };

struct pending_span {
    int64_t start_ns; /* up to the next one's */
    uint32_t level;
};

/* All zeroes is empty. */
struct pending {
    struct replay_pending facts;
    double weighted_ns; /* sum of level times time */
    struct pending_span spans[PENDING_SPANS];
    unsigned count;
    int64_t now_ns;
};

/* An exchange, known at `now_ns`, has been outstanding since `since_ns`. */
void pending_begin(struct pending *p, int64_t since_ns, int64_t now_ns);
/* One that was outstanding is no more since then, which may lie in the past: an answer that was inferred is known late. */
void pending_end(struct pending *p, int64_t at_ns);
/* Ends the time at the last change, and counts all. */
void pending_finish(struct pending *p);
/* Of two that have finished: their times add up. */
void pending_merge(struct pending *to, const struct pending *from);
/* The smallest number that a class of the distribution stands for. */
uint64_t pending_level(unsigned index);

#endif
