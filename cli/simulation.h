/* Replications of a simulation, and the prediction interval that they give. Runs go on in parallel where OpenMP is
 * there; results don't depend on the number of threads. */
#ifndef CLI_SIMULATION_H
#define CLI_SIMULATION_H

#include "sim/run.h"

/* What one run needs besides its setup: cursors and profiles that live as long as the run. */
struct simulation_run {
    struct sim_setup setup;
    void *owned; /* released by plan.release */
};

struct simulation_plan {
    /* Prepares run `run`, 0 being the nominal one. Called from several threads. */
    void (*prepare)(const void *self, uint64_t run, struct simulation_run *out);
    void (*release)(struct simulation_run *run);
    /* The run's time to report, when that isn't the result's elapsed time; or NULL. */
    int64_t (*seen_ns)(const void *self, const struct sim_result *result);
    const void *self;
};

struct simulation {
    double seconds;     /* median of the runs that ended; 0 when none did */
    double low, high;   /* 90 % prediction interval for one future run */
    guint runs, failed; /* of them */
    struct sim_result
        typical; /* the run whose time is nearest to `seconds`; when most fail, the first that does */
};

/* The results of `runs` runs, in their order. */
void simulation_each(const struct simulation_plan *plan, guint runs, struct sim_result *results);
/* `runs` >= 1. With fewer than 20 the interval is the normal-theory one on the logarithms of the times (Student t with the factor
 * sqrt(1 + 1/n)); from 20 on it is between the order statistics that a future run lies between with that chance; with one it is the point. */
void simulation_run(const struct simulation_plan *plan, guint runs, struct simulation *out);
/* Takes in another source of error, which by itself would reach that share of the seconds up or down with the same chance: independent of
 * the runs' spread, so the two add as the roots of their squares. */
void simulation_widen(struct simulation *s, double share);

#endif
