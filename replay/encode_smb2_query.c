#include "replay/encode_smb2.h"

/* Information classes, [MS-FSCC] 2.4. */
enum {
    CLASS_BASIC = 4,
    CLASS_STANDARD = 5,
    CLASS_INTERNAL = 6,
    CLASS_EA = 7,
    CLASS_NAMES = 12,
    CLASS_DISPOSITION = 13,
    CLASS_ALL = 18,
    CLASS_END_OF_FILE = 20,
    CLASS_STREAM = 22,
    CLASS_NETWORK_OPEN = 34,
    CLASS_ID_BOTH_DIRECTORY = 37,
};

enum { ALL_FIXED = 100, STREAM_FIXED = 24, ENTRY_FIXED = 104, NAMES_FIXED = 12, BUFFER_BODY = 8 };

static void times(struct pdu *p)
{
    for (int i = 0; i < 4; i++)
        pdu_le64(p, ENCODE_FILETIME);
}

static void basic(struct pdu *p) /* 2.4.7 */
{
    times(p);
    pdu_le32(p, 0x80);
    pdu_le32(p, 0);
}

static void standard(struct pdu *p, int64_t size) /* 2.4.41 */
{
    pdu_le64(p, encode_allocation(size));
    pdu_le64(p, (uint64_t)size);
    pdu_le32(p, 1);
    pdu_le32(p, 0);
}

/* ---- QUERY_INFO ----------------------------------------------------------------------------------------------------- */

/* The class whose record takes up `bytes` best. */
static uint32_t class_for(size_t bytes)
{
    if (bytes >= ALL_FIXED + 2)
        return CLASS_ALL;
    if (bytes == 56)
        return CLASS_NETWORK_OPEN;
    if (bytes == 40)
        return CLASS_BASIC;
    if (bytes >= STREAM_FIXED + 2)
        return CLASS_STREAM;
    if (bytes == 24)
        return CLASS_STANDARD;
    return bytes >= 8 ? CLASS_INTERNAL : CLASS_EA;
}

