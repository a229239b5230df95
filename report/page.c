#include "report/page.h"

#include <math.h>

static void item_clear(gpointer data)
{
    struct page_item *item = data;

    if (item->kind == PAGE_TEXT)
        g_free(item->text.text);
}

static void outline_clear(gpointer data)
{
    g_free(((struct page_outline *)data)->text);
}

struct page *page_new(void)
{
    struct page *page = g_new0(struct page, 1);

    page->items = g_array_new(FALSE, FALSE, sizeof(struct page_item));
    g_array_set_clear_func(page->items, item_clear);
    page->outline = g_array_new(FALSE, FALSE, sizeof(struct page_outline));
    g_array_set_clear_func(page->outline, outline_clear);
    page->targets = g_array_new(FALSE, FALSE, sizeof(struct page_target));
    return page;
}

void page_free(struct page *page)
{
    if (!page)
        return;
    g_array_unref(page->items);
    g_array_unref(page->outline);
    g_array_unref(page->targets);
    g_free(page);
}

void page_line(struct page *page, struct draw_line line)
{
    struct page_item item = {.kind = PAGE_LINE, .line = line};

    g_array_append_val(page->items, item);
}

void page_box(struct page *page, struct draw_box box)
{
    struct page_item item = {.kind = PAGE_BOX, .box = box};

    g_array_append_val(page->items, item);
}

void page_mark(struct page *page, struct draw_mark mark)
{
    struct page_item item = {.kind = PAGE_MARK, .mark = mark};

    g_array_append_val(page->items, item);
}

void page_text(struct page *page, struct draw_text text)
{
    struct page_item item = {.kind = PAGE_TEXT, .text = text};

    item.text.text = g_strdup(text.text);
    g_array_append_val(page->items, item);
}

void page_label(struct page *page, char *text, struct draw_style style, double x, double y, double width)
{
    page_text(page,
              (struct draw_text){.text = text, .style = style, .x = x, .y = y, .width = width, .count = 1});
}

double page_text_width(struct draw *d, char *text, const struct draw_style *style)
{
    static const double UNLIMITED = 10000;
    struct draw_text t = {.text = text, .style = *style, .width = UNLIMITED};

    return ceil(d->ops->measure(d, &t).width) + 1;
}

void page_outline(struct page *page, const char *text, double y)
{
    struct page_outline entry = {g_strdup(text), y};

    g_array_append_val(page->outline, entry);
}

void page_target(struct page *page, const char *name, double y)
{
    struct page_target target = {name, y};

    g_array_append_val(page->targets, target);
}

static void paint_item(struct draw *d, const struct page_item *item)
{
    switch (item->kind) {
    case PAGE_LINE:
        d->ops->line(d, &item->line);
        break;
    case PAGE_BOX:
        d->ops->box(d, &item->box);
        break;
    case PAGE_MARK:
        d->ops->mark(d, &item->mark);
        break;
    case PAGE_TEXT:
        d->ops->text(d, &item->text);
        break;
    }
}

void page_paint(const GPtrArray *pages, struct draw *d)
{
    for (guint p = 0; p < pages->len; p++) {
        const struct page *page = g_ptr_array_index(pages, p);

        d->ops->begin_page(d);
        for (guint i = 0; i < page->outline->len; i++) {
            const struct page_outline *entry = &g_array_index(page->outline, struct page_outline, i);

            d->ops->outline(d, entry->text, entry->y);
        }
        for (guint i = 0; i < page->targets->len; i++) {
            const struct page_target *t = &g_array_index(page->targets, struct page_target, i);

            d->ops->target(d, t->name, t->y);
        }
        for (guint i = 0; i < page->items->len; i++)
            paint_item(d, &g_array_index(page->items, struct page_item, i));
        d->ops->end_page(d);
    }
}
