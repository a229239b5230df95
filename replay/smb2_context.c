#include "replay/smb2_context.h"

#include <string.h>

enum { HEADER = 64, FLAGS_AT = 16, FLAG_RESPONSE = 1, CONTEXTS_MAX = 64, GUID = 16 };

/* ---- CREATE -------------------------------------------------------------------------------------------------------- */

static uint16_t context_of(const uint8_t *name, uint32_t data_bytes)
{
    enum { LEASE_V1_BYTES = 32 };
    static const struct {
        char name[5];
        enum replay_context context;
    } NAMES[] = {{"DHnQ", REPLAY_DURABLE},      {"DHnC", REPLAY_RECONNECT},  {"DH2Q", REPLAY_DURABLE_V2},
                 {"DH2C", REPLAY_RECONNECT_V2}, {"MxAc", REPLAY_MAX_ACCESS}, {"QFid", REPLAY_DISK_ID}};

    if (memcmp(name, "RqLs", 4) == 0) /* 2.2.13.2.8 and 2.2.13.2.10 */
        return (uint16_t)(1 << (data_bytes > LEASE_V1_BYTES ? REPLAY_LEASE_V2 : REPLAY_LEASE_V1));
    for (size_t i = 0; i < G_N_ELEMENTS(NAMES); i++) {
        if (memcmp(name, NAMES[i].name, 4) == 0)
            return (uint16_t)(1 << NAMES[i].context);
    }
    return 0;
}

uint16_t smb2_create_contexts(struct cursor list)
{
    uint16_t found = 0;

    for (unsigned i = 0; i < CONTEXTS_MAX; i++) {
        struct cursor c = list, name = list;
        uint32_t next = cursor_le32(&c), data_bytes;
        uint16_t name_at = cursor_le16(&c), name_bytes = cursor_le16(&c);
        const uint8_t *text;

        cursor_skip(&c, 4);
        data_bytes = cursor_le32(&c);
        cursor_skip(&name, name_at);
        text = cursor_bytes(&name, 4);
        if (!cursor_ok(&c) || !text)
            break;
        if (name_bytes == 4)
            found |= context_of(text, data_bytes);
        cursor_skip(&list, next);
        if (next == 0 || !cursor_ok(&list))
            break;
    }
    return found;
}

/* ---- NEGOTIATE ------------------------------------------------------------------------------------------------------ */

static void take_compressions(struct cursor c, struct smb2_negotiated *n) /* 2.2.4.1.3 */
{
    uint16_t count = cursor_le16(&c);

    cursor_skip(&c, 6);
    n->compressions = 0;
    for (unsigned i = 0; i < count && n->compressions < REPLAY_COMPRESSIONS; i++) {
        uint16_t id = cursor_le16(&c);

        if (cursor_ok(&c) && id != 0)
            n->compression[n->compressions++] = id;
    }
}

static void take_context(uint16_t type, struct cursor c, struct smb2_negotiated *n)
{
    enum { ENCRYPTION = 2, COMPRESSION = 3, SIGNING = 8 };
    struct cursor first = c;
    uint16_t count = cursor_le16(&first), id = cursor_le16(&first);

    if (type == COMPRESSION)
        take_compressions(c, n);
    if (!cursor_ok(&first) || count == 0)
        return;
    if (type == ENCRYPTION)
        n->cipher = id;
    if (type == SIGNING) {
        n->signing = id;
        n->signing_chosen = true;
    }
}

static void take_contexts(struct cursor list, unsigned count, struct smb2_negotiated *n)
{
    enum { ALIGNMENT = 8 };

    for (unsigned i = 0; i < count && i < CONTEXTS_MAX; i++) {
        uint16_t type = cursor_le16(&list), length = cursor_le16(&list);
        struct cursor data;

        cursor_skip(&list, 4);
        data = list;
        cursor_limit(&data, length);
        if (!cursor_ok(&list))
            return;
        take_context(type, data, n);
        cursor_skip(&list, (size_t)(length + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    }
}

enum { CAP_MULTI_CHANNEL = 8, DIALECT_WITH_CONTEXTS = 0x0311 };

static void take_response(struct cursor c, struct cursor message, struct smb2_negotiated *n) /* 2.2.4 */
{
    uint16_t contexts;
    uint32_t contexts_at, capabilities;

    cursor_skip(&c, 4);
    n->dialect = cursor_le16(&c);
    contexts = cursor_le16(&c);
    cursor_skip(&c, GUID);
    capabilities = cursor_le32(&c);
    n->server_multichannel = (capabilities & CAP_MULTI_CHANNEL) != 0;
    cursor_skip(&c, 32);
    contexts_at = cursor_le32(&c);
    if (!cursor_ok(&c) || n->dialect != DIALECT_WITH_CONTEXTS)
        return;
    cursor_skip(&message, contexts_at);
    take_contexts(message, contexts, n);
}

static void take_request(struct cursor c, struct smb2_negotiated *n) /* 2.2.3 */
{
    const uint8_t *guid;
    uint32_t capabilities;

    cursor_skip(&c, 8);
    capabilities = cursor_le32(&c);
    guid = cursor_bytes(&c, GUID);
    if (!guid)
        return;
    n->client_multichannel = (capabilities & CAP_MULTI_CHANNEL) != 0;
    n->client_guid_known = true;
    memcpy(n->client_guid, guid, GUID);
}

void smb2_negotiate_decode(struct smb2_negotiated *n, const uint8_t *bytes, size_t length)
{
    struct cursor message = cursor_over(bytes, length), c = message;
    uint32_t flags;

    cursor_skip(&c, FLAGS_AT);
    flags = cursor_le32(&c);
    cursor_skip(&c, HEADER - FLAGS_AT - 4);
    if (!cursor_ok(&c))
        return;
    if (flags & FLAG_RESPONSE)
        take_response(c, message, n);
    else
        take_request(c, n);
}

/* ---- names ------------------------------------------------------------------------------------------------------------ */

static const char *name_of(const char *const *names, size_t count, unsigned id)
{
    return id < count ? names[id] : NULL;
}

/* 3.2.5.2 and 3.3.5.4: what applies without a negotiate context. */
void smb2_negotiated_names(const struct smb2_negotiated *n, struct replay_smb2 *out)
{
    enum { SMB_2_1 = 0x0210, SMB_3_0 = 0x0300, SMB_3_0_2 = 0x0302 };
    static const char *const CIPHERS[] = {NULL, "AES-128-CCM", "AES-128-GCM", "AES-256-CCM", "AES-256-GCM"};
    static const char *const SIGNING[] = {"HMAC-SHA256", "AES-128-CMAC", "AES-128-GMAC"};
    static const char *const COMPRESSION[] = {NULL, "LZNT1", "LZ77", "LZ77+Huffman", "Pattern_V1", "LZ4"};

    if (n->dialect == 0 || n->dialect == 0x02ff)
        return;
    if (n->signing_chosen)
        out->signing = name_of(SIGNING, G_N_ELEMENTS(SIGNING), n->signing);
    else
        out->signing = SIGNING[n->dialect <= SMB_2_1 ? 0 : 1];
    if (n->dialect == SMB_3_0 || n->dialect == SMB_3_0_2)
        out->cipher = CIPHERS[1];
    else if (n->dialect > SMB_3_0_2)
        out->cipher = name_of(CIPHERS, G_N_ELEMENTS(CIPHERS), n->cipher);
    for (unsigned i = 0; i < n->compressions; i++)
        out->compression[i] = name_of(COMPRESSION, G_N_ELEMENTS(COMPRESSION), n->compression[i]);
    out->multichannel = n->client_multichannel && n->server_multichannel;
}
