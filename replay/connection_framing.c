/* From a direction's bytes to commands: what framing asks for, a part or a whole message at a time. */
#include "replay/connection_parts.h"
#include "replay/smb1.h"
#include "replay/smb2.h"

enum { CHAIN_MAX = 1024 };

static enum smb_outcome decode_at(const struct half *h, const struct nbss_message *m, uint32_t at,
                                  const uint8_t *bytes, size_t length, struct smb_element *out)
{
    if (at == 0)
        return smb_version(bytes, length) == 1 ? smb1_decode(bytes, length, out)
                                               : smb2_decode(bytes, length, m->length, out);
    if (COMMAND_PROTOCOL(g_array_index(h->elements, struct smb_element, 0).command) == 1)
        return smb1_decode_andx(bytes, length,
                                &g_array_index(h->elements, struct smb_element, h->elements->len - 1), out);
    return smb2_decode(bytes, length, m->length - at, out);
}

/* The name outlives the bytes that it was found in. Its place in `names` is known at the end only, for that may move. */
static void add_element(struct half *h, struct smb_element *e)
{
    if (e->name)
        g_byte_array_append(h->names, e->name, e->name_length);
    g_array_append_val(h->elements, *e);
}

static void place_names(struct half *h)
{
    const uint8_t *at = h->names->data;

    for (guint i = 0; h->names->len > 0 && i < h->elements->len; i++) {
        struct smb_element *e = &g_array_index(h->elements, struct smb_element, i);

        if (e->name) {
            e->name = at;
            at += e->name_length;
        }
    }
}

static struct payload_sample *payload_of(const struct half *h)
{
    return &h->session->connection->shared->payload;
}

/* A message that is one command with data, which then are its end. */
static bool wants_payload(const struct half *h, const struct smb_element *e)
{
    return e->next == 0 && !e->opaque && payload_sample_wants(payload_of(h), e->data_bytes);
}

static uint32_t take_part(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                          size_t length, bool cut)
{
    struct half *h = self;
    struct smb_element e;
    enum smb_outcome outcome;

    (void)cut; /* a decoder sees by itself how far the bytes go */
    if (at == 0) {
        half_start_elements(h);
        h->malformed = false;
    }
    outcome = decode_at(h, m, at, bytes, length, &e);
    if (outcome != SMB_OK || h->elements->len == CHAIN_MAX) {
        h->malformed = outcome == SMB_MALFORMED;
        if (at > 0)
            ledger_add(&h->session->connection->shared->ledger, LEDGER_CHAIN_CUT, 1, m->length - at);
        return 0;
    }
    if (e.data_bytes > m->length && !e.compressed) { /* more than its message can hold */
        e.data_bytes = 0;
        ledger_add(&h->session->connection->shared->ledger, LEDGER_DATA_BEYOND_MESSAGE, 1, 0);
    }
    add_element(h, &e);
    if (e.command == SMB2_NEGOTIATE)
        smb2_negotiate_decode(&h->session->smb2.negotiated, bytes, length);
    if (at == 0 && (smb2_transform_wants(h->session->transform, bytes, length) || wants_payload(h, &e)))
        return NBSS_WHOLE;
    if (e.next == 0)
        return 0;
    return COMMAND_PROTOCOL(e.command) == 1 ? e.next : at + e.next;
}

/* ---- whole messages ----------------------------------------------------------------------------------------------------- */

/* The commands of a message of SMB2 that is there in full. */
static void decode_chain(struct half *h, const uint8_t *bytes, size_t length)
{
    struct smb_element e;
    size_t at = 0;

    half_start_elements(h);
    do {
        if (smb2_decode(bytes + at, length - at, (uint32_t)(length - at), &e) != SMB_OK ||
            h->elements->len == CHAIN_MAX) {
            h->malformed = at == 0;
            if (at > 0)
                ledger_add(&h->session->connection->shared->ledger, LEDGER_CHAIN_CUT, 1, length - at);
            return;
        }
        add_element(h, &e);
        at += e.next;
    } while (e.next > 0);
}

