/* Commands that failed, by command and status, in bounded memory: the first ERRORS_KINDS kinds apart, the rest in one count. */
#ifndef REPLAY_ERRORS_H
#define REPLAY_ERRORS_H

#include "replay/facts.h"

enum { ERRORS_KINDS = 256 };

/* All zeroes is empty. */
struct errors {
    GArray *rows; /* of struct replay_error */
    uint64_t more;
};

void errors_fini(struct errors *e);
/* `error` with its count and frames. */
void errors_add(struct errors *e, const struct replay_error *error);
void errors_merge(struct errors *to, const struct errors *from);
/* Returns owned: GArray of struct replay_error, most frequent first. Empties `e`. */
GArray *errors_facts(struct errors *e);

#endif
