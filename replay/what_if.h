/* What would help a recorded copy: one change at a time to its network, its TCP or its client.
 *
 * Each change is a variant of the capture's model, to be run as the model itself is; how much it helps is the difference of
 * their times, run by run with the same seed. Only changes that can change anything in this capture are listed. `basis` says what
 * the figure takes for granted, as the end of a sentence that begins with "if".
 *
 * Ownership: the list owns its variants, which borrow the model. */
#ifndef REPLAY_WHAT_IF_H
#define REPLAY_WHAT_IF_H

#include "replay/model.h"

struct what_if {
    const char *name;          /* "half_the_rtt": for machines. Static */
    const char *what;          /* "half the round-trip time". Static */
    char *basis;               /* owned */
    struct replay_model model; /* shares with the original what the change leaves alone */
    struct trace *trace;       /* owned, when the change made one */
};

/* Returns owned array of struct what_if *, freed with what_if_list_free(). */
GPtrArray *what_if_list(const struct replay_model *m);
void what_if_list_free(GPtrArray *list);

#endif
