/* Which response answers which request where both are encrypted and no key is known: of such messages only order, size and time are
 * visible.
 *
 * Responses are taken to come in the order of the requests. One of the size of an error may be an interim one (STATUS_PENDING, [MS-SMB2]
 * 3.3.4.2), which a server sends when a request takes it long, or the final answer of a request that failed. So it is held. Where the
 * client then sends its next request, with nothing else to go on from, the held ones were answers. Where a longer response follows, it
 * answers the oldest request, and the oldest held one was interim. At the end, what is held are answers.
 *
 * A client with several threads may go on for other reasons; then a pair may be wrong, which shows as a response without a request or a
 * request without a response.
 *
 * Plain storage that the caller owns. Cost: a step a message. Memory: what waits. */
#ifndef REPLAY_OPAQUE_PAIRS_H
#define REPLAY_OPAQUE_PAIRS_H

#include "replay/nbss.h"

struct opaque_pairs {
    GArray *waiting; /* of uint32_t: the caller's numbers of the requests, oldest first from `head` on */
    guint head;
    GArray *held;           /* of struct nbss_message, oldest first; no more than wait */
    bool short_last;        /* the last message of both was a held one */
    uint64_t unasked_bytes; /* of responses when nothing waited */
};

void opaque_pairs_init(struct opaque_pairs *p);
void opaque_pairs_fini(struct opaque_pairs *p);
/* Nothing waits any more. */
void opaque_pairs_clear(struct opaque_pairs *p);
void opaque_pairs_request(struct opaque_pairs *p, uint32_t request);

enum opaque_response { OPAQUE_UNASKED, OPAQUE_HELD, OPAQUE_ANSWER, OPAQUE_ANSWER_AFTER_INTERIM };
/* With an answer, *request is what it answers, and waits no more. */
enum opaque_response opaque_pairs_response(struct opaque_pairs *p, const struct nbss_message *response,
                                           uint32_t *request);
/* A held response that was an answer after all, and what it answers; to be repeated until false. Before a request is added, or
 * with `end`, when no message will follow. */
bool opaque_pairs_settle(struct opaque_pairs *p, bool end, uint32_t *request, struct nbss_message *response);

#endif
