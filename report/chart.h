/* The two charts of a verdict: descriptions with final texts, and their placing as primitives.
 *
 * effect: the estimate with its 95 % (thin) and 90 % (thick) interval on an axis of gain, the margin as a band around 0.
 * runs: every run twice, in the order measured and sorted, with the means as lines. Where runs outnumber the points of the
 * page, those of a point are drawn as a line between their extremes.
 * Shapes and line styles tell the arms apart; colour only helps.
 * Ownership: free with the functions below; labels are owned strings. Placing borrows the chart. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/page.h"

#include <stdbool.h>

struct chart_effect {
    double value, low, high, low_90, high_90, margin; /* in units of the axis */
    char *unit;                                       /* after each tick's number, with its space */
    char *band_label, *interval_label[2], *left_label, *right_label;
};

struct chart_series {
    char *label; /* in the legend */
    enum draw_shape shape;
    enum draw_ink ink;
    enum draw_dash dash;
    GArray *values; /* of double, in the order measured */
    bool has_mean;
    double mean;
};

struct chart_runs {
    char *order_title, *order_note, *sorted_title, *sorted_note;
    GArray *series;     /* of struct chart_series */
    bool alternating;   /* the runs of the series took turns, else one series came after the other */
    bool highest_first; /* in the sorted panel */
};

void chart_effect_free(struct chart_effect *chart);
void chart_runs_free(struct chart_runs *chart);

double chart_effect_height(void);
double chart_runs_height(void);

/* `d` measures texts. The chart fills x .. x + width and y .. y + its height. */
void chart_effect_place(const struct chart_effect *chart, struct draw *d, struct page *page, double x,
                        double y, double width);
void chart_runs_place(const struct chart_runs *chart, struct draw *d, struct page *page, double x, double y,
                      double width);

#endif
