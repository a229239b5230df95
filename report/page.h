/* Placed primitives: what layout makes and paint draws. Items carry final coordinates in points; texts own their strings.
 *
 * Pushers return a view of the new item, valid until the next push. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "report/draw.h"

enum page_kind { PAGE_LINE, PAGE_BOX, PAGE_MARK, PAGE_TEXT };

struct page_item {
    enum page_kind kind;
    union {
        struct draw_line line;
        struct draw_box box;
        struct draw_mark mark;
        struct draw_text text;
    };
};

struct page_outline {
    char *text;
    double y;
};

struct page_target {
    const char *name; /* static */
    double y;
};

struct page {
    GArray *items;   /* of struct page_item */
    GArray *outline; /* of struct page_outline */
    GArray *targets; /* of struct page_target */
};

struct page *page_new(void);
void page_free(struct page *page);

void page_line(struct page *page, struct draw_line line);
void page_box(struct page *page, struct draw_box box);
void page_mark(struct page *page, struct draw_mark mark);
/* Copies the string. */
void page_text(struct page *page, struct draw_text text);
/* One line of text. Copies the string. */
void page_label(struct page *page, char *text, struct draw_style style, double x, double y, double width);
/* Of a text on one line, rounded up so that it fits. */
double page_text_width(struct draw *d, char *text, const struct draw_style *style);
void page_outline(struct page *page, const char *text, double y);
/* `name` is static. */
void page_target(struct page *page, const char *name, double y);

/* Draws pages in order with d; d->ops->finish() is the caller's. */
void page_paint(const GPtrArray *pages, struct draw *d);

#endif
