/* Block sizes of any number of reads or writes in bounded memory: by powers of two, and by exact size for the first BLOCKS_SIZES
 * sizes that occur. A copy has few; what comes after them is counted as "other".
 *
 * Cost: a look-up a block. */
#ifndef REPLAY_BLOCKS_H
#define REPLAY_BLOCKS_H

#include "replay/facts.h"
#include "replay/idmap.h"

enum { BLOCKS_SIZES = 4096 };

/* All zeroes is empty. */
struct blocks {
    struct replay_blocks facts;
    struct idmap at; /* from a size to its index in facts.sizes */
};

void blocks_fini(struct blocks *b);
void blocks_add(struct blocks *b, uint64_t bytes, uint64_t count);
void blocks_merge(struct blocks *to, const struct blocks *from);
/* What replay_blocks_clear() frees, sorted; empties `b`. */
struct replay_blocks blocks_facts(struct blocks *b);
void replay_blocks_clear(struct replay_blocks *b);

#endif
