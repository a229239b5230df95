#include "replay/encode_smb1.h"

/* ---- NT_CREATE_ANDX, CLOSE, FLUSH ---------------------------------------------------------------------------------- */

void encode_smb1_create_request(struct encode_call *c) /* 2.2.4.64.1 */
{
    enum { WORDS = 24 };
    struct pdu *p = c->out;
    size_t name = pdu_left(p) - 1 - 2 * WORDS - 2 - 1;

    pdu_u8(p, WORDS);
    encode_smb1_no_andx(p);
    pdu_u8(p, 0);
    pdu_le16(p, name);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
    pdu_le32(p, 0x0012019f); /* read and write */
    pdu_le64(p, 0);
    pdu_le32(p, 0x80); /* normal file */
    pdu_le32(p, 7);    /* shared in every way */
    pdu_le32(p, 3);    /* open, or create */
    pdu_le32(p, 0);
    pdu_le32(p, 2); /* impersonation */
    pdu_u8(p, 0);
    encode_smb1_byte_count(p);
    encode_name(p, name, c->x->file, false);
    pdu_zeros(p, 1);
    if (!c->p->fails)
        c->p->handle = encode_open_new(c->e, c->x->file)->handle;
}

void encode_smb1_create_response(struct encode_call *c) /* 2.2.4.64.2 */
{
    int64_t size = encode_file_size(c->e, c->x->file);
    struct pdu *p = c->out;

    pdu_u8(p, 34);
    encode_smb1_no_andx(p);
    pdu_u8(p, 0); /* no oplock */
    pdu_le16(p, encode_smb1_fid(c->p->handle));
    pdu_le32(p, 1); /* opened */
    for (int i = 0; i < 4; i++)
        pdu_le64(p, ENCODE_FILETIME);
    pdu_le32(p, 0x80);
    pdu_le64(p, encode_allocation(size));
    pdu_le64(p, (uint64_t)size);
    pdu_le16(p, 0); /* a file or a folder */
    pdu_le16(p, 0);
    pdu_u8(p, 0);
    encode_smb1_byte_count(p);
}

void encode_smb1_close_request(struct encode_call *c) /* 2.2.4.5.1 */
{
    pdu_u8(c->out, 3);
    pdu_le16(c->out, encode_smb1_fid(encode_open_of(c->e, c->x->file)->handle));
    pdu_le32(c->out, UINT32_MAX); /* leave the time to the server */
    encode_smb1_byte_count(c->out);
    encode_open_close(c->e, c->x->file);
}

void encode_smb1_flush_request(struct encode_call *c) /* 2.2.4.6.1 */
{
    pdu_u8(c->out, 1);
    pdu_le16(c->out, encode_smb1_fid(encode_open_of(c->e, c->x->file)->handle));
    encode_smb1_byte_count(c->out);
}

/* ---- READ_ANDX and WRITE_ANDX --------------------------------------------------------------------------------------- */

void encode_smb1_read_request(struct encode_call *c) /* 2.2.4.42.1, [MS-SMB] 2.2.4.2.1 */
{
    enum { PROBE = 61440 }; /* asked for at the end of a file, in vain */
    struct encode_open *o = encode_open_of(c->e, c->x->file);
    uint32_t count = c->x->data_bytes ? c->x->data_bytes : PROBE;
    struct pdu *p = c->out;

    c->p->offset = o->read_next;
    o->read_next += c->x->data_bytes;
    pdu_u8(p, 12);
    encode_smb1_no_andx(p);
    pdu_le16(p, encode_smb1_fid(o->handle));
    pdu_le32(p, c->p->offset);
    pdu_le16(p, count);
    pdu_le16(p, 0);
    pdu_le32(p, count >> 16);
    pdu_le16(p, 0);
    pdu_le32(p, c->p->offset >> 32);
    encode_smb1_byte_count(p);
}

/* Data follow the head; what the head has behind its words is padding in front of them. */
void encode_smb1_read_response(struct encode_call *c) /* 2.2.4.42.2, [MS-SMB] 2.2.4.2.2 */
{
    uint32_t data = c->data;
    struct pdu *p = c->out;

    pdu_u8(p, 12);
    encode_smb1_no_andx(p);
    pdu_le16(p, UINT16_MAX);
    pdu_le16(p, 0);
    pdu_le16(p, 0);
    pdu_le16(p, data);
    pdu_le16(p, p->size - ENCODE_PREFIX);
    pdu_le16(p, data >> 16);
    pdu_zeros(p, 8);
    pdu_le16(p, pdu_left(p) - 2 + data);
}

void encode_smb1_write_request(struct encode_call *c) /* 2.2.4.43.1, [MS-SMB] 2.2.4.3.1 */
{
    struct encode_open *o = encode_open_of(c->e, c->x->file);
    uint32_t data = c->data;
    struct pdu *p = c->out;

    c->p->offset = o->write_next;
    o->write_next += c->x->data_bytes;
    pdu_u8(p, 14);
    encode_smb1_no_andx(p);
    pdu_le16(p, encode_smb1_fid(o->handle));
    pdu_le32(p, c->p->offset);
    pdu_le32(p, 0);
    pdu_le16(p, 0);
    pdu_le16(p, 0);
    pdu_le16(p, data >> 16);
    pdu_le16(p, data);
    pdu_le16(p, p->size - ENCODE_PREFIX);
    pdu_le32(p, c->p->offset >> 32);
    pdu_le16(p, pdu_left(p) - 2 + data);
}

void encode_smb1_write_response(struct encode_call *c) /* 2.2.4.43.2, [MS-SMB] 2.2.4.3.2 */
{
    uint32_t data = c->x->data_bytes;
    struct pdu *p = c->out;

    pdu_u8(p, 6);
    encode_smb1_no_andx(p);
    pdu_le16(p, data);
    pdu_le16(p, UINT16_MAX);
    pdu_le16(p, data >> 16);
    pdu_le16(p, 0);
    encode_smb1_byte_count(p);
}
