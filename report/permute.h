/* Permutation test (Fisher 1935, Pitman 1937) on the absolute difference of means: if the label of a run said nothing,
 * how often would a shuffle of the labels give a difference at least as large?
 *
 * Independent arms: labels are dealt anew; paired arms: the sign of each pair's difference is. All arrangements are
 * tried where there are at most 1,000,000 of them (exact); otherwise random ones from a stream with a fixed seed, p = (hits +
 * 1) / (draws + 1), so equal runs give equal results. At most `draws` values are dealt; under 19 random arrangements say
 * nothing at 5 %, and then p is not known.
 * Cost: see those two limits. */
#ifndef REPORT_PERMUTE_H
#define REPORT_PERMUTE_H

#include "report/stats.h"

#include <stdint.h>

struct permutation_test {
    struct quantity p;
    bool exact;
    uint64_t arrangements; /* tried */
};

struct permutation_test permute_independent(const double *treatment, size_t n_treatment,
                                            const double *control, size_t n_control, uint64_t draws);
struct permutation_test permute_paired(const double *treatment, const double *control, size_t n,
                                       uint64_t draws);

#endif
