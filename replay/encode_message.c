/* Messages as they travel: plain, compressed or encrypted, with their framing; and their bytes. */
#include "replay/encode_parts.h"
#include "base/error.h"

static const uint32_t LONGEST = 0xffffff; /* the framing's length has 24 bits: [MS-SMB2] 2.1 */

/* A compressed message: the transform's header, a part that isn't compressed with the message and its data up to where the rest is one
 * byte again and again, and that rest. [MS-SMB2] 2.2.42.2. */
enum { CHAIN_HEADER = 16, CHAIN_LAST = 16 };
enum { COMPRESSION_NONE = 0, COMPRESSION_PATTERN = 4, COMPRESSION_CHAINED = 1 };

G_STATIC_ASSERT(CHAIN_LAST <= sizeof(((struct encoded *)0)->tail));

/* ---- file data ---------------------------------------------------------------------------------------------------- */

/* A byte depends on file and offset with a prime period, so that no shift by a block goes unseen. */
static void fill_pattern(uint8_t *to, uint32_t count, uint32_t file, uint64_t offset)
{
    enum { PERIOD = 251 };
    uint8_t first = (uint8_t)((offset + (uint64_t)file * 7) % PERIOD);
    uint32_t ready = MIN(count, PERIOD);

    for (uint32_t i = 0; i < ready; i++)
        to[i] = (uint8_t)(first + i < PERIOD ? first + i : first + i - PERIOD);
    while (ready < count) {
        uint32_t step = MIN(ready, count - ready);

        memcpy(to + ready, to, step);
        ready += step;
    }
}

void encoded_copy(const struct encoded *m, uint32_t from, uint8_t *to, uint32_t count)
{
    uint32_t tail_at = m->head_bytes + m->data_bytes;

    g_assert(from + count <= encoded_bytes(m));
    if (from < m->head_bytes) {
        uint32_t n = MIN(count, m->head_bytes - from);

        memcpy(to, m->head + from, n);
        to += n;
        from += n;
        count -= n;
    }
    if (count && from < tail_at) {
        uint32_t n = MIN(count, tail_at - from);

        fill_pattern(to, n, m->file, m->data_offset + (from - m->head_bytes));
        to += n;
        from += n;
        count -= n;
    }
    if (count)
        memcpy(to, m->tail + (from - tail_at), count);
}

void encoded_clear(struct encoded *m)
{
    g_clear_pointer(&m->head, g_free);
}

/* ---- how a message travels --------------------------------------------------------------------------------------- */

enum form { FORM_PLAIN, FORM_COMPRESSED, FORM_ENCRYPTED };

struct layout {
    enum form form;
    uint32_t bytes; /* of the whole message */
    uint32_t data;  /* file data that it says it carries */
    uint32_t sent;  /* of them, those that travel as they are */
};

static bool is_encrypted(const struct exchange *x)
{
    return x->command == COMMAND_OPAQUE || x->flags & EXCHANGE_ENCRYPTED;
}

/* File data that belong into this message. */
static uint32_t data_of(const struct exchange *x, bool response)
{
    bool here = response ? command_is_read(x->command) : command_is_write(x->command);

    return here ? x->data_bytes : 0;
}

/* A block that has shrunk leaves less room than its data need. Below what the chain itself takes, it travels as that many plain
 * bytes, and says no more. */
static struct layout lay_out(const struct exchange *x, const struct encode_row *row, bool response)
{
    struct layout l = {.bytes = response ? x->response_bytes : x->request_bytes,
                       .data = data_of(x, response)};
    uint32_t least = response ? row->least_response : row->least_request, room;

    l.sent = MIN(l.data, l.bytes);
    if (is_encrypted(x)) {
        l.form = FORM_ENCRYPTED;
        l.data = 0;
        l.sent = l.bytes - MIN(l.bytes, ENCODE_TRANSFORM);
        return l;
    }
    room = l.bytes - MIN(l.bytes, least);
    if (!(x->flags & EXCHANGE_COMPRESSED) || l.data <= room)
        return l;
    if (room < CHAIN_HEADER + CHAIN_LAST) {
        l.data = l.sent = room;
    } else {
        l.form = FORM_COMPRESSED;
        l.sent = room - CHAIN_HEADER - CHAIN_LAST;
    }
    return l;
}