/* What the wire showed of a transformed message, where its commands share the bytes that they had there by their lengths. */
static void note_transform(struct half *h, const struct nbss_message *m, const struct smb2_undone *u)
{
    for (guint i = 0; i < h->elements->len; i++) {
        struct smb_element *e = &g_array_index(h->elements, struct smb_element, i);

        e->encrypted = u->encrypted;
        e->compressed = u->compressed;
        e->length = (uint32_t)((uint64_t)e->length * m->length / u->length);
        if (i == 0 && u->compressed) {
            e->original_bytes = (uint32_t)u->length;
            e->compressed_bytes = u->compressed_bytes;
        }
    }
}

static void sample_payload(const struct half *h, const uint8_t *bytes, size_t length)
{
    const struct smb_element *e = &g_array_index(h->elements, struct smb_element, 0);

    if (h->elements->len == 1 && !e->compressed && e->data_bytes <= length && wants_payload(h, e))
        payload_sample_take(payload_of(h), bytes + (length - e->data_bytes), e->data_bytes);
}

/* A message that can't be undone stays what its header alone made of it. */
static void take_whole(void *self, const struct nbss_message *m, const uint8_t *bytes, size_t length)
{
    struct half *h = self;
    struct smb2_undone undone;

    if (length < m->length) {
        payload_sample_refuse(payload_of(h));
        return;
    }
    if (!smb2_transform_is_needed(bytes, length)) {
        if (h->elements->len == 1 && g_array_index(h->elements, struct smb_element, 0).data_bytes) {
            sample_payload(h, bytes, length);
            return;
        }
        smb2_transform_observe(h->session->transform, bytes, length);
        decode_chain(h, bytes, length);
        return;
    }
    if (smb2_transform_undo(h->session->transform, half_sender(h), bytes, length, &undone) !=
        SMB2_TRANSFORM_DONE)
        return;
    decode_chain(h, undone.bytes, undone.length);
    note_transform(h, m, &undone);
    if (h->elements->len > 0)
        sample_payload(h, undone.bytes, undone.length);
}

static void pass_payload(const struct half *h)
{
    for (guint i = 0; i < h->elements->len; i++) {
        const struct smb_element *e = &g_array_index(h->elements, struct smb_element, i);

        if (e->data_bytes)
            payload_sample_pass(payload_of(h), e->data_bytes, e->compressed);
    }
}

static void end_message(void *self, const struct nbss_message *m, bool broken)
{
    struct half *h = self;
    enum ledger_reason reason = h->malformed ? LEDGER_HEADER_MALFORMED : LEDGER_HEADER_NOT_CAPTURED;

    place_names(h);
    if (h->elements->len > 0) {
        const struct smb_element *first = &g_array_index(h->elements, struct smb_element, 0);

        pass_payload(h);
        connection_use_message(h, m, broken);
        if (h->elements->len == 1 && !first->opaque && !first->hidden && !broken)
            infer_note(&h->infer, first, m->length);
        else
            h->infer.last.command = COMMAND_NONE;
    } else if (!broken && (h->malformed || m->missing > 0 || !connection_use_inferred(h, m, true, false))) {
        ledger_add(&h->session->connection->shared->ledger, reason, 1, m->length);
    }
    half_start_elements(h);
}

/* [MS-CIFS] 2.2.4.22.2, 2.2.4.25: the data of a READ_RAW or WRITE_RAW stands alone in its message. What is being waited for says
 * which it is. */
static bool take_raw(void *self, const struct nbss_message *m)
{
    struct half *h = self;
    bool up = half_sender(h) == REPLAY_UP;
    uint16_t command = up ? SMB1_WRITE_RAW : SMB1_READ_RAW;
    struct match_expected x;
    struct smb_element e;

    if (!match_expects_command(&h->session->match, command, &x))
        return false;
    smb_element_init(&e);
    e.command = command;
    e.id = x.id;
    e.response = !up;
    e.secondary = up;
    e.data_bytes = m->length;
    half_start_elements(h);
    g_array_append_val(h->elements, e);
    connection_use_message(h, m, false);
    half_start_elements(h);
    return true;
}

struct nbss_reader connection_reader(struct half *h)
{
    return (struct nbss_reader){take_part,
                                take_whole,
                                end_message,
                                h,
                                take_raw,
                                connection_infer_length,
                                connection_infer_between,
                                connection_take_inferred};
}
