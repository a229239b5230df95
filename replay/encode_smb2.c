#include "replay/encode_smb2.h"
#include "sim/smb_cost.h"

enum { CODE_LOGOFF = 2, CODE_UNTREE = 4, CODE_TREE = 3, CODE_FLUSH = 7, CODE_LOCK = 10, CODE_IOCTL = 11 };
enum { CODE_ECHO = 13, CODE_DIRECTORY = 14, CODE_QUERY_INFO = 16, CODE_SET_INFO = 17 };
enum { FLAG_RESPONSE = 1, FLAG_SIGNED = 8 };

/* ---- headers: 2.2.1.2 --------------------------------------------------------------------------------------------- */

/* Counted from 2.1 on: 3.1.5.2. In 2.0.2 the field is reserved. */
static uint16_t credit_charge(const struct encode_call *c)
{
    return c->e->setup.dialect < ENCODE_SMB_2_1 ? 0 : (uint16_t)smb_credit_charge(c->x);
}

static void write_header(struct encode_call *c, uint32_t status, uint32_t flags, uint16_t charge)
{
    bool is_signed = (c->x->flags & EXCHANGE_SIGNED) != 0;
    struct pdu *p = c->out;

    pdu_bytes(p, "\xfeSMB", 4);
    pdu_le16(p, SMB2_HEADER);
    pdu_le16(p, charge);
    pdu_le32(p, status);
    pdu_le16(p, COMMAND_PROTOCOL(c->x->command) == 2 ? COMMAND_CODE(c->x->command) : 0);
    pdu_le16(p, c->p->credits);
    pdu_le32(p, flags | (is_signed ? FLAG_SIGNED : 0));
    pdu_le32(p, 0); /* nothing follows: no compound */
    pdu_le64(p, c->p->message_id);
    pdu_le32(p, 0xfeff); /* process id */
    pdu_le32(p, c->p->tree_id);
    pdu_le64(p, c->p->session_id);
    if (is_signed)
        pdu_bytes(p, "not-a-real-one!!", 16); /* nobody has the key */
    else
        pdu_zeros(p, 16);
}

/* Ids are used up by the charge, at least one each: 3.2.4.1.3. CANCEL repeats an id and uses none. */
static void request_header(struct encode_call *c)
{
    struct encoder *e = c->e;
    uint16_t charge = credit_charge(c), used = MAX(charge, 1);

    if (e->session != e && c->x->command == SMB2_SESSION_SETUP)
        e->session_id = e->session->session_id; /* bound from its first leg on: 2.2.5 */
    c->p->tree_id =
        c->x->command == COMMAND(2, CODE_TREE) || COMMAND_CODE(c->x->command) <= 1 ? 0 : encode_tree(e);
    c->p->session_id = e->session_id;
    c->p->message_id = e->next_message_id;
    if (c->x->command != SMB2_CANCEL)
        e->next_message_id += used;
    else if (c->p->message_id > 0)
        c->p->message_id--;
    c->p->credits = (uint16_t)CLAMP(used + e->setup.credits - e->credit_total, 1, UINT16_MAX);
    write_header(c, 0, 0, charge);
}

/* The server gives back what was spent and adds, in steps, what the client wants more: 3.3.1.2. The simulated client counts alike. */
void encode_smb2_response_header(struct encode_call *c)
{
    struct encoder *e = c->e;
    uint16_t charge = credit_charge(c);
    int64_t extra = CLAMP(e->setup.credits - e->credit_total, 0, e->setup.credit_step);

    e->credit_total += extra;
    c->p->credits = (uint16_t)MIN(MAX(charge, 1) + extra, UINT16_MAX);
    write_header(c, c->p->status, FLAG_RESPONSE, charge);
}

/* 2.2.2: whatever the length has beyond the structure is error data. */
static void error_body(struct encode_call *c)
{
    struct pdu *p = c->out;

    pdu_le16(p, 9);
    pdu_le16(p, 0);
    pdu_le32(p, pdu_left(p) > 5 ? pdu_left(p) - 4 : 0);
}

void encode_smb2_handle(struct pdu *p, uint64_t handle)
{
    pdu_le64(p, handle); /* persistent */
    pdu_le64(p, handle); /* volatile */
}

/* ---- bodies of four bytes: LOGOFF, TREE_DISCONNECT, CANCEL, ECHO, and the answers to FLUSH and LOCK ------------- */

static void short_body(struct encode_call *c)
{
    pdu_le16(c->out, 4);
    pdu_le16(c->out, 0);
}

static void logoff_body(struct encode_call *c)
{
    short_body(c);
    c->e->session_id = 0;
    c->e->session_setups = 0;
}

static void set_info_response(struct encode_call *c) /* 2.2.40 */
{
    pdu_le16(c->out, 2);
}

