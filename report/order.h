/* Quantiles with intervals that hold for any distribution: between two of the runs, chosen by the binomial distribution.
 *
 * The number of runs below the true p-quantile is binomial(n, p), so the l-th and u-th smallest run enclose it with a chance that
 * is known exactly: at least `level`, with at most (1 - level)/2 missed on either side. Few runs, or a quantile far out, leave
 * no such pair; then there is no interval, and it says so.
 * Cost: some tens of binomial probabilities. Source: Thompson (1936); point estimates as in stats.h. */
#ifndef REPORT_ORDER_H
#define REPORT_ORDER_H

#include "report/stats.h"

/* x must be sorted, p in 0..1. */
struct interval order_quantile(const double *sorted, size_t n, double p, double level);

#endif
