/* The lists of contexts in SMB2's NEGOTIATE and CREATE messages, [MS-SMB2] 2.2.3.1, 2.2.4.1, 2.2.13.2, 2.2.14.2.
 *
 * Pure: bytes in, plain values out; lists that are cut or malformed end where they are. */
#ifndef REPLAY_SMB2_CONTEXT_H
#define REPLAY_SMB2_CONTEXT_H

#include "replay/cursor.h"
#include "replay/facts.h"

/* What create contexts there are: a bit for each enum replay_context. `list` is over the list, no more and no less. */
uint16_t smb2_create_contexts(struct cursor list);

/* A NEGOTIATE message from its header on, a response's or a request's. Fills in what a response chose, and in the request what is kept
 * of it. */
struct smb2_negotiated {
    bool client_guid_known, client_multichannel, server_multichannel;
    uint8_t client_guid[16];
    uint16_t dialect; /* of the response; 0: none yet */
    uint16_t cipher, signing;
    bool signing_chosen;
    uint16_t compression[REPLAY_COMPRESSIONS];
    unsigned compressions;
};

void smb2_negotiate_decode(struct smb2_negotiated *n, const uint8_t *bytes, size_t length);
/* The names of what was chosen, into `out`. */
void smb2_negotiated_names(const struct smb2_negotiated *n, struct replay_smb2 *out);

#endif
