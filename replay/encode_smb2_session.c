#include "replay/encode_smb2.h"

static const char CLIENT_GUID[16] = "copytrial-client", SERVER_GUID[16] = "copytrial-server";

/* Bytes of a negotiate context's header; the two contexts that 3.1.1 has here. 2.2.3.1 */
enum { CONTEXT_HEADER = 8, CONTEXT_PREAUTH = 1, CONTEXT_CIPHERS = 2 };
enum { CIPHERS_BYTES = 6, PREAUTH_BYTES = 6 };

static size_t align8(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* ---- NEGOTIATE ---------------------------------------------------------------------------------------------------- */

/* The hash, with a salt that takes the rest of the message: 2.2.3.1.1. */
static void preauth_context(struct pdu *p)
{
    size_t left = pdu_left(p);
    size_t salt = left > CONTEXT_HEADER + PREAUTH_BYTES ? left - CONTEXT_HEADER - PREAUTH_BYTES : 0;

    pdu_le16(p, CONTEXT_PREAUTH);
    pdu_le16(p, PREAUTH_BYTES + salt);
    pdu_le32(p, 0);
    pdu_le16(p, 1);
    pdu_le16(p, salt);
    pdu_le16(p, 1); /* SHA-512 */
    for (size_t i = 0; i < salt; i++)
        pdu_u8(p, 0x5a ^ i);
}

static void cipher_context(struct pdu *p) /* 2.2.3.1.2 */
{
    pdu_le16(p, CONTEXT_CIPHERS);
    pdu_le16(p, CIPHERS_BYTES);
    pdu_le32(p, 0);
    pdu_le16(p, 2);
    pdu_le16(p, 2); /* AES-128-GCM */
    pdu_le16(p, 1); /* AES-128-CCM */
    pdu_pad_to(p, ENCODE_PREFIX + align8(p->at - ENCODE_PREFIX));
}

/* Dialects that a client which ends up with `chosen` may have offered, that one first, as many as there is room for. */
static unsigned offer(enum encode_dialect chosen, size_t room, uint16_t *dialects)
{
    static const uint16_t ALL[] = {ENCODE_SMB_2_0_2, ENCODE_SMB_2_1, ENCODE_SMB_3_0, ENCODE_SMB_3_0_2};
    unsigned n = 0;

    dialects[n++] = (uint16_t)chosen;
    for (size_t i = 0; i < G_N_ELEMENTS(ALL) && 2 * (n + 1) <= room; i++) {
        if (ALL[i] != chosen)
            dialects[n++] = ALL[i];
    }
    return n;
}

void encode_smb2_negotiate_request(struct encode_call *c) /* 2.2.3 */
{
    enum { FIXED = 36 };
    bool contexts = c->e->setup.dialect == ENCODE_SMB_3_1_1;
    struct pdu *p = c->out;
    size_t room = pdu_left(p) - FIXED;
    /* The contexts begin at the next multiple of 8: behind five dialects at most. */
    bool ciphers =
        contexts && room >= 12 + CONTEXT_HEADER + align8(CIPHERS_BYTES) + CONTEXT_HEADER + PREAUTH_BYTES;
    uint16_t dialects[8];
    unsigned n = offer(c->e->setup.dialect, contexts && !ciphers ? 2 : room, dialects);
    size_t contexts_at = align8(SMB2_HEADER + FIXED + 2 * n);

    pdu_le16(p, FIXED);
    pdu_le16(p, n);
    pdu_le16(p, 1); /* signing enabled */
    pdu_le16(p, 0);
    pdu_le32(p, 0x7f); /* all capabilities */
    pdu_bytes(p, CLIENT_GUID, sizeof CLIENT_GUID);
    pdu_le32(p, contexts ? contexts_at : 0);
    pdu_le16(p, contexts ? 1 + ciphers : 0);
    pdu_le16(p, 0);
    for (unsigned i = 0; i < n; i++)
        pdu_le16(p, dialects[i]);
    c->p->session_id = 0;
    if (!contexts)
        return;
    pdu_pad_to(p, ENCODE_PREFIX + contexts_at);
    if (ciphers)
        cipher_context(p);
    preauth_context(p);
}

/* A client that first asked in SMB1 whether the server knows anything newer than 2.0.2 is told only that it does, and asks
 * again: 3.3.5.3.1. */
static uint16_t answered_dialect(const struct encode_call *c)
{
    if (COMMAND_PROTOCOL(c->x->command) == 1 && c->e->setup.dialect != ENCODE_SMB_2_0_2)
        return 0x02ff;
    return (uint16_t)c->e->setup.dialect;
}

void encode_smb2_negotiate_response(struct encode_call *c) /* 2.2.4 */
{
    enum { FIXED = 64, CONTEXTS_LEAST = 8 + CONTEXT_HEADER + PREAUTH_BYTES, TOKEN_USUAL = 74 };
    uint16_t dialect = answered_dialect(c);
    bool contexts = dialect == ENCODE_SMB_3_1_1;
    uint64_t block = c->e->setup.dialect == ENCODE_SMB_2_0_2 ? 65536 : 8 << 20;
    struct pdu *p = c->out;
    size_t room = pdu_left(p) - FIXED, token;

    if (contexts)
        room = MIN(TOKEN_USUAL, room - MIN(room, CONTEXTS_LEAST));
    token = encode_token_size(TOKEN_HINTS, room);
    pdu_le16(p, 65);
    pdu_le16(p, 1); /* signing enabled */
    pdu_le16(p, dialect);
    pdu_le16(p, contexts ? 1 : 0);
    pdu_bytes(p, SERVER_GUID, sizeof SERVER_GUID);
    pdu_le32(p, dialect == ENCODE_SMB_2_0_2 ? 1 : 7); /* DFS, leases, large blocks */
    pdu_le32(p, block);
    pdu_le32(p, block);
    pdu_le32(p, block);
    pdu_le64(p, ENCODE_FILETIME);
    pdu_le64(p, 0);
    pdu_le16(p, SMB2_HEADER + FIXED);
    pdu_le16(p, token);
    pdu_le32(p, contexts ? align8(SMB2_HEADER + FIXED + token) : 0);
    encode_token(p, TOKEN_HINTS, token);
    if (!contexts)
        return;
    pdu_pad_to(p, ENCODE_PREFIX + align8(p->at - ENCODE_PREFIX));
    preauth_context(p);
}

/* ---- SESSION_SETUP -------------------------------------------------------------------------------------------------- */

void encode_smb2_session_request(struct encode_call *c) /* 2.2.5 */
{
    struct encoder *e = c->e;
    struct pdu *p = c->out;
    enum encode_token kind = e->session_setups == 0 ? TOKEN_NEGOTIATE : TOKEN_AUTHENTICATE;
    size_t token = encode_session_token(e, kind, pdu_left(p) - 24);

    pdu_le16(p, 25);
    pdu_u8(p, e->session != e); /* binding */
    pdu_u8(p, 1);               /* signing enabled */
    pdu_le32(p, 1);             /* DFS */
    pdu_le32(p, 0);
    pdu_le16(p, encode_smb2_offset(p, 12));
    pdu_le16(p, token);
    pdu_le64(p, 0);
    encode_token(p, kind, token);
    if (e->session_setups == 0 && e->session == e)
        e->session_id = UINT64_C(0x1000000001);
    if (++e->session_setups < e->setup.session_legs)
        c->p->status = c->p->fails ? c->p->status : STATUS_MORE_PROCESSING;
    else
        e->session_setups = 0; /* another session may follow */
    c->p->session_id = e->session_id;
}

void encode_smb2_session_response(struct encode_call *c) /* 2.2.6 */
{
    struct pdu *p = c->out;
    enum encode_token kind = c->p->status == STATUS_MORE_PROCESSING ? TOKEN_CHALLENGE : TOKEN_ACCEPTED;
    size_t token = encode_session_token(c->e, kind, pdu_left(p) - 8);

    pdu_le16(p, 9);
    pdu_le16(p, 0);
    pdu_le16(p, encode_smb2_offset(p, 4));
    pdu_le16(p, token);
    encode_token(p, kind, token);
}

/* ---- TREE_CONNECT and TREE_DISCONNECT --------------------------------------------------------------------------------- */

void encode_smb2_tree_request(struct encode_call *c) /* 2.2.9 */
{
    struct pdu *p = c->out;
    size_t characters = (pdu_left(p) - 8) / 2;

    pdu_le16(p, 9);
    pdu_le16(p, 0);
    pdu_le16(p, encode_smb2_offset(p, 4));
    pdu_le16(p, 2 * characters);
    encode_share(p, characters, true);
    if (!c->p->fails)
        c->p->tree_id = encode_tree_connect(c->e);
}

void encode_smb2_tree_response(struct encode_call *c) /* 2.2.10 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 16);
    pdu_u8(p, 1); /* disk */
    pdu_u8(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0x001f01ff); /* all access */
}

void encode_smb2_untree_request(struct encode_call *c) /* 2.2.11 */
{
    pdu_le16(c->out, 4);
    pdu_le16(c->out, 0);
    encode_tree_disconnect(c->e);
}
