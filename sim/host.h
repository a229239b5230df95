/* A host's packet path: processor and network adapter between TCP and the link.
 *
 * Sending: each packet takes the processor for a fixed time and its bytes' share, then goes to the link. Receiving: a frame
 * waits in the adapter's ring for the next interrupt (at most one each `moderation`), for the packet budget of its
 * millisecond, and for the processor; a frame that finds the ring full is dropped. One core serves both ways; with
 * more cores sending and receiving have one each, as receive-side scaling and a sending thread would have it.
 *
 * A host without costs and limits has no stage: TCP talks to the path directly. Sources: reference values of the multimedia
 * throttle in the NIC's profile keys; costs are measured or assumed by whoever writes the profile. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "sim/budget.h"
#include "sim/delay_line.h"
#include "sim/profile.h"

struct host {
    struct event_queue *queue;
    const struct cpu_profile *cpu;
    const struct nic_profile *nic;
    int64_t send_free_ns, receive_free_ns; /* the cores; kept equal when there is one */
    int64_t last_interrupt_ns;
    struct budget budget;
    struct delay_line sending, receiving;
    uint64_t dropped; /* by a full ring */
};

/* Borrows the profiles. */
void host_init(struct host *h, struct event_queue *q, const struct cpu_profile *cpu,
               const struct nic_profile *nic);
void host_fini(struct host *h);
bool host_is_needed(const struct cpu_profile *cpu, const struct nic_profile *nic);
/* From TCP, towards `sending.receive`. */
void host_send(struct host *h, const struct packet *p);
/* From the link, towards `receiving.receive`. */
void host_receive(struct host *h, const struct packet *p);

#endif
