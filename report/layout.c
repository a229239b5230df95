#include "report/layout.h"
#include "report/layout_flow.h"
#include "report/layout_table.h"

#include <math.h>

static const double HEADER_Y = 42, RULE_Y = 60, FOOTER_Y = 782;

static const struct draw_style RUNNING = {.size = 8,
                                          .weight = DRAW_SEMIBOLD,
                                          .ink = DRAW_GREY,
                                          .one_line = true,
                                          .align = DRAW_LEFT,
                                          .tracking = 1.2};
static const struct draw_style FOOTER = {.size = 7.5, .ink = DRAW_GREY, .one_line = true, .align = DRAW_LEFT};
static const struct draw_style HEADING = {.size = 11, .weight = DRAW_SEMIBOLD, .align = DRAW_LEFT};
static const struct draw_style ASIDE = {.size = 8, .ink = DRAW_GREY};
static const struct draw_style BODY = {.size = 8.6};

/* The largest size that keeps a title to three lines; a longer one flows on in the smallest. */
static void place_title(struct flow *f, const struct doc_block *b)
{
    static const double SIZES[] = {17, 14, 11.5, 10};
    struct draw_style style = {0};

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        style.size = SIZES[i];
        style.weight = DRAW_SEMIBOLD;
        if (flow_measure(f, b->text, &style, FLOW_WIDTH).lines <= 3)
            break;
        style.weight = DRAW_REGULAR;
    }
    flow_gap(f, 8);
    page_outline(f->page, b->text, f->y);
    flow_text(f, b->text, &style, 0, FLOW_WIDTH);
    flow_gap(f, 3);
}

/* What must fit below the last line before a heading: itself and the beginning of what follows. */
static double heading_needs(const struct doc_block *next)
{
    double alone = draw_leading(HEADING.size) + 8;

    return alone + (next && next->kind == DOC_EFFECT ? chart_effect_height() : 2 * draw_leading(BODY.size));
}

/* The aside stands at the right of the heading where both fit on a line, else below it. */
static void place_heading(struct flow *f, const struct doc_block *b, const struct doc_block *next)
{
    double text_width = page_text_width(f->d, b->text, &HEADING), aside_width;

    flow_gap(f, 14);
    flow_need(f, heading_needs(next));
    page_outline(f->page, b->text, f->y);
    aside_width = b->aside ? page_text_width(f->d, b->aside, &ASIDE) : 0;
    if (b->aside && text_width + aside_width + 12 <= FLOW_WIDTH) {
        struct draw_style right = ASIDE;

        right.align = DRAW_RIGHT;
        right.one_line = true;
        page_label(f->page, b->aside, right, LAYOUT_MARGIN + FLOW_WIDTH - aside_width, f->y + 3, aside_width);
    }
    flow_text(f, b->text, &HEADING, 0, FLOW_WIDTH);
    if (b->aside && text_width + aside_width + 12 > FLOW_WIDTH)
        flow_text(f, b->aside, &ASIDE, 0, FLOW_WIDTH);
    flow_gap(f, 4);
}

static void place_bullet(struct flow *f, const struct doc_block *b)
{
    static const double INDENT = 11;
    double leading = draw_leading(BODY.size);

    flow_need(f, leading);
    page_mark(f->page, (struct draw_mark){DRAW_DISC, LAYOUT_MARGIN + 3, f->y + leading / 2, 1.3, 0,
                                          DRAW_BLACK, DRAW_NONE});
    flow_text(f, b->text, &BODY, INDENT, FLOW_WIDTH - INDENT);
    flow_gap(f, 2.5);
}

/* Mark of the stamp: a tick, a cross, or a question mark. */
static void place_stamp_mark(struct flow *f, enum doc_stamp stamp, double x, double y, double size)
{
    struct draw_mark mark = {DRAW_TICK, x + size / 2, y + size / 2, size / 2, 2.6, DRAW_NONE, DRAW_BLACK};
    struct draw_style style = {.size = 21, .weight = DRAW_BOLD, .align = DRAW_CENTRE, .one_line = true};

    if (stamp == DOC_STAMP_OPEN) {
        page_label(f->page, (char[]){"?"}, style, x, y + size / 2 - draw_leading(style.size) / 2, size);
        return;
    }
    if (stamp == DOC_STAMP_NO)
        mark.shape = DRAW_CROSS;
    page_mark(f->page, mark);
}

static struct draw_style stamp_style(struct flow *f, char *text, double width)
{
    static const double SIZES[] = {21, 18, 16, 14, 12, 10};
    struct draw_style style = {.weight = DRAW_BOLD, .align = DRAW_LEFT};

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        style.size = SIZES[i];
        if (page_text_width(f->d, text, &style) <= width)
            break;
    }
    return style;
}

