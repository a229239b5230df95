#include "report/layout.h"
#include "report/galley.h"
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
static void place_title(struct galley *g, const struct doc_block *b)
{
    static const double SIZES[] = {17, 14, 11.5, 10};
    struct draw_style style = {0};

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        style.size = SIZES[i];
        style.weight = DRAW_SEMIBOLD;
        if (galley_measure(g, b->text, &style, GALLEY_WIDTH).lines <= 3)
            break;
        style.weight = DRAW_REGULAR;
    }
    galley_gap(g, 8);
    page_outline(g->page, b->text, g->y);
    galley_text(g, b->text, &style, 0, GALLEY_WIDTH);
    galley_gap(g, 3);
}

/* What must fit below the last line before a heading: itself and the beginning of what follows. */
static double heading_needs(struct galley *g, const struct doc_block *next)
{
    /* A table so short stays with its heading. */
    static const guint SHORT_TABLE = 6;
    static const double TABLE_ROW = 20;
    double alone = draw_leading(HEADING.size) + 8;

    if (next && next->kind == DOC_TABLE && next->table->rows->len <= SHORT_TABLE)
        return alone + next->table->rows->len * TABLE_ROW;
    if (next && next->kind == DOC_CHART)
        return alone + next->chart->ops->height(next->chart, g->d, GALLEY_WIDTH);
    return alone + (next && next->kind == DOC_EFFECT ? chart_effect_height() : 2 * draw_leading(BODY.size));
}

/* The aside stands at the right of the heading where both fit on a line, else below it. */
static void place_heading(struct galley *g, const struct doc_block *b, const struct doc_block *next)
{
    double text_width = page_text_width(g->d, b->text, &HEADING), aside_width;

    galley_gap(g, 14);
    galley_need(g, heading_needs(g, next));
    page_outline(g->page, b->text, g->y);
    aside_width = b->aside ? page_text_width(g->d, b->aside, &ASIDE) : 0;
    if (b->aside && text_width + aside_width + 12 <= GALLEY_WIDTH) {
        struct draw_style right = ASIDE;

        right.align = DRAW_RIGHT;
        right.one_line = true;
        page_label(g->page, b->aside, right, LAYOUT_MARGIN + GALLEY_WIDTH - aside_width, g->y + 3,
                   aside_width);
    }
    galley_text(g, b->text, &HEADING, 0, GALLEY_WIDTH);
    if (b->aside && text_width + aside_width + 12 > GALLEY_WIDTH)
        galley_text(g, b->aside, &ASIDE, 0, GALLEY_WIDTH);
    galley_gap(g, 4);
}

static void place_linked(struct galley *g, const struct doc_block *b, const struct draw_style *style,
                         double x)
{
    g_autofree char *text = galley_anchored(g, b->text, b->anchor);

    g->link = galley_link(g, b->anchor);
    galley_text(g, text, style, x, GALLEY_WIDTH - x);
    g->link = NULL;
}

static void place_bullet(struct galley *g, const struct doc_block *b)
{
    static const double INDENT = 11;
    double leading = draw_leading(BODY.size);

    galley_need(g, leading);
    page_mark(g->page, (struct draw_mark){DRAW_DISC, LAYOUT_MARGIN + 3, g->y + leading / 2, 1.3, 0,
                                          DRAW_BLACK, DRAW_NONE});
    place_linked(g, b, &BODY, INDENT);
    galley_gap(g, 2.5);
}

/* Mark of the stamp: a tick, a cross, or a question mark. */
static void place_stamp_mark(struct galley *g, enum doc_stamp stamp, double x, double y, double size)
{
    struct draw_mark mark = {DRAW_TICK, x + size / 2, y + size / 2, size / 2, 2.6, DRAW_NONE, DRAW_BLACK};
    struct draw_style style = {.size = 21, .weight = DRAW_BOLD, .align = DRAW_CENTRE, .one_line = true};

    if (stamp == DOC_STAMP_OPEN) {
        page_label(g->page, (char[]){"?"}, style, x, y + size / 2 - draw_leading(style.size) / 2, size);
        return;
    }
    if (stamp == DOC_STAMP_NO)
        mark.shape = DRAW_CROSS;
    page_mark(g->page, mark);
}

static struct draw_style stamp_style(struct galley *g, char *text, double width)
{
    static const double SIZES[] = {21, 18, 16, 14, 12, 10};
    struct draw_style style = {.weight = DRAW_BOLD, .align = DRAW_LEFT};

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        style.size = SIZES[i];
        if (page_text_width(g->d, text, &style) <= width)
            break;
    }
    return style;
}

