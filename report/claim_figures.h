/* Single figures of a claim: what somebody measured, beside what the simulation makes of the same copy.
 *
 *   figures:
 *     - {what: "XP, one large file", measured: 1500 s, within: 5 %, simulation: {client: xp-explorer, files: 16x19.75MiB}}
 *     - {what: "XP, small files", measured: 165 s, simulation: {client: xp-explorer, files: small.txt, basis: fitted}}
 *     - {what: "one drive", simulation: {server: one-drive.yaml}}
 *     - {what: "second run", measured: 171 s}
 *
 * What is fitted is told apart from what is predicted: a figure that was used to set a value of the profiles never counts as a confirmation,
 * however near it comes. A prediction without a measurement is unconfirmed.
 *
 * Errors: COPYTRIAL_ERROR_INPUT naming file and line. */
#ifndef REPORT_CLAIM_FIGURES_H
#define REPORT_CLAIM_FIGURES_H

#include "report/claim_outside.h"

enum claim_figure_outcome {
    FIGURE_MEASURED,    /* nothing was simulated */
    FIGURE_FITTED,      /* no confirmation */
    FIGURE_CONFIRMED,   /* predicted, and measured within the tolerance */
    FIGURE_OFF,         /* predicted, and measured beyond it */
    FIGURE_UNCONFIRMED, /* predicted, never measured */
};

struct claim_figure_text {
    char *what, *measured;
    double within; /* share of what was measured; 0: not said */
    struct scenario simulation;
    int line;
};

extern const struct yaml_field CLAIM_FIGURE_FIELDS[];

struct claim_figure {
    char *what, *unit;
    bool has_measured;
    double measured, half_step; /* half of the last digit given */
    double within;
    struct claim_simulated simulated;
    double median, least, most; /* of the simulated runs */
    enum claim_figure_outcome outcome;
};

/* An empty list that frees its members. Returns owned. */
GArray *claim_figures_new(void);
/* `items` may be NULL: of struct claim_figure_text. `unit` is that of figures without a measurement, `within` the tolerance where none is
 * said. */
bool claim_figures_read(GArray *figures, struct claim_evidence *e, const char *claim_path,
                        const GArray *items, const struct scenario *common, const char *unit, double within,
                        GError **error);
/* Pure: by has_measured, measured, half_step, within, median and the basis. */
enum claim_figure_outcome claim_figure_judge(const struct claim_figure *f);
/* "confirmed", "fitted", ...: the name in files and on pages. Static. */
const char *claim_figure_outcome_name(enum claim_figure_outcome outcome);

#endif
