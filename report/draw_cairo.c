#include "report/draw_cairo.h"
#include "base/error.h"

#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cairo.h>
#include <math.h>
#include <pango/pangocairo.h>

static const char FAMILIES[] = "Inter, DejaVu Sans, sans-serif";
static const double PNG_SCALE = 150.0 / 72.0;

struct draw_cairo {
    struct draw base;
    enum draw_format format;
    cairo_surface_t *surface;
    cairo_t *cr;
    PangoFontMap *fonts;
    PangoContext *context;
    GByteArray *bytes;
    int page, missing_glyphs;
    char *family; /* of plain text; NULL: no font at all */
};

static struct draw_cairo *of(struct draw *d)
{
    return (struct draw_cairo *)d;
}

/* PNG and SVG hold one page. */
static bool visible(const struct draw_cairo *d)
{
    return d->format == DRAW_PDF || d->page == 1;
}

static void set_ink(cairo_t *cr, enum draw_ink ink)
{
    static const double COLOURS[][3] = {
        [DRAW_BLACK] = {0.10, 0.10, 0.10},  [DRAW_GREY] = {0.38, 0.38, 0.38},
        [DRAW_RULE] = {0.80, 0.80, 0.80},   [DRAW_BLUE] = {0.04, 0.33, 0.58},
        [DRAW_ORANGE] = {0.71, 0.37, 0.02}, [DRAW_BAND] = {0.91, 0.93, 0.95},
        [DRAW_WHITE] = {1, 1, 1},
    };

    cairo_set_source_rgb(cr, COLOURS[ink][0], COLOURS[ink][1], COLOURS[ink][2]);
}

static void set_dash(cairo_t *cr, enum draw_dash dash)
{
    static const double DOTS[] = {2, 2}, DASHES[] = {5, 3};

    cairo_set_dash(cr, dash == DRAW_DASHED ? DASHES : DOTS, dash == DRAW_SOLID ? 0 : 2, 0);
}

static PangoLayout *layout_of(struct draw_cairo *d, const struct draw_text *text)
{
    static const PangoWeight WEIGHTS[] = {PANGO_WEIGHT_NORMAL, PANGO_WEIGHT_SEMIBOLD, PANGO_WEIGHT_BOLD};
    const struct draw_style *style = &text->style;
    PangoLayout *layout = pango_layout_new(d->context);
    PangoFontDescription *font = pango_font_description_from_string(FAMILIES);
    PangoAttrList *attributes = pango_attr_list_new();

    pango_font_description_set_absolute_size(font, style->size * PANGO_SCALE);
    pango_font_description_set_weight(font, WEIGHTS[style->weight]);
    pango_layout_set_font_description(layout, font);
    pango_font_description_free(font);
    pango_attr_list_insert(attributes, pango_attr_font_features_new("tnum=1"));
    /* A word broken for want of room gets no hyphen: names must not seem to contain one, and it would stick out. */
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(FALSE));
    if (style->tracking > 0)
        pango_attr_list_insert(attributes,
                               pango_attr_letter_spacing_new((int)(style->tracking * PANGO_SCALE)));
    pango_layout_set_attributes(layout, attributes);
    pango_attr_list_unref(attributes);
    pango_layout_set_width(layout, (int)floor(text->width * PANGO_SCALE));
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR);
    if (style->one_line) {
        pango_layout_set_single_paragraph_mode(layout, TRUE);
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
    }
    pango_layout_set_text(layout, text->text, -1);
    return layout;
}

static double width_of(PangoLayoutLine *line)
{
    PangoRectangle logical;

    pango_layout_line_get_extents(line, NULL, &logical);
    return logical.width / (double)PANGO_SCALE;
}

static struct draw_extent measure(struct draw *base, const struct draw_text *text)
{
    PangoLayout *layout = layout_of(of(base), text);
    struct draw_extent extent = {pango_layout_get_line_count(layout), 0};

    for (int i = 0; i < extent.lines; i++)
        extent.width = fmax(extent.width, width_of(pango_layout_get_line_readonly(layout, i)));
    g_object_unref(layout);
    return extent;
}

