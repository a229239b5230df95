#include "report/axis.h"
#include "report/chart.h"
#include "report/format.h"
#include "report/sorting.h"

#include <math.h>

enum {
    GAP = 24,
    TITLE_ROW = 15,
    NOTE_ROW = 14,
    PLOT_HEIGHT = 100,
    X_ROW = 13,
    LEGEND_ROW = 15,
    LEGEND_KEY = 23,
    LEGEND_GAP = 16,
    Y_TICKS = 4
};

static const double COLUMN_WIDTH = 1;

static const struct draw_style TITLE = {
    .size = 11, .weight = DRAW_SEMIBOLD, .one_line = true, .align = DRAW_LEFT};
static const struct draw_style NOTE = {.size = 8, .ink = DRAW_GREY, .one_line = true, .align = DRAW_LEFT};
static const struct draw_style TICK = {.size = 7.5, .ink = DRAW_GREY, .one_line = true, .align = DRAW_CENTRE};
static const struct draw_style LEGEND = {.size = 8, .ink = DRAW_BLACK, .one_line = true, .align = DRAW_LEFT};

/* One of the two plots. */
struct panel {
    struct page *page;
    struct draw *d;
    double left, right, top; /* of the plotted area */
    struct axis y;
    double slot;   /* width given to each position */
    double radius; /* of a mark */
    guint positions;
};

static struct chart_series *series_at(const struct chart_runs *c, guint i)
{
    return &g_array_index(c->series, struct chart_series, i);
}

void chart_runs_free(struct chart_runs *chart)
{
    if (!chart)
        return;
    g_free(chart->order_title);
    g_free(chart->order_note);
    g_free(chart->sorted_title);
    g_free(chart->sorted_note);
    for (guint i = 0; i < chart->series->len; i++) {
        g_free(series_at(chart, i)->label);
        g_array_unref(series_at(chart, i)->values);
    }
    g_array_unref(chart->series);
    g_free(chart);
}

double chart_runs_height(void)
{
    return TITLE_ROW + NOTE_ROW + PLOT_HEIGHT + X_ROW + LEGEND_ROW + 6;
}

static double value_at(const struct chart_series *s, guint i)
{
    return g_array_index(s->values, double, i);
}

/* Both panels share the axis of values. */
static struct axis value_axis(const struct chart_runs *c, double top)
{
    double low = INFINITY, high = -INFINITY, pad;

    for (guint s = 0; s < c->series->len; s++) {
        for (guint i = 0; i < series_at(c, s)->values->len; i++) {
            low = fmin(low, value_at(series_at(c, s), i));
            high = fmax(high, value_at(series_at(c, s), i));
        }
    }
    if (low > high)
        low = high = 0;
    pad = 0.08 * (high - low);
    /* Without spread, some room around the only value. */
    pad = fmax(pad, low == high ? (low == 0 ? 1 : 0.05 * fabs(low)) : 1e-12 * fmax(fabs(low), fabs(high)));
    return axis_of(low - pad, high + pad, top + PLOT_HEIGHT, top, Y_TICKS);
}

static double tick_column(const struct axis *y, struct draw *d)
{
    double widest = 0;

    for (int i = 0; i < axis_ticks(y); i++) {
        g_autofree char *label = axis_label(y, i, false);

        widest = fmax(widest, page_text_width(d, label, &TICK));
    }
    return widest + 4;
}

static void place_grid(const struct panel *p, double x)
{
    struct draw_style style = TICK;

    style.align = DRAW_RIGHT;
    for (int i = 0; i < axis_ticks(&p->y); i++) {
        g_autofree char *label = axis_label(&p->y, i, false);
        double at = axis_at(&p->y, axis_tick(&p->y, i));

        page_line(p->page, (struct draw_line){p->left, at, p->right, at, 0.6, DRAW_RULE, DRAW_SOLID});
        page_label(p->page, label, style, x, at - draw_leading(TICK.size) / 2, p->left - 4 - x);
    }
}

/* Numbers under the positions: every first, second, fifth, tenth ..., whichever leaves room. */
static void place_positions(const struct panel *p)
{
    static const guint STEPS[] = {2, 5, 10};
    g_autofree char *last = format_plain(p->positions);
    double room = page_text_width(p->d, last, &TICK) * 1.4;
    guint step = 1;

    for (guint i = 0, power = 1; step * p->slot < room; i++) {
        step = power * STEPS[i % 3];
        power = i % 3 == 2 ? power * 10 : power;
    }
    for (guint i = step; i <= p->positions; i += step) {
        g_autofree char *label = format_plain(i);
        double width = page_text_width(p->d, label, &TICK), at = p->left + (i - 0.5) * p->slot;

        page_label(p->page, label, TICK, fmin(at - width / 2, p->right - width), p->top + PLOT_HEIGHT + 2,
                   width);
    }
}

static void place_mark(const struct panel *p, const struct chart_series *s, double x, double value)
{
    bool filled = s->shape == DRAW_DISC;

    page_mark(p->page, (struct draw_mark){s->shape, x, axis_at(&p->y, value), p->radius,
                                          fmin(1.6, p->radius / 2), filled ? s->ink : DRAW_WHITE, s->ink});
}

static void place_mean(const struct panel *p, const struct chart_series *s)
{
    double at = s->has_mean ? axis_at(&p->y, s->mean) : 0;

    if (s->has_mean)
        page_line(p->page, (struct draw_line){p->left, at, p->right, at, 1, s->ink, s->dash});
}

