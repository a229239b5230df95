#include "report/plot.h"
#include "report/format.h"

#include <math.h>

const struct draw_style PLOT_NAME = {.size = 8.2, .one_line = true, .align = DRAW_LEFT};
const struct draw_style PLOT_SMALL = {.size = 7.5, .ink = DRAW_GREY, .one_line = true, .align = DRAW_LEFT};
static const struct draw_style TICK = {.size = 7.5, .ink = DRAW_GREY, .one_line = true, .align = DRAW_CENTRE};

struct unit {
    const char *name;
    double seconds;
};

static struct unit unit_of(double span)
{
    static const struct unit UNITS[] = {
        {FORMAT_NARROW "s", 1}, {FORMAT_NARROW "ms", 1e-3}, {FORMAT_NARROW "\u00b5s", 1e-6}};
    guint i = 0;

    while (i + 1 < G_N_ELEMENTS(UNITS) && span < UNITS[i].seconds / 2)
        i++;
    return UNITS[i];
}

static void place_tick(struct page *page, struct draw *d, char *label, double at, double right, double top,
                       double y)
{
    double width = page_text_width(d, label, &TICK);

    page_line(page, (struct draw_line){at, top, at, y, 0.5, DRAW_RULE, DRAW_SOLID});
    page_label(page, label, TICK, fmin(at - width / 2, right - width), y + 2, width);
}

struct axis plot_time_axis(struct page *page, struct draw *d, double low, double high, double left,
                           double right, double top, double y)
{
    struct unit unit = unit_of(high - low);
    struct axis a = axis_of(low / unit.seconds, high / unit.seconds, left, right, 8);
    g_autofree char *last = axis_label(&a, axis_ticks(&a) - 1, false);
    double room = page_text_width(d, last, &TICK) + 24;
    int each = (int)ceil(room / (axis_at(&a, a.step) - axis_at(&a, 0)));

    for (int i = 0; i < axis_ticks(&a); i += MAX(each, 1)) {
        g_autofree char *number = axis_label(&a, i, false), *label = g_strconcat(number, unit.name, NULL);

        place_tick(page, d, label, axis_at(&a, axis_tick(&a, i)), right, top, y);
    }
    a.low *= unit.seconds;
    a.high *= unit.seconds;
    a.step *= unit.seconds;
    return a;
}

struct axis plot_decades(double low, double high, double from, double to)
{
    static const double LEAST = 0.35; /* of a decade: room for some ticks */
    double a = log10(low), b = log10(high), pad = fmax(0.05 * (b - a), (LEAST - (b - a)) / 2);

    return (struct axis){a - pad, b + pad, from, to, 1};
}

double plot_decade_at(const struct axis *a, double seconds)
{
    return axis_at(a, log10(seconds));
}

static char *decade_label(double seconds)
{
    struct unit unit = unit_of(seconds);
    g_autofree char *number = format_plain(round(seconds / unit.seconds * 1e6) / 1e6);

    return g_strconcat(number, unit.name, NULL);
}

/* Of a decade: as many as the scale's length has use for. */
static guint steps_of(const struct axis *a, const double **steps)
{
    static const double NONE[] = {1}, SOME[] = {1, 2, 5}, MANY[] = {1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9};
    double decades = a->high - a->low;

    *steps = decades > 4 ? NONE : decades > 1 ? SOME : MANY;
    return decades > 4 ? G_N_ELEMENTS(NONE) : decades > 1 ? G_N_ELEMENTS(SOME) : G_N_ELEMENTS(MANY);
}

void plot_decade_axis(struct page *page, struct draw *d, const struct axis *a, double top, double y)
{
    const double *steps;
    guint n = steps_of(a, &steps);
    double free = a->from - 30;

    for (int e = (int)floor(a->low); e <= (int)ceil(a->high); e++) {
        for (guint i = 0; i < n; i++) {
            double seconds = steps[i] * pow(10, e), at = plot_decade_at(a, seconds), half;
            g_autofree char *label = decade_label(seconds);

            half = page_text_width(d, label, &TICK) / 2;
            if (log10(seconds) < a->low || log10(seconds) > a->high || at - half < free)
                continue;
            place_tick(page, d, label, at, a->to, top, y);
            free = at + half + 14;
        }
    }
}

double plot_name_width(struct draw *d, char *name, double so_far, double most)
{
    return fmin(fmax(so_far, page_text_width(d, name, &PLOT_NAME)), most);
}
