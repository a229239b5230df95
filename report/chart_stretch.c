#include "report/chart_capture.h"
#include "report/hatch.h"
#include "report/plot.h"

#include <math.h>

enum { LANE = 16, BAR = 9, LEGEND_ROW = 13, MOST_ROWS = 12 };
static const double ROW = 5;
static const double NARROWEST = 0.4;

static const struct chart_stretch *of(const struct chart *base)
{
    return (const struct chart_stretch *)base;
}

static struct chart_stretch_bar *bar_at(const struct chart_stretch *c, guint i)
{
    return &g_array_index(c->bars, struct chart_stretch_bar, i);
}

static gint by_start(gconstpointer a, gconstpointer b)
{
    const struct chart_stretch_bar *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

void chart_stretch_arrange(struct chart_stretch *c)
{
    g_array_set_size(c->rows, c->lanes->len);
    g_array_sort(c->bars, by_start);
    for (guint lane = 0; lane < c->lanes->len; lane++) {
        double free_at[MOST_ROWS] = {0};
        guint used = 1;

        for (guint i = 0; i < c->bars->len; i++) {
            struct chart_stretch_bar *b = bar_at(c, i);
            guint row = 0;

            if (b->lane != lane)
                continue;
            while (row + 1 < MOST_ROWS && row < used && free_at[row] > b->start)
                row++;
            free_at[row] = fmax(b->end, b->start);
            used = MAX(used, row + 1);
            b->row = row;
        }
        g_array_index(c->rows, guint, lane) = used;
    }
}

static guint rows_of(const struct chart_stretch *c, guint lane)
{
    return g_array_index(c->rows, guint, lane);
}

/* A lane whose exchanges overlap has a row for each at once. */
static double lane_height(const struct chart_stretch *c, guint lane)
{
    return fmax(LANE, rows_of(c, lane) * ROW + LANE - BAR);
}

static double lanes_height(const struct chart_stretch *c, guint count)
{
    double sum = 0;

    for (guint i = 0; i < count; i++)
        sum += lane_height(c, i);
    return sum;
}

static double height(const struct chart *base, struct draw *d, double width)
{
    (void)d;
    (void)width;
    return lanes_height(of(base), of(base)->lanes->len) + PLOT_AXIS_ROW + LEGEND_ROW;
}

/* Waiting for the first byte of the answer, then the answer's arrival. Without an answer: a cross. */
static void place_bar(const struct chart_stretch_bar *b, struct page *page, const struct axis *a, double y,
                      double high)
{
    double start = axis_at(a, b->start), answer, end;

    if (b->end < 0) {
        page_mark(page, (struct draw_mark){DRAW_CROSS, start, y + high / 2, fmin(3, high / 2), 1.2, DRAW_NONE,
                                           DRAW_BLACK});
        return;
    }
    end = fmin(axis_at(a, b->end), a->to);
    answer = fmin(axis_at(a, b->answer), end);
    page_box(page, (struct draw_box){start, y, fmax(answer - start, NARROWEST), high, 0, 0, DRAW_BLUE,
                                     DRAW_NONE, DRAW_SOLID});
    if (end - answer > NARROWEST)
        page_box(page, (struct draw_box){answer, y + 0.15 * high, end - answer, 0.7 * high, 0, 0.6,
                                         DRAW_WHITE, DRAW_ORANGE, DRAW_SOLID});
}

/* Where several rows share a lane they are thinner. */
static void place_bars(const struct chart_stretch *c, struct page *page, const struct axis *a, double top)
{
    for (guint i = 0; i < c->bars->len; i++) {
        const struct chart_stretch_bar *b = bar_at(c, i);
        guint rows = rows_of(c, b->lane);
        double y = top + lanes_height(c, b->lane) + (LANE - BAR) / 2.0;

        if (rows == 1)
            place_bar(b, page, a, y, BAR);
        else
            place_bar(b, page, a, y + b->row * ROW, ROW - 1.2);
    }
}

static void place_legend(struct draw *d, struct page *page, double x, double y)
{
    static const char WAIT[] = "from the request to the answer\u2019s first byte",
                      DATA[] = "the answer arrives";
    double middle = y + draw_leading(PLOT_SMALL.size) / 2, width;

    page_box(page, (struct draw_box){x, middle - 3, 14, 7, 0, 0, DRAW_BLUE, DRAW_NONE, DRAW_SOLID});
    width = page_text_width(d, (char *)WAIT, &PLOT_SMALL);
    page_label(page, (char *)WAIT, PLOT_SMALL, x + 19, y, width);
    x += 19 + width + 16;
    page_box(page, (struct draw_box){x, middle - 2, 14, 5, 0, 0.6, DRAW_WHITE, DRAW_ORANGE, DRAW_SOLID});
    page_label(page, (char *)DATA, PLOT_SMALL, x + 19, y, page_text_width(d, (char *)DATA, &PLOT_SMALL));
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    const struct chart_stretch *c = of(base);
    double names = 0, foot = y + lanes_height(c, c->lanes->len), left, top = y;
    struct axis a;

    for (guint i = 0; i < c->lanes->len; i++)
        names = plot_name_width(d, g_ptr_array_index(c->lanes, i), names, width / 3);
    left = x + names + 8;
    a = plot_time_axis(page, d, c->from, c->to, left, x + width, y, foot);
    for (guint i = 0; i < c->lanes->len; i++) {
        double high = lane_height(c, i);

        page_label(page, g_ptr_array_index(c->lanes, i), PLOT_NAME, x,
                   top + (high - draw_leading(PLOT_NAME.size)) / 2, names);
        top += high;
        page_line(page, (struct draw_line){left, top, x + width, top, 0.6, DRAW_RULE, DRAW_SOLID});
    }
    place_bars(c, page, &a, y);
    place_legend(d, page, left, foot + PLOT_AXIS_ROW);
}

static void stretch_free(struct chart *base)
{
    struct chart_stretch *c = (struct chart_stretch *)base;

    g_ptr_array_unref(c->lanes);
    g_array_unref(c->bars);
    g_array_unref(c->rows);
    g_free(c);
}

struct chart_stretch *chart_stretch_new(void)
{
    static const struct chart_ops OPS = {height, place, stretch_free};
    struct chart_stretch *c = g_new0(struct chart_stretch, 1);

    c->base.ops = &OPS;
    c->lanes = g_ptr_array_new_with_free_func(g_free);
    c->bars = g_array_new(FALSE, FALSE, sizeof(struct chart_stretch_bar));
    c->rows = g_array_new(FALSE, FALSE, sizeof(guint));
    return c;
}
