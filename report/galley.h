/* The flow of a layout: the current page, how far down it is filled, and the pages of the anchors.
 *
 * x is relative to the left margin. */
#ifndef REPORT_GALLEY_H
#define REPORT_GALLEY_H

#include "report/layout.h"

#define GALLEY_WIDTH  (LAYOUT_WIDTH - 2 * LAYOUT_MARGIN)
#define GALLEY_TOP    70.0
#define GALLEY_BOTTOM 776.0

struct galley {
    struct draw *d;    /* borrowed */
    GPtrArray *pages;  /* of owned struct page */
    struct page *page; /* the last of them */
    double y;
    const char *link;           /* static: what galley_text() links to now, or NULL */
    GHashTable *anchors;        /* name to page number */
    const struct galley *draft; /* where anchors are looked up, or NULL in the draft itself */
};

void galley_init(struct galley *g, struct draw *d, const struct galley *draft);
void galley_fini(struct galley *g);
/* Returns owned; ends the flow. */
GPtrArray *galley_take_pages(struct galley *g);

void galley_new_page(struct galley *g);
/* A new page unless `height` fits below, or the page is still empty. */
void galley_need(struct galley *g, double height);
/* Empty space, none at the top of a page. */
void galley_gap(struct galley *g, double height);

struct draw_extent galley_measure(struct galley *g, char *text, const struct draw_style *style, double width);
/* A text of any length, over as many pages as it takes. */
void galley_text(struct galley *g, char *text, const struct draw_style *style, double x, double width);

/* The current page is the one of `name` (static), from y on. */
void galley_anchor(struct galley *g, const char *name, double y);
/* Returns owned: `text` with the number of the anchor's page appended; anchor may be NULL. */
char *galley_anchored(struct galley *g, const char *text, const char *anchor);
/* What a text with the anchor links to: itself, or NULL where the document has no such block. */
const char *galley_link(const struct galley *g, const char *anchor);

#endif
