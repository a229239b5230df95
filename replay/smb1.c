#include "replay/smb1.h"
#include "replay/cursor.h"

#include <glib.h>
#include <string.h>

/* 2.2.2.1 */
enum {
    OPEN = 0x02,
    CREATE = 0x03,
    CLOSE = 0x04,
    FLUSH = 0x05,
    READ = 0x0a,
    WRITE = 0x0b,
    LOCK_AND_READ = 0x13,
    WRITE_AND_UNLOCK = 0x14,
    READ_RAW = 0x1a,
    READ_MPX = 0x1b,
    WRITE_RAW = 0x1d,
    WRITE_MPX = 0x1e,
    WRITE_AND_CLOSE = 0x2c,
    ECHO = 0x2b,
    LOCKING_ANDX = 0x24,
    TRANSACTION = 0x25,
    TRANSACTION_SECONDARY = 0x26,
    OPEN_ANDX = 0x2d,
    READ_ANDX = 0x2e,
    WRITE_ANDX = 0x2f,
    TRANSACTION2 = 0x32,
    TRANSACTION2_SECONDARY = 0x33,
    NEGOTIATE = 0x72,
    SESSION_SETUP_ANDX = 0x73,
    LOGOFF_ANDX = 0x74,
    TREE_CONNECT_ANDX = 0x75,
    NT_TRANSACT = 0xa0,
    NT_TRANSACT_SECONDARY = 0xa1,
    NT_CREATE_ANDX = 0xa2,
    NT_CANCEL = 0xa4,
    NO_ANDX = 0xff,
};

/* 2.2.3.1 */
enum {
    FLAGS_REPLY = 0x80,
    FLAGS2_SIGNATURE = 0x0004,
    FLAGS2_NT_STATUS = 0x4000,
    FLAGS2_UNICODE = 0x8000,
    HEADER = 32,
    MID_BREAK = 0xffff, /* of a break notification, 3.3.4.2 */
};

/* Sets the ids of the two protocols apart, for a connection may change from one to the other. */
static const uint64_t SMB1_ID = UINT64_C(1) << 63;

static bool is_andx(uint8_t code)
{
    switch (code) {
    case LOCKING_ANDX:
    case OPEN_ANDX:
    case READ_ANDX:
    case WRITE_ANDX:
    case SESSION_SETUP_ANDX:
    case LOGOFF_ANDX:
    case TREE_CONNECT_ANDX:
    case NT_CREATE_ANDX:
        return true;
    default:
        return false;
    }
}

static void take_file(struct cursor *c, struct smb_element *out)
{
    uint16_t fid = cursor_le16(c);

    if (!cursor_ok(c))
        return;
    out->has_file = true;
    out->file[0] = fid;
}

/* A count whose high half came later, where older versions had reserved bytes. */
static void take_data(const struct cursor *c, uint32_t low, uint32_t high, struct smb_element *out)
{
    out->no_data = !cursor_ok(c);
    if (cursor_ok(c))
        out->data_bytes = high << 16 | low;
}

/* The name of a file to open, in the bytes behind the words; `at` counts from the header, for UTF-16 begins at even places (2.2.1.1.1).
 * `format`: a byte that says "string" stands before it. */
static void take_name(struct cursor c, size_t at, bool format, struct smb_element *out)
{
    if (format) {
        cursor_skip(&c, 1);
        at++;
    }
    if (out->name_wide)
        cursor_skip(&c, at & 1);
    out->name_length = (uint16_t)MIN(c.left, UINT16_MAX);
    out->name = cursor_bytes(&c, out->name_length);
}

/* Of data in its file; the high half stands behind the other words, where there is one. */
static void take_offset(struct cursor *c, uint64_t low, struct smb_element *out)
{
    uint64_t high = c->left >= 4 ? cursor_le32(c) : 0;

    out->offset = high << 32 | low;
}

static void decode_read_andx_request(struct cursor c, struct smb_element *out) /* 2.2.4.42.1 */
{
    uint64_t offset;
    uint32_t low, high;

    take_file(&c, out);
    offset = cursor_le32(&c);
    low = cursor_le16(&c);
    cursor_skip(&c, 2);
    high = cursor_le32(&c);
    out->asks = high > UINT16_MAX ? low : high << 16 | low; /* or a timeout, in clients without large reads */
    cursor_skip(&c, 2);
    take_offset(&c, offset, out);
}

/* ---- requests: `c` is over the parameter words, after an AndX block where there is one ------------------------- */

