/* Do the runs look normal, and do two arms spread alike? Reported, never a gate: with few runs the tests see little, and with many
 * they see what doesn't matter.
 *
 * Normality: Shapiro and Wilk (1965), with the weights and the distribution of Royston (1995, algorithm AS R94), for 3 to 5000
 * runs. Equal variances: Levene's test on distances from the medians (Brown and Forsythe 1974).
 * Cost: one sort. */
#ifndef REPORT_NORMALITY_H
#define REPORT_NORMALITY_H

#include "report/stats.h"

struct normality {
    struct quantity w, p;
};

struct spread_test {
    struct quantity f, df, p; /* df: of the denominator; the numerator has 1 */
};

/* x must be sorted. */
struct normality normality_test(const double *sorted, size_t n);
struct spread_test normality_equal_spread(const double *a, size_t n_a, const double *b, size_t n_b);

#endif