static void place_stamp(struct flow *f, const struct doc_block *b)
{
    static const double WIDTH = 190, PAD = 11, MARK = 17, BESIDE = 206, TALLEST = 220;
    static const struct draw_style UNDER = {.size = 8.3, .align = DRAW_LEFT};
    static const struct draw_style REASON = {.size = 9.3};
    double inner = WIDTH - 2 * PAD, text_x = PAD + MARK + 9;
    struct draw_style style = stamp_style(f, b->text, WIDTH - PAD - text_x);
    double word = draw_leading(style.size), top, bottom;
    double height =
        2 * PAD + word + 2 + flow_measure(f, b->aside, &UNDER, inner).lines * draw_leading(UNDER.size);
    double reason = flow_measure(f, b->body, &REASON, FLOW_WIDTH - BESIDE).lines * draw_leading(REASON.size);
    bool beside = reason <= TALLEST;

    flow_gap(f, 10);
    flow_need(f, fmax(height, beside ? reason : 0));
    top = f->y;
    page_box(f->page, (struct draw_box){LAYOUT_MARGIN + 1, top, WIDTH - 1, height, 6, 2.2, DRAW_NONE,
                                        DRAW_BLACK, b->stamp == DOC_STAMP_OPEN ? DRAW_DASHED : DRAW_SOLID});
    place_stamp_mark(f, b->stamp, LAYOUT_MARGIN + PAD, top + PAD + word / 2 - MARK / 2, MARK);
    f->y = top + PAD;
    flow_text(f, b->text, &style, text_x, WIDTH - PAD - text_x);
    flow_gap(f, 2);
    flow_text(f, b->aside, &UNDER, PAD, inner);
    bottom = top + height;
    if (beside) {
        f->y = top + fmax(0, (height - reason) / 2);
        flow_text(f, b->body, &REASON, BESIDE, FLOW_WIDTH - BESIDE);
        f->y = fmax(f->y, bottom);
        return;
    }
    f->y = bottom + 8;
    flow_text(f, b->body, &REASON, 0, FLOW_WIDTH);
}

static void place_effect(struct flow *f, const struct doc_block *b)
{
    flow_gap(f, 2);
    flow_need(f, chart_effect_height());
    chart_effect_place(b->effect, f->d, f->page, LAYOUT_MARGIN, f->y, FLOW_WIDTH);
    f->y += chart_effect_height();
}

static void place_runs(struct flow *f, const struct doc_block *b)
{
    flow_gap(f, 13);
    flow_need(f, chart_runs_height());
    page_outline(f->page, b->runs->order_title, f->y);
    chart_runs_place(b->runs, f->d, f->page, LAYOUT_MARGIN, f->y, FLOW_WIDTH);
    f->y += chart_runs_height();
}

static void place_block(struct flow *f, const struct doc_block *b, const struct doc_block *next)
{
    switch (b->kind) {
    case DOC_TITLE:
        place_title(f, b);
        break;
    case DOC_HEADING:
        place_heading(f, b, next);
        break;
    case DOC_PARAGRAPH:
        flow_text(f, b->text, &BODY, 0, FLOW_WIDTH);
        flow_gap(f, 4);
        break;
    case DOC_NOTE:
        flow_text(f, b->text, &ASIDE, 0, FLOW_WIDTH);
        flow_gap(f, 4);
        break;
    case DOC_BULLET:
        place_bullet(f, b);
        break;
    case DOC_STAMP:
        place_stamp(f, b);
        break;
    case DOC_TABLE:
        layout_table(f, b->table);
        break;
    case DOC_EFFECT:
        place_effect(f, b);
        break;
    case DOC_RUNS:
        place_runs(f, b);
        break;
    case DOC_PAGE_BREAK:
        flow_new_page(f);
        break;
    }
    /* Last, for the block may have moved to a new page. */
    if (b->name)
        flow_anchor(f, b->name);
}

/* What stands on every page: needs the number of pages, so it comes last. */
static void place_frame(struct flow *f, const struct doc *doc)
{
    double right = LAYOUT_WIDTH - LAYOUT_MARGIN, half = FLOW_WIDTH / 2;
    g_autofree char *first = flow_anchored(f, doc->footer[0], doc->footer_anchor);

    for (guint i = 0; i < f->pages->len; i++) {
        struct page *page = g_ptr_array_index(f->pages, i);
        struct draw_style number = {.size = 8, .ink = DRAW_GREY, .one_line = true, .align = DRAW_RIGHT};
        g_autofree char *text = g_strdup_printf("%s · page %u of %u", doc->program, i + 1, f->pages->len);

        page_label(page, doc->running, RUNNING, LAYOUT_MARGIN, HEADER_Y, half);
        page_label(page, text, number, right - half, HEADER_Y, half);
        page_line(page,
                  (struct draw_line){LAYOUT_MARGIN, RULE_Y, right, RULE_Y, 1.2, DRAW_BLACK, DRAW_SOLID});
        page_line(page,
                  (struct draw_line){LAYOUT_MARGIN, FOOTER_Y, right, FOOTER_Y, 0.6, DRAW_RULE, DRAW_SOLID});
        page_label(page, first, FOOTER, LAYOUT_MARGIN, FOOTER_Y + 4, FLOW_WIDTH);
        page_label(page, doc->footer[1], FOOTER, LAYOUT_MARGIN, FOOTER_Y + 15, FLOW_WIDTH);
    }
}

static void lay_out(struct flow *f, const struct doc *doc)
{
    for (guint i = 0; i < doc->blocks->len; i++)
        place_block(f, g_ptr_array_index(doc->blocks, i),
                    i + 1 < doc->blocks->len ? g_ptr_array_index(doc->blocks, i + 1) : NULL);
    place_frame(f, doc);
}

GPtrArray *layout_pages(const struct doc *doc, struct draw *d)
{
    struct flow draft, final;

    flow_init(&draft, d, NULL);
    lay_out(&draft, doc);
    /* The draft tells which page each anchor is on; a number's width moves nothing to another page, for anchored texts
     * stand alone on their line. */
    flow_init(&final, d, &draft);
    lay_out(&final, doc);
    flow_fini(&draft);
    return flow_take_pages(&final);
}