static uint32_t head_bytes(const struct layout *l)
{
    return l->bytes - l->sent - (l->form == FORM_COMPRESSED ? CHAIN_LAST : 0);
}

/* ---- messages ------------------------------------------------------------------------------------------------------ */

static const struct encode_protocol *protocol_of(const struct exchange *x)
{
    if (is_encrypted(x))
        return encode_transform();
    return COMMAND_PROTOCOL(x->command) == 1 ? encode_smb1() : encode_smb2();
}

static const struct encode_row *row_of(const struct exchange *x)
{
    const struct encode_protocol *protocol = protocol_of(x);

    for (size_t i = 0; i < protocol->row_count; i++) {
        if (protocol->rows[i].command == x->command || is_encrypted(x))
            return &protocol->rows[i];
    }
    return NULL;
}

static bool fail(const struct exchange *x, bool response, const char *why, GError **error)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: a %s of %u B can't be made: %s",
                command_name(x->command), response ? "response" : "request",
                response ? x->response_bytes : x->request_bytes, why);
    return false;
}

/* The message's own head, without what compression puts around it. */
static uint32_t own_head_bytes(const struct layout *l)
{
    return head_bytes(l) - (l->form == FORM_COMPRESSED ? CHAIN_HEADER : 0);
}

static bool check_length(const struct encode_row *row, const struct exchange *x, bool response,
                         GError **error)
{
    struct layout l = lay_out(x, row, response);
    uint32_t least = response ? row->least_response : row->least_request;
    g_autofree char *why = NULL;

    if (response && !l.data)
        least = MIN(least, protocol_of(x)->least_error);
    if (own_head_bytes(&l) < least)
        why = g_strdup_printf("the shortest has %u B", least + l.data);
    else if (response && l.data && row->most_response && own_head_bytes(&l) > row->most_response)
        why = g_strdup_printf("before its file data there are at most %u B", row->most_response);
    else if (l.bytes - ENCODE_PREFIX > LONGEST)
        why = g_strdup("the framing's length ends at 16 MiB");
    return !why || fail(x, response, why, error);
}

bool encode_check(const struct exchange *x, GError **error)
{
    const struct encode_row *row = row_of(x);

    if (!row)
        return fail(x, false, "this command isn't encoded", error);
    return check_length(row, x, false, error) && (!x->response_bytes || check_length(row, x, true, error));
}

static struct encode_pending *new_pending(struct encoder *e, const struct encode_row *row,
                                          const struct exchange *x, uint64_t number)
{
    struct encode_pending *p = g_new0(struct encode_pending, 1);
    struct layout l = lay_out(x, row, true);
    int64_t *key = g_new(int64_t, 1);

    *key = (int64_t)number;
    p->fails = x->response_bytes && own_head_bytes(&l) < row->least_response;
    p->status = p->fails ? row->error_status : STATUS_SUCCESS;
    g_hash_table_insert(e->pending, key, p);
    return p;
}

/* ---- framing and compression around the message -------------------------------------------------------------------- */

/* Room for the head, with the builder's position behind the framing. */
static struct pdu begin(const struct layout *l, struct encoded *out)
{
    uint32_t before = l->form == FORM_COMPRESSED ? CHAIN_HEADER : 0;
    struct pdu p;

    *out = (struct encoded){.head_bytes = head_bytes(l)};
    out->head = g_malloc0(out->head_bytes);
    p = pdu_over(out->head + before, out->head_bytes - before);
    p.at = ENCODE_PREFIX;
    return p;
}

