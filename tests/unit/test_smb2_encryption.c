/* Encrypted messages and keys that Samba 4.17 made and wrote to its log, one session for each cipher. */
#include "replay/smb2_encryption.h"
#include "replay/smb2_key_list.h"
#include "replay/smb2_sessions.h"
#include "tests/bytes.h"
#include "tests/hex.h"

struct recorded {
    const char *name;
    enum smb2_cipher cipher;
    bool dialect_3_0; /* 3.0 or 3.0.2: the keys depend on the session key alone */
    const char *session_id, *session_key, *client_key, *server_key;
    const char *request, *response;
};

static const struct recorded RECORDED[] = {
    {"3.0 AES-128-CCM", SMB2_AES_128_CCM, true, "4ef3e79600000000", "567bb44c3f487218440d1701127da88a",
     "2c9a3b01b7511b48c94a31aa92f6a52d", "865673c1c2a5b28d2bd43baa9ba6328f",
     "fd534d426392b6a037430be966363af422c9ed9d0400000000000000ab14ff000000000044000000"
     "000001004ef3e7960000000065981391727de7242b37f90772604395584782186ab06c6e0c99786b"
     "b50a00cf2babe55024b71fbd763cdba9dafccb4f48eea40d3ad493aebb3c0e96902a6c4420539634",
     "fd534d42cfe00d71186f4c9b68fe90ecc7faf5da040000000000000051a51b000000000044000000"
     "000001004ef3e796000000006051c2a7a326c0e6480e735c098b69261c46b4d6dd82cb826059ec09"
     "90a2f8a169e94c70b1aadf03bf1eda6ab151bba1e7e788d81389abc83dfef6702ea80e949181fecf"},
    {"3.0.2 AES-128-CCM", SMB2_AES_128_CCM, true, "5ee56b0900000000", "b5b83c358c6970cc7f4cbb7339d212a3",
     "de2c98cd5b60acfa84207cd65c9a705d", "c920e59fd1506090535f761dfbaaecb9",
     "fd534d4239132d7a47b6e3a1090600084535e2dd0400000000000000a1ce74000000000044000000"
     "000001005ee56b0900000000bec8e334bec88083fa4b5c1c2bb3493dfafce66fa3cc6f6e605ec7f5"
     "64b1a86b00665f5911fc5e7764a0ddcbd1cd64f3778bd10852bf8f2e7d189cfaa2dc813e7d221d42",
     "fd534d4268da9351a5498e9ea469f611f3a08bd904000000000000007490cd000000000044000000"
     "000001005ee56b0900000000c3524539f0869da8c4c4ab00df15bcea9c44e1a4084eafc325da5fda"
     "4ecdad2ce7f14ca847b8b0799ed1404beb7c777318ca318d34271acd6c8b930c7c2aea495fb683f4"},
    {"3.1.1 AES-128-CCM", SMB2_AES_128_CCM, false, "7379de4900000000", "2c2f70688864dbc2051714549194570d",
     "0d0a79f17f8a7703ffa17a710ae96d4f", "9fe2795795e600f9f3335f672803fdb0",
     "fd534d4229fccebea959a3fc44621627ba6d4d310300000000000000af83dd000000000044000000"
     "000001007379de4900000000fb31f6d169a0701f5c694e551f67d18cb0130d3723acd9946109ec4c"
     "4dbdfdd12eb4587a520d3e48ab9ab415dafba3769f1dca36fc35d1ebface52797823caf9d289b196",
     "fd534d427f0ab61ce6c55d93004ad5555cf7d55203000000000000008a9abb000000000044000000"
     "000001007379de4900000000895be3920d86b848da7d2097d1a68fc272a0eb4e3789c80de1e6c6e0"
     "22475a370ffb2f7c51c787b57658562c3165888dd74726d1ad76a65bf5625ef28a65f0804c9992bf"},
    {"3.1.1 AES-128-GCM", SMB2_AES_128_GCM, false, "7668976a00000000", "d1544189e87e0552fc1acb2b68cbf556",
     "fd8d980fd56aa21501f77766d0d496ab", "02cd1d28af70abed5a1a8f0679b715b7",
     "fd534d4284ea0f8a88fdf1c5135a18fba339011b030000000000000014574ac50000000044000000"
     "000001007668976a00000000ff3ded64bdc595ec34d73e3258128569219875e9fc677930643dce53"
     "3fb646f025db02f565c8c724676232e769ca4e705cdfc907fa4f3dfce5a2c47a8d5a5cb5071fc8da",
     "fd534d42e6e3a5b2854730deef48db2b6cdd940b0300000000000000d8f2f8120000000044000000"
     "000001007668976a0000000031244f78f0b8c6bd2e57026a8e37d1c771c3ecdbce2451c5115c2a63"
     "8c40838a6959f1f05984fdf58945acac85957c3c517d99077e751258081e17a39535db67053ff0c8"},
    {"3.1.1 AES-256-CCM", SMB2_AES_256_CCM, false, "0efbc5d300000000", "3a51e56856e11666e22e897ccb66654a",
     "9114397492fc6554b5b93e6222f44f18cc49d8b55b60aef00382f2a214541345",
     "e52a544d5ce7f9b149757b62b20dc124b0ad07ca340799041ed841eff000f0fa",
     "fd534d42e259deb3339cc4ebf391927b433bd3dd0300000000000000a2d1f0000000000044000000"
     "000001000efbc5d30000000020a62a0c08dbee5c03a9b91f455fb88b1999ff89ad9af6d7b7aa5790"
     "810893051bfb6ca510ab26155010b276762e9f8850d24b92a55c1148e96005765649fe946b3d8bd5",
     "fd534d42db7cb3fa4b9e68af4357da9832dbb4350300000000000000fba528000000000044000000"
     "000001000efbc5d3000000009499dc78060c6c3511a880bd400d1841d9ef0421a412ca648d9410b1"
     "b6e9df9072490fa76b6474bf5d37620c1c7b77d0208c1d3b3359da82dd68b6a4819badfbf54ea586"},
    {"3.1.1 AES-256-GCM", SMB2_AES_256_GCM, false, "749c6c1300000000", "45db2bb0b54347acda3bade29380489b",
     "1b0c3be1550c41e3c98f9d9d9b2b8a6f4a7040d94bb7f8497a152b6601982d6e",
     "c15374d6e0924fd55973bde1a7bc217e2fd35995e05f6b0efbeadb003fa153f4",
     "fd534d421c2ed51ccf8e74ce789116e8d08e785b03000000000000000eeb68400000000044000000"
     "00000100749c6c130000000012acb5f2d88dcb9c8493052aa8b3db1aee36c24c6fe2a55fa29b9321"
     "4f519f7941108c19fd1a3cfdde86b5a8fbafc63e27098d29648ef6cdc279455de8fe66e3d51db624",
     "fd534d42fb6c8c45b8f605e75fe94f1b9e024dd9030000000000000061f60c2c0000000044000000"
     "00000100749c6c1300000000b6ff9b43cac068e134c5dc3d3d3144dc9f2e4f1a7794fda50ea7c1e1"
     "711104dbb03de32f1f2b00a4eaeb142f30a3403dd5ef810d64cb7ce34d172bf751a6de19c055c5bd"},
};

