/* What counts as one observation? Runs, or pairs, blocks or clusters of runs that belong together.
 *
 * runs       every run by itself
 * pairs      runs with the same pair label (or the same place in the list, for order: paired) are compared with each other
 * blocks     two or more block labels occur in both arms: the mean of each arm within a block, compared with each other as a pair
 * clusters   block labels, fewer than two of them in both arms: the mean of each cluster is one observation of its arm. Runs that share a
 *            session, a machine or a day resemble each other, so n of them say less than n; the cluster means don't.
 *
 * All tests of a comparison go by the units that come out of here, so a design is taken into account everywhere or nowhere.
 * The mean over units gives every pair, block or cluster the same weight. Runs whose pair or block has no run of the other arm are
 * left out and counted.
 * Clusters: the intraclass correlation is that of the one-way analysis of variance within arms, not below 0; n runs in clusters of m count
 * like n / (1 + (m - 1) icc), m being the run's own cluster on average (Kish 1965).
 * Cost: sorting by label. */
#ifndef REPORT_DESIGN_H
#define REPORT_DESIGN_H

#include "report/stats.h"

enum design_unit { DESIGN_RUNS, DESIGN_PAIRS, DESIGN_BLOCKS, DESIGN_CLUSTERS };

/* Borrowed: the values, and a label for each, or NULL. */
struct design_arm {
    const double *x;
    size_t n;
    const char *const *pair, *const *block;
};

struct design {
    enum design_unit unit;
    bool paired; /* unit i of the one arm belongs with unit i of the other */
    double *treatment, *control;
    size_t n_treatment, n_control;                               /* units */
    size_t left_out;                                             /* runs, of both arms */
    struct quantity icc, effective_treatment, effective_control; /* runs' worth, where there are clusters */
};

/* `in_order`: runs with equal index are pairs, and both arms have equally many. Fill with design_init(), free with design_fini(). */
void design_init(struct design *d, const struct design_arm *treatment, const struct design_arm *control,
                 bool in_order);
void design_fini(struct design *d);

#endif
