/* What makes one run of a prediction differ from another: the times of the hosts, drawn anew from those that the capture
 * shows, and what a single capture can't show of them.
 *
 * Resampling. The exchanges of one command that moved like amounts (the same number of bits) are a pool. A run draws blocks of
 * neighbours from it, n^(1/3) long (Hall, Horowitz and Jing 1995: the order of the length that serves best), so that slow phases
 * stay together; an exchange's service and think time stay together as well. A pool of fewer than SPREAD_POOL_LEAST
 * stays as recorded: such commands are steps of their own.
 *
 * Between runs. All services of a run share a factor, all think times another: exp(z * sd), sd = sqrt(2) * SPREAD_HOST_SD, for
 * the capture was one such run itself.
 *
 * Round trip. A service is what the capture's round trip leaves of an answer's delay, so that the samples' scatter of the one is open
 * of the other, where an exchange had the connection to itself: a run draws it.
 *
 * Warm paths. The round trip of another network is taken for what a handshake or a ping shows, on an idle path. Where the
 * capture's own handshake took longer than its exchanges show, they save as much there.
 *
 * Waking up. Hosts answer later the longer they were idle: processors leave deeper sleep, caches are cold, a virtual machine
 * is put back. On another network the hosts idle for another round trip, which changes each such exchange by
 * SPREAD_WAKE * (sqrt(its round trip) - sqrt(the capture's)); a run draws it from a lognormal distribution around that, for hosts
 * differ.
 *
 * What no run draws is the model's own error: spread_reach(). docs/model.md says what each figure rests on. */
#ifndef REPLAY_SPREAD_H
#define REPLAY_SPREAD_H

#include "replay/model.h"

/* The model's trace as run `run` on `network` has it; run 0: as recorded, but for warmth and waking up. `network` NULL: the
 * model's own. Returns owned. Cost: a copy of the trace. */
struct trace *spread_trace(const struct replay_model *m, const struct network_profile *network, uint64_t seed,
                           uint64_t run);

/* What run 0 adds on `network` to each exchange that had the connection to itself: waking up, less warmth. */
double spread_shift_ns(const struct replay_model *m, const struct network_profile *network);

/* How far, as a share of the seconds, the model itself is off in nine of ten predictions: SPREAD_REACH, more where packets are
 * lost at random, and the error of the self-replay (a share), which another network doesn't make smaller. */
double spread_reach(const struct network_profile *network, double self_error);

#endif
