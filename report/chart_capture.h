/* The charts of a capture's pages: descriptions with final texts, and their placing as primitives.
 *
 * parts:   where the time went, as one bar; each part has a hatch of its own and its line in the legend.
 * stretch: single exchanges of a short time, each a bar from request to answer, in a lane by command.
 * lanes:   all exchanges of the capture; each lane is a command, a column reaches from the shortest exchange that began in its
 *          bin to the longest, so no extreme is lost. A cross: one without an answer.
 * rate:    bytes over time in both directions, with the busiest bin of each column; ticks below show when bytes were sent again.
 * spread:  by command, a thin line from the 5 % to the 95 % quantile, a bar between the quartiles, the median, the longest.
 * blocks:  how often which size was read or written.
 * gains:   what would help: a bar as long as the copy would take, with its interval, in a frame of what it took.
 *
 * Units: seconds and bytes. Shapes and hatches carry the meaning; colour only helps.
 * Ownership: a chart owns its arrays and strings; chart_free() frees it. Placing borrows it. Cost of placing: what there is
 * to draw, which the arrays bound; a million exchanges come as bins. */
#ifndef REPORT_CHART_CAPTURE_H
#define REPORT_CHART_CAPTURE_H

#include "report/page.h"

#include <glib.h>

struct chart;

struct chart_ops {
    double (*height)(const struct chart *c, struct draw *d, double width);
    /* `d` measures texts. The chart fills x .. x + width and y .. y + its height. */
    void (*place)(const struct chart *c, struct draw *d, struct page *page, double x, double y, double width);
    void (*free)(struct chart *c);
};

struct chart {
    const struct chart_ops *ops;
};

void chart_free(struct chart *c);

struct chart_part {
    const char *name; /* static */
    char *value;      /* owned: "5.238 s, 92 %" */
    double seconds;
    int hatch; /* enum hatch */
};

struct chart_parts {
    struct chart base;
    GArray *parts; /* of struct chart_part, in the order drawn; none of 0 s */
};

struct chart_stretch_bar {
    guint lane, row;           /* row: by chart_stretch_arrange() */
    double start, answer, end; /* answer: its first byte; both -1: not answered */
};

struct chart_stretch {
    struct chart base;
    GPtrArray *lanes; /* of char * */
    GArray *bars;     /* of struct chart_stretch_bar */
    GArray *rows;     /* of guint: how many each lane has */
    double from, to;
};

struct chart_bin {
    guint64 count, unanswered;
    double shortest, longest;
};

struct chart_lane {
    char *name, *note;
    GArray *bins; /* of struct chart_bin, side by side from `from` on */
};

struct chart_lanes {
    struct chart base;
    GPtrArray *lanes; /* of struct chart_lane * */
    double from, bin_width, to;
};

struct chart_rate {
    struct chart base;
    char *label[2]; /* in the legend */
    char *peak;     /* in the legend: what the lighter columns are */
    char *unit;     /* of values times `scale` */
    double scale;
    GArray *values[2],
        *resent; /* of double: per second in each bin; resent: above 0 where bytes were sent again */
    double from, bin_width, to;
};

struct chart_spread_row {
    char *name, *value;
    double q05, q25, median, q75, q95, longest; /* above 0 */
};

struct chart_spread {
    struct chart base;
    GArray *rows; /* of struct chart_spread_row */
};

struct chart_block {
    char *size;
    guint64 count[2];
    char *note;
};

struct chart_blocks {
    struct chart base;
    char *label[2];
    GArray *rows; /* of struct chart_block */
};

struct chart_gain {
    char *what, *seconds, *basis;
    double takes, low, high;
};

struct chart_gains {
    struct chart base;
    double now;
    GArray *rows; /* of struct chart_gain */
};

struct chart_parts *chart_parts_new(void);
struct chart_stretch *chart_stretch_new(void);
/* Once all bars are there: gives those of a lane that overlap rows of their own. */
void chart_stretch_arrange(struct chart_stretch *c);
struct chart_lanes *chart_lanes_new(void);
struct chart_rate *chart_rate_new(void);
struct chart_spread *chart_spread_new(void);
struct chart_blocks *chart_blocks_new(void);
struct chart_gains *chart_gains_new(void);

#endif
