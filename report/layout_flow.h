/* The flow of a layout: the current page, how far down it is filled, and the pages of the anchors.
 *
 * x is relative to the left margin. */
#ifndef REPORT_LAYOUT_FLOW_H
#define REPORT_LAYOUT_FLOW_H

#include "report/layout.h"

#define FLOW_WIDTH  (LAYOUT_WIDTH - 2 * LAYOUT_MARGIN)
#define FLOW_TOP    70.0
#define FLOW_BOTTOM 776.0

struct flow {
    struct draw *d;    /* borrowed */
    GPtrArray *pages;  /* of owned struct page */
    struct page *page; /* the last of them */
    double y;
    GHashTable *anchors;      /* name to page number */
    const struct flow *draft; /* where anchors are looked up, or NULL in the draft itself */
};

void flow_init(struct flow *f, struct draw *d, const struct flow *draft);
void flow_fini(struct flow *f);
/* Returns owned; ends the flow. */
GPtrArray *flow_take_pages(struct flow *f);

void flow_new_page(struct flow *f);
/* A new page unless `height` fits below, or the page is still empty. */
void flow_need(struct flow *f, double height);
/* Empty space, none at the top of a page. */
void flow_gap(struct flow *f, double height);

struct draw_extent flow_measure(struct flow *f, char *text, const struct draw_style *style, double width);
/* A text of any length, over as many pages as it takes. */
void flow_text(struct flow *f, char *text, const struct draw_style *style, double x, double width);

/* The current page is the one of `name` (static). */
void flow_anchor(struct flow *f, const char *name);
/* Returns owned: `text` with the number of the anchor's page appended; anchor may be NULL. */
char *flow_anchored(struct flow *f, const char *text, const char *anchor);

#endif