static void wrap_compressed(const struct layout *l, struct encoded *out)
{
    uint32_t message = own_head_bytes(l) - ENCODE_PREFIX;
    struct pdu h = pdu_over(out->head, CHAIN_HEADER + ENCODE_PREFIX);
    struct pdu t = pdu_over(out->tail, sizeof out->tail);

    h.at = ENCODE_PREFIX;
    pdu_bytes(&h, "\xfcSMB", 4);
    pdu_le32(&h, message + l->data);
    pdu_le16(&h, COMPRESSION_NONE);
    pdu_le16(&h, COMPRESSION_CHAINED);
    pdu_le32(&h, message + l->sent);
    pdu_le16(&t, COMPRESSION_PATTERN);
    pdu_le16(&t, 0);
    pdu_le32(&t, 8);
    pdu_le32(&t, 0); /* the byte that is repeated, and reserved ones */
    pdu_le32(&t, l->data - l->sent);
    out->tail_bytes = CHAIN_LAST;
}

static bool finish(const struct encode_call *c, const struct layout *l, bool response, struct encoded *out,
                   GError **error)
{
    struct pdu prefix = pdu_over(out->head, ENCODE_PREFIX);

    if (c->out->overflow) {
        encoded_clear(out);
        return fail(c->x, response, "its parts don't fit", error);
    }
    pdu_be32(&prefix, l->bytes - ENCODE_PREFIX);
    if (l->form == FORM_COMPRESSED)
        wrap_compressed(l, out);
    out->data_bytes = l->sent;
    out->data_offset = l->form == FORM_ENCRYPTED ? 0 : c->p->offset;
    out->file = l->form == FORM_ENCRYPTED ? 0 : c->x->file;
    return true;
}

/* ---- requests and responses ---------------------------------------------------------------------------------------- */

static bool encode_request(struct encoder *e, uint64_t number, const struct exchange *x, struct encoded *out,
                           GError **error)
{
    const struct encode_row *row = row_of(x);
    struct encode_call c = {.e = e, .x = x};
    struct layout l;
    struct pdu p;
    bool ok;

    if (!encode_check(x, error))
        return false;
    l = lay_out(x, row, false);
    p = begin(&l, out);
    c.out = &p;
    c.bytes = l.bytes;
    c.data = l.data;
    c.p = new_pending(e, row, x, number);
    protocol_of(x)->request_header(&c);
    row->request(&c);
    ok = finish(&c, &l, false, out, error);
    if (!x->response_bytes)
        g_hash_table_remove(e->pending, &number);
    return ok;
}

static bool encode_response(struct encoder *e, uint64_t number, const struct exchange *x, struct encoded *out,
                            GError **error)
{
    const struct encode_row *row = row_of(x);
    const struct encode_protocol *protocol = protocol_of(x);
    struct layout l = lay_out(x, row, true);
    struct pdu p = begin(&l, out);
    struct encode_call c = {.e = e, .x = x, .out = &p, .bytes = l.bytes, .data = l.data};
    bool ok;

    c.p = g_hash_table_lookup(e->pending, &number);
    g_assert(c.p);
    protocol->response_header(&c);
    if (c.p->fails)
        protocol->error_body(&c);
    else
        row->response(&c);
    ok = finish(&c, &l, true, out, error);
    g_hash_table_remove(e->pending, &number);
    return ok;
}

bool encode_single(struct encoder *e, uint64_t number, const struct exchange *x, bool response,
                   struct encoded *out, GError **error)
{
    return response ? encode_response(e, number, x, out, error) : encode_request(e, number, x, out, error);
}

bool encoder_request(struct encoder *e, uint64_t number, const struct exchange *x, struct encoded *out,
                     GError **error)
{
    bool chained = x->chain && !is_encrypted(x);

    return chained ? encode_compound(e, number, x, false, out, error)
                   : encode_single(e, number, x, false, out, error);
}

bool encoder_response(struct encoder *e, uint64_t number, const struct exchange *x, struct encoded *out,
                      GError **error)
{
    bool chained = x->chain && !is_encrypted(x);

    return chained ? encode_compound(e, number, x, true, out, error)
                   : encode_single(e, number, x, true, out, error);
}