static uint64_t le64(const GByteArray *b, size_t at)
{
    uint64_t value = 0;

    for (int i = 7; i >= 0; i--)
        value = value << 8 | b->data[at + (size_t)i];
    return value;
}

/* Decrypts a message, which must be one of SMB2, from that end. */
static bool decrypt(const GByteArray *message, enum smb2_cipher cipher, const GByteArray *key, bool response)
{
    struct smb2_encryption e;
    g_autofree uint8_t *exact = g_memdup2(message->data, message->len), *out = NULL;

    g_assert_cmpint(smb2_encryption_parse(exact, message->len, &e), ==, CODEC_OK);
    out = g_malloc(e.length);
    if (!smb2_encryption_decrypt(&e, cipher, key->data, out)) {
        for (size_t i = 0; i < e.length; i++)
            g_assert_cmpuint(out[i], ==, 0);
        return false;
    }
    assert_same_bytes(out, 4, "\xfeSMB", 4);
    g_assert_cmpuint(out[16] & 1, ==, response);
    return true;
}

static void test_decrypt(gconstpointer data)
{
    const struct recorded *t = data;
    g_autoptr(GByteArray) request = bytes_of(t->request), response = bytes_of(t->response);
    g_autoptr(GByteArray) client = bytes_of(t->client_key), server = bytes_of(t->server_key);

    g_assert_cmpuint(client->len, ==, smb2_cipher_key_bytes(t->cipher));
    g_assert_true(decrypt(request, t->cipher, client, false));
    g_assert_true(decrypt(response, t->cipher, server, true));
    g_assert_false(decrypt(request, t->cipher, server, false));
    for (enum smb2_cipher other = SMB2_CIPHER_UNKNOWN; other < SMB2_CIPHERS; other++) {
        if (other != t->cipher && smb2_cipher_key_bytes(other) <= client->len)
            g_assert_false(decrypt(request, other, client, false));
    }
}

