#include "replay/smb2_sessions.h"
#include "replay/smb2_key_list.h"

#include <string.h>

enum { FAILURES_MAX = 16 };

struct session {
    struct smb2_key_entry given;
    struct smb2_keys keys;
    enum smb2_cipher cipher; /* SMB2_CIPHER_UNKNOWN: the keys are not known either */
    bool proven;             /* a message has been decrypted with them */
    unsigned failures;       /* before that */
};

struct smb2_sessions {
    GHashTable *by_id; /* uint64_t to struct session, in one piece of memory */
};

struct smb2_sessions *smb2_sessions_new(const GArray *list)
{
    struct smb2_sessions *s = g_new(struct smb2_sessions, 1);

    s->by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
    for (guint i = 0; i < list->len; i++) {
        struct session *session = g_new0(struct session, 1);

        session->given = g_array_index(list, struct smb2_key_entry, i);
        g_hash_table_replace(s->by_id, &session->given.session_id, session);
    }
    return s;
}

void smb2_sessions_free(struct smb2_sessions *s)
{
    if (!s)
        return;
    g_hash_table_destroy(s->by_id);
    g_free(s);
}

bool smb2_sessions_has(const struct smb2_sessions *s, uint64_t id)
{
    const struct session *session = g_hash_table_lookup(s->by_id, &id);

    return session && session->failures < FAILURES_MAX;
}

void smb2_sessions_set_up(struct smb2_sessions *s, uint64_t id, const uint8_t *preauth,
                          enum smb2_cipher cipher)
{
    struct session *session = g_hash_table_lookup(s->by_id, &id);

    if (!session || session->given.session_key_bytes == 0 || cipher == SMB2_CIPHER_UNKNOWN)
        return;
    session->cipher = cipher;
    smb2_keys_derive(session->given.session_key, session->given.session_key_bytes, preauth, cipher,
                     &session->keys);
}

/* The sender's key first. The other one, too, for who is the client may have been guessed. */
static bool try_keys(const struct smb2_encryption *e, enum replay_direction sender, enum smb2_cipher cipher,
                     const struct smb2_keys *keys, uint8_t *out)
{
    const uint8_t *first = sender == REPLAY_UP ? keys->client : keys->server;
    const uint8_t *second = sender == REPLAY_UP ? keys->server : keys->client;

    return smb2_encryption_decrypt(e, cipher, first, out) || smb2_encryption_decrypt(e, cipher, second, out);
}

static bool settle(struct session *s, enum smb2_cipher cipher, const struct smb2_keys *keys)
{
    s->cipher = cipher;
    s->keys = *keys;
    s->proven = true;
    return true;
}

/* Keys by direction with every cipher that takes their length; the session key as dialects 3.0 and 3.0.2 use it. */
static bool guess(struct session *s, const struct smb2_encryption *e, enum replay_direction sender,
                  uint8_t *out)
{
    struct smb2_keys keys;

    for (enum smb2_cipher c = SMB2_AES_128_CCM; c < SMB2_CIPHERS; c++) {
        if (s->given.key_bytes == smb2_cipher_key_bytes(c) && try_keys(e, sender, c, &s->given.keys, out))
            return settle(s, c, &s->given.keys);
    }
    if (s->given.session_key_bytes == 0)
        return false;
    smb2_keys_derive(s->given.session_key, s->given.session_key_bytes, NULL, SMB2_AES_128_CCM, &keys);
    return try_keys(e, sender, SMB2_AES_128_CCM, &keys, out) && settle(s, SMB2_AES_128_CCM, &keys);
}

bool smb2_sessions_decrypt(struct smb2_sessions *s, const struct smb2_encryption *e,
                           enum replay_direction sender, uint8_t *out)
{
    struct session *session = g_hash_table_lookup(s->by_id, &e->session_id);

    if (!session)
        return false;
    if (session->cipher != SMB2_CIPHER_UNKNOWN && try_keys(e, sender, session->cipher, &session->keys, out)) {
        session->proven = true;
        return true;
    }
    if (session->proven) /* a damaged message, then */
        return false;
    if (guess(session, e, sender, out))
        return true;
    session->failures++;
    return false;
}
