/* Rows of figures for the tables of a document: cells one after the other, and numbers, intervals and p as they are set there.
 *
 * Ownership: texts that are "taken" are freed; functions that return char * return owned. */
#ifndef REPORT_BUILD_ROWS_H
#define REPORT_BUILD_ROWS_H

#include "report/doc.h"
#include "report/stats.h"

#define BUILD_DASH "\u2013"

/* A row under construction: the column that comes next. */
struct build_row {
    struct doc_table *table;
    guint column;
};

struct build_row build_row(struct doc_table *table);
void build_cell(struct build_row *r, const char *text);
void build_cell_take(struct build_row *r, char *text);

/* A row of name, value, range and method. Takes value and range. Where the figure is not known, `why` says so in the method's
 * place. */
void build_figure(struct doc_table *t, const char *name, char *value, char *range, const char *method,
                  const char *why);
/* An empty table for such rows, with its heads. */
struct doc_table *build_figure_table(struct doc *doc);

char *build_number(struct quantity q, double uncertainty);
char *build_signed(struct quantity q, double uncertainty);
/* "p = 0.02", or a dash; with the reason in the dash's place; without "p =". */
char *build_p(struct quantity p);
char *build_p_or_why(struct quantity p);
char *build_p_value(struct quantity p);
/* "low to high", or a dash. */
char *build_range(struct interval i, double doubt, bool sign);
/* "t = 2.1" */
char *build_labelled(const char *label, struct quantity q, double uncertainty);

#endif