static void decode_write_andx_request(struct cursor c, struct smb_element *out) /* 2.2.4.43.1 */
{
    uint32_t low, high;
    uint64_t offset;

    take_file(&c, out);
    offset = cursor_le32(&c);
    cursor_skip(&c, 8);
    high = cursor_le16(&c);
    low = cursor_le16(&c);
    take_data(&c, low, high, out);
    cursor_skip(&c, 2);
    take_offset(&c, offset, out);
}

static void decode_write_request(struct cursor c, struct smb_element *out) /* 2.2.4.12.1 */
{
    uint32_t count;

    take_file(&c, out);
    count = cursor_le16(&c);
    take_data(&c, count, 0, out);
    out->offset = cursor_le32(&c);
}

static void decode_read_request(struct cursor c, struct smb_element *out) /* 2.2.4.11.1 */
{
    take_file(&c, out);
    out->asks = cursor_le16(&c);
    out->offset = cursor_le32(&c);
}

static void decode_read_raw_request(struct cursor c, struct smb_element *out) /* 2.2.4.22.1, 2.2.4.23.1 */
{
    uint64_t offset;

    take_file(&c, out);
    offset = cursor_le32(&c);
    out->asks = cursor_le16(&c);
    cursor_skip(&c, 2 + 4 + 2);
    take_offset(&c, offset, out);
}

/* 2.2.4.25.1: it may bring the first of its data along. */
static void decode_write_raw_request(struct cursor c, struct smb_element *out)
{
    uint32_t data;

    take_file(&c, out);
    cursor_skip(&c, 4);
    out->offset = cursor_le32(&c);
    cursor_skip(&c, 4 + 2 + 4);
    data = cursor_le16(&c);
    take_data(&c, data, 0, out);
}

static void decode_write_mpx_request(struct cursor c, struct smb_element *out) /* 2.2.4.26.1 */
{
    uint32_t data;

    take_file(&c, out);
    cursor_skip(&c, 4);
    out->offset = cursor_le32(&c);
    cursor_skip(&c, 4 + 2 + 4);
    data = cursor_le16(&c);
    take_data(&c, data, 0, out);
}

static void decode_locking_request(struct cursor c, struct smb_element *out) /* 2.2.4.32.1 */
{
    enum { OPLOCK_RELEASE = 2 };
    uint8_t type;
    uint32_t timeout, unlocks, locks;

    take_file(&c, out);
    type = cursor_u8(&c);
    cursor_skip(&c, 1);
    timeout = cursor_le32(&c);
    unlocks = cursor_le16(&c);
    locks = cursor_le16(&c);
    if (!cursor_ok(&c))
        return;
    out->background = timeout != 0;
    out->one_way = (type & OPLOCK_RELEASE) != 0 && locks == 0 && unlocks == 0;
}

static void decode_transaction_request(struct cursor c, struct smb_element *out) /* 2.2.4.33.1 */
{
    enum { NO_RESPONSE = 2 };
    uint16_t flags, function;
    uint8_t setups;

    cursor_skip(&c, 10);
    flags = cursor_le16(&c);
    out->one_way = cursor_ok(&c) && (flags & NO_RESPONSE) != 0;
    cursor_skip(&c, 4 + 2 + 8);
    setups = cursor_u8(&c);
    cursor_skip(&c, 1);
    function = cursor_le16(&c);
    out->has_sub = cursor_ok(&c) && setups > 0 && out->command == SMB1_TRANSACTION2;
    out->sub = out->has_sub ? function : 0;
}

static void decode_nt_transact_request(struct cursor c, struct smb_element *out) /* 2.2.4.62.1 */
{
    enum { NOTIFY_CHANGE = 4 };
    uint16_t function;

    cursor_skip(&c, 36);
    function = cursor_le16(&c);
    out->background = cursor_ok(&c) && function == NOTIFY_CHANGE;
    out->has_sub = cursor_ok(&c);
    out->sub = function;
}

