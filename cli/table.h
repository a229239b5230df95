/* A table of text: columns as wide as what is in them, within the width that there is.
 *
 * Where it doesn't fit, the gaps shrink first, then columns are left out, those with the highest `drop` first, and then the texts of the
 * first column are cut. Cells are filled in row by row. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include "cli/style.h"

struct table_column {
    const char *name;
    bool left; /* aligned; numbers go right */
    int drop;  /* 0: never left out */
};

struct table {
    const struct table_column *columns; /* borrowed */
    guint count;
    GPtrArray *cells; /* of char * */
};

struct table table_new(const struct table_column *columns, guint count);
/* Takes `text`; NULL is "-". */
void table_add(struct table *t, char *text);
/* Prints the table, with its column names, unless it has no rows; frees it. */
void table_print(struct table *t, const struct style *s, GString *to);

#endif
