/* One direction of a network: a byte-limited drop-tail queue, a serialiser, a delay line.
 *
 * Model. A packet offered at `now` starts its serialisation at max(now, end of the one before), later still when the
 * whole millisecond's packet budget is used up. It is dropped when the wait until that start, times the rate, exceeds
 * the queue; its own length doesn't count. It takes counted_bytes * 8 / rate to serialise, with the remainder of each
 * division carried while the link is busy, so the long-run rate is exact; it arrives one propagation delay after
 * that. Independent random loss strikes before the queue.
 *
 * The receiver borrows the packet for the length of the call. Cost: one pending event a link, no allocation but a
 * doubling of the ring. */
#ifndef SIM_LINK_H
#define SIM_LINK_H

#include "sim/event.h"
#include "sim/packet.h"
#include "sim/profile.h"
#include "sim/ring.h"
#include "sim/run.h"

#include <gsl/gsl_rng.h>

enum { LINK_SMALL_BYTES = 256 };

/* Serialisation of a packet of that size: whole nanoseconds and what is left of the division. */
struct link_size {
    uint32_t ip_bytes;
    int64_t ns, remainder;
};

struct link {
    struct event_queue *queue;
    int64_t rate_bps;
    int64_t delay_ns;
    int64_t queue_ns; /* the byte limit as time at the rate */
    int64_t packets_per_ms;
    double loss;
    int counts;
    gsl_rng *rng; /* owned; NULL without loss */

    int64_t free_ns;           /* end of the last serialisation */
    int64_t remainder;         /* of the last division, in bit-nanoseconds */
    struct link_size sizes[2]; /* the last small one and the last large one */
    bool busy_with_data;
    int64_t budget_ms, budget_used;

    struct ring in_flight; /* of struct link_slot */
    struct event arrive;
    void (*receive)(void *owner, const struct packet *p);
    void *owner;
    /* Called with each packet offered, unless NULL. */
    void (*on_offer)(void *owner, const struct packet *p);
    struct sim_direction_counters counters;
};

void link_init(struct link *l, struct event_queue *q, const struct network_profile *n,
               const struct network_direction *d, uint64_t seed, uint64_t run, const char *name);
void link_fini(struct link *l);
void link_send(struct link *l, const struct packet *p);

#endif
