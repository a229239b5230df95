/* A capture's pages: what of it is shown, as plain texts, tables and charts, and the document made of them. Page 1 answers
 * where the time went and what would help; the pages after it hold every exchange, the figures and where they come from.
 *
 * Ownership: capture_pages owns its strings and tables, and its charts until build_capture() takes them. Charts and texts may be
 * NULL where there is nothing to show. */
#ifndef REPORT_BUILD_CAPTURE_H
#define REPORT_BUILD_CAPTURE_H

#include "report/doc.h"

struct capture_table {
    char *heading, *aside;
    char *note; /* below the heading; the table may then be empty */
    guint n_columns;
    struct doc_column columns[8];
    bool has_header;
    GPtrArray *rows; /* of GStrv, n_columns cells each */
};

struct capture_pages {
    char *file, *what; /* title, and a line of what was copied, how and where it was captured */
    char *seconds;     /* how long it took */
    char *held_back;   /* by what: the end of a sentence */
    char *evidence;    /* a sentence with its frames */
    char *filter;      /* for Wireshark */
    char *inputs;      /* the first input with the ends of its sum, for every page */
    GPtrArray *trust;  /* of char *: what a prediction rests on */
    char *left_out;    /* how much was not used; its page is appended */
    char *stretch_note, *lanes_note, *gains_note, *blocks_note;
    char *no_gains; /* what wouldn't help, or why nothing is said of it */
    struct chart_parts *parts;
    struct chart_stretch *stretch;
    struct chart_gains *gains;
    struct chart_lanes *lanes;
    struct chart_rate *rate;
    struct chart_spread *spread;
    struct chart_blocks *blocks;
    GPtrArray *tables;                  /* of struct capture_table *, in order; after the charts */
    struct capture_table *glance;       /* of them: it stands on page 1 */
    struct capture_table *ledger;       /* of them: what was not used */
    struct capture_table *inputs_table; /* the last one: files, sums, program and command line */
};

struct capture_pages *capture_pages_new(void);
void capture_pages_free(struct capture_pages *pages);
/* Returns a view of the new table, owned by `pages`. Texts are copied. */
struct capture_table *capture_pages_table(struct capture_pages *pages, const char *heading, const char *aside,
                                          const struct doc_column *columns, guint n_columns, bool has_header);
/* Takes the cells, one for each column, NULL-terminated. */
void capture_table_row(struct capture_table *table, char *first, ...) G_GNUC_NULL_TERMINATED;

/* `program` is name and version, for the header. Takes the charts of `pages`. Returns owned. */
struct doc *build_capture(struct capture_pages *pages, const char *program);

#endif
