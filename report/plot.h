/* What plots share: an axis of time below, an axis of durations by decades, and a column of names at the left.
 *
 * Texts are placed through these, so that none leaves its box: names are cut with an ellipsis. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include "report/axis.h"
#include "report/page.h"

#define PLOT_AXIS_ROW 15.0

extern const struct draw_style PLOT_NAME, PLOT_SMALL;

/* Labels under the axis at y, with thin rules up to `top` where they stand; the unit is s, ms or \u00b5s. */
struct axis plot_time_axis(struct page *page, struct draw *d, double low, double high, double left,
                           double right, double top, double y);
/* A decimal logarithm's place: low and high are seconds above 0, widened to have some room. */
struct axis plot_decades(double low, double high, double from, double to);
double plot_decade_at(const struct axis *a, double seconds);
/* "10 ms" at each decade that there is room for: rules from `top` to y, labels below y. */
void plot_decade_axis(struct page *page, struct draw *d, const struct axis *a, double top, double y);
/* The widest of the names, no wider than `most`. */
double plot_name_width(struct draw *d, char *name, double so_far, double most);

#endif
