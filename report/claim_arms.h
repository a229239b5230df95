/* The arms of a claim file: one control and one or more treatments, each with its runs, and how the runs belong together.
 *
 *   arms:
 *     - {label: With RDC, role: control, samples: [70.1, 55.2, 91.7], pair: [a, b, c]}
 *     - {label: Without RDC, role: treatment, samples: [55.0, 88.1, 68.8], pair: [b, c, a]}
 *
 * pair and block hold a label for each run, in the order of the runs: report/design.h says what they do. Either all arms have pair
 * labels or none has; likewise block labels; not both. A pair label stands once in an arm.
 *
 * Instead of samples or beside them an arm may have a simulation (report/scenario.h); all arms are measured or none is.
 *
 * Tables and targets for base/yaml.h, and the reading of what they name.
 * Errors: COPYTRIAL_ERROR_INPUT naming file and line. */
#ifndef REPORT_CLAIM_ARMS_H
#define REPORT_CLAIM_ARMS_H

#include "report/claim.h"

struct claim_arm_text {
    char *label;
    int role;
    GArray *samples;         /* of struct yaml_number, NULL when the arm has files */
    GPtrArray *pair, *block; /* of char *, or NULL */
    struct claim_files files;
    struct scenario simulation;
    int line;
};

extern const struct yaml_field CLAIM_ARM_FIELDS[];

/* `arms` may be NULL; of struct claim_arm_text, whose members are taken. The claim's metric and order must be set. */
bool claim_arms_take(struct claim *claim, const char *path, int line, GArray *arms,
                     const struct scenario *common, GError **error);
void claim_arm_clear(struct claim_arm *arm);

#endif
