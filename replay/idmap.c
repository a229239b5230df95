#include "replay/idmap.h"

#include <glib.h>
#include <string.h>

enum { FIRST_SIZE = 64 };

void idmap_fini(struct idmap *m)
{
    g_free(m->cells);
    memset(m, 0, sizeof *m);
}

void idmap_clear(struct idmap *m)
{
    if (m->cells)
        memset(m->cells, 0, m->size * sizeof *m->cells);
    m->count = 0;
}

/* Finaliser of splitmix64: ids are mostly counters, and neighbours must not crowd. */
static size_t home(const struct idmap *m, uint64_t id)
{
    id = (id ^ id >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    id = (id ^ id >> 27) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(id ^ id >> 31) & (m->size - 1);
}

/* The cell that holds the id, or the free one where it would go. */
static size_t find(const struct idmap *m, uint64_t id)
{
    size_t at = home(m, id);

    while (m->cells[at].used && m->cells[at].id != id)
        at = (at + 1) & (m->size - 1);
    return at;
}

static void grow(struct idmap *m)
{
    struct idmap old = *m;

    m->size = old.size ? old.size * 2 : FIRST_SIZE;
    m->cells = g_new0(struct idmap_cell, m->size);
    for (size_t i = 0; i < old.size; i++) {
        if (old.cells[i].used)
            m->cells[find(m, old.cells[i].id)] = old.cells[i];
    }
    g_free(old.cells);
}

void idmap_put(struct idmap *m, uint64_t id, uint32_t value)
{
    size_t at;

    if ((m->count + 1) * 4 > m->size * 3)
        grow(m);
    at = find(m, id);
    m->count += !m->cells[at].used;
    m->cells[at] = (struct idmap_cell){id, value, true};
}

bool idmap_get(const struct idmap *m, uint64_t id, uint32_t *value)
{
    size_t at;

    if (m->count == 0)
        return false;
    at = find(m, id);
    if (m->cells[at].used)
        *value = m->cells[at].value;
    return m->cells[at].used;
}

/* Knuth 6.4, algorithm R: whatever stands behind the gap and could not be found across it moves into it. */
void idmap_remove(struct idmap *m, uint64_t id)
{
    size_t mask = m->size - 1;
    size_t gap, at;

    if (m->count == 0)
        return;
    gap = find(m, id);
    if (!m->cells[gap].used)
        return;
    m->count--;
    for (at = (gap + 1) & mask; m->cells[at].used; at = (at + 1) & mask) {
        size_t wanted = home(m, m->cells[at].id);

        if (((at - wanted) & mask) >= ((at - gap) & mask)) {
            m->cells[gap] = m->cells[at];
            gap = at;
        }
    }
    m->cells[gap].used = false;
}
