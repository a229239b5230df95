#include "replay/smb2_transform.h"
#include "replay/cursor.h"
#include "replay/smb.h"
#include "replay/smb2_compression.h"

#include <string.h>

enum {
    ID_PLAIN = 0xfe,
    ID_ENCRYPTED = 0xfd,
    ID_COMPRESSED = 0xfc,
    FLAG_RESPONSE = 1,
    DIALECT_3_0 = 0x0300,
    DIALECT_3_0_2 = 0x0302,
    DIALECT_3_1_1 = 0x0311,
};

/* A session that is being set up. Its id is in the first response. */
struct setup {
    uint64_t message_id; /* of the latest request */
    uint64_t session_id; /* 0: not known yet */
    uint8_t preauth[SMB2_PREAUTH];
    bool used;
};

struct smb2_transform {
    struct smb2_sessions *sessions;
    uint16_t dialect;
    enum smb2_cipher cipher;
    uint8_t preauth[SMB2_PREAUTH]; /* of the connection: over its NEGOTIATE */
    struct setup setups[SMB2_TRANSFORM_SETUPS];
    unsigned next_setup;
    GByteArray *decrypted, *decompressed;
};

/* 2.2.1.2 */
struct header {
    uint32_t status;
    uint16_t command;
    bool response;
    uint64_t message_id, session_id;
};

struct smb2_transform *smb2_transform_new(struct smb2_sessions *sessions)
{
    struct smb2_transform *t = g_new0(struct smb2_transform, 1);

    t->sessions = sessions;
    t->decrypted = g_byte_array_new();
    t->decompressed = g_byte_array_new();
    return t;
}

void smb2_transform_free(struct smb2_transform *t)
{
    if (!t)
        return;
    g_byte_array_unref(t->decrypted);
    g_byte_array_unref(t->decompressed);
    g_free(t);
}

static bool has_id(const uint8_t *bytes, size_t length, uint8_t id)
{
    return length >= 4 && bytes[0] == id && memcmp(bytes + 1, "SMB", 3) == 0;
}

bool smb2_transform_is_needed(const uint8_t *bytes, size_t length)
{
    return has_id(bytes, length, ID_ENCRYPTED) || has_id(bytes, length, ID_COMPRESSED);
}

/* ---- setting up ------------------------------------------------------------------------------------------------- */

/* The cursor is left at the body. */
static bool read_header(struct cursor *c, struct header *h)
{
    uint32_t flags;

    cursor_skip(c, 8);
    h->status = cursor_le32(c);
    h->command = (uint16_t)COMMAND(2, cursor_le16(c));
    cursor_skip(c, 2);
    flags = cursor_le32(c);
    cursor_skip(c, 4);
    h->message_id = cursor_le64(c);
    cursor_skip(c, 8);
    h->session_id = cursor_le64(c);
    cursor_skip(c, 16);
    h->response = (flags & FLAG_RESPONSE) != 0;
    return cursor_ok(c);
}

/* 2.2.4.1.2: the cipher that the server chose, from its negotiate contexts. */
static enum smb2_cipher find_cipher(struct cursor c, unsigned contexts)
{
    enum { ENCRYPTION_CAPABILITIES = 2, ALIGNMENT = 8 };

