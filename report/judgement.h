/* A trial's whole result: the arms, their comparison, the verdict and what limits it. Every output (page, text, JSON)
 * prints from this struct and computes nothing.
 *
 * `gain` is d, the effect in the claimed direction: treatment - control where higher is better, control - treatment
 * where lower is. Unit: the metric's.
 *
 * The verdict is the first treatment's. Each further treatment has a judgement of its own in `others`, on a view of the claim in
 * which it is the treatment. With k treatments the intervals of the gains are as wide as Holm's correction asks, so that at
 * most 5 % of experiments without any effect have a treatment that passes for one. */
#ifndef REPORT_JUDGEMENT_H
#define REPORT_JUDGEMENT_H

#include "report/arm.h"
#include "report/claim.h"
#include "report/compare.h"
#include "report/design.h"
#include "report/sequence.h"
#include "report/simulated.h"
#include "report/verdict.h"

/* What is doubtful about the runs, or about the way in which they were made. */
enum caution {
    CAUTION_BLOCKED_ORDER,  /* one arm was measured before the other */
    CAUTION_ORDER_NOT_SAID, /* the claim doesn't say how the runs were ordered */
    CAUTION_TOO_FEW_RUNS,   /* an arm has fewer than two units */
    CAUTION_NO_SPREAD,      /* every run of an arm is equal */
    CAUTION_NO_SCALE,       /* the control's mean is 0: no margin can be a share of it */
    CAUTION_LEFT_OUT,       /* runs whose pair or block lacks the other arm */
    CAUTION_DRIFT,          /* values rise or fall over the experiment */
    CAUTION_CHANGE,         /* values change level at some point */
    CAUTION_NEIGHBOURS,     /* runs resemble those before them */
    CAUTION_FIRST_RUN,      /* an arm's first run is unlike the others */
    CAUTION_TWO_GROUPS,     /* an arm's runs fall into two groups */
    CAUTION_SIMULATED,      /* nothing was measured */
    CAUTION_DISAGREES,      /* the simulation and the runs do */
    /* notes: what to know, without a doubt about the runs */
    NOTE_RANKS_POWERLESS, /* no outcome of so few runs could be significant by ranks */
    NOTE_PAIRS,
    NOTE_BLOCKS,
    NOTE_CLUSTERS,
    NOTE_OUTLIERS, /* marked and kept */
    NOTE_HOLM,     /* intervals are wider because there are several treatments */
};

struct judgement {
    const struct claim *claim; /* borrowed, must outlive this */
    struct claim *view; /* of a further treatment, else NULL: what `claim` is, owned without its members */
    struct arm *arms;   /* in the order of the file; empty in the judgement of a further treatment */
    guint n_arms;
    struct summary control, treatment;
    struct design design;
    struct comparison comparison; /* of the design's units */
    guint n_treatments;
    struct quantity p_holm;           /* of the t test, to be compared with 5 % */
    double holm_share, holm_share_90; /* by what Holm divides the levels of gain and gain_90 */
    struct interval gain, gain_90;    /* 95 and 90 %, or wider by Holm */
    struct quantity margin;           /* m */
    struct quantity scale;            /* what percentages are relative to: the size of the control's mean */
    struct quantity tightest_margin;  /* the smallest margin within which these runs would show equivalence */
    struct simulated simulated; /* beside the runs, or the same again where only simulated ones are there */
    struct sequence sequence;   /* of all runs; of pairs and blocks, of their differences */
    struct verdict verdict;
    struct verdict by_runs;   /* what the verdict would be by the runs alone */
    GArray *cautions, *notes; /* of enum caution */
    GPtrArray *others;        /* of struct judgement *: the further treatments */
};

/* Return owned. Borrow the claim. judgement_decide() leaves out the figures on which neither verdict nor cautions depend. */
struct judgement *judgement_new(const struct claim *claim);
struct judgement *judgement_decide(const struct claim *claim);
void judgement_free(struct judgement *j);
/* The first thing that the claim requires and a complete listing lacks, or NULL. View. */
const struct claim_finding *judgement_absence(const struct judgement *j);
/* Nothing was measured and nothing differs between the simulated runs: one stands for all, and statistics have nothing to say. */
bool judgement_is_exact(const struct judgement *j);
/* The arm's figures, or NULL in the judgement of a further treatment. */
const struct arm *judgement_arm(const struct judgement *j, guint place);

#endif
