/* What `copytrial replay` works out of a capture: breakdown and calibration of each connection, the self-replay, and a
 * prediction for another network when one is named. */
#ifndef CLI_REPLAY_OUTCOME_H
#define CLI_REPLAY_OUTCOME_H

#include "cli/prediction.h"
#include "cli/replay_as.h"
#include "cli/replay_changes.h"
#include "replay/analysis.h"
#include "replay/breakdown.h"
#include "replay/calibrate.h"
#include "replay/model.h"

struct replay_request {
    const char *network; /* NULL: the capture's own; without `as` there is no prediction then */
    const char *as;      /* a client that copies the capture's files; NULL: the exchanges as recorded */
    bool simulate;
    guint runs; /* 0: as many as the prediction needs */
    uint64_t seed;
};

struct replay_outcome {
    const struct replay *replay; /* borrowed */
    GArray *calibrations;        /* of struct calibration: beside replay->connections, whose views they are */
    GArray *breakdowns;          /* of struct breakdown: likewise */
    bool refused;                /* too little of every connection was decoded; `why_not` says how much */
    struct replay_model *model;  /* NULL: nothing was simulated */
    char *why_not;               /* why nothing was, when it was asked for; NULL otherwise */
    struct sim_result self;      /* the self-replay */
    int64_t self_ns;             /* its time as the capture point would have recorded it */
    GArray
        *changes; /* of struct replay_change: what would help; NULL with a prediction, or without a model */
    bool predicted;
    struct network_profile network; /* of the prediction, when one was named */
    struct replay_as as;            /* what copies in the prediction, when it isn't the captured client */
    struct prediction prediction;
};

/* False with an error when the named network can't be had, or when a prediction is asked for and the capture holds nothing that
 * can be replayed; clear it either way. */
bool replay_outcome_init(struct replay_outcome *o, const struct replay *r,
                         const struct replay_request *request, GError **error);
void replay_outcome_clear(struct replay_outcome *o);

/* (simulated - recorded) / recorded, in percent. */
double replay_outcome_error_pct(const struct replay_outcome *o);

#endif
