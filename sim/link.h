/* One direction of one hop: a byte-limited drop-tail queue, a serialiser, a delay line.
 *
 * Model. A packet offered at `now` starts its serialisation at max(now, end of the one before), later still when the
 * whole millisecond's packet budget is used up. It is dropped when the wait until that start, times the rate, exceeds
 * the queue; its own length doesn't count. It takes counted_bytes * 8 / rate to serialise, with the remainder of each
 * division carried while the link is busy, so the long-run rate is exact; it arrives one propagation delay after
 * that. Losses strike before the queue, jitter and reordering behind it (impair.h). Cross traffic is a Poisson stream of full-sized
 * packets that share the queue and the rate; they are accounted for when one of ours is offered, at no event of their own.
 *
 * The receiver borrows the packet for the length of the call. */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "sim/budget.h"
#include "sim/delay_line.h"
#include "sim/impair.h"
#include "sim/profile.h"
#include "sim/run.h"

#include <gsl/gsl_rng.h>

enum { LINK_SMALL_BYTES = 256 };

/* Serialisation of a packet of that size: whole nanoseconds and what is left of the division. */
struct link_size {
    uint32_t ip_bytes;
    int64_t ns, remainder;
};

struct link_cross {
    gsl_rng *rng; /* owned; NULL without cross traffic */
    int64_t next_ns;
    double mean_gap_ns;
    uint32_t ip_bytes;
};

struct link {
    struct event_queue *queue;
    int64_t rate_bps;
    int64_t delay_ns;
    int64_t queue_ns; /* the byte limit as time at the rate */
    int counts;
    struct budget budget;
    struct impair impair;
    struct link_cross cross;

    int64_t free_ns;           /* end of the last serialisation */
    int64_t remainder;         /* of the last division, in bit-nanoseconds */
    struct link_size sizes[2]; /* the last small one and the last large one */
    bool busy_with_data;

    struct delay_line wire;
    struct sim_direction_counters counters;
};

struct link_setup {
    struct event_queue *queue;
    const struct network_direction *direction; /* borrowed as long as the link lives */
    int64_t delay_ns;
    int64_t mtu_bytes;
    int counts; /* enum network_counts */
    uint64_t seed, run;
    const char *name; /* of its random streams */
};

void link_init(struct link *l, const struct link_setup *setup);
void link_fini(struct link *l);
void link_receiver(struct link *l, void (*receive)(void *owner, const struct packet *p), void *owner);
void link_send(struct link *l, const struct packet *p);

#endif
