/* JSON whose values know their line.
 *
 * jansson parses strictly (no duplicate keys, no NaN) and forgets where values stood; a scan of the same text in document
 * order gives the lines back. Errors: COPYTRIAL_ERROR_INPUT naming file, line and byte. */
#ifndef REPORT_JSONDOC_H
#define REPORT_JSONDOC_H

#include "report/text_input.h"

#include <glib.h>
#include <jansson.h>
#include <stdbool.h>

struct jsondoc {
    json_t *root;
    GHashTable *lines; /* json_t * to line */
    guint end;         /* index of the line behind the value's last */
};

/* The value that starts at line `first` (an index). `only`: nothing but blanks may follow; otherwise what follows the value's
 * last line is left for another call. Returns owned. */
struct jsondoc *jsondoc_parse(const struct text_input *in, guint first, bool only, GError **error);
void jsondoc_free(struct jsondoc *doc);

/* Line of an object, array, number or string of the document (jansson has one true, false and null for all: 0). */
int jsondoc_line(const struct jsondoc *doc, const json_t *value);
/* Member of an object as a number; false when it isn't there or no number. */
bool jsondoc_number(const json_t *object, const char *key, double *value);
/* Member as text; NULL when it isn't there or no text. View. */
const char *jsondoc_text(const json_t *object, const char *key);

#endif
