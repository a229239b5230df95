/* The keys of a capture's sessions: those that the user gave, and what follows from them.
 *
 * A session is known by its id, whichever connections it uses, so one table serves all connections of a capture. Its keys for
 * encryption follow from its session key once its set-up has been seen (smb2_transform.h watches for it), or are given. Where
 * neither is so, for instance because the capture begins in mid-stream, what could be is tried; a right signature decides.
 * After a few failures a session is given up.
 *
 * Cost: a look-up and a decryption a message. */
#ifndef REPLAY_SMB2_SESSIONS_H
#define REPLAY_SMB2_SESSIONS_H

#include "replay/facts.h"
#include "replay/smb2_encryption.h"

struct smb2_sessions;

/* `list` holds struct smb2_key_entry and is copied. Returns owned. */
struct smb2_sessions *smb2_sessions_new(const GArray *list);
void smb2_sessions_free(struct smb2_sessions *s);
/* Whether there is a key for that session, and it hasn't been given up. */
bool smb2_sessions_has(const struct smb2_sessions *s, uint64_t id);
/* A session has been set up: `preauth` as for smb2_keys_derive(). */
void smb2_sessions_set_up(struct smb2_sessions *s, uint64_t id, const uint8_t *preauth,
                          enum smb2_cipher cipher);
/* Decrypts the body of a message that `sender` sent into `out`, of as many bytes. False when no key fits. */
bool smb2_sessions_decrypt(struct smb2_sessions *s, const struct smb2_encryption *e,
                           enum replay_direction sender, uint8_t *out);

#endif