static void begin_page(struct draw *base)
{
    of(base)->page++;
}

static void line(struct draw *base, const struct draw_line *l)
{
    struct draw_cairo *d = of(base);

    if (!visible(d))
        return;
    set_ink(d->cr, l->ink);
    set_dash(d->cr, l->dash);
    cairo_set_line_width(d->cr, l->width);
    cairo_move_to(d->cr, l->x1, l->y1);
    cairo_line_to(d->cr, l->x2, l->y2);
    cairo_stroke(d->cr);
}

static void fill_and_stroke(cairo_t *cr, enum draw_ink fill, enum draw_ink stroke, double line_width)
{
    if (fill != DRAW_NONE) {
        set_ink(cr, fill);
        cairo_fill_preserve(cr);
    }
    if (stroke != DRAW_NONE) {
        set_ink(cr, stroke);
        cairo_set_line_width(cr, line_width);
        cairo_stroke_preserve(cr);
    }
    cairo_new_path(cr);
}

static void box(struct draw *base, const struct draw_box *b)
{
    struct draw_cairo *d = of(base);
    double r = b->radius, right = b->x + b->w, bottom = b->y + b->h;

    if (!visible(d))
        return;
    set_dash(d->cr, b->dash);
    if (r > 0) {
        cairo_new_path(d->cr);
        cairo_arc(d->cr, right - r, b->y + r, r, -G_PI_2, 0);
        cairo_arc(d->cr, right - r, bottom - r, r, 0, G_PI_2);
        cairo_arc(d->cr, b->x + r, bottom - r, r, G_PI_2, G_PI);
        cairo_arc(d->cr, b->x + r, b->y + r, r, G_PI, 3 * G_PI_2);
        cairo_close_path(d->cr);
    } else {
        cairo_rectangle(d->cr, b->x, b->y, b->w, b->h);
    }
    fill_and_stroke(d->cr, b->fill, b->stroke, b->line_width);
}

static void mark(struct draw *base, const struct draw_mark *m)
{
    struct draw_cairo *d = of(base);
    cairo_t *cr = d->cr;
    double x = m->x, y = m->y, r = m->radius;

    if (!visible(d))
        return;
    set_dash(cr, DRAW_SOLID);
    cairo_new_path(cr); /* text leaves a current point, and an arc would start with a line from there */
    switch (m->shape) {
    case DRAW_DISC:
        cairo_arc(cr, x, y, r, 0, 2 * G_PI);
        break;
    case DRAW_SQUARE:
        cairo_rectangle(cr, x - r, y - r, 2 * r, 2 * r);
        break;
    case DRAW_DIAMOND:
        cairo_move_to(cr, x, y - r);
        cairo_line_to(cr, x + r, y);
        cairo_line_to(cr, x, y + r);
        cairo_line_to(cr, x - r, y);
        cairo_close_path(cr);
        break;
    case DRAW_TICK:
        cairo_move_to(cr, x - r, y + 0.1 * r);
        cairo_line_to(cr, x - 0.3 * r, y + 0.8 * r);
        cairo_line_to(cr, x + r, y - 0.8 * r);
        break;
    case DRAW_CROSS:
        cairo_move_to(cr, x - 0.8 * r, y - 0.8 * r);
        cairo_line_to(cr, x + 0.8 * r, y + 0.8 * r);
        cairo_move_to(cr, x - 0.8 * r, y + 0.8 * r);
        cairo_line_to(cr, x + 0.8 * r, y - 0.8 * r);
        break;
    }
    fill_and_stroke(cr, m->fill, m->stroke, m->line_width);
}

static double indent_of(PangoLayoutLine *line, const struct draw_text *text)
{
    double spare = text->width - width_of(line);
    bool rtl = line->resolved_dir == PANGO_DIRECTION_RTL;

    switch (text->style.align) {
    case DRAW_CENTRE:
        return spare / 2;
    case DRAW_RIGHT:
        return spare;
    case DRAW_START:
        return rtl ? spare : 0;
    case DRAW_LEFT:
        break;
    }
    return 0;
}

