/* Requests matched with their responses: exchanges.
 *
 * SMB2 matches by message id, SMB1 by process and multiplex id. STATUS_PENDING leaves a request waiting. The elements of a compound
 * are matched one by one, and their exchange is complete with the last answer. An SMB1 transaction may take several messages
 * either way. A NEGOTIATE of SMB1 may be answered in SMB2. Encrypted messages have no visible id and are paired in
 * order.
 *
 * Every request makes an exchange, answered or not; match_finish() ends those still waiting. At most MATCH_WAITING wait at once:
 * beyond that all are given up. Cost: two look-ups an exchange. */
#ifndef REPLAY_MATCH_H
#define REPLAY_MATCH_H

#include "replay/commands.h"
#include "replay/idmap.h"
#include "replay/ledger.h"
#include "replay/nbss.h"
#include "replay/opens.h"
#include "replay/timeline.h"

enum { MATCH_WAITING = 1 << 16 };

/* A message with its decoded commands; of an AndX chain the first alone matters here. */
struct match_message {
    const struct nbss_message *frame;
    const struct smb_element *elements;
    unsigned count;
    bool cut; /* the capture ends inside it */
};

struct match {
    struct ledger *ledger;
    struct commands *commands; /* takes the service times */
    struct timeline *timeline; /* takes finished exchanges, or NULL. Borrowed */
    GArray *kept;              /* of struct replay_exchange, in the order of the requests, or NULL; those
                                * that may yet be answered are marked REPLAY_OPEN */
    uint64_t let_go;           /* exchanges that are not in `kept` any more */
    struct opens opens;
    struct idmap by_id; /* to the index of the exchange in `slots` */
    GArray *slots;      /* of struct match_slot */
    GArray *free_slots; /* of uint32_t */
    GArray *opaque;     /* of uint32_t: slots of encrypted requests, oldest first from `opaque_head` on */
    guint opaque_head;
    uint64_t negotiate_id; /* of the last SMB1 NEGOTIATE, for an answer in SMB2 */
    uint64_t waiting;      /* exchanges outstanding, background ones left out */
    uint64_t exchanges, unanswered, max_waiting;
};

/* Borrows both. With `keep`, exchanges are kept in `kept`, which the caller may steal. */
void match_init(struct match *m, bool keep, struct ledger *ledger, struct commands *commands);
void match_fini(struct match *m);
void match_request(struct match *m, const struct match_message *message);
void match_response(struct match *m, const struct match_message *message);
void match_finish(struct match *m);
/* Takes the first `count` exchanges out of `kept`. */
void match_let_go(struct match *m, guint count);

#endif
