#include "replay/smb2.h"
#include "replay/cursor.h"
#include "replay/smb2_context.h"

#include <string.h>

enum {
    HEADER = 64,
    TRANSFORM_HEADER = 52,
    FLAG_RESPONSE = 1, /* 2.2.1.2 SMB2_FLAGS_SERVER_TO_REDIR and others */
    FLAG_SIGNED = 8,
};

static const uint64_t UNSOLICITED = UINT64_MAX; /* message id of a break notification, 2.2.23.1 */

/* 2.2.14.1 SMB2_FILEID */
static void take_file(struct cursor *c, struct smb_element *out)
{
    uint64_t persistent = cursor_le64(c), volatile_ = cursor_le64(c);

    if (!cursor_ok(c))
        return;
    out->has_file = true;
    out->file[0] = persistent;
    out->file[1] = volatile_;
}

static void decode_negotiate_response(struct cursor c, struct smb_element *out) /* 2.2.4 */
{
    uint16_t dialect;

    cursor_skip(&c, 4);
    dialect = cursor_le16(&c);
    if (cursor_ok(&c))
        out->dialect = dialect;
}

/* 2.2.13: the name is found by its offset from the header. What of it lies behind the bytes is left off. */
/* 2.2.13.2, 2.2.14.2: a list that lies in the message by offset and length. */
static void take_contexts(struct cursor *c, struct cursor message, struct smb_element *out)
{
    uint32_t at = cursor_le32(c), length = cursor_le32(c);

    if (!cursor_ok(c) || length == 0)
        return;
    cursor_skip(&message, at);
    cursor_limit(&message, length);
    if (cursor_ok(&message))
        out->contexts = smb2_create_contexts(message);
}

static void decode_create_request(struct cursor c, struct cursor message, struct smb_element *out)
{
    struct cursor whole = message;
    uint16_t at, length;

    cursor_skip(&c, 44);
    at = cursor_le16(&c);
    length = cursor_le16(&c);
    if (!cursor_ok(&c) || at > message.left)
        return;
    cursor_skip(&message, at);
    cursor_limit(&message, length);
    out->name_length = (uint16_t)(message.left & ~(size_t)1);
    out->name = cursor_bytes(&message, out->name_length);
    out->name_wide = true;
    take_contexts(&c, whole, out);
}