static void place_stamp(struct galley *g, const struct doc_block *b)
{
    static const double WIDTH = 190, PAD = 11, MARK = 17, BESIDE = 206, TALLEST = 220;
    static const struct draw_style UNDER = {.size = 8.3, .align = DRAW_LEFT};
    static const struct draw_style REASON = {.size = 9.3};
    double inner = WIDTH - 2 * PAD, text_x = PAD + MARK + 9;
    struct draw_style style = stamp_style(g, b->text, WIDTH - PAD - text_x);
    double word = draw_leading(style.size), top, bottom;
    double height =
        2 * PAD + word + 2 + galley_measure(g, b->aside, &UNDER, inner).lines * draw_leading(UNDER.size);
    double reason =
        galley_measure(g, b->body, &REASON, GALLEY_WIDTH - BESIDE).lines * draw_leading(REASON.size);
    bool beside = reason <= TALLEST;

    galley_gap(g, 10);
    galley_need(g, fmax(height, beside ? reason : 0));
    top = g->y;
    page_box(g->page, (struct draw_box){LAYOUT_MARGIN + 1, top, WIDTH - 1, height, 6, 2.2, DRAW_NONE,
                                        DRAW_BLACK, b->stamp == DOC_STAMP_OPEN ? DRAW_DASHED : DRAW_SOLID});
    place_stamp_mark(g, b->stamp, LAYOUT_MARGIN + PAD, top + PAD + word / 2 - MARK / 2, MARK);
    g->y = top + PAD;
    galley_text(g, b->text, &style, text_x, WIDTH - PAD - text_x);
    galley_gap(g, 2);
    galley_text(g, b->aside, &UNDER, PAD, inner);
    bottom = top + height;
    if (beside) {
        g->y = top + fmax(0, (height - reason) / 2);
        galley_text(g, b->body, &REASON, BESIDE, GALLEY_WIDTH - BESIDE);
        g->y = fmax(g->y, bottom);
        return;
    }
    g->y = bottom + 8;
    galley_text(g, b->body, &REASON, 0, GALLEY_WIDTH);
}

static void place_effect(struct galley *g, const struct doc_block *b)
{
    galley_gap(g, 2);
    galley_need(g, chart_effect_height());
    chart_effect_place(b->effect, g->d, g->page, LAYOUT_MARGIN, g->y, GALLEY_WIDTH);
    g->y += chart_effect_height();
}

static void place_runs(struct galley *g, const struct doc_block *b)
{
    galley_gap(g, 13);
    galley_need(g, chart_runs_height());
    page_outline(g->page, b->runs->order_title, g->y);
    chart_runs_place(b->runs, g->d, g->page, LAYOUT_MARGIN, g->y, GALLEY_WIDTH);
    g->y += chart_runs_height();
}

static void place_chart(struct galley *g, const struct doc_block *b)
{
    double height = b->chart->ops->height(b->chart, g->d, GALLEY_WIDTH);

    galley_gap(g, 2);
    galley_need(g, height);
    b->chart->ops->place(b->chart, g->d, g->page, LAYOUT_MARGIN, g->y, GALLEY_WIDTH);
    g->y += height;
}

/* A figure that reads across the room, what it means beside it, and why below that. */
static void place_headline(struct galley *g, const struct doc_block *b)
{
    static const double SIZES[] = {32, 26, 20, 15, 11}, MOST = 210, SPACE = 26;
    static const struct draw_style MEANING = {.size = 14, .weight = DRAW_SEMIBOLD, .align = DRAW_LEFT};
    static const struct draw_style WHY = {.size = 9.3};
    struct draw_style style = {.weight = DRAW_BOLD, .align = DRAW_LEFT, .one_line = true};
    double width = 0, x, top, figure;

    for (guint i = 0; i < G_N_ELEMENTS(SIZES); i++) {
        style.size = SIZES[i];
        width = page_text_width(g->d, b->text, &style);
        if (width <= MOST)
            break;
    }
    width = fmin(width, MOST);
    figure = draw_leading(style.size);
    x = width + SPACE;
    galley_gap(g, 8);
    galley_need(g, figure + 2 * draw_leading(WHY.size));
    top = g->y;
    page_label(g->page, b->text, style, LAYOUT_MARGIN, top, width);
    galley_text(g, b->aside, &MEANING, x, GALLEY_WIDTH - x);
    galley_text(g, b->body, &WHY, x, GALLEY_WIDTH - x);
    g->y = fmax(g->y, top + figure) + 8;
}