void encode_smb2_query_info_request(struct encode_call *c) /* 2.2.37 */
{
    uint32_t head = SMB2_BODY + BUFFER_BODY, answer = c->x->response_bytes;
    struct pdu *p = c->out;

    c->p->variant = c->p->fails ? CLASS_ALL : class_for(answer > head ? answer - head : 0);
    c->p->handle = encode_open_of(c->e, c->x->file)->handle;
    pdu_le16(p, 41);
    pdu_u8(p, 1); /* of a file */
    pdu_u8(p, c->p->variant);
    pdu_le32(p, MAX(answer, 1024));
    pdu_le16(p, 0);
    pdu_le16(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    encode_smb2_handle(p, c->p->handle);
}

static void all_information(struct encode_call *c, size_t bytes) /* [MS-FSCC] 2.4.2 */
{
    struct pdu *p = c->out;
    size_t name = (bytes - ALL_FIXED) / 2 * 2;

    basic(p);
    standard(p, encode_file_size(c->e, c->x->file));
    pdu_le64(p, c->p->handle);
    pdu_le32(p, 0);
    pdu_le32(p, 0x0012019f);
    pdu_le64(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, name);
    encode_name(p, name / 2, c->x->file, true);
}

static void stream_information(struct encode_call *c, size_t bytes) /* 2.4.43 */
{
    struct pdu *p = c->out;
    size_t name = (bytes - STREAM_FIXED) / 2 * 2;
    int64_t size = encode_file_size(c->e, c->x->file);

    pdu_le32(p, 0);
    pdu_le32(p, name);
    pdu_le64(p, (uint64_t)size);
    pdu_le64(p, encode_allocation(size));
    encode_name(p, name / 2, c->x->file, true);
}

static void network_open(struct encode_call *c) /* 2.4.29 */
{
    int64_t size = encode_file_size(c->e, c->x->file);

    times(c->out);
    pdu_le64(c->out, encode_allocation(size));
    pdu_le64(c->out, (uint64_t)size);
    pdu_le32(c->out, 0x80);
    pdu_le32(c->out, 0);
}

static void information(struct encode_call *c, size_t bytes)
{
    switch (c->p->variant) {
    case CLASS_ALL:
        all_information(c, bytes);
        break;
    case CLASS_STREAM:
        stream_information(c, bytes);
        break;
    case CLASS_NETWORK_OPEN:
        network_open(c);
        break;
    case CLASS_BASIC:
        basic(c->out);
        break;
    case CLASS_STANDARD:
        standard(c->out, encode_file_size(c->e, c->x->file));
        break;
    case CLASS_INTERNAL:
        pdu_le64(c->out, c->p->handle);
        break;
    default: /* CLASS_EA */
        pdu_le32(c->out, 0);
        break;
    }
}

/* The fixed part of a response that carries a buffer; its length is filled in when it is known. */
static size_t begin_buffer(struct pdu *p)
{
    pdu_le16(p, 9);
    pdu_le16(p, encode_smb2_offset(p, 6));
    pdu_le32(p, 0);
    return p->at;
}

static void end_buffer(struct pdu *p, size_t begin)
{
    struct pdu length = pdu_over(p->bytes, p->size);

    length.at = begin - 4;
    pdu_le32(&length, p->at - begin);
}

void encode_smb2_query_info_response(struct encode_call *c) /* 2.2.38 */
{
    size_t begin = begin_buffer(c->out);

    information(c, pdu_left(c->out));
    end_buffer(c->out, begin);
}

/* ---- SET_INFO --------------------------------------------------------------------------------------------------------- */

void encode_smb2_set_info_request(struct encode_call *c) /* 2.2.39 */
{
    enum { FIXED = 32 };
    struct pdu *p = c->out;
    size_t room = pdu_left(p) - FIXED;
    unsigned class = room >= 40 ? CLASS_BASIC : room >= 8 ? CLASS_END_OF_FILE : CLASS_DISPOSITION;

    pdu_le16(p, 33);
    pdu_u8(p, 1); /* of a file */
    pdu_u8(p, class);
    pdu_le32(p, class == CLASS_BASIC ? 40 : class == CLASS_END_OF_FILE ? 8 : 1);
    pdu_le16(p, SMB2_HEADER + FIXED);
    pdu_le16(p, 0);
    pdu_le32(p, 0);
    encode_smb2_handle(p, encode_open_of(c->e, c->x->file)->handle);
    if (class == CLASS_BASIC)
        basic(p);
    else if (class == CLASS_END_OF_FILE)
        pdu_le64(p, (uint64_t)encode_file_size(c->e, c->x->file));
    else
        pdu_u8(p, 0); /* not to be deleted */
}

/* ---- QUERY_DIRECTORY ---------------------------------------------------------------------------------------------------- */

void encode_smb2_directory_request(struct encode_call *c) /* 2.2.33 */
{
    struct pdu *p = c->out;
    size_t pattern = (pdu_left(p) - 32) / 2 * 2;
    uint32_t answer = c->x->response_bytes;

    c->p->variant = answer >= SMB2_BODY + BUFFER_BODY + ENTRY_FIXED + 2 || c->p->fails
                        ? CLASS_ID_BOTH_DIRECTORY
                        : CLASS_NAMES;
    pdu_le16(p, 33);
    pdu_u8(p, c->p->variant);
    pdu_u8(p, 0);
    pdu_le32(p, 0);
    encode_smb2_handle(p, ENCODE_FOLDER);
    pdu_le16(p, SMB2_HEADER + 32);
    pdu_le16(p, pattern);
    pdu_le32(p, MAX(answer, 65536));
    if (pattern == 2)
        pdu_le16(p, '*');
    else
        encode_name(p, pattern / 2, c->x->file, true);
}

static void directory_entry(struct pdu *p, size_t next, size_t name, uint32_t number, bool names_only)
{
    pdu_le32(p, next);
    pdu_le32(p, number);
    if (names_only) { /* [MS-FSCC] 2.4.28 */
        pdu_le32(p, name);
    } else { /* 2.4.17 */
        times(p);
        pdu_le64(p, 0);
        pdu_le64(p, 0);
        pdu_le32(p, 0x80);
        pdu_le32(p, name);
        pdu_zeros(p, 4 + 2 + 24 + 2); /* no extended attributes, no short name */
        pdu_le64(p, number);
    }
    encode_name(p, name / 2, number, true);
}

/* Entries with names of sixteen characters, and one at the end that takes what is left. */
void encode_smb2_directory_response(struct encode_call *c) /* 2.2.34 */
{
    enum { NAME = 32 };
    bool names_only = c->p->variant == CLASS_NAMES;
    size_t fixed = names_only ? NAMES_FIXED : ENTRY_FIXED, step = (fixed + NAME + 7) / 8 * 8;
    struct pdu *p = c->out;
    size_t begin = begin_buffer(p);
    uint32_t number = c->x->file;

    while (pdu_left(p) >= step + fixed + 2) {
        size_t entry = p->at;

        directory_entry(p, step, NAME, number++, names_only);
        pdu_pad_to(p, entry + step);
    }
    directory_entry(p, 0, (pdu_left(p) - fixed) / 2 * 2, number, names_only);
    end_buffer(p, begin);
}

/* ---- CHANGE_NOTIFY -------------------------------------------------------------------------------------------------------- */

void encode_smb2_notify_request(struct encode_call *c) /* 2.2.35 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 32);
    pdu_le16(p, 0);
    pdu_le32(p, 65536);
    encode_smb2_handle(p, ENCODE_FOLDER);
    pdu_le32(p, 0x17); /* names, attributes, sizes */
    pdu_le32(p, 0);
}

void encode_smb2_notify_response(struct encode_call *c) /* 2.2.36, [MS-FSCC] 2.7.1 */
{
    struct pdu *p = c->out;
    size_t begin = begin_buffer(p), name = (pdu_left(p) - 12) / 2 * 2;

    pdu_le32(p, 0);
    pdu_le32(p, 3); /* modified */
    pdu_le32(p, name);
    encode_name(p, name / 2, c->x->file, true);
    end_buffer(p, begin);
}

