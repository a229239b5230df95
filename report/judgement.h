/* A trial's whole result: the arms, their comparison, the verdict and what limits it. Every output (page, text, JSON)
 * prints from this struct and computes nothing.
 *
 * `gain` is d, the effect in the claimed direction: treatment - control where higher is better, control - treatment
 * where lower is. Unit: the metric's. */
#ifndef REPORT_JUDGEMENT_H
#define REPORT_JUDGEMENT_H

#include "report/claim.h"
#include "report/compare.h"
#include "report/verdict.h"

enum caution {
    CAUTION_BLOCKED_ORDER,   /* one arm was measured before the other */
    CAUTION_ORDER_NOT_SAID,  /* the claim doesn't say how the runs were ordered */
    CAUTION_TOO_FEW_RUNS,    /* an arm has fewer than two */
    CAUTION_NO_SPREAD,       /* every run of an arm is equal */
    CAUTION_RANKS_POWERLESS, /* no outcome of so few runs could be significant by ranks */
    CAUTION_NO_SCALE,        /* the control's mean is 0: no margin can be a share of it */
};

struct judgement {
    const struct claim *claim; /* borrowed, must outlive this */
    struct summary control, treatment;
    struct comparison comparison;
    struct interval gain, gain_90;
    struct quantity margin;          /* m */
    struct quantity scale;           /* what percentages are relative to: the size of the control's mean */
    struct quantity tightest_margin; /* the smallest margin within which these runs would show equivalence */
    struct verdict verdict;
    GArray *cautions; /* of enum caution */
};

/* Returns owned. Borrows the claim. */
struct judgement *judgement_new(const struct claim *claim);
void judgement_free(struct judgement *j);
/* The first thing that the claim requires and a complete listing lacks, or NULL. View. */
const struct claim_finding *judgement_absence(const struct judgement *j);

#endif
