/* Two arms compared: every estimate and test that a verdict or a page may need, from the values alone.
 *
 * The values are the units of a design (design.h): runs, or means of what belongs together. All differences are treatment minus
 * control, whatever direction a claim calls better; only the one-sided tests go by the claimed direction. The margin is a share of
 * the size of the control's mean, which is held fixed. Undefined figures say why (stats.h); n = 0, n = 1, constant arms and
 * zeros are all defined input.
 * Cost: dominated by resampling (permute.h, bootstrap.h), each within its half of `draws`. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/bootstrap.h"
#include "report/contrast.h"
#include "report/normality.h"
#include "report/permute.h"
#include "report/ranks.h"
#include "report/stats.h"

struct compare_options {
    bool paired;
    bool lower_is_better;
    double margin_share;
    uint64_t draws; /* values drawn by all resampling together */
};

struct comparison {
    bool paired;
    struct contrast contrast;
    struct interval difference, difference_90;
    struct interval difference_bca; /* bootstrap, 95 % */
    uint64_t resamples;
    struct interval shift; /* Hodges-Lehmann, 95 % */
    struct interval ratio;
    struct t_test t_test;   /* Welch's, or of the pairs */
    struct rank_test ranks; /* Mann-Whitney's, or the signed ranks of the pairs */
    struct permutation_test permutation;
    struct spread_test equal_spread; /* unknown for pairs */
    struct equivalence equivalence;
    struct quantity non_inferiority; /* p against "the gain is -margin or less" */
    struct quantity minimal_effect;  /* p against "the gain is +margin or less" */
    struct quantity hedges_g;        /* difference over pooled sd, corrected for small n (Hedges 1981) */
    struct quantity bayes_factor_01;
    struct quantity smallest_detectable;
    struct quantity runs_needed_80, runs_needed_90;   /* to show equivalence where there is no effect */
    struct quantity runs_to_find_80, runs_to_find_90; /* to find an effect of the margin's size */
};

/* What a verdict needs: contrast, intervals of the difference, equivalence. The rest is left empty. */
void compare_effect(const double *treatment, size_t n_treatment, const double *control, size_t n_control,
                    const struct compare_options *options, struct comparison *out);
/* All figures. */
void compare_arms(const double *treatment, size_t n_treatment, const double *control, size_t n_control,
                  const struct compare_options *options, struct comparison *out);

#endif
