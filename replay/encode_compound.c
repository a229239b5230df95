/* Compounds: related requests in one message, and their answers in one. [MS-SMB2] 3.2.4.1.4, 3.3.5.2.7.2. */
#include "replay/encode_parts.h"

/* Offsets and a flag of the header, 2.2.1.2; and how an element's number differs from its exchange's. */
enum { ALIGNED = 8, FLAGS_AT = 16, NEXT_AT = 20, FLAG_RELATED = 4, ELEMENT_SHIFT = 40 };

static uint64_t number_of(uint64_t exchange, uint32_t element)
{
    return exchange | (uint64_t)element << ELEMENT_SHIFT;
}

/* When the first one failed, those that go on with its file fail alike. */
static void fail_alike(struct encoder *e, uint64_t number, const struct exchange_chain *chain)
{
    const struct encode_pending *first = g_hash_table_lookup(e->pending, &number);

    for (uint32_t i = 1; first->fails && i < chain->count; i++) {
        uint64_t key = number_of(number, i);
        struct encode_pending *p = g_hash_table_lookup(e->pending, &key);

        if (p->fails)
            p->status = first->status;
    }
}

/* The element's message behind those before it. In all but the last, a field leads to the one behind. */
static void append(GByteArray *to, const struct encoded *m, bool first, bool last)
{
    guint at = to->len, length = m->head_bytes - ENCODE_PREFIX;
    struct pdu next;

    g_byte_array_append(to, m->head + ENCODE_PREFIX, length);
    if (!first)
        to->data[at + FLAGS_AT] |= FLAG_RELATED;
    if (last)
        return;
    g_byte_array_set_size(to, at + (length + ALIGNED - 1) / ALIGNED * ALIGNED);
    memset(to->data + at + length, 0, to->len - at - length);
    next = pdu_over(to->data + at + NEXT_AT, sizeof(uint32_t));
    pdu_le32(&next, to->len - at);
}

static bool append_all(struct encoder *e, uint64_t number, const struct exchange *x, bool response,
                       GByteArray *to, GError **error)
{
    const struct exchange_chain *chain = x->chain;

    for (uint32_t i = 0; i < chain->count; i++) {
        struct exchange single = *x;
        struct encoded m;

        single.chain = NULL;
        single.command = chain->elements[i].command;
        single.request_bytes = chain->elements[i].request_bytes;
        single.response_bytes = chain->elements[i].response_bytes;
        if (!encode_single(e, number_of(number, i), &single, response, &m, error))
            return false;
        append(to, &m, i == 0, i + 1 == chain->count);
        encoded_clear(&m);
    }
    return true;
}

bool encode_compound(struct encoder *e, uint64_t number, const struct exchange *x, bool response,
                     struct encoded *out, GError **error)
{
    GByteArray *bytes = g_byte_array_new();
    struct pdu prefix;

    g_byte_array_set_size(bytes, ENCODE_PREFIX);
    if (response)
        fail_alike(e, number, x->chain);
    if (!append_all(e, number, x, response, bytes, error)) {
        g_byte_array_unref(bytes);
        return false;
    }
    prefix = pdu_over(bytes->data, ENCODE_PREFIX);
    pdu_be32(&prefix, bytes->len - ENCODE_PREFIX);
    *out = (struct encoded){.head_bytes = bytes->len};
    out->head = g_byte_array_free(bytes, FALSE);
    return true;
}
