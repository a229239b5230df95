/* Drawing with cairo and Pango: PDF (all pages), PNG and SVG (the first page).
 *
 * One type family with fallback (Inter, else DejaVu Sans, else what there is), figures of equal width. Without any font nothing
 * can be drawn: finishing is an error. Equal calls give
 * equal bytes on one machine, in any locale: text is set as English whatever the environment says, and the only date is
 * `epoch`. */
#ifndef REPORT_DRAW_CAIRO_H
#define REPORT_DRAW_CAIRO_H

#include "report/draw.h"

#include <stdint.h>

enum draw_format { DRAW_PDF, DRAW_PNG, DRAW_SVG };

struct draw_document {
    const char *title, *author, *subject; /* metadata */
    double width, height;                 /* of a page */
    bool has_epoch;
    int64_t epoch; /* seconds since 1970: creation date */
};

/* Returns owned: d->ops->free(). Copies what it needs. */
struct draw *draw_cairo_new(enum draw_format format, const struct draw_document *document);

/* The family that plain text is set in, a view; NULL where no font is installed, and then draw_finish() fails. */
const char *draw_cairo_family(const struct draw *d);
/* Its rank among the families asked for: 0 is what the pages are made for, 1 its fallback, 2 what was there instead. */
int draw_cairo_choice(const struct draw *d);
/* Characters of a text for which no installed font has a glyph. */
int draw_cairo_missing_in(struct draw *d, const struct draw_text *text);

/* Characters drawn so far for which no installed font has a glyph: they appear as boxes with their code. */
int draw_cairo_missing_glyphs(const struct draw *d);

#endif
