/* Bootstrap intervals of means and of their difference: runs are drawn again, with replacement, as many as there were.
 *
 * BCa, bias-corrected and accelerated (Efron 1987), acceleration from the runs' influence on the mean; 95 %. The levels are widened
 * as Hesterberg (2015) has it, so that few runs don't give intervals that are too narrow: where the distribution is
 * symmetric the interval is as wide as Student's. A mean of resampled runs never leaves their range, which is why fewer than
 * eight runs get none.
 * 10,000 resamples from streams with a fixed seed, so equal runs give equal intervals; fewer where the draws would pass the
 * limit, and under 200 none.
 * Cost: resamples × runs. */
#ifndef REPORT_BOOTSTRAP_H
#define REPORT_BOOTSTRAP_H

#include "report/stats.h"

#include <stdint.h>

enum { BOOTSTRAP_RESAMPLES = 10000, BOOTSTRAP_FEWEST_RUNS = 8 };

struct bootstrap {
    struct interval mean_a, mean_b, difference; /* a - b */
    uint64_t resamples;
};

/* At most `draws` values are drawn and at most `most` resamples made. n_b = 0: of one arm alone. */
void bootstrap_means(const double *a, size_t n_a, const double *b, size_t n_b, uint64_t most, uint64_t draws,
                     struct bootstrap *out);

#endif