static void place_block(struct galley *g, const struct doc_block *b, const struct doc_block *next)
{
    const struct page *page = g->page;
    double y = g->y;

    switch (b->kind) {
    case DOC_TITLE:
        place_title(g, b);
        break;
    case DOC_HEADING:
        place_heading(g, b, next);
        break;
    case DOC_PARAGRAPH:
        galley_text(g, b->text, &BODY, 0, GALLEY_WIDTH);
        galley_gap(g, 4);
        break;
    case DOC_NOTE:
        place_linked(g, b, &ASIDE, 0);
        galley_gap(g, 4);
        break;
    case DOC_BULLET:
        place_bullet(g, b);
        break;
    case DOC_STAMP:
        place_stamp(g, b);
        break;
    case DOC_TABLE:
        layout_table(g, b->table);
        galley_gap(g, next && (next->kind == DOC_NOTE || next->kind == DOC_BULLET) ? 5 : 0);
        break;
    case DOC_EFFECT:
        place_effect(g, b);
        break;
    case DOC_RUNS:
        place_runs(g, b);
        break;
    case DOC_HEADLINE:
        place_headline(g, b);
        break;
    case DOC_CHART:
        place_chart(g, b);
        galley_gap(g, next && next->kind == DOC_NOTE ? 5 : 0);
        break;
    case DOC_PAGE_BREAK:
        if (g->y > GALLEY_TOP + (GALLEY_BOTTOM - GALLEY_TOP) / 3)
            galley_new_page(g);
        break;
    }
    /* Last, for the block may have moved to a new page. */
    if (b->name)
        galley_anchor(g, b->name, g->page == page ? y : GALLEY_TOP);
}

/* What stands on every page: needs the number of pages, so it comes last. */
static void place_frame(struct galley *g, const struct doc *doc)
{
    double right = LAYOUT_WIDTH - LAYOUT_MARGIN, half = GALLEY_WIDTH / 2;
    g_autofree char *first = galley_anchored(g, doc->footer[0], doc->footer_anchor);

    for (guint i = 0; i < g->pages->len; i++) {
        struct page *page = g_ptr_array_index(g->pages, i);
        struct draw_style number = {.size = 8, .ink = DRAW_GREY, .one_line = true, .align = DRAW_RIGHT};
        g_autofree char *text = g_strdup_printf("%s · page %u of %u", doc->program, i + 1, g->pages->len);

        page_label(page, doc->running, RUNNING, LAYOUT_MARGIN, HEADER_Y, half);
        page_label(page, text, number, right - half, HEADER_Y, half);
        page_line(page,
                  (struct draw_line){LAYOUT_MARGIN, RULE_Y, right, RULE_Y, 1.2, DRAW_BLACK, DRAW_SOLID});
        page_line(page,
                  (struct draw_line){LAYOUT_MARGIN, FOOTER_Y, right, FOOTER_Y, 0.6, DRAW_RULE, DRAW_SOLID});
        page_text(page, (struct draw_text){.text = first,
                                           .style = FOOTER,
                                           .x = LAYOUT_MARGIN,
                                           .y = FOOTER_Y + 4,
                                           .width = GALLEY_WIDTH,
                                           .count = 1,
                                           .link = galley_link(g, doc->footer_anchor)});
        page_label(page, doc->footer[1], FOOTER, LAYOUT_MARGIN, FOOTER_Y + 15, GALLEY_WIDTH);
    }
}

static void lay_out(struct galley *g, const struct doc *doc)
{
    for (guint i = 0; i < doc->blocks->len; i++)
        place_block(g, g_ptr_array_index(doc->blocks, i),
                    i + 1 < doc->blocks->len ? g_ptr_array_index(doc->blocks, i + 1) : NULL);
    place_frame(g, doc);
}

GPtrArray *layout_pages(const struct doc *doc, struct draw *d)
{
    struct galley draft, final;

    galley_init(&draft, d, NULL);
    lay_out(&draft, doc);
    /* The draft tells which page each anchor is on; a number's width moves nothing to another page, for anchored texts
     * stand alone on their line. */
    galley_init(&final, d, &draft);
    lay_out(&final, doc);
    galley_fini(&draft);
    return galley_take_pages(&final);
}
