/* Several tests at once (Holm 1979): the smallest p has to pass level/k, the next level/(k - 1), and so on, until one fails.
 *
 * shares[i] is by what the level of test i was divided: with intervals at level 1 - alpha/shares[i], an interval that excludes
 * its bound and a p that passes are the same thing. adjusted[i] is the p that can be compared with the whole level. Unknown p
 * count as 1.
 * Cost: k². */
#ifndef REPORT_HOLM_H
#define REPORT_HOLM_H

#include "report/stats.h"

void holm_adjust(const struct quantity *p, size_t k, double level, double *shares, double *adjusted);

#endif
