/* What the messages of an SMB2 or 3 connection say besides their exchanges: what was negotiated, credits, create contexts, breaks, sessions.
 *
 * Credits are counted as [MS-SMB2] 3.2.4.1.2 and 3.2.5.1.4 have them: a client begins with one, a request costs its charge, at least
 * one, and CANCEL nothing; each response grants some.
 *
 * All zeroes is empty. Cost: a few additions a command. */
#ifndef REPLAY_SMB2_FACTS_H
#define REPLAY_SMB2_FACTS_H

#include "replay/smb.h"
#include "replay/smb2_context.h"

struct smb2_facts {
    struct replay_smb2 facts;
    struct smb2_negotiated negotiated;
    int64_t credits; /* that the client has, when facts.credits_known */
    bool started;
    uint64_t sessions[REPLAY_SESSION_IDS];
    unsigned session_count;
    bool binds;
};

/* A command of SMB2 that is readable, in a message that ends with that frame. */
void smb2_facts_element(struct smb2_facts *f, const struct smb_element *e, uint64_t frame);
/* Into a connection's facts. */
void smb2_facts_finish(struct smb2_facts *f, struct replay_connection *out);

#endif
