#include "replay/encode_smb1.h"

enum { NEGOTIATE_WORDS = 17, GUID = 16, CHALLENGE = 8 };

uint32_t encode_smb1_tokens_from(void)
{
    return ENCODE_SMB1_LEAST(NEGOTIATE_WORDS, GUID + (uint32_t)encode_token_least(TOKEN_HINTS));
}

/* ---- NEGOTIATE ------------------------------------------------------------------------------------------------------- */

static void dialect(struct pdu *p, const char *name)
{
    pdu_u8(p, 2);
    pdu_bytes(p, name, strlen(name) + 1);
}

/* The dialects of the exchange's protocol stand last. Older ones go before them while there is room, and one that nobody
 * knows takes up what then is left. */
void encode_smb1_negotiate_request(struct encode_call *c) /* 2.2.4.52.1, [MS-SMB2] 3.2.4.2.2.1 */
{
    static const char *const OLD[] = {"PC NETWORK PROGRAM 1.0", "LANMAN1.0", "Windows for Workgroups 3.1a",
                                      "LM1.2X002", "LANMAN2.1"};
    struct encoder *e = c->e;
    bool smb2 = e->setup.dialect != ENCODE_SMB1, newer = smb2 && e->setup.dialect != ENCODE_SMB_2_0_2;
    size_t must = 12U + (smb2 ? 11U : 0U) + (newer ? 11U : 0U);
    struct pdu *p = c->out;
    uint32_t count = 0;

    pdu_u8(p, 0);
    encode_smb1_byte_count(p);
    for (size_t i = 0; i < G_N_ELEMENTS(OLD); i++) {
        size_t size = strlen(OLD[i]) + 2;

        if (pdu_left(p) < must + size || pdu_left(p) - must - size == 1)
            continue;
        dialect(p, OLD[i]);
        count++;
    }
    if (pdu_left(p) >= must + 2) {
        pdu_u8(p, 2);
        encode_smb1_text(p, 'X', pdu_left(p) - must);
        count++;
    }
    dialect(p, "NT LM 0.12");
    if (smb2)
        dialect(p, "SMB 2.002");
    if (newer)
        dialect(p, "SMB 2.???");
    c->p->variant = count;
    if (smb2) { /* the answer is SMB2's, to message 0 */
        c->p->message_id = 0;
        e->next_message_id = 1;
    }
}

/* With extended security where a token has room, else with a challenge and a domain: 2.2.4.52.2, [MS-SMB] 2.2.4.5.2. */
void encode_smb1_negotiate_response(struct encode_call *c)
{
    struct pdu *p = c->out;

    if (c->e->setup.dialect != ENCODE_SMB1) {
        encode_smb2_negotiate_response(c);
        return;
    }
    pdu_u8(p, NEGOTIATE_WORDS);
    pdu_le16(p, c->p->variant);
    pdu_u8(p, 3); /* user level, passwords encrypted */
    pdu_le16(p, 50);
    pdu_le16(p, 1);
    pdu_le32(p, 16644);
    pdu_le32(p, 65536);
    pdu_le32(p, 0);
    /* Large files, NT commands, NT status, large reads and writes. */
    pdu_le32(p, 0x0000c058 | (c->e->smb1_tokens ? 0x80000000U : 0));
    pdu_le64(p, ENCODE_FILETIME);
    pdu_le16(p, 0);
    pdu_u8(p, c->e->smb1_tokens ? 0 : CHALLENGE);
    encode_smb1_byte_count(p);
    if (c->e->smb1_tokens) {
        pdu_bytes(p, "copytrial-server", GUID);
        encode_token(p, TOKEN_HINTS, encode_token_size(TOKEN_HINTS, pdu_left(p)));
    } else {
        pdu_bytes(p, "nonce-of", CHALLENGE);
        encode_smb1_text(p, 'D', pdu_left(p));
    }
}

/* ---- SESSION_SETUP_ANDX ---------------------------------------------------------------------------------------------- */

/* Buffer, requests at once, circuit, key: the fields that both forms begin with. */
static void session_limits(struct pdu *p)
{
    encode_smb1_no_andx(p);
    pdu_le16(p, 16644);
    pdu_le16(p, 50);
    pdu_le16(p, 0);
    pdu_le32(p, 0);
}

