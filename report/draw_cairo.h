/* Drawing with cairo and Pango: PDF (all pages), PNG and SVG (the first page).
 *
 * One type family with fallback (Inter, else DejaVu Sans, else what there is), figures of equal width. Equal calls give
 * equal bytes on one machine, in any locale: text is set as English whatever the environment says, and the only date is
 * `epoch`. */
#ifndef REPORT_DRAW_CAIRO_H
#define REPORT_DRAW_CAIRO_H

#include "report/draw.h"

#include <stdint.h>

enum draw_format { DRAW_PDF, DRAW_PNG, DRAW_SVG };

struct draw_document {
    const char *title, *author; /* metadata */
    double width, height;       /* of a page */
    bool has_epoch;
    int64_t epoch; /* seconds since 1970: creation date */
};

/* Returns owned: d->ops->free(). Copies what it needs. */
struct draw *draw_cairo_new(enum draw_format format, const struct draw_document *document);

/* Characters drawn so far for which no installed font has a glyph: they appear as boxes with their code. */
int draw_cairo_missing_glyphs(const struct draw *d);

#endif
