#include "replay/lz77.h"
#include "replay/cursor.h"
#include "replay/lz_copy.h"
#include "replay/lz_finder.h"
#include "replay/pdu.h"

enum { MIN_MATCH = 3, FLAGS = 32, WINDOW = 8192 };

/* A token has 3 bits for the length. Longer ones go on in half a byte, whose other half serves the next such token,
 * then in 1, 2 or 4 bytes. */
enum {
    TOKEN_MAX = 7,
    HALF_MAX = 15,
    BYTE_MAX = 255,
    BEYOND_HALF = TOKEN_MAX + HALF_MAX, /* longer than this in the 16 and 32 bits wide forms */
};

struct decoder {
    struct cursor in;
    const uint8_t *half; /* a byte whose upper half is still to be used, or NULL */
    bool malformed;
};

/* 2.4.4: the length of a match whose token says `length`, without MIN_MATCH. */
static uint32_t long_length(struct decoder *d, uint32_t length)
{
    if (length < TOKEN_MAX)
        return length;
    if (d->half) {
        length = *d->half >> 4;
        d->half = NULL;
    } else {
        d->half = cursor_bytes(&d->in, 1);
        length = d->half ? *d->half & 15 : 0;
    }
    if (length < HALF_MAX)
        return length + TOKEN_MAX;
    length = cursor_u8(&d->in);
    if (length < BYTE_MAX)
        return length + BEYOND_HALF;
    length = cursor_le16(&d->in);
    if (length == 0)
        length = cursor_le32(&d->in);
    d->malformed = length < BEYOND_HALF;
    return length;
}

/* False when there is no room for it or nothing to copy from; the cursor has failed when it was cut off. */
static bool decode_match(struct decoder *d, uint8_t *out, size_t size, size_t *at)
{
    uint16_t token = cursor_le16(&d->in);
    size_t offset = (size_t)(token >> 3) + 1;
    size_t length = (size_t)long_length(d, token & TOKEN_MAX) + MIN_MATCH;

    if (!cursor_ok(&d->in) || d->malformed || offset > *at || length > size - *at)
        return false;
    lz_copy(out + *at, offset, length);
    *at += length;
    return true;
}

/* The literals before the next match, which are as many as there are zero bits before the next one. */
static unsigned literals(uint32_t flags, unsigned left)
{
    unsigned zeros = flags ? FLAGS - g_bit_storage(flags) : FLAGS;

    return MIN(zeros, left);
}

/* Input or output, or both, have no more bytes. */
static enum codec_outcome at_end(const struct decoder *d, size_t at, size_t size)
{
    if (d->in.left > 0)
        return CODEC_MALFORMED;
    return at == size ? CODEC_OK : CODEC_TRUNCATED;
}

enum codec_outcome lz77_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size, size_t *written)
{
    struct decoder d = {cursor_over(in, length), NULL, false};
    size_t at = 0;

    /* The stream has no end mark: its last flags are filled up with ones, and a match without a token is the end. */
    while (d.in.left > 0 && cursor_ok(&d.in)) {
        uint32_t flags = cursor_le32(&d.in);

        for (unsigned left = FLAGS; left > 0 && cursor_ok(&d.in);) {
            unsigned run = literals(flags, left);
            size_t there = MIN(MIN(run, d.in.left), size - at);

            if (there > 0)
                memcpy(out + at, cursor_bytes(&d.in, there), there);
            at += there;
            *written = at;
            if (there < run)
                return at_end(&d, at, size);
            left -= run;
            if (left == 0)
                break;
            if (d.in.left == 0)
                return at_end(&d, at, size);
            flags = run + 1 < FLAGS ? flags << (run + 1) : 0;
            left--;
            if (!decode_match(&d, out, size, &at))
                return cursor_ok(&d.in) ? CODEC_MALFORMED : CODEC_TRUNCATED;
        }
    }
    *written = at;
    return cursor_ok(&d.in) ? at_end(&d, at, size) : CODEC_TRUNCATED;
}

/* ---- encoding --------------------------------------------------------------------------------------------------- */

struct encoder {
    struct pdu out;
    size_t flags_at; /* where the flags of the current tokens go */
    uint32_t flags;
    unsigned tokens; /* of them */
    size_t half;     /* position of a byte whose upper half is free; 0: none */
};

/* 2.3.4: room for the next flags is taken as soon as the last ones are complete. */
static void put_flag(struct encoder *e, bool match)
{
    e->flags = e->flags << 1 | match;
    if (++e->tokens < FLAGS)
        return;
    pdu_put_le32(&e->out, e->flags_at, e->flags);
    e->flags_at = pdu_reserve(&e->out, 4);
    e->flags = 0;
    e->tokens = 0;
}

static void put_half(struct encoder *e, uint32_t value)
{
    if (e->half > 0) {
        if (!e->out.overflow)
            e->out.bytes[e->half] |= (uint8_t)(value << 4);
        e->half = 0;
    } else {
        e->half = e->out.at;
        pdu_u8(&e->out, (uint8_t)value);
    }
}

static void put_match(struct encoder *e, const struct lz_match *m)
{
    uint32_t length = m->length - MIN_MATCH;

    pdu_le16(&e->out, (uint16_t)((m->offset - 1) << 3 | MIN(length, TOKEN_MAX)));
    if (length >= TOKEN_MAX) {
        put_half(e, MIN(length - TOKEN_MAX, HALF_MAX));
        if (length >= BEYOND_HALF)
            pdu_u8(&e->out, (uint8_t)MIN(length - BEYOND_HALF, BYTE_MAX));
        if (length >= BEYOND_HALF + BYTE_MAX)
            pdu_le16(&e->out, (uint16_t)(length <= UINT16_MAX ? length : 0));
        if (length > UINT16_MAX)
            pdu_le32(&e->out, length);
    }
    put_flag(e, true);
}

size_t lz77_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity)
{
    struct encoder e = {.out = pdu_over(out, capacity)};
    struct lz_finder *finder;

    if (length >= UINT32_MAX)
        return 0;
    finder = lz_finder_new(WINDOW, length);
    lz_finder_start(finder, in, (uint32_t)length);
    e.flags_at = pdu_reserve(&e.out, 4);
    for (uint32_t at = 0; at < length && !e.out.overflow;) {
        struct lz_match m = lz_finder_next(finder, at);

        if (m.length > 0) {
            put_match(&e, &m);
            at += m.length;
        } else {
            pdu_u8(&e.out, in[at++]);
            put_flag(&e, false);
        }
    }
    /* The flags that are left over are ones: see the decoder. */
    pdu_put_le32(&e.out, e.flags_at, (uint32_t)(((uint64_t)e.flags + 1) << (FLAGS - e.tokens)) - 1);
    lz_finder_free(finder);
    return pdu_length(&e.out);
}
