/* A FIFO of plain structs in one growing power-of-two buffer. Pointers into it are valid until the next push.
 * Cost: O(1); a push copies the struct and doubles the buffer when it is full. */
#ifndef SIM_RING_H
#define SIM_RING_H

#include <glib.h>
#include <stddef.h>
#include <string.h>

struct ring {
    char *data;
    size_t item_size;
    size_t mask; /* capacity - 1 */
    size_t head;
    size_t count;
};

static inline void ring_init(struct ring *r, size_t item_size)
{
    *r = (struct ring){.item_size = item_size, .mask = 15};
    r->data = g_malloc_n(r->mask + 1, item_size);
}

static inline void ring_fini(struct ring *r)
{
    g_clear_pointer(&r->data, g_free);
}

/* The i-th oldest. */
static inline void *ring_at(const struct ring *r, size_t i)
{
    return r->data + ((r->head + i) & r->mask) * r->item_size;
}

static inline void ring_grow(struct ring *r)
{
    size_t capacity = r->mask + 1;
    char *bigger = g_malloc_n(2 * capacity, r->item_size);
    size_t first = MIN(r->count, capacity - r->head);

    memcpy(bigger, r->data + r->head * r->item_size, first * r->item_size);
    memcpy(bigger + first * r->item_size, r->data, (r->count - first) * r->item_size);
    g_free(r->data);
    r->data = bigger;
    r->mask = 2 * capacity - 1;
    r->head = 0;
}

/* Room for one more at the end: the caller fills it. */
static inline void *ring_push(struct ring *r)
{
    if (r->count > r->mask)
        ring_grow(r);
    r->count++;
    return ring_at(r, r->count - 1);
}

static inline void ring_pop(struct ring *r)
{
    g_assert(r->count > 0);
    r->head = (r->head + 1) & r->mask;
    r->count--;
}

#endif
