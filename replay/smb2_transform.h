/* What stands between the messages of a connection and their wire form: encryption and compression, [MS-SMB2] 3.1.4.3,
 * 3.1.4.4, and what is needed to undo them.
 *
 * A transform belongs to one connection. It is shown the messages that set the connection and its sessions up, which are never
 * encrypted, and takes dialect, cipher and the preauthentication integrity hash from them. Then it undoes messages: decrypts with
 * the keys of smb2_sessions.h, then decompresses. Without sessions it only decompresses.
 *
 * Ownership: smb2_transform_new() returns owned and borrows the sessions. The bytes of an undone message are a view, valid until
 * the next is undone. Memory: two buffers of the largest message so far, and at most SMB2_TRANSFORM_SETUPS unfinished session
 * set-ups; the latest push out older ones. */
#ifndef REPLAY_SMB2_TRANSFORM_H
#define REPLAY_SMB2_TRANSFORM_H

#include "replay/facts.h"
#include "replay/smb2_sessions.h"

/* A larger message couldn't have been sent uncompressed, [MS-SMB2] 2.1. */
enum { SMB2_TRANSFORM_MESSAGE_MAX = 0xffffff, SMB2_TRANSFORM_SETUPS = 16 };

enum smb2_transform_outcome {
    SMB2_TRANSFORM_DONE,
    SMB2_TRANSFORM_NO_KEY, /* encrypted, and no key fits */
    SMB2_TRANSFORM_FAILED, /* cut off or malformed */
};

struct smb2_undone {
    const uint8_t *bytes; /* begins with a header of SMB2 */
    size_t length;
    bool encrypted, compressed;
    uint32_t compressed_bytes; /* before decompression, when it was compressed; `length` is after it */
};

struct smb2_transform;

/* `sessions` may be NULL. */
struct smb2_transform *smb2_transform_new(struct smb2_sessions *sessions);
void smb2_transform_free(struct smb2_transform *t);

/* Whether the message that begins with these bytes is transformed. */
bool smb2_transform_is_needed(const uint8_t *bytes, size_t length);
/* Whether it is worth having the whole of the message that begins with these bytes, to be undone or observed. */
bool smb2_transform_wants(const struct smb2_transform *t, const uint8_t *bytes, size_t length);
/* A NEGOTIATE or SESSION_SETUP message, whole. Others are ignored. */
void smb2_transform_observe(struct smb2_transform *t, const uint8_t *bytes, size_t length);

/* Undoes a whole message that `sender` sent. `out` is filled in as far as the outcome allows. */
enum smb2_transform_outcome smb2_transform_undo(struct smb2_transform *t, enum replay_direction sender,
                                                const uint8_t *bytes, size_t length, struct smb2_undone *out);

#endif