static void session_with_token(struct encode_call *c, enum encode_token kind) /* [MS-SMB] 2.2.4.6.1 */
{
    enum { WORDS = 12, NAMES = 2 };
    struct pdu *p = c->out;
    size_t bytes = pdu_left(p) - 1 - 2 * WORDS - 2;
    size_t token = encode_session_token(c->e, kind, bytes - NAMES);

    pdu_u8(p, WORDS);
    session_limits(p);
    pdu_le16(p, token);
    pdu_le32(p, 0);
    pdu_le32(p, 0x8000c058);
    encode_smb1_byte_count(p);
    encode_token(p, kind, token);
    encode_smb1_text(p, 'S', pdu_left(p) - 1); /* system */
    pdu_zeros(p, 1);                           /* LAN manager */
}

static void session_with_password(struct pdu *p) /* 2.2.4.53.1 */
{
    enum { WORDS = 13, NAMES = 3, HASH = 24 };
    size_t bytes = pdu_left(p) - 1 - 2 * WORDS - 2;
    size_t hash = bytes >= 2 * HASH + NAMES + 1 ? HASH : 0;

    pdu_u8(p, WORDS);
    session_limits(p);
    pdu_le16(p, hash);
    pdu_le16(p, hash);
    pdu_le32(p, 0);
    pdu_le32(p, 0x0000c058);
    encode_smb1_byte_count(p);
    for (size_t i = 0; i < 2 * hash; i++)
        pdu_u8(p, 'h');
    encode_smb1_text(p, 'u', pdu_left(p) - NAMES); /* account */
    pdu_zeros(p, NAMES);                           /* domain, system, LAN manager */
}

void encode_smb1_session_request(struct encode_call *c)
{
    struct encoder *e = c->e;
    bool first = e->session_setups == 0;

    if (e->smb1_tokens)
        session_with_token(c, first ? TOKEN_NEGOTIATE : TOKEN_AUTHENTICATE);
    else
        session_with_password(c->out);
    if (first)
        e->session_id = 2048;
    if (++e->session_setups < e->setup.session_legs && e->smb1_tokens)
        c->p->status = c->p->fails ? c->p->status : STATUS_MORE_PROCESSING;
    else
        e->session_setups = 0; /* another session may follow */
    c->p->session_id = e->session_id;
}

void encode_smb1_session_response(struct encode_call *c) /* 2.2.4.53.2, [MS-SMB] 2.2.4.6.2 */
{
    enum { NAMES = 2 };
    struct pdu *p = c->out;
    bool token = c->e->smb1_tokens && pdu_left(p) >= 1 + 8 + 2 + NAMES + 1;

    pdu_u8(p, token ? 4 : 3);
    encode_smb1_no_andx(p);
    pdu_le16(p, 0);
    if (token) {
        enum encode_token kind = c->p->status == STATUS_MORE_PROCESSING ? TOKEN_CHALLENGE : TOKEN_ACCEPTED;
        size_t size = encode_session_token(c->e, kind, pdu_left(p) - 4 - NAMES);

        pdu_le16(p, size);
        encode_smb1_byte_count(p);
        encode_token(p, kind, size);
    } else {
        encode_smb1_byte_count(p);
    }
    encode_smb1_text(p, 'S', pdu_left(p) - NAMES); /* system */
    pdu_zeros(p, NAMES);                           /* LAN manager, domain */
}

/* ---- TREE_CONNECT_ANDX and TREE_DISCONNECT ---------------------------------------------------------------------------- */

void encode_smb1_tree_request(struct encode_call *c) /* 2.2.4.55.1 */
{
    static const char ANY[] = "?????";
    struct pdu *p = c->out;
    size_t path;

    pdu_u8(p, 4);
    encode_smb1_no_andx(p);
    pdu_le16(p, 0);
    pdu_le16(p, 1);
    encode_smb1_byte_count(p);
    pdu_zeros(p, 1); /* no password */
    path = pdu_left(p) - sizeof ANY;
    encode_share(p, path - 1, false);
    pdu_zeros(p, 1);
    pdu_bytes(p, ANY, sizeof ANY);
    if (!c->p->fails)
        c->p->tree_id = encode_tree_connect(c->e);
}

void encode_smb1_tree_response(struct encode_call *c) /* 2.2.4.55.2 */
{
    struct pdu *p = c->out;

    pdu_u8(p, 3);
    encode_smb1_no_andx(p);
    pdu_le16(p, 1);
    encode_smb1_byte_count(p);
    pdu_bytes(p, "A:", 3);
    encode_smb1_text(p, 'F', pdu_left(p)); /* file system */
}

void encode_smb1_untree_request(struct encode_call *c) /* 2.2.4.51 */
{
    pdu_u8(c->out, 0);
    encode_smb1_byte_count(c->out);
    encode_tree_disconnect(c->e);
}
