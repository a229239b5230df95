#include "report/galley.h"

#include <math.h>
#include <stdint.h>

void galley_init(struct galley *g, struct draw *d, const struct galley *draft)
{
    *g = (struct galley){.d = d, .draft = draft};
    g->pages = g_ptr_array_new_with_free_func((GDestroyNotify)page_free);
    g->anchors = g_hash_table_new(g_str_hash, g_str_equal);
    galley_new_page(g);
}

GPtrArray *galley_take_pages(struct galley *g)
{
    g_hash_table_unref(g->anchors);
    return g_steal_pointer(&g->pages);
}

void galley_fini(struct galley *g)
{
    g_ptr_array_unref(galley_take_pages(g));
}

void galley_new_page(struct galley *g)
{
    g->page = page_new();
    g->y = GALLEY_TOP;
    g_ptr_array_add(g->pages, g->page);
}

void galley_need(struct galley *g, double height)
{
    if (g->y + height > GALLEY_BOTTOM && g->y > GALLEY_TOP)
        galley_new_page(g);
}

void galley_gap(struct galley *g, double height)
{
    if (g->y > GALLEY_TOP)
        g->y += height;
}

struct draw_extent galley_measure(struct galley *g, char *text, const struct draw_style *style, double width)
{
    struct draw_text t = {.text = text, .style = *style, .width = width};

    return g->d->ops->measure(g->d, &t);
}

void galley_text(struct galley *g, char *text, const struct draw_style *style, double x, double width)
{
    double leading = draw_leading(style->size);
    int lines = galley_measure(g, text, style, width).lines;

    for (int done = 0; done < lines;) {
        int room = (int)floor((GALLEY_BOTTOM - g->y) / leading);
        struct draw_text t = {.text = text,
                              .style = *style,
                              .x = LAYOUT_MARGIN + x,
                              .width = width,
                              .first = done,
                              .link = g->link};

        if (room < 1) {
            galley_new_page(g);
            continue;
        }
        t.y = g->y;
        t.count = MIN(room, lines - done);
        page_text(g->page, t);
        g->y += t.count * leading;
        done += t.count;
    }
}

void galley_anchor(struct galley *g, const char *name, double y)
{
    page_target(g->page, name, y);
    g_hash_table_insert(g->anchors, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(g->pages->len));
}

char *galley_anchored(struct galley *g, const char *text, const char *anchor)
{
    gpointer page = anchor && g->draft ? g_hash_table_lookup(g->draft->anchors, anchor) : NULL;

    if (!anchor)
        return g_strdup(text);
    return g_strdup_printf("%s%u", text, page ? GPOINTER_TO_UINT(page) : 1);
}

const char *galley_link(const struct galley *g, const char *anchor)
{
    return anchor && g->draft && g_hash_table_contains(g->draft->anchors, anchor) ? anchor : NULL;
}
