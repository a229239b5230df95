/* The messages that framing has inferred and isn't sure of yet (see nbss.h): kept, handed over, dropped, or explained.
 *
 * An explanation is needed where a prefix turns up at another place than was expected. It is one when the stretch up to there is as long
 * as some of the expected messages together with messages that come between them unforeseen, such as interim responses, all of one length.
 * Which of them stood where isn't known: they count as the last, and the others' times are those of the bytes where they would be without
 * them. Part of nbss.c, for no one else. */
#ifndef REPLAY_NBSS_INFERRED_H
#define REPLAY_NBSS_INFERRED_H

#include "replay/nbss.h"

/* The message in `message` is one. */
void nbss_inferred_keep(struct nbss *n);
/* Notes when bytes from `offset` on came, which places messages in time later. */
void nbss_inferred_log(struct nbss *n, int64_t offset, int64_t time_ns, uint64_t frame);
void nbss_inferred_hand_over(struct nbss *n, unsigned count, bool sure);
/* Framing was wrong about them. */
void nbss_inferred_drop(struct nbss *n);
/* A prefix is at `offset`. True when that explains them, which are handed over then. Otherwise they stay as they are. */
bool nbss_inferred_explain(struct nbss *n, int64_t offset);

#endif
