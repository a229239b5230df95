#include "report/layout_table.h"

#include <math.h>

static const double SIZE = 8.2, PAD = 3.6, COLUMN_GAP = 9;

struct cell {
    char *text;
    double x, width;
    struct draw_style style;
    bool pill;
    const char *link;
    int lines, done;
};

static struct draw_style style_of(enum doc_cell kind, bool header)
{
    struct draw_style style = {.size = SIZE};

    switch (kind) {
    case DOC_CELL_STRONG:
        style.weight = DRAW_SEMIBOLD;
        break;
    case DOC_CELL_MUTED:
        style.ink = DRAW_GREY;
        style.align = DRAW_RIGHT;
        break;
    case DOC_CELL_NUMBER:
        style.align = DRAW_RIGHT;
        break;
    case DOC_CELL_PILL:
        style.align = DRAW_CENTRE;
        style.one_line = true;
        break;
    case DOC_CELL_TEXT:
        break;
    }
    if (header) {
        style.weight = DRAW_REGULAR;
        style.ink = DRAW_GREY;
    }
    return style;
}

static void fill_cells(struct galley *g, const struct doc_table *table, guint row, struct cell *cells)
{
    const struct doc_cell_text *texts = g_ptr_array_index(table->rows, row);
    bool header = table->has_header && row == 0;
    double x = 0;

    for (guint i = 0; i < table->n_columns; i++) {
        double width = table->columns[i].share * GALLEY_WIDTH;
        bool last = i + 1 == table->n_columns;
        struct cell *c = &cells[i];

        *c = (struct cell){.x = x, .width = last ? width : width - COLUMN_GAP};
        c->style = style_of(table->columns[i].cell, header);
        c->pill = table->columns[i].cell == DOC_CELL_PILL && !header && texts[i].text;
        c->link = galley_link(g, texts[i].anchor);
        c->text = texts[i].text ? galley_anchored(g, texts[i].text, texts[i].anchor) : NULL;
        if (c->pill)
            c->width -= 10; /* the frame's round ends */
        c->lines = c->text ? galley_measure(g, c->text, &c->style, c->width).lines : 0;
        x += width;
    }
}

static int most_left(const struct cell *cells, guint n)
{
    int most = 0;

    for (guint i = 0; i < n; i++)
        most = MAX(most, cells[i].lines - cells[i].done);
    return most;
}

static void place_pill(struct galley *g, const struct cell *c, double leading)
{
    page_box(g->page, (struct draw_box){LAYOUT_MARGIN + c->x, g->y - 1, c->width + 10, leading + 2,
                                        (leading + 2) / 2, 0.9, DRAW_NONE, DRAW_BLACK, DRAW_SOLID});
}

/* As many lines of each cell as `count`. */
static void place_slice(struct galley *g, struct cell *cells, guint n, int count, double leading)
{
    for (guint i = 0; i < n; i++) {
        struct cell *c = &cells[i];
        int lines = MIN(count, c->lines - c->done);

        if (lines < 1)
            continue;
        if (c->pill)
            place_pill(g, c, leading);
        page_text(g->page, (struct draw_text){.text = c->text,
                                              .style = c->style,
                                              .x = LAYOUT_MARGIN + c->x + (c->pill ? 5 : 0),
                                              .y = g->y,
                                              .width = c->width,
                                              .first = c->done,
                                              .count = lines,
                                              .link = c->link});
        c->done += lines;
    }
    g->y += count * leading;
}

static void place_row(struct galley *g, struct cell *cells, guint n, bool header)
{
    double leading = draw_leading(SIZE), tallest = GALLEY_BOTTOM - GALLEY_TOP - 2 * PAD;
    double height = most_left(cells, n) * leading;
    int left;

    if (height <= tallest)
        galley_need(g, height + 2 * PAD + (header ? 2 * leading : 0));
    while ((left = most_left(cells, n)) > 0) {
        int room = (int)floor((GALLEY_BOTTOM - g->y - 2 * PAD) / leading);

        if (room < 1) {
            galley_new_page(g);
            continue;
        }
        g->y += PAD;
        place_slice(g, cells, n, MIN(room, left), leading);
        g->y += PAD;
    }
    page_line(g->page, (struct draw_line){LAYOUT_MARGIN, g->y, LAYOUT_MARGIN + GALLEY_WIDTH, g->y,
                                          header ? 0.8 : 0.6, header ? DRAW_BLACK : DRAW_RULE, DRAW_SOLID});
}

static void free_cells(struct cell *cells, guint n)
{
    for (guint i = 0; i < n; i++)
        g_free(cells[i].text);
}

static double height_of(struct galley *g, const struct doc_table *table, guint row)
{
    struct cell cells[G_N_ELEMENTS(table->columns)];
    double height;

    fill_cells(g, table, row, cells);
    height = most_left(cells, table->n_columns) * draw_leading(SIZE) + 2 * PAD;
    free_cells(cells, table->n_columns);
    return height;
}

static void layout_row(struct galley *g, const struct doc_table *table, guint row)
{
    struct cell cells[G_N_ELEMENTS(table->columns)];

    fill_cells(g, table, row, cells);
    place_row(g, cells, table->n_columns, table->has_header && row == 0);
    free_cells(cells, table->n_columns);
}

/* A table that goes on overleaf has its heads there again, and never leaves its last row alone. */
static void turn_page(struct galley *g, const struct doc_table *table, guint row)
{
    double most = (GALLEY_BOTTOM - GALLEY_TOP) / 2, need = height_of(g, table, row);

    if (row + 2 == table->rows->len)
        need += height_of(g, table, row + 1);
    if (row <= table->has_header || need > most || g->y + need <= GALLEY_BOTTOM)
        return;
    galley_new_page(g);
    if (table->has_header)
        layout_row(g, table, 0);
}

void layout_table(struct galley *g, const struct doc_table *table)
{
    if (!table->has_header)
        page_line(g->page, (struct draw_line){LAYOUT_MARGIN, g->y, LAYOUT_MARGIN + GALLEY_WIDTH, g->y, 0.8,
                                              DRAW_BLACK, DRAW_SOLID});
    for (guint row = 0; row < table->rows->len; row++) {
        turn_page(g, table, row);
        layout_row(g, table, row);
    }
}
