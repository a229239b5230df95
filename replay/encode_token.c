/* Tokens: the TLVs of RFC 4178 are cut top-down, each level taking exactly the bytes that it is given and its last element all that
 * is left, so any size from the shortest on comes out right. A length that a shorter form could hold may stand in a longer one, as
 * BER allows. */
#include "replay/encode_parts.h"

static const uint8_t SPNEGO[] = {0x06, 0x06, 0x2b, 0x06, 0x01, 0x05, 0x05, 0x02};
static const uint8_t NTLM[] = {0x06, 0x0a, 0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x02, 0x02, 0x0a};

enum { NEGOTIATE_BYTES = 32, CHALLENGE_BYTES = 48, AUTHENTICATE_BYTES = 64, LM_BYTES = 24, NT_BYTES = 48 };

/* [MS-NLMP] 2.2.2.5: OEM names, NTLM, and that a name is given. */
enum { FLAG_OEM = 2, FLAG_TARGET_INFO = 0x800000, FLAG_NTLM = 0x200, FLAG_WORKSTATION = 0x2000 };

/* Opens a TLV of `size` bytes in all and returns those of its content. */
static size_t open_tlv(struct pdu *p, uint8_t tag, size_t size)
{
    pdu_u8(p, tag);
    if (size <= 2 + 127) {
        pdu_u8(p, size - 2);
        return size - 2;
    }
    if (size <= 3 + 255) {
        pdu_u8(p, 0x81);
        pdu_u8(p, size - 3);
        return size - 3;
    }
    pdu_u8(p, 0x82);
    pdu_be16(p, size - 4);
    return size - 4;
}

static void fill(struct pdu *p, char with, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pdu_u8(p, (uint8_t)with);
}

static void fill_wide(struct pdu *p, char with, size_t count)
{
    for (size_t i = 0; i < count; i++)
        pdu_le16(p, (uint8_t)with);
}

/* ---- NTLM messages: [MS-NLMP] 2.2.1 ------------------------------------------------------------------------------ */

/* Length twice, and where the payload stands. */
static void ntlm_field(struct pdu *p, size_t length, size_t offset)
{
    pdu_le16(p, length);
    pdu_le16(p, length);
    pdu_le32(p, offset);
}

static void ntlm_begin(struct pdu *p, uint32_t type)
{
    pdu_bytes(p, "NTLMSSP", 8);
    pdu_le32(p, type);
}

static void ntlm_negotiate(struct pdu *p, size_t size)
{
    size_t name = size - NEGOTIATE_BYTES;

    ntlm_begin(p, 1);
    pdu_le32(p, FLAG_OEM | FLAG_NTLM | (name ? FLAG_WORKSTATION : 0));
    ntlm_field(p, 0, NEGOTIATE_BYTES);
    ntlm_field(p, name, NEGOTIATE_BYTES);
    fill(p, 'C', name);
}

/* The target information is one name in UTF-16 and an end mark, with four bytes each before them. */
static void ntlm_challenge(struct pdu *p, size_t size)
{
    size_t room = size - CHALLENGE_BYTES, info = room >= 8 ? room / 2 * 2 : 0;

    ntlm_begin(p, 2);
    ntlm_field(p, 0, CHALLENGE_BYTES);
    pdu_le32(p, FLAG_OEM | FLAG_NTLM | (info ? FLAG_TARGET_INFO : 0));
    pdu_bytes(p, "nonce-of", 8);
    pdu_zeros(p, 8);
    ntlm_field(p, info, CHALLENGE_BYTES);
    if (info) {
        pdu_le16(p, 1); /* computer name */
        pdu_le16(p, info - 8);
        fill_wide(p, 'S', (info - 8) / 2);
        pdu_zeros(p, 4);
    }
    pdu_zeros(p, room - info);
}

/* An NTLMv2 response, 2.2.2.8 and 2.2.2.7, to an empty list of target information. */
static void ntlm_response(struct pdu *p)
{
    fill(p, 'h', 16);
    pdu_le16(p, 0x0101);
    pdu_zeros(p, 6);
    pdu_le64(p, ENCODE_FILETIME);
    fill(p, 'c', 8);
    pdu_zeros(p, 8);
}

/* Responses where there is room, and a user whose name takes the rest. */
static void ntlm_authenticate(struct pdu *p, size_t size)
{
    size_t room = size - AUTHENTICATE_BYTES, at = AUTHENTICATE_BYTES;
    bool responds = room >= LM_BYTES + NT_BYTES;
    size_t lm = responds ? LM_BYTES : 0, nt = responds ? NT_BYTES : 0, user = room - lm - nt;

    ntlm_begin(p, 3);
    ntlm_field(p, lm, at);
    ntlm_field(p, nt, at + lm);
    ntlm_field(p, 0, at);
    ntlm_field(p, user, at + lm + nt);
    ntlm_field(p, 0, at);
    ntlm_field(p, 0, at);
    pdu_le32(p, FLAG_OEM | FLAG_NTLM);
    fill(p, 'h', lm);
    if (responds)
        ntlm_response(p);
    fill(p, 'u', user);
}

