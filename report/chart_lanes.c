#include "report/chart_capture.h"
#include "report/plot.h"

#include <math.h>

enum { LANE = 26, INSET = 3 };

static const struct chart_lanes *of(const struct chart *base)
{
    return (const struct chart_lanes *)base;
}

static double height(const struct chart *base, struct draw *d, double width)
{
    (void)d;
    (void)width;
    return of(base)->lanes->len * LANE + PLOT_AXIS_ROW;
}

static void find_range(const struct chart_lane *lane, double *low, double *high)
{
    *low = INFINITY;
    *high = -INFINITY;
    for (guint i = 0; i < lane->bins->len; i++) {
        const struct chart_bin *b = &g_array_index(lane->bins, struct chart_bin, i);

        if (b->count == 0)
            continue;
        *low = fmin(*low, b->shortest);
        *high = fmax(*high, b->longest);
    }
}

/* A column from the shortest to the longest, wide enough to see. */
static void place_bin(const struct chart_bin *b, struct page *page, const struct axis *value, double x,
                      double width, double right, double top)
{
    static const double SMALLEST = 2.2;
    double wide = fmax(width, SMALLEST), high, low;

    x = fmin(x, right - wide);
    if (b->unanswered > 0)
        page_mark(page,
                  (struct draw_mark){DRAW_CROSS, x + width / 2, top + 5, 2.4, 1, DRAW_NONE, DRAW_BLACK});
    if (b->count == 0)
        return;
    high = plot_decade_at(value, b->longest);
    low = plot_decade_at(value, b->shortest);
    page_box(page, (struct draw_box){x, high - SMALLEST / 2, wide, low - high + SMALLEST, 0, 0, DRAW_BLUE,
                                     DRAW_NONE, DRAW_SOLID});
}

static void place_lane(const struct chart_lanes *c, const struct chart_lane *lane, struct page *page,
                       const struct axis *time, double top)
{
    double low, high, at = c->from;
    struct axis value;

    find_range(lane, &low, &high);
    value = low <= high ? plot_decades(low, high, top + LANE - INSET, top + INSET)
                        : plot_decades(1, 1, top + LANE - INSET, top + INSET);
    for (guint i = 0; i < lane->bins->len; i++, at += c->bin_width) {
        double left = axis_at(time, at), right = fmin(axis_at(time, at + c->bin_width), time->to);

        place_bin(&g_array_index(lane->bins, struct chart_bin, i), page, &value, left, right - left, time->to,
                  top);
    }
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    const struct chart_lanes *c = of(base);
    double names = 0, foot = y + c->lanes->len * LANE, left, leading = draw_leading(PLOT_NAME.size);
    struct axis time;

    for (guint i = 0; i < c->lanes->len; i++) {
        const struct chart_lane *lane = g_ptr_array_index(c->lanes, i);

        names = plot_name_width(d, lane->name, names, width / 3);
        names = plot_name_width(d, lane->note, names, width / 3);
    }
    left = x + names + 8;
    time = plot_time_axis(page, d, c->from, c->to, left, x + width, y, foot);
    for (guint i = 0; i < c->lanes->len; i++) {
        const struct chart_lane *lane = g_ptr_array_index(c->lanes, i);
        double top = y + i * LANE;

        page_label(page, lane->name, PLOT_NAME, x, top + LANE / 2.0 - leading, names);
        page_label(page, lane->note, PLOT_SMALL, x, top + LANE / 2.0, names);
        page_line(page, (struct draw_line){x, top + LANE, x + width, top + LANE, 0.6, DRAW_RULE, DRAW_SOLID});
        place_lane(c, lane, page, &time, top);
    }
}

static void lane_free(gpointer data)
{
    struct chart_lane *lane = data;

    g_free(lane->name);
    g_free(lane->note);
    g_array_unref(lane->bins);
    g_free(lane);
}

static void lanes_free(struct chart *base)
{
    struct chart_lanes *c = (struct chart_lanes *)base;

    g_ptr_array_unref(c->lanes);
    g_free(c);
}

struct chart_lanes *chart_lanes_new(void)
{
    static const struct chart_ops OPS = {height, place, lanes_free};
    struct chart_lanes *c = g_new0(struct chart_lanes, 1);

    c->base.ops = &OPS;
    c->lanes = g_ptr_array_new_with_free_func(lane_free);
    return c;
}