static void take_size(struct cursor *c, struct smb_element *out)
{
    enum { FILE_ATTRIBUTE_DIRECTORY = 0x10 };
    uint64_t size = cursor_le64(c);
    uint32_t attributes = cursor_le32(c);

    if (!cursor_ok(c))
        return;
    out->has_size = true;
    out->size = size;
    out->directory = (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
}

static void decode_create_response(struct cursor c, struct cursor message,
                                   struct smb_element *out) /* 2.2.14 */
{
    cursor_skip(&c, 48);
    out->opens = true;
    take_size(&c, out);
    cursor_skip(&c, 4);
    take_file(&c, out);
    take_contexts(&c, message, out);
}

/* 2.2.32.1: of a copy-chunk. Its control code is told again in the answer. */
static void decode_ioctl_response(struct cursor c, struct cursor message, struct smb_element *out)
{
    enum { COPYCHUNK = 0x1440f2, COPYCHUNK_WRITE = 0x1480f2 };
    uint32_t code, at, copied;

    cursor_skip(&c, 4);
    code = cursor_le32(&c);
    cursor_skip(&c, 16 + 8);
    at = cursor_le32(&c);
    if (!cursor_ok(&c) || (code != COPYCHUNK && code != COPYCHUNK_WRITE))
        return;
    cursor_skip(&message, at);
    cursor_skip(&message, 8);
    copied = cursor_le32(&message);
    out->copied = copied;
}

static void decode_close_response(struct cursor c, struct smb_element *out) /* 2.2.16 */
{
    enum { POSTQUERY_ATTRIB = 1 };

    cursor_skip(&c, 2);
    if (!(cursor_le16(&c) & POSTQUERY_ATTRIB))
        return;
    cursor_skip(&c, 44);
    take_size(&c, out);
}

static void decode_read_response(struct cursor c, struct smb_element *out) /* 2.2.20 */
{
    uint32_t data;

    cursor_skip(&c, 4);
    data = cursor_le32(&c);
    out->no_data = !cursor_ok(&c);
    if (cursor_ok(&c))
        out->data_bytes = data;
}

static void decode_write_request(struct cursor c, struct smb_element *out) /* 2.2.21 */
{
    uint32_t data;

    cursor_skip(&c, 4);
    data = cursor_le32(&c);
    out->offset = cursor_le64(&c);
    out->no_data = !cursor_ok(&c);
    if (cursor_ok(&c))
        out->data_bytes = data;
    take_file(&c, out);
}

static void decode_read_request(struct cursor c, struct smb_element *out) /* 2.2.19 */
{
    cursor_skip(&c, 4);
    out->asks = cursor_le32(&c);
    out->offset = cursor_le64(&c);
    take_file(&c, out);
}

/* Where requests that name a file have its id, from the body's first byte on; 0: they don't. */
static size_t request_file_at(uint16_t command)
{
    enum { FLUSH = COMMAND(2, 7), LOCK = COMMAND(2, 10) };

    switch (command) {
    case SMB2_CLOSE:           /* 2.2.15 */
    case FLUSH:                /* 2.2.17 */
    case LOCK:                 /* 2.2.26 */
    case SMB2_IOCTL:           /* 2.2.31 */
    case SMB2_QUERY_DIRECTORY: /* 2.2.33 */
    case SMB2_CHANGE_NOTIFY:   /* 2.2.35 */
        return 8;
    case SMB2_SET_INFO: /* 2.2.39 */
        return 16;
    case SMB2_QUERY_INFO: /* 2.2.37 */
        return 24;
    default:
        return 0;
    }
}

/* 2.2.26: a lock that doesn't ask to fail immediately waits for its turn. */
static bool lock_waits(struct cursor c)
{
    enum { UNLOCK = 4, FAIL_IMMEDIATELY = 0x10 };
    uint32_t flags;

    cursor_skip(&c, 24 + 16);
    flags = cursor_le32(&c);
    return cursor_ok(&c) && (flags & (UNLOCK | FAIL_IMMEDIATELY)) == 0;
}

/* 2.2.5 */
static bool setup_binds(struct cursor c)
{
    enum { BINDING = 1 };

    cursor_skip(&c, 2);
    return (cursor_u8(&c) & BINDING) != 0;
}

/* Which kind of a command that has several. */
static void take_subcommand(struct cursor c, struct smb_element *out)
{
    enum { FILE_TYPE = 1 << 8 };
    uint32_t type, sub;

    switch (out->command) {
    case SMB2_IOCTL: /* 2.2.31 */
        cursor_skip(&c, 4);
        sub = cursor_le32(&c);
        break;
    case SMB2_QUERY_DIRECTORY: /* 2.2.33 */
        cursor_skip(&c, 2);
        sub = FILE_TYPE | cursor_u8(&c);
        break;
    case SMB2_QUERY_INFO: /* 2.2.37 */
    case SMB2_SET_INFO:   /* 2.2.39 */
        cursor_skip(&c, 2);
        type = cursor_u8(&c);
        sub = type << 8 | cursor_u8(&c);
        break;
    default:
        return;
    }
    out->has_sub = cursor_ok(&c);
    out->sub = sub;
}

static void decode_request(struct cursor c, struct cursor message, struct smb_element *out)
{
    size_t file_at = request_file_at(out->command);

    out->one_way = out->command == SMB2_CANCEL;
    take_subcommand(c, out);
    if (out->command == SMB2_SESSION_SETUP)
        out->binds = setup_binds(c);
    out->background = out->command == SMB2_CHANGE_NOTIFY || (out->command == COMMAND(2, 10) && lock_waits(c));
    if (out->command == SMB2_WRITE) {
        decode_write_request(c, out);
    } else if (out->command == SMB2_READ) {
        decode_read_request(c, out);
    } else if (out->command == SMB2_CREATE) {
        decode_create_request(c, message, out);
    } else if (file_at > 0) {
        cursor_skip(&c, file_at);
        take_file(&c, out);
    }
}

static void decode_response(struct cursor c, struct cursor message, struct smb_element *out)
{
    enum { LEASE_BREAK = 44 }; /* structure size, 2.2.23.2 */
    struct cursor peek = c;

    out->unasked = out->command == SMB2_OPLOCK_BREAK && out->id == UNSOLICITED;
    out->lease = out->unasked && cursor_le16(&peek) == LEASE_BREAK;
    if (out->interim || out->error)
        return;
    switch (out->command) {
    case SMB2_NEGOTIATE:
        decode_negotiate_response(c, out);
        break;
    case SMB2_CREATE:
        decode_create_response(c, message, out);
        break;
    case SMB2_IOCTL:
        decode_ioctl_response(c, message, out);
        break;
    case SMB2_CLOSE:
        decode_close_response(c, out);
        break;
    case SMB2_READ:
        decode_read_response(c, out);
        break;
    default:
        break;
    }
}

/* 2.2.1 */
static enum smb_outcome decode_command(struct cursor c, uint32_t remaining, struct smb_element *out)
{
    struct cursor message = c;
    uint16_t code, structure;
    uint32_t flags;

    cursor_skip(&c, 4);
    structure = cursor_le16(&c);
    out->credit_charge = cursor_le16(&c);
    out->status = cursor_le32(&c);
    code = cursor_le16(&c);
    out->credits = cursor_le16(&c);
    flags = cursor_le32(&c);
    if (!cursor_ok(&c))
        return SMB_TRUNCATED;
    out->next = cursor_le32(&c);
    out->id = cursor_le64(&c);
    out->no_id = !cursor_ok(&c);
    cursor_skip(&c, 8);
    out->session = cursor_le64(&c);
    cursor_skip(&c, 16);
    if (structure != HEADER || code > COMMAND_CODE(SMB2_OPLOCK_BREAK))
        return SMB_MALFORMED;
    if (out->next >= remaining || (out->next > 0 && out->next < HEADER))
        out->next = 0;
    out->length = out->next;
    out->command = (uint16_t)COMMAND(2, code);
    out->response = (flags & FLAG_RESPONSE) != 0;
    out->signature = (flags & FLAG_SIGNED) != 0;
    if (!out->response) {
        out->status = 0; /* channel sequence in requests of 3.x */
        decode_request(c, message, out);
        return SMB_OK;
    }
    out->error = smb_status_is_error(out->status);
    out->interim = out->status == SMB_STATUS_PENDING;
    decode_response(c, message, out);
    return SMB_OK;
}

/* 2.2.41. The session's id is all that isn't encrypted. */
static enum smb_outcome decode_transform(struct cursor c, struct smb_element *out)
{
    cursor_skip(&c, TRANSFORM_HEADER - 8);
    out->id = cursor_le64(&c);
    out->command = COMMAND_OPAQUE;
    out->encrypted = true;
    out->opaque = true;
    return SMB_OK; /* its protocol id says it all */
}

/* 2.2.42. Clients and servers leave the headers uncompressed, so the command can mostly be read behind the compression's own
 * header: in its first `offset` bytes, or in a first chained payload that isn't compressed. */
static enum smb_outcome decode_compression(struct cursor c, uint32_t remaining, struct smb_element *out)
{
    enum { FLAG_CHAINED = 1, ALGORITHM_NONE = 0 };
    enum smb_outcome outcome = SMB_OK;
    uint16_t algorithm, flags;
    uint32_t size, plain;

    cursor_skip(&c, 4);
    size = cursor_le32(&c);
    algorithm = cursor_le16(&c);
    flags = cursor_le16(&c);
    plain = cursor_le32(&c);
    if (!cursor_ok(&c))
        return SMB_TRUNCATED;
    if (!(flags & FLAG_CHAINED))
        size += plain;
    else if (algorithm != ALGORITHM_NONE)
        plain = 0;
    if (plain >= HEADER) {
        cursor_limit(&c, plain);
        outcome = decode_command(c, remaining, out);
    }
    /* Offsets of a compound are those of the message before compression: they lead nowhere here. */
    out->next = 0;
    out->length = 0;
    out->compressed = true;
    out->original_bytes = size;
    out->compressed_bytes = remaining;
    out->hidden = plain < HEADER || outcome != SMB_OK;
    return SMB_OK;
}

enum smb_outcome smb2_decode(const uint8_t *bytes, size_t length, uint32_t remaining, struct smb_element *out)
{
    struct cursor c = cursor_over(bytes, length);
    struct cursor peek = c;
    uint8_t first = cursor_u8(&peek);
    const uint8_t *rest = cursor_bytes(&peek, 3);

    smb_element_init(out);
    if (!rest)
        return SMB_TRUNCATED;
    if (memcmp(rest, "SMB", 3) != 0)
        return SMB_MALFORMED;
    switch (first) {
    case 0xfe:
        return decode_command(c, remaining, out);
    case 0xfd:
        return decode_transform(c, out);
    case 0xfc:
        return decode_compression(c, remaining, out);
    default:
        return SMB_MALFORMED;
    }
}
