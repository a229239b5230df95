/* From evidence to samples: which runs, which figure, and in which unit.
 *
 * Runs: all of them, which must then be of one kind, or those with the label `job`, or the run of that number. Parts are taken only when
 * `job` is their label; summaries never. Runs that measured nothing are left out, and the list of them says why.
 * Figure: the one named `column`, or else "rate", "seconds" or "bytes" by what the unit measures, or else the only one. A rate
 * is computed from seconds, and seconds from a rate, with `size_bytes` or the run's own bytes.
 * Unit: converted where both are of one quantity. A unit that the program writes itself is taken as the program means it:
 * robocopy's MB/min stays the number in the log, and `meaning` says that it is MiB/min.
 *
 * Errors: COPYTRIAL_ERROR_INPUT naming the file and, where there is one, the line. */
#ifndef REPORT_EVIDENCE_SAMPLES_H
#define REPORT_EVIDENCE_SAMPLES_H

#include "base/samples.h"
#include "report/evidence.h"

#include <glib.h>
#include <stdbool.h>

struct evidence_choice {
    const char *column;      /* NULL: by the unit */
    const char *job;         /* NULL: all */
    const char *unit;        /* of the samples */
    const char *column_unit; /* where the file doesn't say, or NULL */
    double size_bytes;       /* what each run copied; 0: not known */
};

/* Appends to `into`, with file and line, and to `left_out` (of char *) a sentence for each run that isn't used. `meaning` gets the
 * unit that the samples really have: `unit` or a clearer word for it; view into `e` or the choice. */
bool evidence_take_samples(const struct evidence *e, const struct evidence_choice *choice,
                           struct samples *into, GPtrArray *left_out, const char **meaning, GError **error);

#endif
