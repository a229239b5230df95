#include "report/report.h"
#include "base/error.h"
#include "report/build_doc.h"
#include "report/layout.h"

static int missing_glyphs(struct draw *d, const GPtrArray *pages)
{
    int missing = 0;

    for (guint p = 0; p < pages->len; p++) {
        const struct page *page = g_ptr_array_index(pages, p);

        for (guint i = 0; i < page->items->len; i++) {
            const struct page_item *item = &g_array_index(page->items, struct page_item, i);

            if (item->kind == PAGE_TEXT && item->text.first == 0)
                missing += draw_cairo_missing_in(d, &item->text);
        }
    }
    return missing;
}

static void note_lack(struct doc *doc, const struct report_lack *lack)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (lack->family[0])
        g_string_append_printf(text, "Set in %s, for Inter isn\u2019t installed here.", lack->family);
    if (lack->glyphs > 0)
        g_string_append_printf(
            text,
            "%s%d characters of these pages are in no installed font and show as boxes with "
            "their codes.",
            text->len ? " " : "", lack->glyphs);
    if (text->len)
        doc_add(doc, DOC_NOTE, text->str);
}

/* What is missing is known once the pages are laid out, and then stands on them. */
static GPtrArray *lay_out(struct doc *doc, struct draw *d, struct report_lack *lack)
{
    GPtrArray *pages = layout_pages(doc, d);

    lack->glyphs = missing_glyphs(d, pages);
    lack->stand_in = draw_cairo_choice(d) > 1;
    if (draw_cairo_choice(d) > 0)
        g_strlcpy(lack->family, draw_cairo_family(d), sizeof lack->family);
    if (lack->glyphs == 0 && !lack->family[0])
        return pages;
    g_ptr_array_unref(pages);
    note_lack(doc, lack);
    return layout_pages(doc, d);
}

/* Takes the document. */
static bool render(struct doc *doc, const char *title, const char *subject,
                   const struct report_options *options, GByteArray *out, struct report_lack *lack,
                   GError **error)
{
    struct draw_document document = {.title = title,
                                     .subject = subject,
                                     .author = options->program,
                                     .width = LAYOUT_WIDTH,
                                     .height = LAYOUT_HEIGHT,
                                     .has_epoch = options->has_epoch,
                                     .epoch = options->epoch};
    struct draw *d = draw_cairo_new(options->format, &document);
    g_autoptr(GPtrArray) pages = NULL;
    bool ok = draw_cairo_family(d) != NULL;

    *lack = (struct report_lack){0};
    if (ok) {
        pages = lay_out(doc, d, lack);
        page_paint(pages, d);
        ok = d->ops->finish(d, out, error);
    } else {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT,
                    "pages need a font, and none is installed (DejaVu Sans or Inter will do)");
    }
    d->ops->free(d);
    doc_free(doc);
    return ok;
}

bool report_render(const struct judgement *j, const struct report_options *options, GByteArray *out,
                   struct report_lack *lack, GError **error)
{
    return render(build_doc(j, options->program, options->command_line), j->claim->title, j->claim->statement,
                  options, out, lack, error);
}

bool report_render_capture(struct capture_pages *pages, const struct report_options *options, GByteArray *out,
                           struct report_lack *lack, GError **error)
{
    g_autofree char *title = g_strdup_printf("Where the time went: %s", pages->file);

    return render(build_capture(pages, options->program), title, pages->what, options, out, lack, error);
}