/* Each bit of the message is signed, but for those that say how it is to be read. */
static void test_damage(gconstpointer data)
{
    const struct recorded *t = data;
    g_autoptr(GByteArray) request = bytes_of(t->request), client = bytes_of(t->client_key);

    for (guint at = 4; at < request->len; at++) {
        if ((at >= 36 && at < 40) || at == 42 || at == 43) /* the length and the flags: another test's */
            continue;
        request->data[at] ^= (uint8_t)(1 << at % 8);
        g_assert_false(decrypt(request, t->cipher, client, false));
        request->data[at] ^= (uint8_t)(1 << at % 8);
    }
    g_assert_true(decrypt(request, t->cipher, client, false));
}

static void test_derive(gconstpointer data)
{
    const struct recorded *t = data;
    g_autoptr(GByteArray) session = bytes_of(t->session_key);
    g_autoptr(GByteArray) client = bytes_of(t->client_key), server = bytes_of(t->server_key);
    struct smb2_keys keys;

    smb2_keys_derive(session->data, session->len, NULL, t->cipher, &keys);
    assert_same_bytes(keys.client, client->len, client->data, client->len);
    assert_same_bytes(keys.server, server->len, server->data, server->len);
}

static void test_parse(void)
{
    g_autoptr(GByteArray) message = bytes_of(RECORDED[0].request);
    struct smb2_encryption e;

    for (guint part = 0; part < message->len; part++) {
        g_autofree uint8_t *exact = g_memdup2(message->data, part);

        g_assert_cmpint(smb2_encryption_parse(exact, part, &e), ==, CODEC_TRUNCATED);
        g_assert_cmpuint(e.session_id, ==, part >= SMB2_ENCRYPTION_HEADER ? le64(message, 44) : 0);
    }
    g_assert_cmpint(smb2_encryption_parse(message->data, message->len, &e), ==, CODEC_OK);
    g_assert_cmpuint(e.length, ==, message->len - SMB2_ENCRYPTION_HEADER);
    message->data[36]--; /* bytes behind the end */
    g_assert_cmpint(smb2_encryption_parse(message->data, message->len, &e), ==, CODEC_MALFORMED);
    message->data[36]++;
    message->data[42] = 0; /* not encrypted, then */
    g_assert_cmpint(smb2_encryption_parse(message->data, message->len, &e), ==, CODEC_MALFORMED);
    message->data[42] = 1;
    message->data[0] = 0xfe;
    g_assert_cmpint(smb2_encryption_parse(message->data, message->len, &e), ==, CODEC_MALFORMED);
}

/* Against GLib's SHA-512. */
static void test_preauth(void)
{
    uint8_t hash[SMB2_PREAUTH] = {0}, wanted[SMB2_PREAUTH] = {0};
    const char *messages[] = {"negotiate", "", "session setup"};

    for (size_t i = 0; i < G_N_ELEMENTS(messages); i++) {
        g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA512);
        gsize length = sizeof wanted;

        g_checksum_update(sum, wanted, sizeof wanted);
        g_checksum_update(sum, (const guchar *)messages[i], (gssize)strlen(messages[i]));
        g_checksum_get_digest(sum, wanted, &length);
        smb2_preauth_update(hash, (const uint8_t *)messages[i], strlen(messages[i]));
        assert_same_bytes(hash, sizeof hash, wanted, sizeof wanted);
    }
}

