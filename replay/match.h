/* Requests matched with their responses: exchanges.
 *
 * SMB2 matches by message id, SMB1 by process and multiplex id. STATUS_PENDING leaves a request waiting. The elements of a compound
 * are matched one by one, and their exchange is complete with the last answer. An SMB1 transaction may take several messages
 * either way. A NEGOTIATE of SMB1 may be answered in SMB2. Encrypted messages have no visible id and are paired by
 * order and size (opaque_pairs.h).
 *
 * Every request makes an exchange, answered or not; match_finish() ends those still waiting. At most MATCH_WAITING wait at once:
 * beyond that all are given up. Cost: two look-ups an exchange. */
#ifndef REPLAY_MATCH_H
#define REPLAY_MATCH_H

#include "replay/channels.h"
#include "replay/commands.h"
#include "replay/idmap.h"
#include "replay/ledger.h"
#include "replay/nbss.h"
#include "replay/opaque_pairs.h"
#include "replay/pending.h"
#include "replay/timeline.h"

enum { MATCH_WAITING = 1 << 16 };

/* A message with its decoded commands. An AndX chain is matched as its first one, to which the files and data of the others are added. */
struct match_message {
    const struct nbss_message *frame;
    const struct smb_element *elements;
    unsigned count;   /* to be matched */
    unsigned chained; /* that stand behind them, in an AndX chain */
    bool cut;         /* the capture ends inside it */
};

/* What the answer to a waiting request should be. */
struct match_expected {
    uint16_t command;
    unsigned count; /* of commands in the request's message */
    uint64_t id;
    uint32_t data_bytes; /* that a READ asks for and its file has, as far as that is known */
    bool no_asks;        /* a READ whose request was cut off before it said how much it asks for */
};

struct match {
    struct ledger *ledger;
    struct commands *commands;  /* takes the service times */
    struct timeline *timeline;  /* takes finished exchanges, or NULL. Borrowed */
    GArray *kept;               /* of struct replay_exchange, in the order of the requests, or NULL; those
                                * that may yet be answered are marked REPLAY_OPEN */
    uint64_t let_go;            /* exchanges that are not in `kept` any more */
    struct channel channel;     /* opens and files */
    unsigned unclaimed;         /* opens whose ids were cut off their responses, and ... */
    uint16_t unclaimed_row;     /* ... the file of the last */
    struct idmap by_id;         /* to the index of the exchange in `slots` */
    GArray *slots;              /* of struct match_slot */
    GArray *free_slots;         /* of uint32_t */
    struct opaque_pairs opaque; /* slots of encrypted requests */
    uint32_t oldest,
        newest; /* of the list of exchanges waiting, in the order of their requests: index + 1, 0: none */
    uint64_t negotiate_id; /* of the last SMB1 NEGOTIATE, for an answer in SMB2 */
    uint64_t waiting;      /* exchanges outstanding, background ones left out */
    uint64_t answered; /* of them by messages that framing hasn't handed over yet; for the caller to set */
    uint64_t exchanges, unanswered, max_waiting;
    struct pending pending;
    int64_t now_ns; /* of the last message */
    /* Called with each exchange when all is known of it, in the order in which they end; or NULL. */
    void (*done)(void *self, const struct replay_exchange *x, const char *file); /* its name, or NULL */
    void *self;
};

/* Borrows both. With `keep`, exchanges are kept in `kept`, which the caller may steal. */
void match_init(struct match *m, bool keep, struct ledger *ledger, struct commands *commands);
void match_fini(struct match *m);
void match_request(struct match *m, const struct match_message *message);
void match_response(struct match *m, const struct match_message *message);
/* Whether a request with that id waits. */
bool match_knows(const struct match *m, uint64_t id);
/* The request that waits longest but for `ahead` others, background ones left out. False when there is none. */
bool match_expects(const struct match *m, unsigned ahead, struct match_expected *out);
/* The same for the one that waits longest of those of a command. */
bool match_expects_command(const struct match *m, uint16_t command, struct match_expected *out);
void match_finish(struct match *m);
/* Takes the first `count` exchanges out of `kept`. */
void match_let_go(struct match *m, guint count);

#endif
