/* A hash table from 64-bit ids to 32-bit values, for ids that come and go: open addressing, removal without tombstones, so it
 * stays as fast after a million exchanges as it was at first. Cost: no allocation but doubling. */
#ifndef REPLAY_IDMAP_H
#define REPLAY_IDMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct idmap_cell {
    uint64_t id;
    uint32_t value;
    bool used;
};

struct idmap {
    struct idmap_cell *cells;
    size_t size; /* a power of two, or 0 */
    size_t count;
};

/* All zeroes is an empty map. */
void idmap_fini(struct idmap *m);
/* Adds, or replaces what stood under the id. */
void idmap_put(struct idmap *m, uint64_t id, uint32_t value);
bool idmap_get(const struct idmap *m, uint64_t id, uint32_t *value);
/* No-op for an id that isn't there. */
void idmap_remove(struct idmap *m, uint64_t id);
void idmap_clear(struct idmap *m);

#endif
