/* Runs that lie far from the others: marked, never removed.
 *
 * A run is an outlier where its distance from the median, in units of the median absolute deviation made comparable with a
 * standard deviation, is over 3.5 (Iglewicz and Hoaglin 1993). Where more than half of the runs are equal, the mean absolute
 * deviation stands in. Fewer than four runs have no outliers: there is no "others".
 * Cost: two sorts. */
#ifndef REPORT_OUTLIERS_H
#define REPORT_OUTLIERS_H

#include <stdbool.h>
#include <stddef.h>

/* Returns how many; marked[i] tells which. */
size_t outliers_mark(const double *x, size_t n, bool *marked);

#endif
