#include "replay/smb2_encryption.h"
#include "replay/cursor.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <string.h>

enum {
    PROTOCOL_ID = 0x424d53fd,
    FLAG_ENCRYPTED = 1,
    TAG = 16,
    NONCE_CCM = 11,
    NONCE_GCM = 12,
    AUTHENTICATED = 32
};

enum codec_outcome smb2_encryption_parse(const uint8_t *bytes, size_t length, struct smb2_encryption *out)
{
    struct cursor c = cursor_over(bytes, length);
    uint32_t id = cursor_le32(&c), size;
    uint16_t flags;

    memset(out, 0, sizeof *out);
    out->signature = cursor_bytes(&c, TAG);
    out->authenticated = c.at;
    out->nonce = cursor_bytes(&c, 16);
    size = cursor_le32(&c);
    cursor_skip(&c, 2);
    flags = cursor_le16(&c); /* before 3.1.1 the algorithm, which is the same number */
    out->session_id = cursor_le64(&c);
    if (!cursor_ok(&c)) {
        memset(out, 0, sizeof *out);
        return CODEC_TRUNCATED;
    }
    if (id != PROTOCOL_ID || flags != FLAG_ENCRYPTED)
        return CODEC_MALFORMED;
    out->length = size;
    out->body = cursor_bytes(&c, size);
    if (!cursor_ok(&c))
        return CODEC_TRUNCATED;
    return c.left == 0 ? CODEC_OK : CODEC_MALFORMED;
}

/* ---- decryption ------------------------------------------------------------------------------------------------- */

static const EVP_CIPHER *cipher_of(enum smb2_cipher cipher)
{
    switch (cipher) {
    case SMB2_AES_128_CCM:
        return EVP_aes_128_ccm();
    case SMB2_AES_128_GCM:
        return EVP_aes_128_gcm();
    case SMB2_AES_256_CCM:
        return EVP_aes_256_ccm();
    case SMB2_AES_256_GCM:
        return EVP_aes_256_gcm();
    default:
        return NULL;
    }
}

size_t smb2_cipher_key_bytes(enum smb2_cipher cipher)
{
    return cipher == SMB2_AES_256_CCM || cipher == SMB2_AES_256_GCM ? 32 : 16;
}

/* CCM wants the lengths first and tells of a wrong signature at once, GCM in the end. */
static bool decrypt(EVP_CIPHER_CTX *ctx, const struct smb2_encryption *e, enum smb2_cipher cipher,
                    const uint8_t *key, uint8_t *out)
{
    bool ccm = cipher == SMB2_AES_128_CCM || cipher == SMB2_AES_256_CCM;
    uint8_t tag[TAG];
    int n;

    memcpy(tag, e->signature, TAG);
    return EVP_DecryptInit_ex(ctx, cipher_of(cipher), NULL, NULL, NULL) == 1 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, ccm ? NONCE_CCM : NONCE_GCM, NULL) == 1 &&
           EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG, tag) == 1 &&
           EVP_DecryptInit_ex(ctx, NULL, NULL, key, e->nonce) == 1 &&
           (!ccm || EVP_DecryptUpdate(ctx, NULL, &n, NULL, (int)e->length) == 1) &&
           EVP_DecryptUpdate(ctx, NULL, &n, e->authenticated, AUTHENTICATED) == 1 &&
           EVP_DecryptUpdate(ctx, out, &n, e->body, (int)e->length) == 1 &&
           (ccm || EVP_DecryptFinal_ex(ctx, out + n, &n) == 1);
}

bool smb2_encryption_decrypt(const struct smb2_encryption *e, enum smb2_cipher cipher, const uint8_t *key,
                             uint8_t *out)
{
    EVP_CIPHER_CTX *ctx;
    bool ok = false;

    if (e->length == 0 || e->length > INT_MAX)
        return false;
    if (cipher_of(cipher)) {
        ctx = EVP_CIPHER_CTX_new();
        g_assert(ctx);
        ok = decrypt(ctx, e, cipher, key, out);
        EVP_CIPHER_CTX_free(ctx);
    }
    if (!ok)
        memset(out, 0, e->length);
    return ok;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

/* 3.1.4.2: SP 800-108 in counter mode with HMAC-SHA256 and a 32-bit counter. One block is enough for any of the keys. */
static void derive(const uint8_t *key, size_t key_bytes, const char *label, size_t label_bytes,
                   const uint8_t *context, size_t context_bytes, size_t out_bytes, uint8_t out[SMB2_KEY_MAX])
{
    uint8_t text[128], *at = text;
    uint32_t bits = (uint32_t)out_bytes * 8;
    unsigned length = SMB2_KEY_MAX;

    g_assert(4 + label_bytes + 1 + context_bytes + 4 <= sizeof text);
    memcpy(at, "\0\0\0\1", 4);
    at += 4;
    memcpy(at, label, label_bytes);
    at += label_bytes;
    *at++ = 0;
    memcpy(at, context, context_bytes);
    at += context_bytes;
    *at++ = 0;
    *at++ = 0;
    *at++ = (uint8_t)(bits >> 8);
    *at++ = (uint8_t)bits;
    if (!HMAC(EVP_sha256(), key, (int)key_bytes, text, (size_t)(at - text), out, &length))
        g_error("libcrypto offers no HMAC with SHA-256");
}

/* A label or context with its terminating zero, which belongs to it. */
#define TEXT(s)  (s), sizeof(s)
#define BYTES(s) (const uint8_t *)(s), sizeof(s)

void smb2_keys_derive(const uint8_t *session_key, size_t length, const uint8_t *preauth,
                      enum smb2_cipher cipher, struct smb2_keys *out)
{
    size_t bytes = smb2_cipher_key_bytes(cipher), used;
    uint8_t key[64] = {0};

    /* 3.2.5.3.3: the full session key for 256 bits, which is only 16 bytes long with NTLM. */
    used = bytes == 32 ? MAX(MIN(length, sizeof key), 16) : 16;
    memcpy(key, session_key, MIN(length, used));
    if (preauth) {
        derive(key, used, TEXT("SMBC2SCipherKey"), preauth, SMB2_PREAUTH, bytes, out->client);
        derive(key, used, TEXT("SMBS2CCipherKey"), preauth, SMB2_PREAUTH, bytes, out->server);
    } else {
        derive(key, used, TEXT("SMB2AESCCM"), BYTES("ServerIn "), bytes, out->client);
        derive(key, used, TEXT("SMB2AESCCM"), BYTES("ServerOut"), bytes, out->server);
    }
}

void smb2_preauth_update(uint8_t hash[SMB2_PREAUTH], const uint8_t *message, size_t length)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (!ctx || EVP_DigestInit_ex(ctx, EVP_sha512(), NULL) != 1 ||
        EVP_DigestUpdate(ctx, hash, SMB2_PREAUTH) != 1 || EVP_DigestUpdate(ctx, message, length) != 1 ||
        EVP_DigestFinal_ex(ctx, hash, NULL) != 1)
        g_error("libcrypto offers no SHA-512");
    EVP_MD_CTX_free(ctx);
}
