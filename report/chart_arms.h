/* The arms of a verdict, a row each on one axis of values: a thin line from the least run to the most, a bar between the quartiles, the
 * median as a thick tick, the mean as a diamond on its 95 % interval below, and every run as a tick at the foot, one for each point of
 * the page at most.
 *
 * Ownership: as in chart_capture.h. */
#ifndef REPORT_CHART_ARMS_H
#define REPORT_CHART_ARMS_H

#include "report/chart_capture.h"

struct chart_arm {
    char *name, *value;
    GArray *runs; /* of double, sorted; not empty */
    double q25, median, q75, mean;
    bool has_interval;
    double low, high; /* of the mean, 95 % */
};

struct chart_arms {
    struct chart base;
    GArray *rows; /* of struct chart_arm */
};

struct chart_arms *chart_arms_new(void);

#endif
