/* Two arms compared: every estimate and test that a verdict or a page may need, from the values alone.
 *
 * All differences are treatment minus control, whatever direction a claim calls better. `margin_share` is relative to the
 * size of the control's mean, which is held fixed. Undefined figures say why (stats.h); n = 0, n = 1, constant arms and
 * zeros are all defined input.
 * Cost: dominated by the permutation test (permute.h). */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "report/contrast.h"
#include "report/permute.h"
#include "report/ranks.h"
#include "report/stats.h"

struct comparison {
    bool paired;
    struct interval difference, difference_90;
    struct interval ratio;
    struct t_test t_test;   /* Welch's, or of the pairs */
    struct rank_test ranks; /* unknown for pairs: the test takes all runs as independent */
    struct permutation_test permutation;
    struct equivalence equivalence;
    struct quantity hedges_g; /* difference over pooled sd, corrected for small n (Hedges 1981) */
    struct quantity bayes_factor_01;
    struct quantity smallest_detectable;
    struct quantity runs_needed_80, runs_needed_90;
};

void compare_arms(const double *treatment, size_t n_treatment, const double *control, size_t n_control,
                  bool paired, double margin_share, struct comparison *out);

#endif
