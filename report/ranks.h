/* The Mann-Whitney test (Mann and Whitney 1947): are the ranks of one arm higher than chance would have them?
 *
 * u counts the pairs in which the treatment's value is the larger, ties as a half. The two-sided p is exact where
 * neither arm has 50 runs or more and no value occurs twice (twice the smaller tail, at most 1), otherwise from the normal
 * approximation with the correction for ties and for continuity: the same rule as R's wilcox.test. Where all values are
 * equal only one u is possible, so p = 1 exactly.
 * Cost: exact (n + m) × n² × m, otherwise one sort. */
#ifndef REPORT_RANKS_H
#define REPORT_RANKS_H

#include "report/stats.h"

struct rank_test {
    struct quantity u, p;
    bool exact;
};

struct rank_test ranks_mann_whitney(const double *treatment, size_t n_treatment, const double *control,
                                    size_t n_control);

#endif
