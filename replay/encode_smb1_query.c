/* TRANSACTION2: which question it is follows from the lengths. A request with just a file id asks about an open file; one with
 * a name searches the folder for it when the answer has room for an entry, else asks about the path. */
#include "replay/encode_smb1.h"

enum { FIND_FIRST2 = 1, QUERY_PATH = 5, QUERY_FILE = 7 };
enum { LEVEL_STANDARD = 0x102, LEVEL_BASIC = 0x101, LEVEL_EA = 0x103, LEVEL_BOTH_DIRECTORY = 0x104 };
enum { LEVEL_STREAM = 0x109, LEVEL_INTERNAL = 1006 };

/* Offsets in the message, framing included: 2.2.4.46. */
enum { REQUEST_PARAMETERS = ENCODE_PREFIX + 68, RESPONSE_PARAMETERS = ENCODE_PREFIX + 56 };
enum { QUERY_DATA = RESPONSE_PARAMETERS + 4, FIND_DATA = RESPONSE_PARAMETERS + 12 };
enum { PATH_PARAMETERS = 6, FILE_PARAMETERS = 4, FIND_PARAMETERS = 12, ENTRY_FIXED = 94, STREAM_FIXED = 24 };

static uint32_t level_for(size_t data)
{
    if (data == 40)
        return LEVEL_BASIC;
    if (data >= STREAM_FIXED + 2)
        return LEVEL_STREAM;
    if (data >= 22)
        return LEVEL_STANDARD;
    return data >= 8 ? LEVEL_INTERNAL : LEVEL_EA;
}

static uint32_t subcommand_of(const struct encode_call *c)
{
    uint32_t request = c->x->request_bytes, answer = c->x->response_bytes;

    if (request < REQUEST_PARAMETERS + PATH_PARAMETERS + 2)
        return QUERY_FILE;
    if (request >= REQUEST_PARAMETERS + FIND_PARAMETERS + 2 && answer >= FIND_DATA + ENTRY_FIXED + 2)
        return FIND_FIRST2;
    return QUERY_PATH;
}

static void request_words(struct pdu *p, uint32_t subcommand, size_t parameters)
{
    pdu_u8(p, 15);
    pdu_le16(p, parameters);
    pdu_le16(p, 0);
    pdu_le16(p, 10);
    pdu_le16(p, 16384);
    pdu_u8(p, 0);
    pdu_u8(p, 0);
    pdu_le16(p, 0);
    pdu_le32(p, 0);
    pdu_le16(p, 0);
    pdu_le16(p, parameters);
    pdu_le16(p, REQUEST_PARAMETERS - ENCODE_PREFIX);
    pdu_le16(p, 0);
    pdu_le16(p, 0);
    pdu_u8(p, 1);
    pdu_u8(p, 0);
    pdu_le16(p, subcommand);
    encode_smb1_byte_count(p);
    pdu_pad_to(p, REQUEST_PARAMETERS);
}

void encode_smb1_transaction2_request(struct encode_call *c)
{
    uint32_t subcommand = subcommand_of(c), answer = c->x->response_bytes;
    uint32_t level = level_for(answer > QUERY_DATA ? answer - QUERY_DATA : 0);
    struct pdu *p = c->out;
    size_t parameters = p->size - REQUEST_PARAMETERS;

    /* Both are needed for the answer. */
    c->p->variant = subcommand == FIND_FIRST2 ? LEVEL_BOTH_DIRECTORY : level;
    if (subcommand == QUERY_FILE)
        parameters = FILE_PARAMETERS;
    request_words(p, subcommand, parameters);
    switch (subcommand) {
    case QUERY_FILE: /* 2.2.6.8.1 */
        pdu_le16(p, encode_smb1_fid(encode_open_of(c->e, c->x->file)->handle));
        pdu_le16(p, level);
        return;
    case FIND_FIRST2: /* 2.2.6.2.1 */
        pdu_le16(p, 0x16);
        pdu_le16(p, 100);
        pdu_le16(p, 1); /* close after this */
        pdu_le16(p, LEVEL_BOTH_DIRECTORY);
        pdu_le32(p, 0);
        break;
    default: /* 2.2.6.6.1 */
        pdu_le16(p, level);
        pdu_le32(p, 0);
        break;
    }
    encode_name(p, pdu_left(p) - 1, c->x->file, false);
    pdu_zeros(p, 1);
}

static void response_words(struct pdu *p, size_t parameters, size_t data_at)
{
    size_t data = p->size - data_at;

    pdu_u8(p, 10);
    pdu_le16(p, parameters);
    pdu_le16(p, data);
    pdu_le16(p, 0);
    pdu_le16(p, parameters);
    pdu_le16(p, RESPONSE_PARAMETERS - ENCODE_PREFIX);
    pdu_le16(p, 0);
    pdu_le16(p, data);
    pdu_le16(p, data_at - ENCODE_PREFIX);
    pdu_le16(p, 0);
    pdu_u8(p, 0);
    pdu_u8(p, 0);
    encode_smb1_byte_count(p);
    pdu_pad_to(p, RESPONSE_PARAMETERS);
}

static void times(struct pdu *p)
{
    for (int i = 0; i < 4; i++)
        pdu_le64(p, ENCODE_FILETIME);
}

static void found_entry(struct encode_call *c) /* 2.2.6.2.2, 2.2.8.1.7 */
{
    int64_t size = encode_file_size(c->e, c->x->file);
    struct pdu *p = c->out;
    size_t name;

    response_words(p, 10, FIND_DATA);
    pdu_le16(p, 0);
    pdu_le16(p, 1); /* one entry, and it is the last */
    pdu_le16(p, 1);
    pdu_le16(p, 0);
    pdu_le16(p, 0);
    pdu_pad_to(p, FIND_DATA);
    name = pdu_left(p) - ENTRY_FIXED;
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    times(p);
    pdu_le64(p, (uint64_t)size);
    pdu_le64(p, encode_allocation(size));
    pdu_le32(p, 0x80);
    pdu_le32(p, name);
    pdu_zeros(p, 4 + 2 + 24);
    encode_name(p, name, c->x->file, false);
}

static void information(struct encode_call *c) /* 2.2.6.6.2, 2.2.8.3 */
{
    int64_t size = encode_file_size(c->e, c->x->file);
    struct pdu *p = c->out;
    size_t name;

    response_words(p, 2, QUERY_DATA);
    pdu_pad_to(p, QUERY_DATA);
    switch (c->p->variant) {
    case LEVEL_BASIC:
        times(p);
        pdu_le32(p, 0x80);
        break;
    case LEVEL_STREAM:
        name = pdu_left(p) - STREAM_FIXED;
        pdu_le32(p, 0);
        pdu_le32(p, name);
        pdu_le64(p, (uint64_t)size);
        pdu_le64(p, encode_allocation(size));
        encode_name(p, name, c->x->file, false);
        break;
    case LEVEL_STANDARD:
        pdu_le64(p, encode_allocation(size));
        pdu_le64(p, (uint64_t)size);
        pdu_le32(p, 1);
        break;
    default: /* an internal number, or no extended attributes */
        break;
    }
}

void encode_smb1_transaction2_response(struct encode_call *c)
{
    if (c->p->variant == LEVEL_BOTH_DIRECTORY)
        found_entry(c);
    else
        information(c);
}
