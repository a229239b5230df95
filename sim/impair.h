/* What a path does to packets besides rate, queue and delay: loss, jitter, reordering.
 *
 * Loss: independent with a probability; in bursts by the two-state chain of Gilbert (1960) and Elliott (1963), advanced
 * once a packet; and the packets of a list, numbered from 1 as they are offered. Jitter: each packet is delayed
 * by a uniform draw from 0 to the bound, and none overtakes another. Reordering: a share of the packets takes longer by a
 * given delay, and those behind overtake it.
 *
 * Each source draws from a stream of its own name, so one never shifts another. */
#ifndef SIM_IMPAIR_H
#define SIM_IMPAIR_H

#include "sim/profile.h"

#include <gsl/gsl_rng.h>
#include <stdbool.h>

struct impair {
    const struct network_direction *direction;
    gsl_rng *loss, *burst, *jitter, *reorder; /* owned; NULL where nothing is drawn */
    bool bad;                                 /* state of the burst chain */
    uint64_t offered;
    guint next_listed;
    int64_t last_out_ns;
    bool active; /* anything at all */
};

void impair_init(struct impair *i, const struct network_direction *d, uint64_t seed, uint64_t run,
                 const char *name);
void impair_fini(struct impair *i);
/* Whether the next packet is lost. Once for each packet offered. */
bool impair_drops(struct impair *i);
/* When a packet comes out that would without impairment at `due_ns`. */
int64_t impair_due(struct impair *i, int64_t due_ns);

#endif
