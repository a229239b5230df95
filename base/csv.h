/* Rows of comma-separated values, as RFC 4180 has them. */
#ifndef BASE_CSV_H
#define BASE_CSV_H

#include <glib.h>

/* Appends a field, after a comma unless the row is empty; in quotes where it holds a comma, a quote or a line's end. */
void csv_put(GString *row, const char *text);

#endif
