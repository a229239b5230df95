#include "report/chart_arms.h"
#include "report/plot.h"

#include <math.h>

enum { LANE = 34, BAR = 8, BAR_Y = 8, MEAN_Y = 20, RUN_Y = 27, RUN = 4, LEGEND_ROW = 14, MOST_TICKS = 8 };

static const struct draw_style VALUE = {.size = 8.2, .one_line = true, .align = DRAW_RIGHT};
static const struct draw_style TICK_LABEL = {
    .size = 7.5, .one_line = true, .align = DRAW_CENTRE, .ink = DRAW_GREY};

static const struct chart_arms *of(const struct chart *base)
{
    return (const struct chart_arms *)base;
}

static struct chart_arm *row_at(const struct chart_arms *c, guint i)
{
    return &g_array_index(c->rows, struct chart_arm, i);
}

static double run_at(const struct chart_arm *r, guint i)
{
    return g_array_index(r->runs, double, i);
}

static double height(const struct chart *base, struct draw *d, double width)
{
    (void)d;
    (void)width;
    return of(base)->rows->len * LANE + PLOT_AXIS_ROW + LEGEND_ROW;
}

static struct axis value_axis(const struct chart_arms *c, double from, double to)
{
    double low = INFINITY, high = -INFINITY, pad;

    for (guint i = 0; i < c->rows->len; i++) {
        const struct chart_arm *r = row_at(c, i);

        low = fmin(low, run_at(r, 0));
        high = fmax(high, run_at(r, r->runs->len - 1));
        if (r->has_interval) {
            low = fmin(low, r->low);
            high = fmax(high, r->high);
        }
    }
    /* Without spread, some room around the only value. */
    pad = fmax(0.03 * (high - low), 1e-12 * fmax(fabs(low), fabs(high)));
    if (low == high)
        pad = low == 0 ? 1 : 0.05 * fabs(low);
    return axis_of(low - pad, high + pad, from, to, MOST_TICKS);
}

static void place_axis(struct page *page, const struct axis *a, double top, double foot)
{
    for (int i = 0; i < axis_ticks(a); i++) {
        g_autofree char *label = axis_label(a, i, false);
        double at = axis_at(a, axis_tick(a, i)), room = (a->to - a->from) / MOST_TICKS;

        page_line(page, (struct draw_line){at, top, at, foot, 0.6, DRAW_RULE, DRAW_SOLID});
        page_label(page, label, TICK_LABEL, fmin(at - room / 2, a->to + 4 - room), foot + 3, room);
    }
}

/* One tick for each half point of the page, however many runs there are. */
static void place_runs(const struct chart_arm *r, struct page *page, const struct axis *a, double top)
{
    double last = -INFINITY;

    for (guint i = 0; i < r->runs->len; i++) {
        double at = axis_at(a, run_at(r, i));

        if (at - last < 0.5)
            continue;
        page_line(page,
                  (struct draw_line){at, top + RUN_Y, at, top + RUN_Y + RUN, 0.6, DRAW_BLACK, DRAW_SOLID});
        last = at;
    }
}

static void place_arm(const struct chart_arm *r, struct page *page, const struct axis *a, double top)
{
    double low = axis_at(a, r->q25), high = axis_at(a, r->q75), median = axis_at(a, r->median);
    double middle = top + BAR_Y, mean = top + MEAN_Y;

    page_line(page,
              (struct draw_line){axis_at(a, run_at(r, 0)), middle, axis_at(a, run_at(r, r->runs->len - 1)),
                                 middle, 1, DRAW_BLACK, DRAW_SOLID});
    page_box(page, (struct draw_box){low, middle - BAR / 2.0, high - low, BAR, 0, 0.8, DRAW_BAND, DRAW_BLUE,
                                     DRAW_SOLID});
    page_line(page, (struct draw_line){median, middle - BAR / 2.0 - 1, median, middle + BAR / 2.0 + 1, 2,
                                       DRAW_BLUE, DRAW_SOLID});
    if (r->has_interval)
        page_line(page, (struct draw_line){axis_at(a, r->low), mean, axis_at(a, r->high), mean, 1.4,
                                           DRAW_ORANGE, DRAW_SOLID});
    page_mark(page,
              (struct draw_mark){DRAW_DIAMOND, axis_at(a, r->mean), mean, 2.6, 1, DRAW_WHITE, DRAW_ORANGE});
    place_runs(r, page, a, top);
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    static const char LEGEND[] =
        "line: least to most; box: the middle half; thick tick: median; diamond: mean with its "
        "95\u202f% interval; ticks: every run";
    const struct chart_arms *c = of(base);
    double names = 0, values = 0, foot = y + c->rows->len * LANE;
    struct axis a;

    for (guint i = 0; i < c->rows->len; i++) {
        names = plot_name_width(d, row_at(c, i)->name, names, width / 3);
        values = plot_name_width(d, row_at(c, i)->value, values, width / 4);
    }
    a = value_axis(c, x + names + 10, x + width - values - 10);
    place_axis(page, &a, y, foot);
    for (guint i = 0; i < c->rows->len; i++) {
        double top = y + i * LANE, text = top + (LANE - draw_leading(VALUE.size)) / 2;

        page_label(page, row_at(c, i)->name, PLOT_NAME, x, text, names);
        page_label(page, row_at(c, i)->value, VALUE, x + width - values, text, values);
        page_line(page, (struct draw_line){x, top + LANE, x + width, top + LANE, 0.6, DRAW_RULE, DRAW_SOLID});
        place_arm(row_at(c, i), page, &a, top);
    }
    page_label(page, (char *)LEGEND, PLOT_SMALL, x, foot + PLOT_AXIS_ROW, width);
}

static void arms_free(struct chart *base)
{
    struct chart_arms *c = (struct chart_arms *)base;

    for (guint i = 0; i < c->rows->len; i++) {
        g_free(row_at(c, i)->name);
        g_free(row_at(c, i)->value);
        g_array_unref(row_at(c, i)->runs);
    }
    g_array_unref(c->rows);
    g_free(c);
}

struct chart_arms *chart_arms_new(void)
{
    static const struct chart_ops OPS = {height, place, arms_free};
    struct chart_arms *c = g_new0(struct chart_arms, 1);

    c->base.ops = &OPS;
    c->rows = g_array_new(FALSE, FALSE, sizeof(struct chart_arm));
    return c;
}
