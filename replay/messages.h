/* Where the messages of one end lie in its stream. Cost: a sort. */
#ifndef REPLAY_MESSAGES_H
#define REPLAY_MESSAGES_H

#include "replay/facts.h"

struct message {
    int64_t start, end;  /* stream offsets */
    uint64_t last_frame; /* that completed it */
    guint exchange;      /* its index in exchanges_kept */
};

/* Requests (REPLAY_UP) or responses of all exchanges, by start. Returns owned GArray of struct message. */
GArray *messages_list(const struct replay_connection *c, enum replay_direction d);
/* The message that holds the byte at `offset`, or NULL. *at is the place last looked at, 0 at first: near offsets are found
 * fast. View into the list. */
const struct message *messages_find(const GArray *list, guint *at, int64_t offset);

#endif
