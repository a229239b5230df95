/* Estimates from one series of values: mean with its t interval, median, spread, quantiles.
 *
 * What: an estimate is a value or "not known, because": a figure that the data don't determine never appears as 0 or
 * NaN. `why` is a static phrase that completes "not known: ...".
 * Units: those of the values. Values must be finite and, where they aren't 0, between 1e-60 and 1e60 in size, so that
 * squares neither overflow nor vanish (claim.c sees to it).
 * Cost: one sort.
 * Source: t interval after Student (1908); quantiles by linear interpolation, type 7 of Hyndman and Fan (1996). */
#ifndef REPORT_STATS_H
#define REPORT_STATS_H

#include <stdbool.h>
#include <stddef.h>

struct quantity {
    bool known;
    double value;
    const char *why;
};

/* A point estimate and, where the spread is known, an interval around it. */
struct interval {
    bool known;   /* value */
    bool bounded; /* low and high */
    double value, low, high;
    const char *why; /* what is missing, when one of the two is */
};

struct summary {
    size_t n;
    struct interval mean; /* 95 % */
    struct quantity median, sd, min, max;
};

struct quantity quantity_of(double value);
struct quantity quantity_unknown(const char *why);

/* The value, or unknown with `why` when it is not a finite number. */
struct quantity quantity_if_finite(double value, const char *why);

void stats_summarise(const double *x, size_t n, struct summary *out);

/* x must be sorted, n at least 1, p in 0..1. */
double stats_quantile(const double *sorted, size_t n, double p);

/* Student's t that cuts off (1 - level)/2 on each side, df > 0. */
double stats_t_quantile(double level, double df);

/* Returns owned (g_free): the values in rising order. */
double *stats_sorted(const double *x, size_t n);

#endif
