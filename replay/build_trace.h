/* From a connection's exchanges to what can be replayed: sim's struct exchange, with what released each request, the
 * client's think time and the server's service time (replay/timing.h says how they are found).
 *
 * Every exchange of the connection is replayed; a request without an answer is issued and not waited for. */
#ifndef REPLAY_BUILD_TRACE_H
#define REPLAY_BUILD_TRACE_H

#include "replay/timing.h"
#include "sim/workload.h"

/* Appends what is replayed of `e` to an array of struct exchange. */
void build_trace_exchange(GArray *trace, const struct replay_exchange *e, const struct timing *t);

#endif
