/* Packets on their way: each comes out at its own time. What a link's wire, a NIC's ring and a host's send queue have in
 * common.
 *
 * One pending event a line, for its head; no allocation but a doubling of the ring. A packet pushed for an earlier time than
 * its predecessors overtakes them. The receiver borrows the packet for the length of the call. */
#ifndef SIM_DELAY_LINE_H
#define SIM_DELAY_LINE_H

#include "sim/event.h"
#include "sim/packet.h"
#include "sim/ring.h"

struct delay_line {
    struct event_queue *queue;
    struct ring slots;
    struct event arrive;
    void (*receive)(void *owner, const struct packet *p);
    void *owner;
};

void delay_line_init(struct delay_line *d, struct event_queue *q);
void delay_line_fini(struct delay_line *d);
/* Copies the packet in, to come out at `due_ns`. Returns the copy, valid until the next push. */
struct packet *delay_line_push(struct delay_line *d, const struct packet *p, int64_t due_ns);
static inline size_t delay_line_count(const struct delay_line *d)
{
    return d->slots.count;
}

#endif
