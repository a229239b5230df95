/* The experiment itself: did something change while the runs were made?
 *
 * Each run has its turn in the order of measuring and belongs to a series (its arm, or its arm and cluster). What is looked at is its
 * distance from its series' mean, so that a difference between arms passes for none of these:
 *
 * drift          slope over the turns, common to all series; t test of the least-squares slope
 * lag one        correlation of neighbours within a series, pooled; p by shuffling (do neighbours resemble each other?)
 * change point   Pettitt's (1979) K, the largest rank sum that any cut of the whole sequence leaves; p by shuffling
 * first run      the first run of each series against the others of the series: t test of one new observation; the smallest p
 *                times the number of series
 *
 * Shuffles are made within series, 999 of them from a stream with a fixed seed, fewer once p is plainly large (Besag and Clifford
 * 1991): p is right for any distribution of the runs. Beyond
 * 1000 runs: the normal approximation for lag one, Pettitt's for the change point.
 * Undefined figures say why. Cost: 999 passes over the runs at most. */
#ifndef REPORT_SEQUENCE_H
#define REPORT_SEQUENCE_H

#include "report/stats.h"

struct sequence_run {
    double value, turn;
    unsigned int series; /* from 0, none left out */
};

struct sequence {
    struct quantity slope, drift_p; /* the metric's unit for each turn */
    double turns;                   /* from the first to the last */
    struct quantity lag_1, lag_1_p;
    struct quantity change_p, change_size; /* mean after minus mean before, arms aside */
    size_t change_after;                   /* runs */
    double by_slope, by_step; /* shares of the sum of squares that the one and the other explain */
    struct quantity first_p;
    unsigned int first_series;
    double first_off; /* that run minus the mean of the others */
};

/* Sorts the runs by turn. */
void sequence_check(struct sequence_run *runs, size_t n, unsigned int n_series, struct sequence *out);

#endif
