/* What would help a recorded copy, ranked: each change simulated beside the copy as it was, run by run. */
#ifndef CLI_REPLAY_CHANGES_H
#define CLI_REPLAY_CHANGES_H

#include "cli/style.h"
#include "replay/what_if.h"

#include <glib.h>
#include <jansson.h>

struct replay_change {
    const char *name, *what; /* of struct what_if or struct replay_client. Static */
    char *basis;             /* likewise. Owned */
    double seconds;          /* the copy with it, median of the runs */
    double saved, low, high; /* seconds less than without it: median, and 90 % interval of one run's */
    bool fails;              /* most runs with it don't end */
};

/* Returns owned array of struct replay_change, the most helpful first. `runs` is at most how often each is simulated: long
 * copies are so less often. `m` is the model of `r`. */
GArray *replay_changes(const struct replay *r, const struct replay_model *m, guint runs, uint64_t seed);
/* The `what_would_help` array. Returns owned. */
json_t *replay_changes_json(const GArray *changes);
/* A table of those that save anything, and the names of those that don't. `seconds` is the copy as simulated. */
void replay_changes_text(const GArray *changes, double seconds, const struct style *style, GString *to);

#endif
