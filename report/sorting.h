/* Sorting of many finite values, ascending and stable; minus zero equals zero, and becomes it.
 *
 * Cost: few values by comparing, many by their digits to the base 2^11, in time linear in n and with two more arrays. */
#ifndef REPORT_SORTING_H
#define REPORT_SORTING_H

#include <stddef.h>

void sorting_ascend(double *x, size_t n);
/* order[i] becomes the place in x of the i-th smallest. */
void sorting_index(size_t *order, const double *x, size_t n);

#endif
