/* Encrypted messages, [MS-SMB2] 2.2.41: the header, the keys of 3.1.4.2, and decryption with them (3.1.4.3, 3.2.5.1.1.1).
 *
 * Pure: bytes and keys in, bytes out. The ciphers and hashes are libcrypto's, whose objects live no longer than a call. A message
 * counts as decrypted only when its signature is right, so a wrong key can't make up plain text. */
#ifndef REPLAY_SMB2_ENCRYPTION_H
#define REPLAY_SMB2_ENCRYPTION_H

#include "replay/codec.h"

#include <stdbool.h>

enum {
    SMB2_ENCRYPTION_HEADER = 52,
    SMB2_KEY_MAX = 32, /* bytes */
    SMB2_PREAUTH = 64, /* bytes of a preauthentication integrity hash, SHA-512 */
};

/* 2.2.3.1.2 */
enum smb2_cipher {
    SMB2_CIPHER_UNKNOWN,
    SMB2_AES_128_CCM,
    SMB2_AES_128_GCM,
    SMB2_AES_256_CCM,
    SMB2_AES_256_GCM,
    SMB2_CIPHERS
};

/* Views into the message. */
struct smb2_encryption {
    uint64_t session_id;
    const uint8_t *signature;     /* 16 bytes */
    const uint8_t *nonce;         /* as many as the cipher takes, at the beginning of 16 */
    const uint8_t *authenticated; /* 32 bytes: the header from the nonce on */
    const uint8_t *body;
    size_t length; /* of the body, encrypted or not */
};

/* CODEC_TRUNCATED when the body isn't all there; then only the header's fields may be used. */
enum codec_outcome smb2_encryption_parse(const uint8_t *bytes, size_t length, struct smb2_encryption *out);

/* Bytes of a cipher's key: 16 or 32. */
size_t smb2_cipher_key_bytes(enum smb2_cipher cipher);
/* Decrypts the body into `out`, of as many bytes. False when the signature is wrong; then `out` is zeroed. */
bool smb2_encryption_decrypt(const struct smb2_encryption *e, enum smb2_cipher cipher, const uint8_t *key,
                             uint8_t *out);

/* The keys of one session, by who encrypts with them. */
struct smb2_keys {
    uint8_t client[SMB2_KEY_MAX], server[SMB2_KEY_MAX];
};

/* 3.1.4.2 from the session's key. `preauth` is the session's integrity hash for dialect 3.1.1, and NULL for 3.0 and
 * 3.0.2. Ciphers with 256-bit keys take the whole session key, those with 128 bits its first 16 bytes; shorter ones are filled
 * up with zeros. */
void smb2_keys_derive(const uint8_t *session_key, size_t length, const uint8_t *preauth,
                      enum smb2_cipher cipher, struct smb2_keys *out);
/* 3.1.4.4.1 and others: hash = SHA-512(hash, message). It begins as zeros. */
void smb2_preauth_update(uint8_t hash[SMB2_PREAUTH], const uint8_t *message, size_t length);

#endif
