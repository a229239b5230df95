/* Do the runs fall into two groups, as they do where some were served from a cache? The dip test (Hartigan and Hartigan 1985): the
 * distance between the runs' distribution and the nearest one with a single peak, between 1/(2n) and 1/4.
 *
 * p is the chance of such a dip in n uniform values, which of all distributions with one peak dip most, so the test errs on the side of
 * one peak: for normal runs it hardly ever warns. It is read from a table of simulated quantiles of √n · dip (dip_table.h).
 * Runs that were rounded tie; ties are spread over the smallest distance between two values, so that rounding alone makes
 * no peaks.
 * Fewer than four runs, or runs that are all equal, have no answer.
 * Cost: a few passes over the sorted runs. */
#ifndef REPORT_DIP_H
#define REPORT_DIP_H

#include "report/stats.h"

struct dip_test {
    struct quantity dip, p;
    double low_group, high_group; /* where p is small: means of the runs below and above the widest gap */
    size_t in_low;                /* runs below it */
    double apart; /* that gap in standard deviations within the groups; infinite where they have none */
};

/* x must be sorted. */
struct dip_test dip_of_runs(const double *sorted, size_t n);

/* The statistic alone, of at least one value and with ties as they are. */
double dip_statistic(const double *sorted, size_t n);
/* The chance of at least this dip in n uniform values, at least four. */
double dip_p(double dip, size_t n);

#endif
