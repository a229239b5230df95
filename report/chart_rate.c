#include "report/chart_capture.h"
#include "report/plot.h"

#include <math.h>

enum { PLOT = 92, TICKS_ROW = 9, LEGEND_ROW = 15 };

static const struct draw_style TICK = {.size = 7.5, .ink = DRAW_GREY, .one_line = true, .align = DRAW_RIGHT};

static const struct chart_rate *of(const struct chart *base)
{
    return (const struct chart_rate *)base;
}

static double height(const struct chart *base, struct draw *d, double width)
{
    (void)base;
    (void)d;
    (void)width;
    return PLOT + TICKS_ROW + PLOT_AXIS_ROW + LEGEND_ROW;
}

static double value_at(const struct chart_rate *c, int series, guint i)
{
    return g_array_index(c->values[series], double, i) * c->scale;
}

/* Bins to a column: columns that can be told apart. */
static guint group_of(guint bins)
{
    enum { MOST_COLUMNS = 160 };

    return MAX(1, (bins + MOST_COLUMNS - 1) / MOST_COLUMNS);
}

/* The bins of one column: their mean, and the most of any of them. */
static double mean_of(const struct chart_rate *c, int s, guint from, guint to, double *most)
{
    double sum = 0;

    *most = 0;
    for (guint i = from; i < to; i++) {
        sum += value_at(c, s, i);
        *most = fmax(*most, value_at(c, s, i));
    }
    return sum / (to - from);
}

/* Bursts that a capture point takes for one packet would leave no height for the rest: beyond some times the highest mean they are
 * cut, and the legend has their rate. */
static double most_of(const struct chart_rate *c)
{
    static const double TIMES_MEAN = 2;
    guint n = c->values[0]->len, each = group_of(n);
    double mean = 0, peak = 0;

    for (guint i = 0; i < n; i += each) {
        for (int s = 0; s < 2; s++) {
            double most;

            mean = fmax(mean, mean_of(c, s, i, MIN(i + each, n), &most));
            peak = s == 0 ? fmax(peak, most) : peak;
        }
    }
    return mean > 0 ? fmax(mean, fmin(peak, TIMES_MEAN * mean)) : 1;
}

static double place_values(const struct chart_rate *c, struct draw *d, struct page *page, struct axis *y,
                           double x, double right)
{
    double column = 0;

    for (int i = 0; i < axis_ticks(y); i++) {
        g_autofree char *number = axis_label(y, i, false), *label = g_strconcat(number, c->unit, NULL);

        column = fmax(column, page_text_width(d, label, &TICK));
    }
    for (int i = 0; i < axis_ticks(y); i++) {
        g_autofree char *number = axis_label(y, i, false), *label = g_strconcat(number, c->unit, NULL);
        double at = axis_at(y, axis_tick(y, i));

        page_line(page, (struct draw_line){x + column + 4, at, right, at, 0.6, DRAW_RULE, DRAW_SOLID});
        page_label(page, label, TICK, x, at - draw_leading(TICK.size) / 2, column);
    }
    return x + column + 4;
}

static void column(struct page *page, enum draw_ink ink, double left, double right, double top, double foot)
{
    if (foot - top > 0.05)
        page_box(page,
                 (struct draw_box){left, top, right - left, foot - top, 0, 0, ink, DRAW_NONE, DRAW_SOLID});
}

/* The copy's direction: columns, with what the busiest bin of each reached in a lighter tone. The other way: a step line. */
static void place_series(const struct chart_rate *c, int s, struct page *page, const struct axis *time,
                         const struct axis *y)
{
    guint n = c->values[s]->len, each = group_of(n);
    double before = axis_at(y, 0), foot = before;

    for (guint i = 0; i < n; i += each) {
        guint next = MIN(i + each, n);
        double most, at = axis_at(y, mean_of(c, s, i, next, &most));
        double left = axis_at(time, c->from + i * c->bin_width);
        double right = fmin(axis_at(time, c->from + next * c->bin_width), time->to);

        if (s == 0) {
            column(page, DRAW_RULE, left, right, fmax(axis_at(y, most), y->to), at);
            column(page, DRAW_BLUE, left, right, at, foot);
            continue;
        }
        if (foot - fmin(at, before) > 0.05)
            page_line(page, (struct draw_line){left, at, right, at, 2.4, DRAW_WHITE,
                                               DRAW_SOLID}); /* to stand out */
        if (fabs(at - before) > 0.05)
            page_line(page, (struct draw_line){left, before, left, at, 0.9, DRAW_ORANGE, DRAW_SOLID});
        if (foot - at > 0.05)
            page_line(page, (struct draw_line){left, at, right, at, 0.9, DRAW_ORANGE, DRAW_SOLID});
        before = at;
    }
}

