/* A claim about two arms, read from a YAML file:
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
 * Instead of samples an arm may name files, and listings about the mechanism and reported numbers may stand beside the arms:
 * see report/claim_evidence.h. `wire: 1 Gbit/s` under claim is the rate of the link, which no copy can exceed.
 *
 * Samples stand in the order in which they were measured. interleaved: the runs alternated, control first; paired: runs
 * with equal index belong together (same file, same hour) and are compared with each other.
 * Texts: runs of white space and control characters become one space.
 * Errors: COPYTRIAL_ERROR_INPUT naming file and line. */
#ifndef REPORT_CLAIM_H
#define REPORT_CLAIM_H

#include "base/samples.h"
#include "report/claim_evidence.h"

#include <glib.h>
#include <stdbool.h>

enum claim_better { CLAIM_HIGHER, CLAIM_LOWER };
enum claim_order { CLAIM_BLOCKED, CLAIM_INTERLEAVED, CLAIM_PAIRED, CLAIM_ORDER_NOT_SAID };
enum claim_role { CLAIM_CONTROL, CLAIM_TREATMENT };

struct claim_arm {
    char *label;
    int role; /* enum claim_role */
    struct samples *samples;
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
    bool control_first; /* in the file */
    char *file;         /* name without folders, UTF-8 */
    char *sha256;       /* of the file, in hex */
    struct claim_evidence evidence;
};

/* Returns owned, or NULL with an error. */
struct claim *claim_load(const char *path, GError **error);
void claim_free(struct claim *claim);

#endif
