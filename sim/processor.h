/* A host's cores.
 *
 * Packets that are sent take the first core. Those received take the others: with receive-side scaling each connection has its queue and
 * each queue its core, without it all have one. One core does everything. Work on messages (signing, encryption, compression, requests)
 * takes whichever core is free first. Nothing is interrupted: what comes later waits. */
#ifndef SIM_PROCESSOR_H
#define SIM_PROCESSOR_H

#include "sim/profile.h"

struct processor {
    int64_t *free_ns; /* of each core; owned */
    int64_t cores, queues;
};

void processor_init(struct processor *p, const struct host_profile *profile);
void processor_fini(struct processor *p);
/* Work that is ready at `ready_ns`, on a core of packets. Returns when it is done. */
int64_t processor_send(struct processor *p, int64_t ready_ns, int64_t cost_ns, bool *waited);
int64_t processor_receive(struct processor *p, uint16_t connection, int64_t ready_ns, int64_t cost_ns,
                          bool *waited);
/* How long work on a message waits for a core. It is put down from `now_ns` on, even when part of it is to be done a little later. */
int64_t processor_queue_ns(struct processor *p, int64_t now_ns, int64_t cost_ns);

#endif
