/* The clock and the event queue of a simulation.
 *
 * Events run in the order of (time, sequence); the 64-bit sequence is given when an event is scheduled, so events due
 * at one instant run in the order of their scheduling. An event is embedded in its owner, one for each reason to wake;
 * scheduling allocates nothing but a rare doubling of the heap. Scheduling a pending event moves it, with a new
 * sequence. Cancelling an idle one does nothing. While its function runs an event is idle, so it may schedule itself
 * again. Scheduling in the past is a bug and stops the program.
 *
 * Cost: O(log pending) for schedule, cancel and step. Binary heap; an event knows its place, so removal from the
 * middle needs no search and sifts both ways. */
#ifndef SIM_EVENT_H
#define SIM_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct event {
    void (*run)(void *owner);
    void *owner;
    int64_t due_ns;
    size_t place; /* in the heap, from 1; 0: idle */
};

struct event_entry {
    int64_t due_ns;
    uint64_t sequence;
    struct event *event;
};

struct event_queue {
    int64_t now_ns;
    uint64_t sequence;
    uint64_t executed;
    struct event_entry *heap; /* heap[0] is unused */
    size_t count, capacity;
};

void event_queue_init(struct event_queue *q);
void event_queue_fini(struct event_queue *q);
/* Runs the earliest event, with the clock at its time. False when none is pending. */
bool event_queue_step(struct event_queue *q);

void event_init(struct event *e, void (*run)(void *owner), void *owner);
void event_schedule(struct event_queue *q, struct event *e, int64_t due_ns);
void event_cancel(struct event_queue *q, struct event *e);
static inline bool event_is_pending(const struct event *e)
{
    return e->place != 0;
}

#endif