/* ---- RFC 4178 4.2 --------------------------------------------------------------------------------------------------- */

enum { MECHANISMS = 2 + 2 + sizeof NTLM };            /* [0] { SEQUENCE { NTLM } } */
enum { HINTS_BARE = 6 + sizeof SPNEGO + MECHANISMS }; /* with three layers around */
enum { HINT_LEAST = 8 };                              /* four layers and no text */
enum { ACCEPTED_BARE = 9, ACCEPTED_SIGNED = 9 + 20 };

static void open_initial(struct pdu *p, size_t size)
{
    size_t inner = open_tlv(p, 0x60, size) - sizeof SPNEGO;

    pdu_bytes(p, SPNEGO, sizeof SPNEGO);
    (void)open_tlv(p, 0x30, open_tlv(p, 0xa0, inner));
    (void)open_tlv(p, 0x30, open_tlv(p, 0xa0, MECHANISMS));
    pdu_bytes(p, NTLM, sizeof NTLM);
}

static void open_response(struct pdu *p, size_t size)
{
    (void)open_tlv(p, 0x30, open_tlv(p, 0xa1, size));
}

static void state(struct pdu *p, uint8_t value)
{
    (void)open_tlv(p, 0x0a, open_tlv(p, 0xa0, 5));
    pdu_u8(p, value);
}

static void token_negotiate(struct pdu *p, size_t end)
{
    open_initial(p, end - p->at);
    ntlm_negotiate(p, open_tlv(p, 0x04, open_tlv(p, 0xa2, end - p->at)));
}

/* The server's first word may carry a hint: [MS-SPNG] 2.2.1. */
static void token_hints(struct pdu *p, size_t end)
{
    open_initial(p, end - p->at);
    if (p->at < end)
        fill(p, 'n', open_tlv(p, 0x1b, open_tlv(p, 0xa0, open_tlv(p, 0x30, open_tlv(p, 0xa3, end - p->at)))));
}

static void token_challenge(struct pdu *p, size_t end)
{
    open_response(p, end - p->at);
    state(p, 1); /* accept-incomplete */
    (void)open_tlv(p, 0xa1, 2 + sizeof NTLM);
    pdu_bytes(p, NTLM, sizeof NTLM);
    ntlm_challenge(p, open_tlv(p, 0x04, open_tlv(p, 0xa2, end - p->at)));
}

static void token_authenticate(struct pdu *p, size_t end)
{
    open_response(p, end - p->at);
    ntlm_authenticate(p, open_tlv(p, 0x04, open_tlv(p, 0xa2, end - p->at)));
}

/* With a signature of sixteen bytes, [MS-NLMP] 2.2.2.9.1, where there is room. */
static void token_accepted(struct pdu *p, size_t end)
{
    bool is_signed = end - p->at == ACCEPTED_SIGNED;

    open_response(p, end - p->at);
    state(p, 0); /* accept-completed */
    if (!is_signed)
        return;
    (void)open_tlv(p, 0x04, open_tlv(p, 0xa3, end - p->at));
    pdu_le32(p, 1);
    fill(p, 's', 12);
}

size_t encode_token_least(enum encode_token kind)
{
    switch (kind) {
    case TOKEN_HINTS:
        return HINTS_BARE;
    case TOKEN_NEGOTIATE:
        return HINTS_BARE + 4 + NEGOTIATE_BYTES;
    case TOKEN_CHALLENGE:
        return 4 + 5 + 2 + sizeof NTLM + 4 + CHALLENGE_BYTES;
    case TOKEN_AUTHENTICATE:
        return 4 + 4 + AUTHENTICATE_BYTES;
    default:
        return ACCEPTED_BARE;
    }
}

size_t encode_token_size(enum encode_token kind, size_t room)
{
    if (room < encode_token_least(kind))
        return 0;
    if (kind == TOKEN_ACCEPTED)
        return room < ACCEPTED_SIGNED ? ACCEPTED_BARE : ACCEPTED_SIGNED;
    if (kind == TOKEN_HINTS && room < HINTS_BARE + HINT_LEAST)
        return HINTS_BARE;
    return room;
}

size_t encode_session_token(struct encoder *e, enum encode_token kind, size_t room)
{
    size_t size = encode_token_size(kind, room);

    if (kind == TOKEN_NEGOTIATE)
        e->talks = size > 0;
    return e->talks ? size : 0;
}

void encode_token(struct pdu *p, enum encode_token kind, size_t size)
{
    static void (*const BUILD[])(struct pdu *, size_t) = {
        [TOKEN_HINTS] = token_hints,         [TOKEN_NEGOTIATE] = token_negotiate,
        [TOKEN_CHALLENGE] = token_challenge, [TOKEN_AUTHENTICATE] = token_authenticate,
        [TOKEN_ACCEPTED] = token_accepted,
    };
    size_t end = p->at + size;

    if (!size)
        return;
    BUILD[kind](p, end);
    p->overflow |= p->at != end;
}
