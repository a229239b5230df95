/* Between the files of calibration: each fills in its part of struct calibration. In this order, for later parts use
 * earlier ones: rates, RTT, losses, ends, services. */
#ifndef REPLAY_CALIBRATE_PARTS_H
#define REPLAY_CALIBRATE_PARTS_H

#include "replay/wire.h"
#include "replay/rate.h"

/* Rate and packet cap of both directions from the segments (of struct replay_segment) of one or more connections in
 * the order of time. */
void calibrate_rates(const GArray *segments, struct calibration *k);
void calibrate_rtt(const struct replay_connection *c, struct calibration *k);
/* Loss and queue of both directions. */
void calibrate_losses(const struct wire *p, struct calibration *k);
/* A loss of so many packets among so many: Wilson's score interval (1927), or a bound when none was lost. */
struct calibrated calibrate_proportion(uint64_t lost, uint64_t of);
/* The direction's own, from its packets, lost ones and queue. */
struct calibrated calibrate_loss_of(const struct calibration_direction *side);
/* How many of its losses come in a row, as Gilbert's chain (1960) has it, in whose bad state every packet is lost: the mean is one over
 * the chance to leave that state, which is runs over losses, with Wilson's interval. Unknown when losses independent of each other
 * would have as many neighbours in one capture of a hundred; the bound then is the interval's upper end. */
struct calibrated calibrate_burst_of(const struct calibration_direction *side);
/* Initial windows, receive windows, delayed ACKs. */
void calibrate_ends(const struct wire *p, struct calibration *k);
/* What the sender of the data knows of the receiver's window; all zero before it hears of one. */
struct room {
    int64_t edge;   /* offset up to which it may send */
    int64_t window; /* last heard of */
    guint next;     /* segment from which to go on listening */
};
/* Takes in what had reached the sender by then. Cost: each segment is looked at once. */
void room_hear(struct room *r, const struct wire *w, enum replay_direction receiver, int64_t time_ns);
/* The largest window that an end advertises, where full segments of that size ran into it; else what it was at least. */
struct calibrated calibrate_receive_window(const struct wire *w, enum replay_direction receiver,
                                           int64_t segment);
/* Adds the reductions of the window of the end that sends in that direction, which its losses show at that end. */
void calibrate_cuts(const struct wire *w, enum replay_direction d, struct calibration_cuts *cuts);
void calibration_cuts_merge(struct calibration_cuts *into, const struct calibration_cuts *more);
/* Adds the window's exchanges to `samples`, and fits what there is of them. */
void calibrate_services(const struct wire *p, struct service_samples *samples, struct calibration *k);

#endif