static struct panel open_panel(const struct chart_runs *c, struct draw *d, struct page *page, double x,
                               double top, double width, guint positions)
{
    struct panel p = {.page = page, .d = d, .right = x + width, .top = top, .positions = positions};

    p.y = value_axis(c, top);
    p.left = x + tick_column(&p.y, d);
    p.slot = (p.right - p.left) / MAX(positions, 1);
    p.radius = CLAMP(0.3 * p.slot, 0.9, 3.6);
    place_grid(&p, x);
    place_positions(&p);
    for (guint s = 0; s < c->series->len; s++)
        place_mean(&p, series_at(c, s));
    return p;
}

/* Position of run i of series s in the order measured. */
static guint turn_of(const struct chart_runs *c, guint s, guint i)
{
    guint turn = i;

    for (guint other = 0; other < c->series->len; other++) {
        guint n = series_at(c, other)->values->len;

        if (c->alternating && other != s)
            turn += MIN(n, i + (other < s));
        else if (!c->alternating && other < s)
            turn += n;
    }
    return turn;
}

/* The runs of a series that share a column of the page: their extremes are drawn, and what lies between is a line. */
struct column {
    double x; /* left end; runs within a mark's radius belong to it */
    double low, high;
    guint count;
};

static void flush_column(const struct panel *p, const struct chart_series *s, const struct column *k)
{
    double x = k->x + COLUMN_WIDTH / 2;

    if (k->count == 0)
        return;
    place_mark(p, s, x, k->low);
    if (k->high > k->low) {
        page_line(p->page, (struct draw_line){x, axis_at(&p->y, k->low), x, axis_at(&p->y, k->high),
                                              COLUMN_WIDTH, s->ink, DRAW_SOLID});
        place_mark(p, s, x, k->high);
    }
}

/* One more run, from left to right. Where each has room for a mark of its own it gets one. */
static void place_run(const struct panel *p, const struct chart_series *s, struct column *k, double x,
                      double value)
{
    if (p->slot >= COLUMN_WIDTH) {
        place_mark(p, s, x, value);
        return;
    }
    if (k->count == 0 || x >= k->x + COLUMN_WIDTH) {
        flush_column(p, s, k);
        *k = (struct column){
            .x = p->left + floor((x - p->left) / COLUMN_WIDTH) * COLUMN_WIDTH, .low = value, .high = value};
    }
    k->low = fmin(k->low, value);
    k->high = fmax(k->high, value);
    k->count++;
}

static void place_order(const struct chart_runs *c, const struct panel *p)
{
    for (guint s = 0; s < c->series->len; s++) {
        struct column k = {0};

        for (guint i = 0; i < series_at(c, s)->values->len; i++)
            place_run(p, series_at(c, s), &k, p->left + (turn_of(c, s, i) + 0.5) * p->slot,
                      value_at(series_at(c, s), i));
        flush_column(p, series_at(c, s), &k);
    }
}

static void place_sorted(const struct chart_runs *c, const struct panel *p)
{
    for (guint s = 0; s < c->series->len; s++) {
        guint n = series_at(c, s)->values->len, last = c->series->len - 1;
        g_autofree double *sorted = g_memdup2(series_at(c, s)->values->data, (gsize)n * sizeof(double));
        double aside = (0.3 * s / MAX(last, 1) - 0.15) * fmin(p->slot, 40);
        struct column k = {0};

        if (n > 0)
            sorting_ascend(sorted, n);
        for (guint i = 0; i < n; i++)
            place_run(p, series_at(c, s), &k, p->left + (i + 0.5) * p->slot + aside,
                      sorted[c->highest_first ? n - 1 - i : i]);
        flush_column(p, series_at(c, s), &k);
    }
}

static void place_legend(const struct chart_runs *c, struct draw *d, struct page *page, double x, double y,
                         double width)
{
    double n = c->series->len, most = (width - LEGEND_GAP * (n - 1)) / n - LEGEND_KEY;

    for (guint s = 0; s < c->series->len; s++) {
        const struct chart_series *own = series_at(c, s);
        double label_width = fmin(page_text_width(d, own->label, &LEGEND), most);
        double middle = y + draw_leading(LEGEND.size) / 2;
        struct panel p = {.page = page, .y = {0, 1, middle, middle, 1}, .radius = 3.4};

        page_line(page, (struct draw_line){x, middle, x + 18, middle, 1, own->ink, own->dash});
        place_mark(&p, own, x + 9, 0);
        page_label(page, own->label, LEGEND, x + LEGEND_KEY, y, label_width);
        x += LEGEND_KEY + label_width + LEGEND_GAP;
    }
}

void chart_runs_place(const struct chart_runs *chart, struct draw *d, struct page *page, double x, double y,
                      double width)
{
    double half = (width - GAP) / 2, second = x + half + GAP, top = y + TITLE_ROW + NOTE_ROW + 4;
    guint all = 0, most = 0;
    struct panel order, sorted;

    for (guint s = 0; s < chart->series->len; s++) {
        all += series_at(chart, s)->values->len;
        most = MAX(most, series_at(chart, s)->values->len);
    }

    page_label(page, chart->order_title, TITLE, x, y, half);
    page_label(page, chart->order_note, NOTE, x, y + TITLE_ROW, half);
    page_label(page, chart->sorted_title, TITLE, second, y, half);
    page_label(page, chart->sorted_note, NOTE, second, y + TITLE_ROW, half);
    order = open_panel(chart, d, page, x, top, half, all);
    place_order(chart, &order);
    sorted = open_panel(chart, d, page, second, top, half, most);
    place_sorted(chart, &sorted);
    place_legend(chart, d, page, order.left, top + PLOT_HEIGHT + X_ROW + 2, width - (order.left - x));
}
