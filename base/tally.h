/* A tally: named counters in the order of their first use. The ledger of a capture is one, and the report prints it.
 *
 * Names are static strings or live as long as the tally (they are not copied); two equal strings are one counter.
 * Cost of tally_add: one hash look-up. */
#ifndef BASE_TALLY_H
#define BASE_TALLY_H

#include <glib.h>
#include <stdint.h>

struct tally_row {
    const char *name;
    uint64_t count;
    uint64_t bytes;
};

struct tally {
    GArray *rows; /* of struct tally_row */
    GHashTable *index;
};

void tally_init(struct tally *t);
void tally_fini(struct tally *t);
void tally_add(struct tally *t, const char *name, uint64_t count, uint64_t bytes);
/* 0 for a name never counted. */
uint64_t tally_count(const struct tally *t, const char *name);

#endif
