/* Tests by ranks. Mann-Whitney (1947): are the ranks of one arm higher than chance would have them? Wilcoxon's signed ranks (1945):
 * the same of pairs.
 *
 * u counts the pairs of runs in which the treatment's value is the larger, ties as a half; of pairs it is the sum of the ranks of
 * the positive differences. The two-sided p (twice the smaller tail, at most 1) is exact where no arm has 50 runs or more: every
 * deal of the mid-ranks, ties included, is counted. Beyond that it is the normal approximation with the corrections for ties
 * and for continuity. Equal pairs say nothing and are left out of the signed ranks. Where all values are equal only one u is
 * possible, so p = 1 exactly.
 * Cost: exact (n + m)² × n², otherwise one sort. */
#ifndef REPORT_RANKS_H
#define REPORT_RANKS_H

#include "report/stats.h"

#include <stdint.h>

enum { RANKS_EXACT_BELOW = 50 };

struct rank_test {
    struct quantity u, p;
    bool exact;
    struct quantity superiority; /* chance that a run of the treatment's is the larger: u over all pairs */
    double smallest_p;           /* that any outcome of so many runs could give */
};

struct rank_test ranks_mann_whitney(const double *treatment, size_t n_treatment, const double *control,
                                    size_t n_control);
/* d: the differences of the pairs. */
struct rank_test ranks_signed(const double *d, size_t n);

/* The largest c with P(U < c) <= tail where values don't tie; 0 when there is none. */
uint64_t ranks_critical_u(size_t n, size_t m, double tail);
uint64_t ranks_critical_signed(size_t n, double tail);

#endif
