#include "replay/encode_smb2.h"

/* ---- CREATE and CLOSE ------------------------------------------------------------------------------------------- */

void encode_smb2_create_request(struct encode_call *c) /* 2.2.13 */
{
    enum { FIXED = 56 };
    struct pdu *p = c->out;
    size_t name = (pdu_left(p) - FIXED) / 2 * 2;

    pdu_le16(p, 57);
    pdu_le16(p, 0); /* no oplock */
    pdu_le32(p, 2); /* impersonation */
    pdu_zeros(p, 16);
    pdu_le32(p, 0x0012019f); /* read and write */
    pdu_le32(p, 0x80);       /* normal file */
    pdu_le32(p, 7);          /* shared in every way */
    pdu_le32(p, 3);          /* open, or create */
    pdu_le32(p, 0);
    pdu_le16(p, encode_smb2_offset(p, 12));
    pdu_le16(p, name);
    pdu_le64(p, 0);
    encode_name(p, name / 2, c->x->file, true);
    if (!c->p->fails)
        c->p->handle = encode_open_new(c->e, c->x->file)->handle;
}

static void times_and_sizes(struct pdu *p, int64_t size)
{
    for (int i = 0; i < 4; i++)
        pdu_le64(p, ENCODE_FILETIME);
    pdu_le64(p, encode_allocation(size));
    pdu_le64(p, (uint64_t)size);
    pdu_le32(p, 0x80);
}

/* A context with a name of an application's own, [MS-SMB2] 2.2.14.2, takes up what the server of the exchange had to say. */
static void filler_context(struct pdu *p, size_t size)
{
    enum { FIXED = 16, NAME = 16 };

    pdu_le32(p, 0);
    pdu_le16(p, FIXED);
    pdu_le16(p, NAME);
    pdu_le16(p, 0);
    pdu_le16(p, FIXED + NAME);
    pdu_le32(p, size - FIXED - NAME);
    pdu_bytes(p, "copytrial-filler", NAME);
    pdu_zeros(p, size - FIXED - NAME);
}

void encode_smb2_create_response(struct encode_call *c) /* 2.2.14 */
{
    enum { FIXED = 88, CONTEXT_LEAST = 40 };
    struct pdu *p = c->out;
    size_t more = pdu_left(p) - FIXED;
    bool context = more >= CONTEXT_LEAST;

    pdu_le16(p, 89);
    pdu_le16(p, 0);
    pdu_le32(p, 1); /* opened */
    times_and_sizes(p, encode_file_size(c->e, c->x->file));
    pdu_le32(p, 0);
    encode_smb2_handle(p, c->p->handle);
    pdu_le32(p, context ? encode_smb2_offset(p, 8) : 0);
    pdu_le32(p, context ? more : 0);
    if (context)
        filler_context(p, more);
}

void encode_smb2_close_request(struct encode_call *c) /* 2.2.15 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 24);
    pdu_le16(p, 1); /* the answer shall tell times and sizes */
    pdu_le32(p, 0);
    encode_smb2_handle(p, encode_open_of(c->e, c->x->file)->handle);
    encode_open_close(c->e, c->x->file);
}

void encode_smb2_close_response(struct encode_call *c) /* 2.2.16 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 60);
    pdu_le16(p, 1);
    pdu_le32(p, 0);
    times_and_sizes(p, encode_file_size(c->e, c->x->file));
}

/* ---- READ and WRITE ------------------------------------------------------------------------------------------------- */

void encode_smb2_read_request(struct encode_call *c) /* 2.2.19 */
{
    enum { PROBE = 65536 }; /* asked for at the end of a file, in vain */
    struct encode_open *o = encode_open_of(c->e, c->x->file);
    struct pdu *p = c->out;

    c->p->offset = o->read_next;
    o->read_next += c->x->data_bytes;
    pdu_le16(p, 49);
    pdu_u8(p, SMB2_HEADER + 16); /* where the client would like the data */
    pdu_u8(p, 0);
    pdu_le32(p, c->x->data_bytes ? c->x->data_bytes : PROBE);
    pdu_le64(p, c->p->offset);
    encode_smb2_handle(p, o->handle);
    pdu_zeros(p, 16);
}

void encode_smb2_read_response(struct encode_call *c) /* 2.2.20 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 17);
    pdu_u8(p, c->data ? p->size - ENCODE_PREFIX : 0);
    pdu_u8(p, 0);
    pdu_le32(p, c->data);
    pdu_le32(p, 0);
    pdu_le32(p, 0);
}

void encode_smb2_write_request(struct encode_call *c) /* 2.2.21 */
{
    struct encode_open *o = encode_open_of(c->e, c->x->file);
    struct pdu *p = c->out;

    c->p->offset = o->write_next;
    o->write_next += c->x->data_bytes;
    pdu_le16(p, 49);
    pdu_le16(p, p->size - ENCODE_PREFIX);
    pdu_le32(p, c->data);
    pdu_le64(p, c->p->offset);
    encode_smb2_handle(p, o->handle);
    pdu_zeros(p, 16);
}

void encode_smb2_write_response(struct encode_call *c) /* 2.2.22 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 17);
    pdu_le16(p, 0);
    pdu_le32(p, c->x->data_bytes);
    pdu_le64(p, 0);
}

/* ---- the rest -------------------------------------------------------------------------------------------------------- */

void encode_smb2_flush_request(struct encode_call *c) /* 2.2.17 */
{
    pdu_le16(c->out, 24);
    pdu_le16(c->out, 0);
    pdu_le32(c->out, 0);
    encode_smb2_handle(c->out, encode_open_of(c->e, c->x->file)->handle);
}

void encode_smb2_lock_request(struct encode_call *c) /* 2.2.26 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 48);
    pdu_le16(p, 1);
    pdu_le32(p, 0);
    encode_smb2_handle(p, encode_open_of(c->e, c->x->file)->handle);
    pdu_le64(p, 0);
    pdu_le64(p, UINT64_MAX);
    pdu_le32(p, c->x->flags & EXCHANGE_BACKGROUND
                    ? 2
                    : 2 | 0x10); /* exclusive; fails where it would have to wait */
    pdu_le32(p, 0);
}

void encode_smb2_break_message(struct encode_call *c) /* 2.2.24.1 and 2.2.25.1 */
{
    struct pdu *p = c->out;

    pdu_le16(p, 24);
    pdu_u8(p, 0);
    pdu_u8(p, 0);
    pdu_le32(p, 0);
    encode_smb2_handle(p, encode_open_of(c->e, c->x->file)->handle);
}
