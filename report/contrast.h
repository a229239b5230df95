/* The difference between two arms: treatment minus control, with its standard error and degrees of freedom. Every
 * t-based figure (intervals, tests, equivalence, ratio) is read off one of these, so that they can't disagree.
 *
 * Independent arms: Welch (1947), variances not assumed equal. Paired arms: the mean of the differences of the runs with
 * equal index.
 * Source of the ratio's interval: Fieller (1954); of equivalence by two one-sided tests: Schuirmann (1987). */
#ifndef REPORT_CONTRAST_H
#define REPORT_CONTRAST_H

#include "report/stats.h"

struct contrast {
    bool known;      /* difference */
    bool has_spread; /* se and df; se may be 0 when every run of both arms is equal */
    double difference, se, df;
    double treatment_mean, control_mean;
    /* variances of the two means and their covariance (0 for independent arms) */
    double treatment_var, control_var, covariance;
    const char *why;
};

struct t_test {
    struct quantity t, df, p; /* two-sided */
};

struct equivalence {
    struct quantity margin;  /* unit of the metric, 0 or more */
    struct quantity p_lower; /* against "the difference is -margin or less" */
    struct quantity p_upper; /* against "the difference is +margin or more" */
    struct quantity p;       /* the larger of the two */
};

struct contrast contrast_welch(const double *treatment, size_t n_treatment, const double *control,
                               size_t n_control);
struct contrast contrast_paired(const double *treatment, const double *control, size_t n);

struct interval contrast_interval(const struct contrast *c, double level);
struct t_test contrast_test(const struct contrast *c);
/* treatment over control, 95 %. */
struct interval contrast_ratio(const struct contrast *c);
struct equivalence contrast_equivalence(const struct contrast *c, double margin);
/* One-sided p against "the difference times `sign` is `bound` or less". */
struct quantity contrast_exceeds(const struct contrast *c, double sign, double bound);

#endif
