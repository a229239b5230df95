#include "report/report.h"
#include "report/build_doc.h"
#include "report/layout.h"

bool report_render(const struct judgement *j, const struct report_options *options, GByteArray *out,
                   int *missing_glyphs, GError **error)
{
    struct draw_document document = {.title = j->claim->title,
                                     .author = options->program,
                                     .width = LAYOUT_WIDTH,
                                     .height = LAYOUT_HEIGHT,
                                     .has_epoch = options->has_epoch,
                                     .epoch = options->epoch};
    struct draw *d = draw_cairo_new(options->format, &document);
    struct doc *doc = build_doc(j, options->program);
    g_autoptr(GPtrArray) pages = layout_pages(doc, d);
    bool ok;

    page_paint(pages, d);
    ok = d->ops->finish(d, out, error);
    *missing_glyphs = draw_cairo_missing_glyphs(d);
    d->ops->free(d);
    doc_free(doc);
    return ok;
}
