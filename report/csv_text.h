/* Rows of fields parted by one character, with quoted fields.
 *
 * A quoted field may hold separators, doubled quotes and (where `multiline` is set) line ends; blanks around an unquoted
 * field are taken away. A row whose last field is quoted and never closed is `cut`: the file ends inside it. Cost: each line is
 * read once; without `multiline` an open quote ends with its line. */
#ifndef REPORT_CSV_TEXT_H
#define REPORT_CSV_TEXT_H

#include "report/text_input.h"

#include <glib.h>
#include <stdbool.h>

struct csv_field {
    const char *text; /* view, valid until the next row is read */
    bool quoted;
};

struct csv_reader {
    const struct text_input *in;
    guint next; /* index of the next line */
    char separator;
    bool multiline;
    GArray *fields; /* of struct csv_field: the row */
    GString *text;
    int line; /* of the row */
    bool cut;
};

/* ' ' as separator: any run of blanks. Borrows `in`. */
void csv_init(struct csv_reader *r, const struct text_input *in, guint first, char separator, bool multiline);
void csv_fini(struct csv_reader *r);
/* False at the end. Blank lines are passed over. */
bool csv_next(struct csv_reader *r);
/* "" beyond the row's end. View. */
const char *csv_text(const struct csv_reader *r, guint column);
/* Index of the column whose text is `name` (case ignored) in the present row, or -1. */
int csv_column(const struct csv_reader *r, const char *name);

#endif
