/* By how much is one arm shifted against the other? The Hodges-Lehmann estimate: the median of all differences between a
 * treatment's run and a control's, with the interval that belongs to the Mann-Whitney test. Of pairs: the median of the means of
 * every two differences, with the signed-rank test's interval.
 *
 * Both hold for any common shape of the distributions. The interval's ends are two of the differences, chosen by the exact
 * distribution of the rank sum below 50 runs an arm, else by the normal approximation. So few runs that no pair of differences
 * encloses 95 % give none.
 * Cost: log(range of a double) passes over the sorted runs; no list of the differences is made.
 * Source: Hodges and Lehmann (1963), Moses (1953). */
#ifndef REPORT_SHIFT_H
#define REPORT_SHIFT_H

#include "report/stats.h"

struct interval shift_independent(const double *treatment, size_t n_treatment, const double *control,
                                  size_t n_control);
/* d: the differences of the pairs. */
struct interval shift_paired(const double *d, size_t n);

#endif
