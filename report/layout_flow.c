#include "report/layout_flow.h"

#include <math.h>
#include <stdint.h>

void flow_init(struct flow *f, struct draw *d, const struct flow *draft)
{
    *f = (struct flow){.d = d, .draft = draft};
    f->pages = g_ptr_array_new_with_free_func((GDestroyNotify)page_free);
    f->anchors = g_hash_table_new(g_str_hash, g_str_equal);
    flow_new_page(f);
}

GPtrArray *flow_take_pages(struct flow *f)
{
    g_hash_table_unref(f->anchors);
    return g_steal_pointer(&f->pages);
}

void flow_fini(struct flow *f)
{
    g_ptr_array_unref(flow_take_pages(f));
}

void flow_new_page(struct flow *f)
{
    f->page = page_new();
    f->y = FLOW_TOP;
    g_ptr_array_add(f->pages, f->page);
}

void flow_need(struct flow *f, double height)
{
    if (f->y + height > FLOW_BOTTOM && f->y > FLOW_TOP)
        flow_new_page(f);
}

void flow_gap(struct flow *f, double height)
{
    if (f->y > FLOW_TOP)
        f->y += height;
}

struct draw_extent flow_measure(struct flow *f, char *text, const struct draw_style *style, double width)
{
    struct draw_text t = {.text = text, .style = *style, .width = width};

    return f->d->ops->measure(f->d, &t);
}

void flow_text(struct flow *f, char *text, const struct draw_style *style, double x, double width)
{
    double leading = draw_leading(style->size);
    int lines = flow_measure(f, text, style, width).lines;

    for (int done = 0; done < lines;) {
        int room = (int)floor((FLOW_BOTTOM - f->y) / leading);
        struct draw_text t = {
            .text = text, .style = *style, .x = LAYOUT_MARGIN + x, .width = width, .first = done};

        if (room < 1) {
            flow_new_page(f);
            continue;
        }
        t.y = f->y;
        t.count = MIN(room, lines - done);
        page_text(f->page, t);
        f->y += t.count * leading;
        done += t.count;
    }
}

void flow_anchor(struct flow *f, const char *name)
{
    g_hash_table_insert(f->anchors, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(f->pages->len));
}

char *flow_anchored(struct flow *f, const char *text, const char *anchor)
{
    gpointer page = anchor && f->draft ? g_hash_table_lookup(f->draft->anchors, anchor) : NULL;

    if (!anchor)
        return g_strdup(text);
    return g_strdup_printf("%s%u", text, page ? GPOINTER_TO_UINT(page) : 1);
}
