/* Where the texts of laid-out pages stand, measured with the fonts that draw them: inside the margins, and apart. */
#ifndef TESTS_PAGE_CHECK_H
#define TESTS_PAGE_CHECK_H

#include "report/layout.h"

#include <glib.h>
#include <math.h>

struct page_rectangle {
    double left, top, right, bottom;
    const char *text;
};

/* Where the lines of a placed text are, by its alignment. START counts as the whole width: it depends on the script. */
static inline struct page_rectangle page_rectangle_of(struct draw *d, const struct draw_text *t)
{
    double width = d->ops->measure(d, t).width, spare = t->width - width;
    struct page_rectangle r = {t->x, t->y, t->x + t->width, t->y + t->count * draw_leading(t->style.size),
                               t->text};

    if (t->style.align == DRAW_RIGHT || t->style.align == DRAW_CENTRE)
        r.left += t->style.align == DRAW_RIGHT ? spare : spare / 2;
    if (t->style.align == DRAW_LEFT || t->style.align == DRAW_CENTRE)
        r.right -= t->style.align == DRAW_LEFT ? spare : spare / 2;
    return r;
}

/* A line that is wider than its place has left its cell, its pill or its frame. */
static inline void page_assert_fits(struct draw *d, const struct draw_text *t)
{
    double width = d->ops->measure(d, t).width;

    if (width > t->width + 0.5)
        g_error("%.1f wide in a place of %.1f: %.60s", width, t->width, t->text);
}

static inline void page_assert_inside(const struct page_rectangle *r)
{
    if (r->left < LAYOUT_MARGIN - 0.1 || r->right > LAYOUT_WIDTH - LAYOUT_MARGIN + 0.1 || r->top < 36 ||
        r->bottom > LAYOUT_HEIGHT - 30)
        g_error("outside the margins (%.1f %.1f %.1f %.1f): %.60s", r->left, r->top, r->right, r->bottom,
                r->text);
}

static inline void page_assert_apart(const struct page_rectangle *a, const struct page_rectangle *b)
{
    static const double TOUCH = 0.2;

    if (fmin(a->right, b->right) - fmax(a->left, b->left) > TOUCH &&
        fmin(a->bottom, b->bottom) - fmax(a->top, b->top) > TOUCH)
        g_error("overlap at %.1f %.1f: \"%.60s\" and \"%.60s\"", b->left, b->top, a->text, b->text);
}

static inline void page_check(struct draw *d, const struct page *page)
{
    g_autoptr(GArray) seen = g_array_new(FALSE, FALSE, sizeof(struct page_rectangle));

    for (guint i = 0; i < page->items->len; i++) {
        const struct page_item *item = &g_array_index(page->items, struct page_item, i);
        struct page_rectangle r;

        if (item->kind != PAGE_TEXT)
            continue;
        r = page_rectangle_of(d, &item->text);
        page_assert_fits(d, &item->text);
        page_assert_inside(&r);
        for (guint k = 0; k < seen->len; k++)
            page_assert_apart(&g_array_index(seen, struct page_rectangle, k), &r);
        g_array_append_val(seen, r);
    }
}

#endif
