#include "report/chart_capture.h"
#include "report/hatch.h"
#include "report/plot.h"

#include <math.h>

enum { LANE = 16, BAR = 9, LEGEND_ROW = 15 };
static const double NAMES = 92, NOTES = 190;

static const struct draw_style NOTE = {.size = 8.2, .one_line = true, .align = DRAW_LEFT};

static const struct chart_blocks *of(const struct chart *base)
{
    return (const struct chart_blocks *)base;
}

static struct chart_block *row_at(const struct chart_blocks *c, guint i)
{
    return &g_array_index(c->rows, struct chart_block, i);
}

static double height(const struct chart *base, struct draw *d, double width)
{
    (void)d;
    (void)width;
    return of(base)->rows->len * LANE + LEGEND_ROW + 2;
}

/* Reads and writes of a size stand end to end. */
static void place_row(const struct chart_block *b, struct page *page, double x, double top, double per_one)
{
    double y = top + (LANE - BAR) / 2.0;

    for (int k = 0; k < 2; k++) {
        double width = (double)b->count[k] * per_one;

        if (b->count[k] == 0)
            continue;
        hatch_box(page, k == 0 ? HATCH_BLUE : HATCH_FALLING, x, y, fmax(width, 0.8), BAR);
        x += width;
    }
}

static void place_legend(const struct chart_blocks *c, struct draw *d, struct page *page, double x, double y)
{
    for (int k = 0; k < 2; k++) {
        double width = page_text_width(d, c->label[k], &PLOT_SMALL);

        hatch_box(page, k == 0 ? HATCH_BLUE : HATCH_FALLING, x, y + 2, 14, 7);
        page_label(page, c->label[k], PLOT_SMALL, x + 19, y, width);
        x += 19 + width + 16;
    }
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    const struct chart_blocks *c = of(base);
    double left = x + NAMES, right = x + width - NOTES - 8, foot = y + c->rows->len * LANE;
    guint64 most = 1;

    for (guint i = 0; i < c->rows->len; i++)
        most = MAX(most, row_at(c, i)->count[0] + row_at(c, i)->count[1]);
    for (guint i = 0; i < c->rows->len; i++) {
        const struct chart_block *b = row_at(c, i);
        double top = y + i * LANE, text = top + (LANE - draw_leading(NOTE.size)) / 2;

        page_label(page, b->size, PLOT_NAME, x, text, NAMES - 8);
        page_label(page, b->note, NOTE, right + 8, text, NOTES);
        page_line(page, (struct draw_line){x, top + LANE, x + width, top + LANE, 0.6, DRAW_RULE, DRAW_SOLID});
        place_row(b, page, left, top, (right - left) / (double)most);
    }
    place_legend(c, d, page, left, foot + 4);
}

static void blocks_free(struct chart *base)
{
    struct chart_blocks *c = (struct chart_blocks *)base;

    for (guint i = 0; i < c->rows->len; i++) {
        g_free(row_at(c, i)->size);
        g_free(row_at(c, i)->note);
    }
    g_free(c->label[0]);
    g_free(c->label[1]);
    g_array_unref(c->rows);
    g_free(c);
}

struct chart_blocks *chart_blocks_new(void)
{
    static const struct chart_ops OPS = {height, place, blocks_free};
    struct chart_blocks *c = g_new0(struct chart_blocks, 1);

    c->base.ops = &OPS;
    c->rows = g_array_new(FALSE, FALSE, sizeof(struct chart_block));
    return c;
}
