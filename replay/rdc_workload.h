/* The calls that move an RDC transfer, as exchanges that sim can run.
 *
 * Model: DFS Replication's, [MS-FRS2] 3.3.1.5. A call opens the transfer and one ends it. The signatures of the highest level are asked for
 * from end to end, and of each level below the stretches that are needed, in calls for at most 64 KiB; a level begins when the one above is
 * there. Stretches of the file are asked for 20 in a call, and come in buffers of at most 256 KiB. Calls follow each other without waiting,
 * `calls_at_once` of them out. DFS Replication also packs what it sends, which isn't modelled. Headers are assumed: RPC's 24 bytes, a context
 * handle and a verifier. */
#ifndef REPLAY_RDC_WORKLOAD_H
#define REPLAY_RDC_WORKLOAD_H

#include "replay/rdc_transfer.h"
#include "sim/workload.h"

struct rdc_calls {
    uint16_t command; /* whose service time a call takes: sim/command.h */
    uint16_t flags;   /* of each exchange */
    uint32_t calls_at_once;
};

/* Appends to an array of struct exchange. */
void rdc_workload_append(const struct rdc_transfer *t, const struct rdc_calls *how, GArray *exchanges);

#endif
