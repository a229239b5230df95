/* A document: what stands on the pages, in order, without coordinates. All text is final: units, rounding and wording
 * are done before.
 *
 * Ownership: a document owns every string and block; adders copy their strings, and tables and charts are taken. Where a
 * text has an `anchor`, the number of the page with the block of that name is appended to it by the layout. */
#ifndef REPORT_DOC_H
#define REPORT_DOC_H

#include "report/chart.h"
#include "report/chart_capture.h"

#include <glib.h>
#include <stdbool.h>

enum doc_kind {
    DOC_TITLE,     /* the largest text: text */
    DOC_HEADING,   /* text, and aside at the right or below; enters the outline */
    DOC_PARAGRAPH, /* text */
    DOC_NOTE,      /* text, small and grey */
    DOC_BULLET,    /* text */
    DOC_STAMP,     /* text in a frame with aside under it; the paragraph `body` beside it */
    DOC_TABLE,
    DOC_EFFECT,
    DOC_RUNS,
    DOC_HEADLINE,   /* text, large; aside beside it, and body below that */
    DOC_CHART,      /* one of chart_capture.h */
    DOC_PAGE_BREAK, /* unless most of the page is still empty */
};

enum doc_cell { DOC_CELL_TEXT, DOC_CELL_STRONG, DOC_CELL_PILL, DOC_CELL_MUTED, DOC_CELL_NUMBER };
/* The stamp's frame and mark say by shape what its words say. */
enum doc_stamp { DOC_STAMP_YES, DOC_STAMP_NO, DOC_STAMP_OPEN };

struct doc_column {
    double share; /* of the width; shares sum to 1 */
    enum doc_cell cell;
};

struct doc_cell_text {
    char *text;
    const char *anchor; /* static, or NULL */
};

struct doc_table {
    guint n_columns;
    struct doc_column columns[8];
    bool has_header; /* the first row */
    GPtrArray *rows; /* of struct doc_cell_text[n_columns] */
};

struct doc_block {
    enum doc_kind kind;
    char *text, *aside, *body;
    const char *name;   /* static: target of anchors, or NULL */
    const char *anchor; /* static: of a note or a bullet; or NULL */
    enum doc_stamp stamp;
    struct doc_table *table;
    struct chart_effect *effect;
    struct chart_runs *runs;
    struct chart *chart;
};

struct doc {
    char *running;             /* top left of every page */
    char *program;             /* top right, before the page number */
    char *footer[2];           /* lines at the bottom of every page */
    const char *footer_anchor; /* static: its page is appended to the first */
    GPtrArray *blocks;
};

struct doc *doc_new(void);
void doc_free(struct doc *doc);

/* Return a view of the new block, valid until doc_free(). */
struct doc_block *doc_add(struct doc *doc, enum doc_kind kind, const char *text);
struct doc_block *doc_add_heading(struct doc *doc, const char *text, const char *aside);
struct doc_table *doc_add_table(struct doc *doc, const struct doc_column *columns, guint n_columns,
                                bool has_header);
/* Takes the chart. */
void doc_add_chart(struct doc *doc, struct chart *chart);
/* Starts a row of empty cells. */
void doc_table_row(struct doc_table *table);
/* Sets a cell of the last row. `text` and `anchor` may be NULL. */
void doc_table_set(struct doc_table *table, guint column, const char *text, const char *anchor);

#endif