static void draw_text_lines(struct draw *base, const struct draw_text *text)
{
    struct draw_cairo *d = of(base);
    double leading = draw_leading(text->style.size);
    /* Half of the leading, then half of the way from the height of capitals to the base line. */
    double baseline = text->y + leading / 2 + 0.365 * text->style.size;
    g_autofree char *link = NULL;
    PangoLayout *layout;

    if (!visible(d))
        return;
    layout = layout_of(d, text);
    link = d->format == DRAW_PDF && text->link ? g_strdup_printf("dest='%s'", text->link) : NULL;
    if (link)
        cairo_tag_begin(d->cr, CAIRO_TAG_LINK, link);
    set_ink(d->cr, text->style.ink);
    for (int i = 0; i < text->count; i++) {
        PangoLayoutLine *l = pango_layout_get_line_readonly(layout, text->first + i);

        if (!l)
            break;
        cairo_move_to(d->cr, text->x + indent_of(l, text), baseline + i * leading);
        pango_cairo_show_layout_line(d->cr, l);
    }
    if (link)
        cairo_tag_end(d->cr, CAIRO_TAG_LINK);
    if (text->first == 0)
        d->missing_glyphs += pango_layout_get_unknown_glyphs_count(layout);
    g_object_unref(layout);
}

static void outline(struct draw *base, const char *text, double y)
{
    struct draw_cairo *d = of(base);
    g_autofree char *target = NULL;
    char where[32];

    if (d->format != DRAW_PDF)
        return;
    g_ascii_formatd(where, sizeof where, "%.1f", y);
    target = g_strdup_printf("page=%d pos=[0.0 %s]", d->page, where);
    cairo_pdf_surface_add_outline(d->surface, CAIRO_PDF_OUTLINE_ROOT, text, target,
                                  CAIRO_PDF_OUTLINE_FLAG_OPEN);
}

static void target(struct draw *base, const char *name, double y)
{
    struct draw_cairo *d = of(base);
    g_autofree char *attributes = NULL;
    char where[32];

    if (d->format != DRAW_PDF)
        return;
    g_ascii_formatd(where, sizeof where, "%.1f", y);
    attributes = g_strdup_printf("name='%s' x=0 y=%s", name, where);
    cairo_tag_begin(d->cr, CAIRO_TAG_DEST, attributes);
    cairo_tag_end(d->cr, CAIRO_TAG_DEST);
}

static void end_page(struct draw *base)
{
    struct draw_cairo *d = of(base);

    if (visible(d))
        cairo_show_page(d->cr);
}

static cairo_status_t append(void *closure, const unsigned char *data, unsigned int length)
{
    g_byte_array_append(closure, data, length);
    return CAIRO_STATUS_SUCCESS;
}

static bool finish(struct draw *base, GByteArray *out, GError **error)
{
    struct draw_cairo *d = of(base);
    cairo_status_t status = cairo_status(d->cr);

    if (status == CAIRO_STATUS_SUCCESS && d->format == DRAW_PNG)
        status = cairo_surface_write_to_png_stream(d->surface, append, d->bytes);
    cairo_surface_finish(d->surface);
    if (status == CAIRO_STATUS_SUCCESS)
        status = cairo_surface_status(d->surface);
    if (status != CAIRO_STATUS_SUCCESS) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT, "the page can't be drawn: %s",
                    cairo_status_to_string(status));
        return false;
    }
    g_byte_array_append(out, d->bytes->data, d->bytes->len);
    return true;
}

static void draw_free(struct draw *base)
{
    struct draw_cairo *d = of(base);

    g_object_unref(d->context);
    g_object_unref(d->fonts);
    cairo_destroy(d->cr);
    cairo_surface_destroy(d->surface);
    g_byte_array_unref(d->bytes);
    g_free(d->family);
    g_free(d);
}

static const struct draw_ops OPS = {
    .measure = measure,
    .begin_page = begin_page,
    .line = line,
    .box = box,
    .mark = mark,
    .text = draw_text_lines,
    .outline = outline,
    .target = target,
    .end_page = end_page,
    .finish = finish,
    .free = draw_free,
};