/* ---- the table ------------------------------------------------------------------------------------------------------- */

#define ROW(command, least_request, least_response, request, response, status)                               \
    {                                                                                                        \
        COMMAND(2, command), ENCODE_PREFIX + SMB2_HEADER + (least_request),                                  \
            ENCODE_PREFIX + SMB2_HEADER + (least_response), request, response, status, 0                     \
    }

const struct encode_protocol *encode_smb2(void)
{
    static const struct encode_row rows[] = {
        ROW(0, 38, 64, encode_smb2_negotiate_request, encode_smb2_negotiate_response, STATUS_ACCESS_DENIED),
        ROW(1, 24, 8, encode_smb2_session_request, encode_smb2_session_response, STATUS_LOGON_FAILURE),
        ROW(CODE_LOGOFF, 4, 4, logoff_body, short_body, STATUS_ACCESS_DENIED),
        ROW(CODE_TREE, 10, 16, encode_smb2_tree_request, encode_smb2_tree_response, STATUS_NO_SUCH_SHARE),
        ROW(CODE_UNTREE, 4, 4, encode_smb2_untree_request, short_body, STATUS_ACCESS_DENIED),
        ROW(5, 57, 88, encode_smb2_create_request, encode_smb2_create_response, STATUS_NO_SUCH_NAME),
        ROW(6, 24, 60, encode_smb2_close_request, encode_smb2_close_response, STATUS_ACCESS_DENIED),
        ROW(CODE_FLUSH, 24, 4, encode_smb2_flush_request, short_body, STATUS_ACCESS_DENIED),
        {SMB2_READ, SMB2_BODY + 49, SMB2_BODY + 16, encode_smb2_read_request, encode_smb2_read_response,
         STATUS_END_OF_FILE, ENCODE_PREFIX + UINT8_MAX},
        ROW(9, 48, 16, encode_smb2_write_request, encode_smb2_write_response, STATUS_DISK_FULL),
        ROW(CODE_LOCK, 48, 4, encode_smb2_lock_request, short_body, STATUS_ACCESS_DENIED),
        ROW(CODE_IOCTL, 56, 48, encode_smb2_ioctl_request, encode_smb2_ioctl_response, STATUS_NOT_FOUND),
        ROW(12, 4, 4, short_body, short_body, STATUS_CANCELLED),
        ROW(CODE_ECHO, 4, 4, short_body, short_body, STATUS_ACCESS_DENIED),
        ROW(CODE_DIRECTORY, 34, 22, encode_smb2_directory_request, encode_smb2_directory_response,
            STATUS_NO_MORE_FILES),
        ROW(15, 32, 22, encode_smb2_notify_request, encode_smb2_notify_response, STATUS_CANCELLED),
        ROW(CODE_QUERY_INFO, 40, 12, encode_smb2_query_info_request, encode_smb2_query_info_response,
            STATUS_ACCESS_DENIED),
        ROW(CODE_SET_INFO, 33, 2, encode_smb2_set_info_request, set_info_response, STATUS_ACCESS_DENIED),
        ROW(18, 24, 24, encode_smb2_break_message, encode_smb2_break_message, STATUS_ACCESS_DENIED),
    };
    static const struct encode_protocol protocol = {
        .rows = rows,
        .row_count = G_N_ELEMENTS(rows),
        .request_header = request_header,
        .response_header = encode_smb2_response_header,
        .error_body = error_body,
        .least_error = SMB2_BODY + 8,
    };

    return &protocol;
}

/* ---- encrypted messages ------------------------------------------------------------------------------------------- */

/* 2.2.41: what stands behind it is encrypted, so any bytes do. A reader without the key may try with none and take what comes out for
 * a message when its first byte is right. With equal nonces that is the same byte in all messages, and mostly another. */
static void transform_header(struct encode_call *c)
{
    struct pdu *p = c->out;

    pdu_bytes(p, "\xfdSMB", 4);
    pdu_zeros(p, 16);
    pdu_bytes(p, "copytrial-nonce!", 16);
    pdu_le32(p, c->bytes - ENCODE_TRANSFORM);
    pdu_le16(p, 0);
    pdu_le16(p, 1); /* encrypted */
    pdu_le64(p, c->e->session_id ? c->e->session_id : 1);
}

static void no_body(struct encode_call *c)
{
    (void)c;
}

const struct encode_protocol *encode_transform(void)
{
    static const struct encode_row row = {
        COMMAND_OPAQUE, ENCODE_TRANSFORM, ENCODE_TRANSFORM, no_body, no_body, STATUS_SUCCESS, 0,
    };
    static const struct encode_protocol protocol = {
        .rows = &row,
        .row_count = 1,
        .request_header = transform_header,
        .response_header = transform_header,
        .error_body = no_body,
        .least_error = ENCODE_TRANSFORM,
    };

    return &protocol;
}
