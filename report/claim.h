/* A claim about a control and one or more treatments, read from a YAML file:
 *
 *   claim:
 *     title: Removing RDC speeds up copies
 *     statement: File copies are faster with Remote Differential Compression removed.
 *     metric: {name: copy rate, unit: MB/min, better: higher}      # or lower
 *     margin: 5 %                                                  # of the control's mean
 *     design: {order: blocked}                                     # blocked | interleaved | paired; may be absent
 *   arms:
 *     - {label: With RDC, role: control, samples: [1237.9, 1186.4]}
 *     - {label: Without RDC, role: treatment, samples: [1210.5, 1330.9]}
 *
 * Runs that belong together carry pair or block labels: see report/claim_arms.h. The verdict is the first treatment's; further
 * treatments are compared with the same control.
 *
 * Instead of samples an arm may name files, and listings about the mechanism and reported numbers may stand beside the arms:
 * see report/claim_evidence.h. An arm may be simulated, beside its runs or in their place (report/scenario.h), and figures may be: see
 * report/claim_figures.h. `background` is a list of sentences: what a reader should know, and what the profiles rest on. `wire: 1 Gbit/s`
 * under claim is the rate of the link, which no copy can exceed.
 *
 * Samples stand in the order in which they were measured. interleaved: the arms took turns, in the order of the file; paired: runs
 * with equal index belong together (same file, same hour) and are compared with each other.
 * Texts: runs of white space and control characters become one space.
 * Errors: COPYTRIAL_ERROR_INPUT naming file and line. */
#ifndef REPORT_CLAIM_H
#define REPORT_CLAIM_H

#include "base/samples.h"
#include "report/claim_evidence.h"
#include "report/claim_outside.h"
#include "report/claim_sources.h"

#include <glib.h>
#include <stdbool.h>

enum claim_better { CLAIM_HIGHER, CLAIM_LOWER };
enum claim_order { CLAIM_BLOCKED, CLAIM_INTERLEAVED, CLAIM_PAIRED, CLAIM_ORDER_NOT_SAID };
enum claim_role { CLAIM_CONTROL, CLAIM_TREATMENT };

struct claim_arm {
    char *label;
    int role; /* enum claim_role */
    struct samples
        *samples; /* measured; of a claim whose arms are simulated only, the simulated ones again */
    struct claim_simulated simulated;
    GPtrArray *pair, *block; /* of char *: a label for each run, or NULL */
};

struct claim_metric {
    char *name, *unit;
    int better; /* enum claim_better */
};

struct claim {
    char *title, *statement;
    struct claim_metric metric;
    double margin; /* share of the control's mean, over 0 */
    int order;     /* enum claim_order */
    struct claim_arm control, treatment;
    struct claim_arm *more; /* further treatments, in the order of the file */
    guint n_more;
    guint control_at; /* how many arms stand before the control in the file */
    char *file;       /* name without folders, UTF-8 */
    char *sha256;     /* of the file, in hex */
    struct claim_evidence evidence;
    bool simulated_only;   /* no arm was measured: `samples` are simulated runs */
    GPtrArray *background; /* of char *: sentences of the claim's author; or NULL */
};

/* Returns owned, or NULL with an error. `sources` may be NULL: a claim that needs captures or simulations is an error then. */
struct claim *claim_load(const char *path, const struct claim_sources *sources, GError **error);
void claim_free(struct claim *claim);

/* The arms in the order of the file. */
guint claim_arm_count(const struct claim *claim);
const struct claim_arm *claim_arm_at(const struct claim *claim, guint place);
/* When run i of the arm was made, counted in runs: the arms one after the other (blocked), or in turns. Where the order isn't said, its
 * place within its arm. */
double claim_turn(const struct claim *claim, guint place, guint i);

/* For the readers of a claim's parts: an error with file and line, returning false; and a text without control characters and runs of
 * blanks, in place, false when nothing is left of it. */
bool claim_fail(const char *path, int line, GError **error, const char *format, ...) G_GNUC_PRINTF(4, 5);
bool claim_tidy(const char *path, int line, const char *key, char *text, GError **error);

#endif