/* Without a date of our own cairo writes the clock's. */
static void describe_pdf(cairo_surface_t *surface, const struct draw_document *document)
{
    g_autoptr(GDateTime) date = g_date_time_new_from_unix_utc(document->has_epoch ? document->epoch : 0);
    g_autofree char *text = date ? g_date_time_format(date, "%Y-%m-%dT%H:%M:%SZ") : g_strdup("");

    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, document->title);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_AUTHOR, document->author);
    if (document->subject)
        cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, document->subject);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, document->author);
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, text);
}

static cairo_surface_t *surface_for(enum draw_format format, const struct draw_document *document,
                                    GByteArray *bytes)
{
    cairo_surface_t *surface = NULL;

    switch (format) {
    case DRAW_PDF:
        surface = cairo_pdf_surface_create_for_stream(append, bytes, document->width, document->height);
        describe_pdf(surface, document);
        break;
    case DRAW_SVG:
        surface = cairo_svg_surface_create_for_stream(append, bytes, document->width, document->height);
        cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PT);
        break;
    case DRAW_PNG:
        surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)lround(document->width * PNG_SCALE),
                                             (int)lround(document->height * PNG_SCALE));
        cairo_surface_set_device_scale(surface, PNG_SCALE, PNG_SCALE);
        break;
    }
    return surface;
}

/* The same line breaks in every format and locale: no rounding to pixels, one language. */
static PangoContext *context_for(PangoFontMap *fonts)
{
    PangoContext *context = pango_font_map_create_context(fonts);
    cairo_font_options_t *options = cairo_font_options_create();

    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    pango_cairo_context_set_font_options(context, options);
    cairo_font_options_destroy(options);
    pango_cairo_context_set_resolution(context, 72);
    pango_context_set_language(context, pango_language_from_string("en"));
    pango_context_set_round_glyph_positions(context, FALSE);
    return context;
}

/* Returns owned: what the list of families comes to on this machine. */
static char *family_of(const struct draw_cairo *d)
{
    PangoFontDescription *wanted = pango_font_description_from_string(FAMILIES), *found;
    PangoFontFamily **families = NULL;
    PangoFont *font = NULL;
    char *family = NULL;
    int count = 0;

    pango_font_map_list_families(d->fonts, &families, &count);
    g_free(families);
    if (count > 0)
        font = pango_font_map_load_font(d->fonts, d->context, wanted);
    pango_font_description_free(wanted);
    if (font) {
        found = pango_font_describe(font);
        family = g_strdup(pango_font_description_get_family(found));
        pango_font_description_free(found);
        g_object_unref(font);
    }
    return family;
}

struct draw *draw_cairo_new(enum draw_format format, const struct draw_document *document)
{
    struct draw_cairo *d = g_new0(struct draw_cairo, 1);

    d->base.ops = &OPS;
    d->format = format;
    d->bytes = g_byte_array_new();
    d->surface = surface_for(format, document, d->bytes);
    d->cr = cairo_create(d->surface);
    if (format == DRAW_PNG) {
        set_ink(d->cr, DRAW_WHITE);
        cairo_paint(d->cr);
    }
    d->fonts = pango_cairo_font_map_new();
    d->context = context_for(d->fonts);
    d->family = family_of(d);
    return &d->base;
}

const char *draw_cairo_family(const struct draw *d)
{
    return ((const struct draw_cairo *)d)->family;
}

int draw_cairo_choice(const struct draw *d)
{
    const char *family = draw_cairo_family(d);
    g_auto(GStrv) families = g_strsplit(FAMILIES, ", ", -1);
    int choice = 0;

    while (families[choice + 1] && g_strcmp0(families[choice], family) != 0)
        choice++;
    return choice;
}

int draw_cairo_missing_in(struct draw *d, const struct draw_text *text)
{
    PangoLayout *layout = layout_of(of(d), text);
    int missing = pango_layout_get_unknown_glyphs_count(layout);

    g_object_unref(layout);
    return missing;
}

int draw_cairo_missing_glyphs(const struct draw *d)
{
    return ((const struct draw_cairo *)d)->missing_glyphs;
}