/* `bytes` is over what stands behind the words, `at` its place from the header on. */
static void decode_request(struct cursor c, struct cursor bytes, size_t at, uint8_t code,
                           struct smb_element *out)
{
    switch (code) {
    case OPEN:
    case CREATE:
        take_name(bytes, at, true, out);
        break;
    case OPEN_ANDX:
    case NT_CREATE_ANDX:
        take_name(bytes, at, false, out);
        break;
    case CLOSE:
    case FLUSH:
        take_file(&c, out);
        break;
    case READ:
    case LOCK_AND_READ:
        decode_read_request(c, out);
        break;
    case READ_RAW:
    case READ_MPX:
        decode_read_raw_request(c, out);
        break;
    case WRITE_RAW:
        decode_write_raw_request(c, out);
        break;
    case WRITE_MPX:
        decode_write_mpx_request(c, out);
        break;
    case ECHO:
        out->replies = cursor_le16(&c); /* 2.2.4.39.1 */
        out->one_way = cursor_ok(&c) && out->replies == 0;
        break;
    case READ_ANDX:
        decode_read_andx_request(c, out);
        break;
    case WRITE:
    case WRITE_AND_UNLOCK:
    case WRITE_AND_CLOSE:
        decode_write_request(c, out);
        break;
    case WRITE_ANDX:
        decode_write_andx_request(c, out);
        break;
    case LOCKING_ANDX:
        decode_locking_request(c, out);
        break;
    case TRANSACTION:
    case TRANSACTION2:
        decode_transaction_request(c, out);
        break;
    case NT_TRANSACT:
        decode_nt_transact_request(c, out);
        break;
    default:
        break;
    }
}

/* ---- responses --------------------------------------------------------------------------------------------------- */

static void decode_read_andx_response(struct cursor c, struct smb_element *out) /* 2.2.4.42.2 */
{
    uint32_t low, high;

    cursor_skip(&c, 6);
    low = cursor_le16(&c);
    cursor_skip(&c, 2);
    high = cursor_le16(&c); /* [MS-SMB] 2.2.4.2.2 */
    take_data(&c, low, high, out);
}

/* 2.2.4.33.2 and 2.2.4.62.2: a part of the answer; `wide` in the 32-bit fields of NT_TRANSACT. */
static void decode_transaction_response(struct cursor c, bool wide, struct smb_element *out)
{
    uint32_t total[2], count[2], displacement[2];

    if (wide)
        cursor_skip(&c, 3);
    for (int i = 0; i < 2; i++)
        total[i] = wide ? cursor_le32(&c) : cursor_le16(&c);
    if (!wide)
        cursor_skip(&c, 2);
    for (int i = 0; i < 2; i++) {
        count[i] = wide ? cursor_le32(&c) : cursor_le16(&c);
        cursor_skip(&c, wide ? 4 : 2);
        displacement[i] = wide ? cursor_le32(&c) : cursor_le16(&c);
    }
    if (!cursor_ok(&c))
        return;
    for (int i = 0; i < 2; i++)
        out->more |= (uint64_t)displacement[i] + count[i] < total[i];
}

static void take_size(const struct cursor *c, uint64_t size, struct smb_element *out)
{
    if (!cursor_ok(c))
        return;
    out->has_size = true;
    out->size = size;
}

/* 2.2.4.3.2, and 2.2.4.41.2 behind the AndX block: attributes and a time stand between. CREATE says no size. */
static void decode_open_response(struct cursor c, bool sized, struct smb_element *out)
{
    uint32_t size;

    take_file(&c, out);
    out->opens = true;
    cursor_skip(&c, 6);
    size = cursor_le32(&c);
    if (sized)
        take_size(&c, size, out);
}

static void decode_nt_create_response(struct cursor c, struct smb_element *out) /* 2.2.4.64.2 */
{
    uint64_t size;

    cursor_skip(&c, 1);
    take_file(&c, out);
    out->opens = true;
    cursor_skip(&c, 4 + 32 + 4 + 8);
    size = cursor_le64(&c);
    cursor_skip(&c, 4);
    take_size(&c, size, out);
    out->directory = cursor_u8(&c) != 0;
}

static void decode_response(struct cursor c, uint8_t code, struct smb_element *out)
{
    uint16_t value;

    switch (code) {
    case NEGOTIATE: /* 2.2.4.52.2: the index that was chosen, or none */
        value = cursor_le16(&c);
        if (cursor_ok(&c) && value != 0xffff)
            out->dialect = SMB_DIALECT_1;
        break;
    case OPEN:
    case OPEN_ANDX:
    case CREATE:
        decode_open_response(c, code != CREATE, out);
        break;
    case NT_CREATE_ANDX:
        decode_nt_create_response(c, out);
        break;
    case WRITE_RAW: /* 2.2.4.25.3: send the rest; WRITE_COMPLETE answers in the end */
        out->interim = !out->error;
        break;
    case READ_MPX: /* 2.2.4.23.2 */
        cursor_skip(&c, 10);
        value = cursor_le16(&c);
        take_data(&c, value, 0, out);
        break;
    case LOCK_AND_READ: /* 2.2.4.20.2 */
    case READ:          /* 2.2.4.11.2 */
        value = cursor_le16(&c);
        take_data(&c, value, 0, out);
        break;
    case READ_ANDX:
        decode_read_andx_response(c, out);
        break;
    case TRANSACTION:
    case TRANSACTION2:
        decode_transaction_response(c, false, out);
        break;
    case NT_TRANSACT:
        decode_transaction_response(c, true, out);
        break;
    default:
        break;
    }
}

