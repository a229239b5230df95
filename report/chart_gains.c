#include "report/chart_capture.h"
#include "report/plot.h"

#include <math.h>

enum { BAR = 11, BAR_WIDTH = 84, PAD = 4 };
static const double WHAT_SHARE = 0.32, SECONDS = 90, LEAST = 19;

static const struct draw_style WHAT = {.size = 8.6, .align = DRAW_LEFT};
static const struct draw_style STRONG = {
    .size = 8.6, .weight = DRAW_SEMIBOLD, .one_line = true, .align = DRAW_LEFT};
static const struct draw_style BASIS = {.size = 7.2, .ink = DRAW_GREY, .align = DRAW_LEFT};

static const struct chart_gains *of(const struct chart *base)
{
    return (const struct chart_gains *)base;
}

static struct chart_gain *row_at(const struct chart_gains *c, guint i)
{
    return &g_array_index(c->rows, struct chart_gain, i);
}

/* Where the columns of a row begin, and what they hold. */
struct columns {
    double what, bar, seconds, basis;
    double what_width, basis_width;
};

static struct columns columns_at(double x, double width)
{
    struct columns c = {.what = x, .what_width = WHAT_SHARE * width - 10};

    c.bar = x + WHAT_SHARE * width;
    c.seconds = c.bar + BAR_WIDTH + 12;
    c.basis = c.seconds + SECONDS;
    c.basis_width = x + width - c.basis;
    return c;
}

static struct draw_text text_of(struct draw *d, char *text, const struct draw_style *style, double x,
                                double width)
{
    struct draw_text t = {.text = text, .style = *style, .x = x, .width = width};

    t.count = d->ops->measure(d, &t).lines;
    return t;
}

static double tall(const struct draw_text *t)
{
    return t->count * draw_leading(t->style.size);
}

static double row_height(const struct chart_gain *r, struct draw *d, const struct columns *at)
{
    struct draw_text what = text_of(d, r->what, &WHAT, at->what, at->what_width);
    struct draw_text basis = text_of(d, r->basis, &BASIS, at->basis, at->basis_width);

    return fmax(LEAST, fmax(tall(&what), tall(&basis)) + PAD);
}

static double height(const struct chart *base, struct draw *d, double width)
{
    struct columns at = columns_at(0, width);
    double sum = 2;

    for (guint i = 0; i < of(base)->rows->len; i++)
        sum += row_height(row_at(of(base), i), d, &at);
    return sum;
}

static void place_text(struct page *page, struct draw_text t, double middle)
{
    t.y = middle - tall(&t) / 2;
    page_text(page, t);
}

static void place_bar(const struct chart_gains *c, const struct chart_gain *r, struct page *page, double x,
                      double middle)
{
    double scale = BAR_WIDTH / c->now, y = middle - BAR / 2.0;
    double low = x + fmax(0, r->low) * scale, high = x + fmin(r->high * scale, BAR_WIDTH + 6.0);

    page_box(page, (struct draw_box){x, y, BAR_WIDTH, BAR, 0, 0.7, DRAW_WHITE, DRAW_GREY, DRAW_SOLID});
    page_box(page, (struct draw_box){x, y, fmin(r->takes * scale, BAR_WIDTH), BAR, 0, 0, DRAW_BLUE, DRAW_NONE,
                                     DRAW_SOLID});
    page_line(page, (struct draw_line){low, middle, high, middle, 2.8, DRAW_WHITE, DRAW_SOLID});
    page_line(page, (struct draw_line){low, middle, high, middle, 1.2, DRAW_BLACK, DRAW_SOLID});
    page_line(page, (struct draw_line){low, middle - 3, low, middle + 3, 1, DRAW_BLACK, DRAW_SOLID});
    page_line(page, (struct draw_line){high, middle - 3, high, middle + 3, 1, DRAW_BLACK, DRAW_SOLID});
}

static void place(const struct chart *base, struct draw *d, struct page *page, double x, double y,
                  double width)
{
    const struct chart_gains *c = of(base);
    struct columns at = columns_at(x, width);

    page_line(page, (struct draw_line){x, y, x + width, y, 0.8, DRAW_BLACK, DRAW_SOLID});
    for (guint i = 0; i < c->rows->len; i++) {
        const struct chart_gain *r = row_at(c, i);
        double high = row_height(r, d, &at), middle = y + high / 2;

        place_text(page, text_of(d, r->what, &WHAT, at.what, at.what_width), middle);
        place_bar(c, r, page, at.bar, middle);
        place_text(page, text_of(d, r->seconds, &STRONG, at.seconds, SECONDS - 6), middle);
        place_text(page, text_of(d, r->basis, &BASIS, at.basis, at.basis_width), middle);
        y += high;
        page_line(page, (struct draw_line){x, y, x + width, y, 0.6, DRAW_RULE, DRAW_SOLID});
    }
}

static void gains_free(struct chart *base)
{
    struct chart_gains *c = (struct chart_gains *)base;

    for (guint i = 0; i < c->rows->len; i++) {
        g_free(row_at(c, i)->what);
        g_free(row_at(c, i)->seconds);
        g_free(row_at(c, i)->basis);
    }
    g_array_unref(c->rows);
    g_free(c);
}

struct chart_gains *chart_gains_new(void)
{
    static const struct chart_ops OPS = {height, place, gains_free};
    struct chart_gains *c = g_new0(struct chart_gains, 1);

    c->base.ops = &OPS;
    c->rows = g_array_new(FALSE, FALSE, sizeof(struct chart_gain));
    return c;
}