/* ---- sessions --------------------------------------------------------------------------------------------------- */

static struct smb2_sessions *sessions_of(const char *format, ...)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) list = NULL;
    g_autofree char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    list = smb2_key_list_parse("keys", text, &error);
    g_assert_no_error(error);
    return smb2_sessions_new(list);
}

static bool session_decrypts(struct smb2_sessions *s, const char *hex, enum replay_direction sender)
{
    g_autoptr(GByteArray) message = bytes_of(hex);
    g_autofree uint8_t *out = g_malloc(message->len);
    struct smb2_encryption e;

    g_assert_cmpint(smb2_encryption_parse(message->data, message->len, &e), ==, CODEC_OK);
    return smb2_sessions_decrypt(s, &e, sender, out);
}

/* Keys by direction are enough in any dialect and with any cipher, and whoever was taken for the client. */
static void test_given_keys(gconstpointer data)
{
    const struct recorded *t = data;

    for (int wrong_way = 0; wrong_way < 2; wrong_way++) {
        struct smb2_sessions *s = sessions_of("%s,,%s,%s", t->session_id, t->server_key, t->client_key);

        g_assert_true(session_decrypts(s, t->request, wrong_way ? REPLAY_DOWN : REPLAY_UP));
        g_assert_true(session_decrypts(s, t->response, wrong_way ? REPLAY_UP : REPLAY_DOWN));
        smb2_sessions_free(s);
    }
}

/* Before 3.1.1 a session key is enough, even if the set-up wasn't seen; in 3.1.1 it isn't, and the session is given up. */
static void test_session_key(gconstpointer data)
{
    const struct recorded *t = data;
    struct smb2_sessions *s = sessions_of("%s,%s", t->session_id, t->session_key);
    g_autoptr(GByteArray) id = bytes_of(t->session_id);
    int tries = 0;

    g_assert_true(smb2_sessions_has(s, le64(id, 0)));
    g_assert_false(smb2_sessions_has(s, le64(id, 0) + 1));
    if (t->dialect_3_0) {
        g_assert_true(session_decrypts(s, t->request, REPLAY_UP));
        g_assert_true(session_decrypts(s, t->response, REPLAY_DOWN));
    } else {
        for (; smb2_sessions_has(s, le64(id, 0)); tries++)
            g_assert_false(session_decrypts(s, t->request, REPLAY_UP));
        g_assert_cmpint(tries, >, 1);
    }
    smb2_sessions_free(s);
}

/* A damaged message doesn't make a session forget keys that worked. */
static void test_proven(void)
{
    const struct recorded *t = &RECORDED[3];
    struct smb2_sessions *s = sessions_of("%s,,%s,%s", t->session_id, t->server_key, t->client_key);
    g_autofree char *damaged = g_strdup(t->response);

    g_assert_true(session_decrypts(s, t->request, REPLAY_UP));
    damaged[130] = damaged[130] == '0' ? '1' : '0';
    for (int i = 0; i < 100; i++)
        g_assert_false(session_decrypts(s, damaged, REPLAY_DOWN));
    g_assert_true(session_decrypts(s, t->response, REPLAY_DOWN));
    g_assert_false(session_decrypts(s, RECORDED[0].request, REPLAY_UP)); /* another session */
    smb2_sessions_free(s);
}

static void add_cases(const char *what, GTestDataFunc run, bool dialect_3_0_only)
{
    for (size_t i = 0; i < G_N_ELEMENTS(RECORDED); i++) {
        g_autofree char *path = g_strdup_printf("/smb2-encryption/%s/%s", what, RECORDED[i].name);

        if (RECORDED[i].dialect_3_0 || !dialect_3_0_only)
            g_test_add_data_func(path, &RECORDED[i], run);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_cases("decrypt", test_decrypt, false);
    add_cases("damage", test_damage, false);
    add_cases("derive", test_derive, true);
    add_cases("given-keys", test_given_keys, false);
    add_cases("session-key", test_session_key, false);
    g_test_add_func("/smb2-encryption/parse", test_parse);
    g_test_add_func("/smb2-encryption/preauth", test_preauth);
    g_test_add_func("/smb2-encryption/proven", test_proven);
    return g_test_run();
}
