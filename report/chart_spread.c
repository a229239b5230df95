#include "report/chart_capture.h"
#include "report/plot.h"

#include <math.h>

enum { LANE = 17, BAR = 8, LEGEND_ROW = 14 };

static const struct draw_style VALUE = {.size = 8.2, .one_line = true, .align = DRAW_RIGHT};

static const struct chart_spread *of(const struct chart *base)
{
    return (const struct chart_spread *)base;
}

static struct chart_spread_row *row_at(const struct chart_spread *c, guint i)
{
    return &g_array_index(c->rows, struct chart_spread_row, i);
}

static double height(const struct chart *base, struct draw *d, double width)
{
    (void)d;
    (void)width;
    return of(base)->rows->len * LANE + PLOT_AXIS_ROW + LEGEND_ROW;
}

static void place_row(const struct chart_spread_row *r, struct page *page, const struct axis *a,
                      double middle)
{
    double low = plot_decade_at(a, r->q25), high = plot_decade_at(a, r->q75),
           median = plot_decade_at(a, r->median);

    page_line(page, (struct draw_line){plot_decade_at(a, r->q05), middle, plot_decade_at(a, r->q95), middle,
                                       1, DRAW_BLACK, DRAW_SOLID});
    page_box(page, (struct draw_box){low, middle - BAR / 2.0, high - low, BAR, 0, 0.8, DRAW_BAND, DRAW_BLUE,
                                     DRAW_SOLID});
    page_line(page, (struct draw_line){median, middle - BAR / 2.0 - 1, median, middle + BAR / 2.0 + 1, 2,
                                       DRAW_BLUE, DRAW_SOLID});
    page_mark(page, (struct draw_mark){DRAW_DIAMOND, plot_decade_at(a, r->longest), middle, 2.6, 1,
                                       DRAW_WHITE, DRAW_ORANGE});
}

static void place_rows(const struct chart_spread *c, struct page *page, const struct axis *a, double x,
                       double y, double names, double right, double values)
{
    for (guint i = 0; i < c->rows->len; i++) {
        const struct chart_spread_row *r = row_at(c, i);
        double top = y + i * LANE, text = top + (LANE - draw_leading(VALUE.size)) / 2;

        page_label(page, r->name, PLOT_NAME, x, text, names);
        page_label(page, r->value, VALUE, right - values, text, values);
        page_line(page, (struct draw_line){x, top + LANE, right, top + LANE, 0.6, DRAW_RULE, DRAW_SOLID});
        place_row(r, page, a, top + LANE / 2.0);
    }
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    static const char LEGEND[] = "line: 5 to 95\u202f% of them; box: the middle half; thick tick: median; "
                                 "diamond: the longest; at the right the median";
    const struct chart_spread *c = of(base);
    double names = 0, values = 0, low = INFINITY, high = 0, foot = y + c->rows->len * LANE;
    struct axis a;

    for (guint i = 0; i < c->rows->len; i++) {
        const struct chart_spread_row *r = row_at(c, i);

        names = plot_name_width(d, r->name, names, width / 3);
        values = plot_name_width(d, r->value, values, width / 4);
        low = fmin(low, r->q05);
        high = fmax(high, r->longest);
    }
    a = plot_decades(low, high, x + names + 8, x + width - values - 8);
    plot_decade_axis(page, d, &a, y, foot);
    place_rows(c, page, &a, x, y, names, x + width, values);
    page_label(page, (char *)LEGEND, PLOT_SMALL, x, foot + PLOT_AXIS_ROW, width);
}

static void spread_free(struct chart *base)
{
    struct chart_spread *c = (struct chart_spread *)base;

    for (guint i = 0; i < c->rows->len; i++) {
        g_free(row_at(c, i)->name);
        g_free(row_at(c, i)->value);
    }
    g_array_unref(c->rows);
    g_free(c);
}

struct chart_spread *chart_spread_new(void)
{
    static const struct chart_ops OPS = {height, place, spread_free};
    struct chart_spread *c = g_new0(struct chart_spread, 1);

    c->base.ops = &OPS;
    c->rows = g_array_new(FALSE, FALSE, sizeof(struct chart_spread_row));
    return c;
}