/* ---- IOCTL ------------------------------------------------------------------------------------------------------------------ */

enum {
    IOCTL_DFS_REFERRALS = 0x00060194,
    IOCTL_VALIDATE_NEGOTIATE = 0x00140204,
    IOCTL_INTERFACES = 0x001401fc,
};

enum { IOCTL_REQUEST = 56, IOCTL_RESPONSE = 48, VALIDATE_INPUT = 24, VALIDATE_OUTPUT = 24, INTERFACE = 152 };

/* A question with a name is for a DFS referral, one without for the interfaces; dialects are checked again in answers of just that
 * size. */
static uint32_t control_code(size_t input, uint32_t answer)
{
    if (input >= VALIDATE_INPUT + 2 && answer == SMB2_BODY + IOCTL_RESPONSE + VALIDATE_OUTPUT)
        return IOCTL_VALIDATE_NEGOTIATE;
    return input >= 4 ? IOCTL_DFS_REFERRALS : IOCTL_INTERFACES;
}

static void validate_input(struct encode_call *c, size_t input) /* 2.2.31.4 */
{
    size_t dialects = (input - VALIDATE_INPUT) / 2;

    pdu_le32(c->out, 0x7f);
    pdu_bytes(c->out, "copytrial-client", 16);
    pdu_le16(c->out, 1);
    pdu_le16(c->out, dialects);
    for (size_t i = 0; i < dialects; i++)
        pdu_le16(c->out, (uint64_t)c->e->setup.dialect);
}

static void dfs_input(struct encode_call *c, size_t input) /* [MS-DFSC] 2.2.2 */
{
    size_t characters = (input - 4) / 2;

    pdu_le16(c->out, 4);
    encode_share(c->out, characters, true);
    pdu_le16(c->out, 0);
}

void encode_smb2_ioctl_request(struct encode_call *c) /* 2.2.31 */
{
    struct pdu *p = c->out;
    size_t input = pdu_left(p) - IOCTL_REQUEST;
    uint32_t code = control_code(input, c->x->response_bytes);

    input = code == IOCTL_INTERFACES ? 0 : input / 2 * 2;
    c->p->variant = code;
    pdu_le16(p, 57);
    pdu_le16(p, 0);
    pdu_le32(p, code);
    encode_smb2_handle(p, UINT64_MAX); /* of no file */
    pdu_le32(p, SMB2_HEADER + IOCTL_REQUEST);
    pdu_le32(p, input);
    pdu_le32(p, 0);
    pdu_le32(p, SMB2_HEADER + IOCTL_REQUEST);
    pdu_le32(p, 0);
    pdu_le32(p, MAX(c->x->response_bytes, 4096));
    pdu_le32(p, 1); /* a file system control */
    pdu_le32(p, 0);
    if (code == IOCTL_VALIDATE_NEGOTIATE)
        validate_input(c, input);
    else if (code == IOCTL_DFS_REFERRALS)
        dfs_input(c, input);
}

static void interface_entry(struct pdu *p, uint32_t index, bool last) /* 2.2.32.5 */
{
    pdu_le32(p, last ? 0 : INTERFACE);
    pdu_le32(p, index);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    pdu_le64(p, 1000000000); /* bit/s */
    pdu_le16(p, 2);          /* IPv4 */
    pdu_be16(p, 0);
    pdu_be32(p, 0xc0000202); /* 192.0.2.2 */
    pdu_zeros(p, 120);
}

/* Bytes of the answer's output. */
static size_t write_output(struct encode_call *c, size_t room)
{
    struct pdu *p = c->out;
    size_t entries = room / INTERFACE;

    if (c->p->variant == IOCTL_VALIDATE_NEGOTIATE) { /* 2.2.32.6 */
        pdu_le32(p, 7);
        pdu_bytes(p, "copytrial-server", 16);
        pdu_le16(p, 1);
        pdu_le16(p, (uint64_t)c->e->setup.dialect);
        return VALIDATE_OUTPUT;
    }
    if (c->p->variant == IOCTL_DFS_REFERRALS) {
        pdu_zeros(p, room >= 8 ? 8 : 0); /* no referral: [MS-DFSC] 2.2.4 */
        return room >= 8 ? 8 : 0;
    }
    for (size_t i = 0; i < entries; i++)
        interface_entry(p, (uint32_t)i + 1, i + 1 == entries);
    return entries * INTERFACE;
}

void encode_smb2_ioctl_response(struct encode_call *c) /* 2.2.32 */
{
    struct pdu *p = c->out;
    struct pdu length = pdu_over(p->bytes, p->size);
    size_t output;

    pdu_le16(p, 49);
    pdu_le16(p, 0);
    pdu_le32(p, c->p->variant);
    encode_smb2_handle(p, UINT64_MAX);
    pdu_le32(p, SMB2_HEADER + IOCTL_RESPONSE);
    pdu_le32(p, 0);
    pdu_le32(p, SMB2_HEADER + IOCTL_RESPONSE);
    length.at = p->at;
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    output = write_output(c, pdu_left(p));
    pdu_le32(&length, output);
}
