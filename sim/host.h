/* A host's packet path: processor and network adapter between TCP and the link.
 *
 * Sending: each packet takes a core for a fixed time and its bytes' share, then goes to the link. Receiving: a frame
 * waits in the adapter's ring for the next interrupt (at most one each `moderation`), for the packet budget of its
 * millisecond, and for its core; a frame that finds the ring full is dropped. A host has one adapter for each path to the other one;
 * cores and budget are shared by all (struct machine).
 *
 * A host without costs and limits has no stage: TCP talks to the path directly. Sources: reference values of the multimedia
 * throttle in the NIC's profile keys; costs are measured or assumed by whoever writes the profile. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

#include "sim/budget.h"
#include "sim/delay_line.h"
#include "sim/processor.h"

/* What all paths of a host share. */
struct machine {
    const struct host_profile *profile; /* borrowed; NULL: work costs nothing */
    struct processor processor;
    struct budget budget;
};

/* Borrows the profile. `paths` lead to the other host, each with an adapter of its own. */
void machine_init(struct machine *m, const struct host_profile *profile, size_t paths);
void machine_fini(struct machine *m);

/* Packets that cost as one. */
struct batch {
    int64_t at_ns, bytes;
    uint16_t connection;
};

struct host {
    struct event_queue *queue;
    struct machine *machine;
    int64_t last_interrupt_ns;
    struct batch sent, received; /* the last ones */
    struct delay_line sending, receiving;
    uint64_t dropped; /* by a full ring */
};

/* Borrows the machine, which has a profile. */
void host_init(struct host *h, struct event_queue *q, struct machine *machine);
void host_fini(struct host *h);
bool host_is_needed(const struct cpu_profile *cpu, const struct nic_profile *nic);
/* From TCP, towards `sending.receive`. */
void host_send(struct host *h, const struct packet *p);
/* From the link, towards `receiving.receive`. */
void host_receive(struct host *h, const struct packet *p);

#endif