static void place_resent(const struct chart_rate *c, struct page *page, const struct axis *time, double top)
{
    for (guint i = 0; i < c->resent->len; i++) {
        double at = axis_at(time, c->from + (i + 0.5) * c->bin_width);

        if (g_array_index(c->resent, double, i) > 0 && at <= time->to)
            page_line(page,
                      (struct draw_line){at, top + 2, at, top + TICKS_ROW, 0.8, DRAW_BLACK, DRAW_SOLID});
    }
}

/* Returns where the next entry begins; none leaves the plot's width. */
static double legend_text(struct draw *d, struct page *page, const char *text, double x, double y,
                          double right)
{
    double width = fmin(page_text_width(d, (char *)text, &PLOT_SMALL), right - x - 19);

    page_label(page, (char *)text, PLOT_SMALL, x + 19, y, width);
    return x + 19 + width + 14;
}

static bool any_resent(const struct chart_rate *c)
{
    for (guint i = 0; i < c->resent->len; i++) {
        if (g_array_index(c->resent, double, i) > 0)
            return true;
    }
    return false;
}

/* The longest entry comes last. */
static void place_legend(const struct chart_rate *c, struct draw *d, struct page *page, double x, double y,
                         double right)
{
    double middle = y + draw_leading(PLOT_SMALL.size) / 2;

    page_box(page, (struct draw_box){x, middle - 3, 14, 7, 0, 0, DRAW_BLUE, DRAW_NONE, DRAW_SOLID});
    x = legend_text(d, page, c->label[0], x, y, right);
    page_line(page, (struct draw_line){x, middle, x + 14, middle, 1, DRAW_ORANGE, DRAW_SOLID});
    x = legend_text(d, page, c->label[1], x, y, right);
    if (any_resent(c)) {
        page_line(page,
                  (struct draw_line){x + 7, middle - 3.5, x + 7, middle + 3.5, 0.8, DRAW_BLACK, DRAW_SOLID});
        x = legend_text(d, page, "sent again", x, y, right);
    }
    page_box(page, (struct draw_box){x, middle - 3, 14, 7, 0, 0, DRAW_RULE, DRAW_NONE, DRAW_SOLID});
    legend_text(d, page, c->peak, x, y, right);
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    const struct chart_rate *c = of(base);
    double foot = y + PLOT, left;
    struct axis value = axis_of(0, most_of(c) * 1.06, foot, y + 4, 4), time;

    left = place_values(c, d, page, &value, x, x + width);
    time = plot_time_axis(page, d, c->from, c->to, left, x + width, foot, foot + TICKS_ROW);
    for (int s = 0; s < 2; s++)
        place_series(c, s, page, &time, &value);
    page_line(page, (struct draw_line){left, foot, x + width, foot, 0.8, DRAW_BLACK, DRAW_SOLID});
    place_resent(c, page, &time, foot);
    place_legend(c, d, page, left, foot + TICKS_ROW + PLOT_AXIS_ROW, x + width);
}

static void rate_free(struct chart *base)
{
    struct chart_rate *c = (struct chart_rate *)base;

    for (int s = 0; s < 2; s++) {
        g_free(c->label[s]);
        g_array_unref(c->values[s]);
    }
    g_array_unref(c->resent);
    g_free(c->unit);
    g_free(c->peak);
    g_free(c);
}

struct chart_rate *chart_rate_new(void)
{
    static const struct chart_ops OPS = {height, place, rate_free};
    struct chart_rate *c = g_new0(struct chart_rate, 1);

    c->base.ops = &OPS;
    for (int s = 0; s < 2; s++)
        c->values[s] = g_array_new(FALSE, FALSE, sizeof(double));
    c->resent = g_array_new(FALSE, FALSE, sizeof(double));
    return c;
}
