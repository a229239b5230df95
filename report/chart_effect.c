#include "report/axis.h"
#include "report/chart.h"

#include <math.h>

enum { BAND_HEIGHT = 54, BAR_Y = 30, TICK_ROW = 6, LABEL_ROW = 19, HEIGHT = 88, INSET = 8 };

static const struct draw_style SMALL = {.size = 7.5, .ink = DRAW_GREY, .one_line = true, .align = DRAW_LEFT};
static const struct draw_style TICK = {.size = 8, .ink = DRAW_BLACK, .one_line = true, .align = DRAW_CENTRE};

void chart_effect_free(struct chart_effect *chart)
{
    if (!chart)
        return;
    g_free(chart->unit);
    g_free(chart->band_label);
    g_free(chart->interval_label[0]);
    g_free(chart->interval_label[1]);
    g_free(chart->left_label);
    g_free(chart->right_label);
    g_free(chart);
}

double chart_effect_height(void)
{
    return HEIGHT;
}

static double label_width(const struct chart_effect *c, struct draw *d)
{
    return fmax(page_text_width(d, c->interval_label[0], &SMALL),
                page_text_width(d, c->interval_label[1], &SMALL));
}

/* With room for the interval's label between its upper end and the axis's. `label` is the label's share of the axis. */
static struct axis range_of(const struct chart_effect *c, double label, double from, double to, int most)
{
    double low = fmin(fmin(0, -c->margin), c->low), high = fmax(fmax(0, c->margin), c->high),
           span = high - low;
    double least = low - 0.08 * span;

    high += 0.08 * span;
    label = fmin(label, 0.6);
    return axis_of(least, fmax(high, (c->high - label * least) / (1 - label)), from, to, most);
}

static char *tick_label(const struct chart_effect *c, const struct axis *a, int index)
{
    g_autofree char *number = axis_label(a, index, true);

    return g_strconcat(number, c->unit, NULL);
}

static double widest_tick(const struct chart_effect *c, struct draw *d, const struct axis *a)
{
    double widest = 0;

    for (int i = 0; i < axis_ticks(a); i++) {
        g_autofree char *label = tick_label(c, a, i);

        widest = fmax(widest, page_text_width(d, label, &TICK));
    }
    return widest;
}

/* As many ticks as leave half a label's width between labels. */
static struct axis axis_for(const struct chart_effect *c, struct draw *d, double from, double to)
{
    double label = (label_width(c, d) + 16) / (to - from);
    struct axis a;
    int most = 8;

    do {
        a = range_of(c, label, from, to, most--);
    } while (most > 2 && widest_tick(c, d, &a) * 1.5 > fabs(axis_at(&a, a.step) - axis_at(&a, 0)));
    return a;
}

static void place_axis(const struct chart_effect *c, struct draw *d, struct page *page, const struct axis *a,
                       double y)
{
    page_line(page, (struct draw_line){a->from, y, a->to, y, 0.8, DRAW_BLACK, DRAW_SOLID});
    for (int i = 0; i < axis_ticks(a); i++) {
        g_autofree char *label = tick_label(c, a, i);
        double at = axis_at(a, axis_tick(a, i)), width = page_text_width(d, label, &TICK);
        double left = CLAMP(at - width / 2, a->from - INSET, a->to + INSET - width);

        page_line(page, (struct draw_line){at, y, at, y + 4, 0.8, DRAW_BLACK, DRAW_SOLID});
        page_label(page, label, TICK, left, y + TICK_ROW, width);
    }
}

/* In the band's left half, or beside the band when it is too narrow. */
static void place_band(const struct chart_effect *c, struct draw *d, struct page *page, const struct axis *a,
                       double y)
{
    double left = axis_at(a, -c->margin), right = axis_at(a, c->margin), zero = axis_at(a, 0);
    double width = page_text_width(d, c->band_label, &SMALL), x;

    page_box(page,
             (struct draw_box){left, y, right - left, BAND_HEIGHT, 0, 0, DRAW_BAND, DRAW_NONE, DRAW_SOLID});
    page_line(page, (struct draw_line){zero, y, zero, y + BAND_HEIGHT, 0.8, DRAW_BLACK, DRAW_DOTTED});
    if (zero - left >= width + 6)
        x = left + 4;
    else if (a->to - right >= width + 4)
        x = right + 4;
    else
        x = fmax(a->from, left - 4 - width);
    page_label(page, c->band_label, SMALL, x, y + 3, width);
}

static void place_bars(const struct chart_effect *c, struct page *page, const struct axis *a, double bar)
{
    double low = axis_at(a, c->low), high = axis_at(a, c->high);
    double low_90 = axis_at(a, c->low_90), high_90 = axis_at(a, c->high_90);

    page_line(page, (struct draw_line){low, bar, high, bar, 1.4, DRAW_BLUE, DRAW_SOLID});
    page_line(page, (struct draw_line){low_90, bar, high_90, bar, 4.5, DRAW_BLUE, DRAW_SOLID});
    page_line(page, (struct draw_line){low, bar - 5, low, bar + 5, 1.4, DRAW_BLUE, DRAW_SOLID});
    page_line(page, (struct draw_line){high, bar - 5, high, bar + 5, 1.4, DRAW_BLUE, DRAW_SOLID});
    page_mark(page,
              (struct draw_mark){DRAW_DIAMOND, axis_at(a, c->value), bar, 5.5, 1.6, DRAW_WHITE, DRAW_BLUE});
}

/* The label stands in two lines at the right of the interval, where the axis leaves room for it. */
static void place_interval(const struct chart_effect *c, struct draw *d, struct page *page,
                           const struct axis *a, double y)
{
    double bar = y + BAR_Y, x = fmax(axis_at(a, c->high), axis_at(a, c->value) + 6) + 6;
    double width = fmin(label_width(c, d), a->to + INSET - x);
    struct draw_style style = SMALL;

    place_bars(c, page, a, bar);
    style.ink = DRAW_BLUE;
    page_label(page, c->interval_label[0], style, x, bar - draw_leading(SMALL.size), width);
    page_label(page, c->interval_label[1], style, x, bar, width);
}

void chart_effect_place(const struct chart_effect *chart, struct draw *d, struct page *page, double x,
                        double y, double width)
{
    struct axis a = axis_for(chart, d, x + INSET, x + width - INSET);
    struct draw_style right = SMALL;
    double bottom = y + BAND_HEIGHT, half = (width - 2 * INSET) / 2 - 4;

    right.align = DRAW_RIGHT;
    place_band(chart, d, page, &a, y);
    place_interval(chart, d, page, &a, y);
    place_axis(chart, d, page, &a, bottom);
    page_label(page, chart->left_label, SMALL, a.from, bottom + LABEL_ROW, half);
    page_label(page, chart->right_label, right, a.to - half, bottom + LABEL_ROW, half);
}
