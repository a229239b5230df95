/* The kinds of lines of a robocopy log that carry figures, told apart by shape, because every word in them is localised.
 *
 * Pure: a line in, a plain struct out. Counts and sizes are in units and bytes; sizes without /BYTES are rounded, and the
 * half step says by how much. */
#ifndef REPORT_ROBOCOPY_LINES_H
#define REPORT_ROBOCOPY_LINES_H

#include "report/number_text.h"

#include <stdbool.h>

enum {
    ROBOCOPY_COLUMNS = 6
}; /* total, copied, skipped, mismatch, failed, extras: the order of every language */

enum robocopy_line {
    ROBOCOPY_OTHER,
    ROBOCOPY_VALUES, /* six counts or sizes */
    ROBOCOPY_TIMES,  /* four times, in seconds: total, copied, failed, extras stand at 0, 1, 4 and 5 */
    ROBOCOPY_SPEED,  /* bytes a second */
    ROBOCOPY_SPEED_PER_MINUTE,
    ROBOCOPY_UNREADABLE, /* looks like one of these, and can't be read */
};

struct robocopy_figures {
    struct number values[ROBOCOPY_COLUMNS];
};

/* A row of the summary. `inside`: the summary has begun, so a label with anything else behind it is unreadable. */
enum robocopy_line robocopy_read_row(const char *text, bool inside, struct robocopy_figures *f);
/* A line "label : number unit/time". `second`: one speed line stood before. */
enum robocopy_line robocopy_read_speed(const char *text, bool second, struct number *n);
/* The two-letter name of the language of a banner, or "" for one not known. Static. */
const char *robocopy_language(const char *banner);

#endif
