#include "report/chart_capture.h"
#include "report/hatch.h"
#include "report/plot.h"

#include <math.h>

enum { BAR_HEIGHT = 27, LEGEND_TOP = 34, LEGEND_ROW = 14, COLUMNS = 3, SWATCH_WIDTH = 18, SWATCH_HEIGHT = 9 };

static const struct draw_style INSIDE = {
    .size = 8.6, .weight = DRAW_SEMIBOLD, .one_line = true, .align = DRAW_LEFT};

static const struct chart_part *part_at(const struct chart_parts *c, guint i)
{
    return &g_array_index(c->parts, struct chart_part, i);
}

static double height(const struct chart *base, struct draw *d, double width)
{
    guint n = ((const struct chart_parts *)base)->parts->len;

    (void)d;
    (void)width;
    return LEGEND_TOP + LEGEND_ROW * ((n + COLUMNS - 1) / COLUMNS);
}

/* The name inside its part where it fits, on a ground of its own where lines would cross it. */
static void place_name(const struct chart_part *p, struct draw *d, struct page *page, double x, double y,
                       double w)
{
    struct draw_style style = INSIDE;
    double width = page_text_width(d, (char *)p->name, &style), leading = draw_leading(style.size);
    double top = y + (BAR_HEIGHT - leading) / 2;

    if (width + 14 > w)
        return;
    style.ink = hatch_text((enum hatch)p->hatch);
    if (style.ink == DRAW_BLACK)
        page_box(page, (struct draw_box){x + 5, top - 1, width + 4, leading + 2, 0, 0, DRAW_WHITE, DRAW_NONE,
                                         DRAW_SOLID});
    page_label(page, (char *)p->name, style, x + 7, top, width);
}

static void place_legend(const struct chart_part *p, struct draw *d, struct page *page, double x, double y,
                         double width)
{
    g_autofree char *text = g_strdup_printf("%s %s", p->name, p->value);
    double room = fmin(page_text_width(d, text, &PLOT_NAME), width - SWATCH_WIDTH - 12);

    hatch_box(page, (enum hatch)p->hatch, x, y + 1.5, SWATCH_WIDTH, SWATCH_HEIGHT);
    page_label(page, text, PLOT_NAME, x + SWATCH_WIDTH + 6, y, room);
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    const struct chart_parts *c = (const struct chart_parts *)base;
    double sum = 0, at = x, column = width / COLUMNS;

    for (guint i = 0; i < c->parts->len; i++)
        sum += part_at(c, i)->seconds;
    for (guint i = 0; i < c->parts->len; i++) {
        const struct chart_part *p = part_at(c, i);
        double w = p->seconds / sum * width;

        hatch_box(page, (enum hatch)p->hatch, at, y, w, BAR_HEIGHT);
        place_name(p, d, page, at, y, w);
        place_legend(p, d, page, x + i % COLUMNS * column, y + LEGEND_TOP + i / COLUMNS * LEGEND_ROW, column);
        at += w;
    }
}

static void parts_free(struct chart *base)
{
    struct chart_parts *c = (struct chart_parts *)base;

    for (guint i = 0; i < c->parts->len; i++)
        g_free(part_at(c, i)->value);
    g_array_unref(c->parts);
    g_free(c);
}

struct chart_parts *chart_parts_new(void)
{
    static const struct chart_ops OPS = {height, place, parts_free};
    struct chart_parts *c = g_new0(struct chart_parts, 1);

    c->base.ops = &OPS;
    c->parts = g_array_new(FALSE, FALSE, sizeof(struct chart_part));
    return c;
}

void chart_free(struct chart *c)
{
    if (c)
        c->ops->free(c);
}