/* What the code alone says of a request, whether or not its parameters were captured. */
static void note_kind(uint8_t code, uint16_t mid, struct smb_element *out)
{
    out->unasked = code == LOCKING_ANDX && mid == MID_BREAK;
    out->one_way = code == NT_CANCEL; /* 2.2.4.65 */
    out->secondary =
        code == TRANSACTION_SECONDARY || code == TRANSACTION2_SECONDARY || code == NT_TRANSACT_SECONDARY;
}

static bool has_interim(uint8_t code)
{
    return code == TRANSACTION || code == TRANSACTION2 || code == NT_TRANSACT;
}

/* ---- headers -------------------------------------------------------------------------------------------------------- */

/* 2.2.3.2: a count of words and the words, which start with an AndX block (2.2.3.4) in commands that have one. An error's
 * response has no words. */
static void decode_parameters(struct cursor c, size_t at, struct smb_element *out)
{
    uint8_t code = (uint8_t)COMMAND_CODE(out->command);
    uint8_t words = cursor_u8(&c);
    struct cursor bytes = c;
    uint16_t count;

    if (!cursor_ok(&c)) {
        out->no_data =
            out->response ? command_is_read(out->command) && !out->error : command_is_write(out->command);
        return;
    }
    if (words == 0) {
        out->interim = out->response && !out->error && has_interim(code);
        return;
    }
    cursor_limit(&c, (size_t)words * 2);
    cursor_skip(&bytes, (size_t)words * 2);
    count = cursor_le16(&bytes);
    cursor_limit(&bytes, count);
    if (is_andx(code)) {
        uint8_t next = cursor_u8(&c);
        uint32_t next_at;

        cursor_skip(&c, 1);
        next_at = cursor_le16(&c);
        if (cursor_ok(&c) && next != NO_ANDX && next_at > 0) {
            out->next_command = (uint16_t)COMMAND(1, next);
            out->next = next_at;
        }
    }
    if (out->response)
        decode_response(c, code, out);
    else
        decode_request(c, bytes, at + 1 + (size_t)words * 2 + 2, code, out);
}

static bool any_set(const uint8_t *bytes, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (bytes[i])
            return true;
    }
    return false;
}

enum smb_outcome smb1_decode(const uint8_t *bytes, size_t length, struct smb_element *out)
{
    struct cursor c = cursor_over(bytes, length);
    const uint8_t *protocol = cursor_bytes(&c, 4);
    const uint8_t *signature;
    uint8_t code, flags;
    uint16_t flags2, mid;
    uint64_t pid_high, pid_low;

    smb_element_init(out);
    code = cursor_u8(&c);
    out->status = cursor_le32(&c);
    flags = cursor_u8(&c);
    flags2 = cursor_le16(&c);
    if (!cursor_ok(&c))
        return SMB_TRUNCATED;
    pid_high = cursor_le16(&c);
    signature = cursor_bytes(&c, 8);
    cursor_skip(&c, 4);
    pid_low = cursor_le16(&c);
    cursor_skip(&c, 2);
    mid = cursor_le16(&c);
    out->no_id = !cursor_ok(&c);
    if (memcmp(protocol, "\xffSMB", 4) != 0)
        return SMB_MALFORMED;
    out->command = (uint16_t)COMMAND(1, code);
    out->response = (flags & FLAGS_REPLY) != 0;
    out->id = SMB1_ID | pid_high << 32 | pid_low << 16 | mid;
    out->signature = (flags2 & FLAGS2_SIGNATURE) != 0 && signature && any_set(signature, 8);
    if (out->response) {
        out->error = flags2 & FLAGS2_NT_STATUS ? smb_status_is_error(out->status) : (out->status & 0xff) != 0;
    } else {
        out->status = 0;
        note_kind(code, mid, out);
    }
    out->name_wide = (flags2 & FLAGS2_UNICODE) != 0;
    decode_parameters(c, HEADER, out);
    return SMB_OK;
}

enum smb_outcome smb1_decode_andx(const uint8_t *bytes, size_t length, const struct smb_element *before,
                                  struct smb_element *out)
{
    smb_element_init(out);
    if (length == 0)
        return SMB_TRUNCATED;
    out->command = before->next_command;
    out->response = before->response;
    out->id = before->id;
    out->status = before->status;
    out->error = before->error;
    out->name_wide = before->name_wide;
    decode_parameters(cursor_over(bytes, length), before->next, out);
    return SMB_OK;
}
