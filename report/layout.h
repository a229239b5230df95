/* Layout: a document becomes placed primitives on A4 pages. Text flows on: whatever its length, nothing leaves the
 * margins and nothing overlaps.
 *
 * `d` measures texts only. Cost: each text is measured a few times, for the page numbers in the text are known after the
 * first round. */
#ifndef REPORT_LAYOUT_H
#define REPORT_LAYOUT_H

#include "report/doc.h"
#include "report/page.h"

#define LAYOUT_WIDTH  595.276
#define LAYOUT_HEIGHT 841.890
#define LAYOUT_MARGIN 48.0

/* Returns an array of owned struct page. */
GPtrArray *layout_pages(const struct doc *doc, struct draw *d);

#endif
