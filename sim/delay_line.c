#include "sim/delay_line.h"

struct slot {
    int64_t due_ns;
    struct packet packet;
};

static void arrive(void *owner)
{
    struct delay_line *d = owner;
    struct slot *slot = ring_at(&d->slots, 0);
    struct packet p; /* the receiver may send, which may move the ring */

    packet_copy(&p, &slot->packet);
    ring_pop(&d->slots);
    if (d->slots.count) {
        slot = ring_at(&d->slots, 0);
        event_schedule(d->queue, &d->arrive, slot->due_ns);
    }
    d->receive(d->owner, &p);
}

void delay_line_init(struct delay_line *d, struct event_queue *q)
{
    *d = (struct delay_line){.queue = q};
    ring_init(&d->slots, sizeof(struct slot));
    event_init(&d->arrive, arrive, d);
}

void delay_line_fini(struct delay_line *d)
{
    ring_fini(&d->slots);
}

struct packet *delay_line_push(struct delay_line *d, const struct packet *p, int64_t due_ns)
{
    struct slot *slot = ring_push(&d->slots);
    size_t at = d->slots.count - 1;

    for (; at > 0; at--) {
        const struct slot *before = ring_at(&d->slots, at - 1);

        if (before->due_ns <= due_ns)
            break;
        *slot = *before;
        slot = ring_at(&d->slots, at - 1);
    }
    slot->due_ns = due_ns;
    packet_copy(&slot->packet, p);
    if (at == 0)
        event_schedule(d->queue, &d->arrive, due_ns);
    return &slot->packet;
}
