/* Quantiles of any number of durations in bounded memory: exact up to DURATIONS_EXACT of them, afterwards from a histogram
 * of logarithmic classes, 64 to an octave, so off by less than 1 %. */
#ifndef REPLAY_DURATIONS_H
#define REPLAY_DURATIONS_H

#include <glib.h>
#include <stdint.h>

enum { DURATIONS_EXACT = 4096 };

struct durations {
    GArray *values;    /* of int64_t ns: the first DURATIONS_EXACT */
    uint32_t *classes; /* NULL until there are more */
    uint64_t count;
    int64_t most, total; /* the longest and the sum, in ns */
};

/* All zeroes is empty. */
void durations_fini(struct durations *d);
/* Negative durations (clocks that run back) count as 0. */
void durations_add(struct durations *d, int64_t ns);
void durations_merge(struct durations *to, const struct durations *from);
/* The smallest duration that at least `share` (above 0, up to 1) of them don't exceed; the median of an even number is the mean of
 * its two middle ones while they are exact. -1 when there are none. */
int64_t durations_quantile(struct durations *d, double share);

#endif