    for (; contexts > 0 && cursor_ok(&c); contexts--) {
        uint16_t type = cursor_le16(&c), length = cursor_le16(&c), count, cipher;

        cursor_skip(&c, 4);
        if (type != ENCRYPTION_CAPABILITIES) {
            cursor_skip(&c, (size_t)(length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
            continue;
        }
        count = cursor_le16(&c);
        cipher = cursor_le16(&c);
        return cursor_ok(&c) && count > 0 && cipher < SMB2_CIPHERS ? (enum smb2_cipher)cipher
                                                                   : SMB2_CIPHER_UNKNOWN;
    }
    return SMB2_CIPHER_UNKNOWN;
}

/* 2.2.4. `message` is all of it, for the contexts are found by their offset in it. */
static void observe_negotiated(struct smb2_transform *t, struct cursor body, struct cursor message)
{
    uint16_t contexts;
    uint32_t contexts_at;
    const uint8_t *bytes = message.at;
    size_t length = message.left;

    cursor_skip(&body, 4);
    t->dialect = cursor_le16(&body);
    contexts = cursor_le16(&body);
    cursor_skip(&body, 52);
    contexts_at = cursor_le32(&body);
    switch (t->dialect) {
    case DIALECT_3_0:
    case DIALECT_3_0_2:
        t->cipher = SMB2_AES_128_CCM;
        break;
    case DIALECT_3_1_1:
        cursor_skip(&message, contexts_at);
        t->cipher = find_cipher(message, contexts);
        smb2_preauth_update(t->preauth, bytes, length);
        break;
    default: /* no encryption, or "2.???" and another NEGOTIATE */
        t->cipher = SMB2_CIPHER_UNKNOWN;
    }
}

static void observe_negotiate(struct smb2_transform *t, const struct header *h, struct cursor body,
                              struct cursor message)
{
    if (h->response) {
        if (!smb_status_is_error(h->status))
            observe_negotiated(t, body, message);
        return;
    }
    memset(t->preauth, 0, sizeof t->preauth);
    smb2_preauth_update(t->preauth, message.at, message.left);
}

static struct setup *find_setup(struct smb2_transform *t, uint64_t session_id, uint64_t message_id)
{
    for (unsigned i = 0; i < SMB2_TRANSFORM_SETUPS; i++) {
        struct setup *s = &t->setups[i];

        if (s->used && (s->session_id ? s->session_id == session_id : s->message_id == message_id))
            return s;
    }
    return NULL;
}

/* A session that exists already is authenticated again, or gets another connection: neither changes its keys. */
static void observe_setup_request(struct smb2_transform *t, const struct header *h, struct cursor message)
{
    struct setup *s = h->session_id ? find_setup(t, h->session_id, h->message_id) : NULL;

    if (h->session_id == 0) {
        s = &t->setups[t->next_setup++ % SMB2_TRANSFORM_SETUPS];
        *s = (struct setup){.used = true};
        memcpy(s->preauth, t->preauth, sizeof s->preauth);
    }
    if (!s)
        return;
    s->message_id = h->message_id;
    smb2_preauth_update(s->preauth, message.at, message.left);
}

/* 3.2.5.3: each response but the last goes into the hash. */
static void observe_setup_response(struct smb2_transform *t, const struct header *h, struct cursor message)
{
    struct setup *s = find_setup(t, h->session_id, h->message_id);

    if (!s || h->status == SMB_STATUS_PENDING)
        return;
    if (h->status == SMB_STATUS_MORE_PROCESSING) {
        s->session_id = h->session_id;
        smb2_preauth_update(s->preauth, message.at, message.left);
        return;
    }
    s->used = false;
    if (h->status == 0)
        smb2_sessions_set_up(t->sessions, h->session_id, t->dialect == DIALECT_3_1_1 ? s->preauth : NULL,
                             t->cipher);
}

static bool is_setup(struct cursor message, struct header *h)
{
    return has_id(message.at, message.left, ID_PLAIN) && read_header(&message, h) &&
           (h->command == SMB2_NEGOTIATE || h->command == SMB2_SESSION_SETUP);
}

bool smb2_transform_wants(const struct smb2_transform *t, const uint8_t *bytes, size_t length)
{
    struct smb2_encryption e;
    struct header h;

    if (has_id(bytes, length, ID_COMPRESSED))
        return true;
    if (!t->sessions)
        return false;
    if (has_id(bytes, length, ID_ENCRYPTED))
        return smb2_encryption_parse(bytes, length, &e) != CODEC_MALFORMED &&
               smb2_sessions_has(t->sessions, e.session_id);
    return is_setup(cursor_over(bytes, length), &h);
}

void smb2_transform_observe(struct smb2_transform *t, const uint8_t *bytes, size_t length)
{
    struct cursor message = cursor_over(bytes, length), body = message;
    struct header h;

    if (!t->sessions || !is_setup(message, &h) || !read_header(&body, &h))
        return;
    if (h.command == SMB2_NEGOTIATE)
        observe_negotiate(t, &h, body, message);
    else if (h.response)
        observe_setup_response(t, &h, message);
    else
        observe_setup_request(t, &h, message);
}

/* ---- undoing ---------------------------------------------------------------------------------------------------- */

static enum smb2_transform_outcome undo_encryption(struct smb2_transform *t, enum replay_direction sender,
                                                   struct smb2_undone *u)
{
    struct smb2_encryption e;

    u->encrypted = true;
    if (smb2_encryption_parse(u->bytes, u->length, &e) != CODEC_OK)
        return SMB2_TRANSFORM_FAILED;
    g_byte_array_set_size(t->decrypted, (guint)e.length);
    if (!t->sessions || !smb2_sessions_decrypt(t->sessions, &e, sender, t->decrypted->data))
        return SMB2_TRANSFORM_NO_KEY;
    u->bytes = t->decrypted->data;
    u->length = e.length;
    return SMB2_TRANSFORM_DONE;
}

static enum smb2_transform_outcome undo_compression(struct smb2_transform *t, struct smb2_undone *u)
{
    struct smb2_compression c;
    size_t written;

    u->compressed = true;
    u->compressed_bytes = (uint32_t)u->length;
    if (smb2_compression_parse(u->bytes, u->length, &c) != CODEC_OK ||
        c.original_bytes > SMB2_TRANSFORM_MESSAGE_MAX)
        return SMB2_TRANSFORM_FAILED;
    g_byte_array_set_size(t->decompressed, c.original_bytes);
    if (smb2_compression_decode(u->bytes, u->length, t->decompressed->data, c.original_bytes, &written) !=
        CODEC_OK)
        return SMB2_TRANSFORM_FAILED;
    u->bytes = t->decompressed->data;
    u->length = written;
    return SMB2_TRANSFORM_DONE;
}

enum smb2_transform_outcome smb2_transform_undo(struct smb2_transform *t, enum replay_direction sender,
                                                const uint8_t *bytes, size_t length, struct smb2_undone *out)
{
    enum smb2_transform_outcome outcome = SMB2_TRANSFORM_DONE;

    *out = (struct smb2_undone){.bytes = bytes, .length = length};
    if (length > SMB2_TRANSFORM_MESSAGE_MAX)
        return SMB2_TRANSFORM_FAILED;
    if (has_id(out->bytes, out->length, ID_ENCRYPTED))
        outcome = undo_encryption(t, sender, out);
    if (outcome == SMB2_TRANSFORM_DONE && has_id(out->bytes, out->length, ID_COMPRESSED))
        outcome = undo_compression(t, out);
    if (outcome == SMB2_TRANSFORM_DONE && !has_id(out->bytes, out->length, ID_PLAIN))
        outcome = SMB2_TRANSFORM_FAILED;
    return outcome;
}
