#include "replay/encode_smb1.h"

enum { CODE_NEGOTIATE = 0x72, CODE_TREE_CONNECT_ANDX = 0x75 };

enum { FLAGS = 0x18, FLAGS_REPLY = 0x80 };
/* Long names, extended security, NT status: 2.2.3.1 and [MS-SMB] 2.2.3.1. */
enum { FLAGS2 = 0x4001, FLAGS2_EXTENDED_SECURITY = 0x0800 };

/* ---- headers: 2.2.3.1 ----------------------------------------------------------------------------------------------- */

static void write_header(struct encode_call *c, uint32_t status, uint8_t flags)
{
    struct pdu *p = c->out;

    pdu_bytes(p, "\xffSMB", 4);
    pdu_u8(p, COMMAND_CODE(c->x->command));
    pdu_le32(p, status);
    pdu_u8(p, flags);
    pdu_le16(p, FLAGS2 | (c->e->smb1_tokens ? FLAGS2_EXTENDED_SECURITY : 0));
    pdu_le16(p, 0);
    pdu_zeros(p, 8); /* not signed */
    pdu_le16(p, 0);
    pdu_le16(p, c->p->tree_id);
    pdu_le16(p, 0xfeff); /* process id */
    pdu_le16(p, c->p->session_id);
    pdu_le16(p, c->p->message_id);
}

/* Ids of 16 bits go round, without the one that break notifications have: 3.3.4.2. */
static void request_header(struct encode_call *c)
{
    struct encoder *e = c->e;

    c->p->tree_id = COMMAND_CODE(c->x->command) == CODE_TREE_CONNECT_ANDX ? 0 : encode_tree(e);
    c->p->session_id = e->session_id;
    c->p->message_id = e->next_message_id;
    if (COMMAND_CODE(c->x->command) == CODE_NEGOTIATE)
        e->smb1_tokens = c->x->response_bytes >= encode_smb1_tokens_from();
    e->next_message_id = (e->next_message_id + 1) % UINT16_MAX;
    write_header(c, 0, FLAGS);
}

static void response_header(struct encode_call *c)
{
    if (COMMAND_CODE(c->x->command) == CODE_NEGOTIATE && c->e->setup.dialect != ENCODE_SMB1)
        encode_smb2_response_header(c);
    else
        write_header(c, c->p->status, FLAGS | FLAGS_REPLY);
}

/* ---- bodies without words ------------------------------------------------------------------------------------------- */

static void empty_body(struct encode_call *c)
{
    pdu_u8(c->out, 0);
    encode_smb1_byte_count(c->out);
}

static void echo_body(struct encode_call *c) /* 2.2.4.39 */
{
    pdu_u8(c->out, 1);
    pdu_le16(c->out, 1); /* one answer, and its number */
    encode_smb1_byte_count(c->out);
}

static void logoff_body(struct encode_call *c) /* 2.2.4.54 */
{
    pdu_u8(c->out, 2);
    encode_smb1_no_andx(c->out);
    encode_smb1_byte_count(c->out);
    c->e->session_id = 0;
    c->e->session_setups = 0;
}

/* ---- the table -------------------------------------------------------------------------------------------------------- */

const struct encode_protocol *encode_smb1(void)
{
    static const struct encode_row rows[] = {
        {SMB1_CLOSE, ENCODE_SMB1_LEAST(3, 0), ENCODE_SMB1_LEAST(0, 0), encode_smb1_close_request, empty_body,
         STATUS_ACCESS_DENIED, 0},
        {COMMAND(1, 0x05), ENCODE_SMB1_LEAST(1, 0), ENCODE_SMB1_LEAST(0, 0), encode_smb1_flush_request,
         empty_body, STATUS_ACCESS_DENIED, 0},
        {COMMAND(1, 0x2b), ENCODE_SMB1_LEAST(1, 0), ENCODE_SMB1_LEAST(1, 0), echo_body, echo_body,
         STATUS_ACCESS_DENIED, 0},
        {SMB1_READ_ANDX, ENCODE_SMB1_LEAST(12, 0), ENCODE_SMB1_LEAST(12, 0), encode_smb1_read_request,
         encode_smb1_read_response, STATUS_END_OF_FILE, 0},
        {SMB1_WRITE_ANDX, ENCODE_SMB1_LEAST(14, 0), ENCODE_SMB1_LEAST(6, 0), encode_smb1_write_request,
         encode_smb1_write_response, STATUS_DISK_FULL, 0},
        {COMMAND(1, 0x32), ENCODE_SMB1_LEAST(15, 7), ENCODE_SMB1_LEAST(10, 9),
         encode_smb1_transaction2_request, encode_smb1_transaction2_response, STATUS_NO_SUCH_NAME, 0},
        {COMMAND(1, 0x71), ENCODE_SMB1_LEAST(0, 0), ENCODE_SMB1_LEAST(0, 0), encode_smb1_untree_request,
         empty_body, STATUS_ACCESS_DENIED, 0},
        {COMMAND(1, CODE_NEGOTIATE), ENCODE_SMB1_LEAST(0, 12), ENCODE_SMB1_LEAST(17, 9),
         encode_smb1_negotiate_request, encode_smb1_negotiate_response, STATUS_ACCESS_DENIED, 0},
        {SMB1_SESSION_SETUP_ANDX, ENCODE_SMB1_LEAST(13, 4), ENCODE_SMB1_LEAST(3, 3),
         encode_smb1_session_request, encode_smb1_session_response, STATUS_LOGON_FAILURE, 0},
        {COMMAND(1, 0x74), ENCODE_SMB1_LEAST(2, 0), ENCODE_SMB1_LEAST(2, 0), logoff_body, logoff_body,
         STATUS_ACCESS_DENIED, 0},
        {COMMAND(1, CODE_TREE_CONNECT_ANDX), ENCODE_SMB1_LEAST(4, 9), ENCODE_SMB1_LEAST(3, 4),
         encode_smb1_tree_request, encode_smb1_tree_response, STATUS_NO_SUCH_SHARE, 0},
        {COMMAND(1, 0xa2), ENCODE_SMB1_LEAST(24, 2), ENCODE_SMB1_LEAST(34, 0), encode_smb1_create_request,
         encode_smb1_create_response, STATUS_NO_SUCH_NAME, 0},
    };
    static const struct encode_protocol protocol = {
        .rows = rows,
        .row_count = G_N_ELEMENTS(rows),
        .request_header = request_header,
        .response_header = response_header,
        .error_body = empty_body,
        .least_error = ENCODE_SMB1_LEAST(0, 0),
    };

    return &protocol;
}
