#include "replay/lznt1.h"
#include "replay/cursor.h"
#include "replay/lz_copy.h"
#include "replay/lz_finder.h"
#include "replay/pdu.h"

enum {
    CHUNK = 4096,
    MIN_MATCH = 3,
    TOKENS = 8, /* that share a byte of flags */
    /* 2.5.1.2: the chunk's header */
    LENGTH_BITS = 0x0fff, /* bytes behind the header, less 1 */
    SIGNATURE = 3 << 12,
    SIGNATURE_BITS = 7 << 12,
    COMPRESSED = 1 << 15,
};

/* 2.5.1.4: the further a chunk has got, the more of a token's 16 bits are needed for the offset. The number that are left for
 * the length. */
static unsigned length_bits(size_t position)
{
    unsigned offset_bits = 4;

    while (position > (size_t)1 << offset_bits)
        offset_bits++;
    return 16 - offset_bits;
}

/* ---- decoding --------------------------------------------------------------------------------------------------- */

static bool decode_match(struct cursor *c, uint8_t *chunk, size_t size, size_t *at)
{
    uint16_t token = cursor_le16(c);
    unsigned bits = length_bits(*at);
    size_t offset = (size_t)(token >> bits) + 1;
    size_t length = (token & ((1U << bits) - 1)) + MIN_MATCH;

    if (!cursor_ok(c) || offset > *at || length > size - *at)
        return false;
    lz_copy(chunk + *at, offset, length);
    *at += length;
    return true;
}

/* Decodes a compressed chunk of at most `size` bytes from all of `c`. A token that is cut off fails the cursor. */
static bool decode_chunk(struct cursor *c, uint8_t *chunk, size_t size, size_t *at)
{
    while (c->left > 0) {
        uint8_t flags = cursor_u8(c);

        for (unsigned i = 0; i < TOKENS && c->left > 0; i++, flags >>= 1) {
            if (flags & 1) {
                if (!decode_match(c, chunk, size, at))
                    return false;
            } else {
                if (*at == size)
                    return false;
                chunk[(*at)++] = cursor_u8(c);
            }
        }
    }
    return true;
}

/* What one chunk holds, `size` bytes at most. */
static enum codec_outcome take_chunk(struct cursor *c, uint16_t header, uint8_t *out, size_t size, size_t *at)
{
    size_t length = (size_t)(header & LENGTH_BITS) + 1;
    size_t there = MIN(length, c->left);
    struct cursor body = cursor_over(cursor_bytes(c, there), there);

    if ((header & SIGNATURE_BITS) != SIGNATURE)
        return CODEC_MALFORMED;
    if (header & COMPRESSED) {
        if (!decode_chunk(&body, out, size, at))
            return cursor_ok(&body) || there == length ? CODEC_MALFORMED : CODEC_TRUNCATED;
    } else {
        *at = MIN(there, size);
        memcpy(out, body.at, *at);
        if (there > size)
            return CODEC_MALFORMED;
    }
    return there == length ? CODEC_OK : CODEC_TRUNCATED;
}

enum codec_outcome lznt1_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size, size_t *written)
{
    struct cursor c = cursor_over(in, length);
    enum codec_outcome outcome = CODEC_OK;
    size_t at = 0, start = 0; /* written so far; where the next chunk starts */

    while (c.left > 0 && outcome == CODEC_OK) {
        uint16_t header = cursor_le16(&c);
        size_t in_chunk = 0;

        if (header == 0) /* 2.5.1.1: the end, or half a header */
            break;
        if (start >= size) {
            outcome = CODEC_MALFORMED;
            break;
        }
        memset(out + at, 0, start - at);
        outcome = cursor_ok(&c) ? take_chunk(&c, header, out + start, MIN(CHUNK, size - start), &in_chunk)
                                : CODEC_TRUNCATED;
        at = start + in_chunk;
        start += CHUNK;
    }
    *written = at;
    if (outcome != CODEC_OK)
        return outcome;
    if (at < size)
        return CODEC_TRUNCATED;
    return c.left == 0 ? CODEC_OK : CODEC_MALFORMED;
}

/* ---- encoding --------------------------------------------------------------------------------------------------- */

static void encode_tokens(struct pdu *w, struct lz_finder *finder, const uint8_t *in, uint32_t length)
{
    size_t flags_at = 0;
    unsigned tokens = TOKENS;

    lz_finder_start(finder, in, length);
    for (uint32_t at = 0; at < length && !w->overflow;) {
        struct lz_match m = lz_finder_next(finder, at);
        unsigned bits = length_bits(at);

        if (tokens == TOKENS) {
            flags_at = pdu_reserve(w, 1);
            tokens = 0;
        }
        if (m.length > 0) {
            m.length = MIN(m.length, (1U << bits) - 1 + MIN_MATCH);
            pdu_le16(w, (uint16_t)((m.offset - 1) << bits | (m.length - MIN_MATCH)));
            if (!w->overflow)
                w->bytes[flags_at] |= (uint8_t)(1U << tokens);
            at += m.length;
        } else {
            pdu_u8(w, in[at++]);
        }
        tokens++;
    }
}

static void encode_chunk(struct pdu *w, struct lz_finder *finder, const uint8_t *in, uint32_t length)
{
    size_t header_at = pdu_reserve(w, 2), start = w->at;
    struct pdu body = pdu_over(w->bytes + start, MIN(w->size - start, length - 1));

    /* A chunk that doesn't shrink is stored. */
    encode_tokens(&body, finder, in, length);
    if (!body.overflow) {
        w->at += body.at;
    } else {
        pdu_bytes(w, in, length);
    }
    pdu_put_le16(w, header_at,
                 (uint32_t)((w->at - start - 1) | SIGNATURE | (body.overflow ? 0 : COMPRESSED)));
}

size_t lznt1_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity)
{
    struct pdu w = pdu_over(out, capacity);
    struct lz_finder *finder;

    if (length >= UINT32_MAX)
        return 0;
    finder = lz_finder_new(CHUNK, length);
    for (size_t at = 0; at < length && !w.overflow; at += CHUNK)
        encode_chunk(&w, finder, in + at, (uint32_t)MIN(CHUNK, length - at));
    lz_finder_free(finder);
    return pdu_length(&w);
}
