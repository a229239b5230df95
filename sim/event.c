#include "sim/event.h"

#include <glib.h>

void event_queue_init(struct event_queue *q)
{
    *q = (struct event_queue){.capacity = 64};
    q->heap = g_new(struct event_entry, q->capacity);
}

void event_queue_fini(struct event_queue *q)
{
    g_clear_pointer(&q->heap, g_free);
}

void event_init(struct event *e, void (*run)(void *owner), void *owner)
{
    *e = (struct event){.run = run, .owner = owner};
}

static bool is_before(const struct event_entry *a, const struct event_entry *b)
{
    return a->due_ns < b->due_ns || (a->due_ns == b->due_ns && a->sequence < b->sequence);
}

static void put(struct event_queue *q, size_t place, struct event_entry entry)
{
    q->heap[place] = entry;
    entry.event->place = place;
}

static void sift_up(struct event_queue *q, size_t place, struct event_entry entry)
{
    while (place > 1 && is_before(&entry, &q->heap[place / 2])) {
        put(q, place, q->heap[place / 2]);
        place /= 2;
    }
    put(q, place, entry);
}

static void sift_down(struct event_queue *q, size_t place, struct event_entry entry)
{
    for (;;) {
        size_t child = 2 * place;

        if (child > q->count)
            break;
        if (child < q->count && is_before(&q->heap[child + 1], &q->heap[child]))
            child++;
        if (!is_before(&q->heap[child], &entry))
            break;
        put(q, place, q->heap[child]);
        place = child;
    }
    put(q, place, entry);
}

/* Puts `entry` where another was taken out: it may have to move either way. */
static void settle(struct event_queue *q, size_t place, struct event_entry entry)
{
    if (place > 1 && is_before(&entry, &q->heap[place / 2]))
        sift_up(q, place, entry);
    else
        sift_down(q, place, entry);
}

void event_schedule(struct event_queue *q, struct event *e, int64_t due_ns)
{
    struct event_entry entry = {due_ns, q->sequence++, e};

    if (due_ns < q->now_ns)
        g_error("event scheduled %" G_GINT64_FORMAT " ns in the past", q->now_ns - due_ns);
    e->due_ns = due_ns;
    if (e->place) {
        settle(q, e->place, entry);
        return;
    }
    if (++q->count == q->capacity) {
        q->capacity *= 2;
        q->heap = g_renew(struct event_entry, q->heap, q->capacity);
    }
    sift_up(q, q->count, entry);
}

static void take_out(struct event_queue *q, size_t place)
{
    struct event_entry last = q->heap[q->count--];

    q->heap[place].event->place = 0;
    if (place <= q->count)
        settle(q, place, last);
}

void event_cancel(struct event_queue *q, struct event *e)
{
    if (e->place)
        take_out(q, e->place);
}

bool event_queue_step(struct event_queue *q)
{
    struct event *e;

    if (!q->count)
        return false;
    e = q->heap[1].event;
    q->now_ns = e->due_ns;
    take_out(q, 1);
    q->executed++;
    e->run(e->owner);
    return true;
}
