#include "replay/lz77_huffman.h"
#include "replay/huffman_code.h"
#include "replay/lz_finder.h"
#include "replay/pdu.h"

#include <glib.h>

enum {
    SYMBOLS = LZ77_HUFFMAN_SYMBOLS,
    CODE_BITS = LZ77_HUFFMAN_CODE_BITS,
    WINDOW = 65535,
    LENGTH_MAX = 15, /* in a symbol; longer ones go on in whole bytes */
};

G_STATIC_ASSERT((int)SYMBOLS == (int)HUFFMAN_CODE_SYMBOLS);

/* A literal has no length, and its value in `offset`. */
struct token {
    uint32_t length;
    uint16_t offset;
};

struct encoder {
    struct pdu out;
    struct lz_finder *finder;
    struct token *tokens; /* of one block */
    unsigned count;
    uint8_t lengths[SYMBOLS];
    uint16_t words[SYMBOLS];
    /* 2.1.4.3: bits go into 16 bits wide places, and the next two of them are always reserved already, because a decoder
     * reads that far ahead of the whole bytes that stand between them. */
    size_t place, next_place;
    uint32_t bits; /* those for `place`, so far */
    unsigned room; /* bits that still fit there */
};

/* ---- bits ------------------------------------------------------------------------------------------------------- */

static void start_bits(struct encoder *e)
{
    e->place = pdu_reserve(&e->out, 2);
    e->next_place = pdu_reserve(&e->out, 2);
    e->bits = 0;
    e->room = 16;
}

static void put_bits(struct encoder *e, uint32_t value, unsigned count)
{
    if (count <= e->room) {
        e->bits = e->bits << count | value;
        e->room -= count;
        return;
    }
    count -= e->room;
    pdu_put_le16(&e->out, e->place, (uint16_t)(e->bits << e->room | value >> count));
    e->place = e->next_place;
    e->next_place = pdu_reserve(&e->out, 2);
    e->bits = value & ((UINT32_C(1) << count) - 1);
    e->room = 16 - count;
}

static void end_bits(struct encoder *e)
{
    pdu_put_le16(&e->out, e->place, (uint16_t)(e->bits << e->room));
}

/* ---- symbols ---------------------------------------------------------------------------------------------------- */

static unsigned symbol_of(const struct token *t)
{
    unsigned offset_bits = (unsigned)g_bit_storage(t->offset) - 1;
    uint32_t length = t->length - LZ77_HUFFMAN_MIN_MATCH;

    if (t->length == 0)
        return t->offset;
    return 256 + (offset_bits << 4) + (length < LENGTH_MAX ? length : LENGTH_MAX);
}

static void put_symbol(struct encoder *e, unsigned symbol)
{
    put_bits(e, e->words[symbol], e->lengths[symbol]);
}

static void put_token(struct encoder *e, const struct token *t)
{
    uint32_t length = t->length - LZ77_HUFFMAN_MIN_MATCH;
    unsigned offset_bits;

    put_symbol(e, symbol_of(t));
    if (t->length == 0)
        return;
    if (length >= LENGTH_MAX)
        pdu_u8(&e->out, (uint8_t)MIN(length - LENGTH_MAX, 255));
    if (length >= LENGTH_MAX + 255)
        pdu_le16(&e->out, (uint16_t)(length <= UINT16_MAX ? length : 0));
    if (length > UINT16_MAX)
        pdu_le32(&e->out, length);
    offset_bits = (unsigned)g_bit_storage(t->offset) - 1;
    put_bits(e, t->offset - (UINT32_C(1) << offset_bits), offset_bits);
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Words in the canonical order: by length, then by symbol. */
static void assign_words(struct encoder *e)
{
    uint32_t word = 0;

    for (unsigned length = 1; length <= CODE_BITS; length++) {
        word <<= 1;
        for (unsigned i = 0; i < SYMBOLS; i++) {
            if (e->lengths[i] == length)
                e->words[i] = (uint16_t)word++;
        }
    }
}

static void build_code(struct encoder *e, bool last)
{
    uint32_t counts[SYMBOLS] = {0};
    unsigned used = 0;

    for (unsigned i = 0; i < e->count; i++)
        counts[symbol_of(&e->tokens[i])]++;
    counts[LZ77_HUFFMAN_END] += last;
    for (unsigned i = 0; i < SYMBOLS; i++)
        used += counts[i] > 0;
    if (used == 1) /* a code has two words at least */
        counts[counts[0] > 0 ? 1 : 0] = 1;
    huffman_code_lengths(counts, CODE_BITS, e->lengths);
    assign_words(e);
}

/* Fills `tokens` from `at` on and returns where the block ends, which may be behind its size: a match isn't cut. */
static uint32_t collect(struct encoder *e, const uint8_t *in, uint32_t at, uint32_t length)
{
    uint32_t left = MIN(length - at, LZ77_HUFFMAN_BLOCK);

    e->count = 0;
    while (left > 0) {
        struct lz_match m = lz_finder_next(e->finder, at);
        uint32_t step = m.length > 0 ? m.length : 1;

        e->tokens[e->count++] =
            m.length > 0 ? (struct token){m.length, (uint16_t)m.offset} : (struct token){0, in[at]};
        at += step;
        left -= MIN(step, left);
    }
    return at;
}

static void put_block(struct encoder *e, bool last)
{
    build_code(e, last);
    for (unsigned i = 0; i < SYMBOLS; i += 2)
        pdu_u8(&e->out, (uint8_t)(e->lengths[i] | e->lengths[i + 1] << 4));
    start_bits(e);
    for (unsigned i = 0; i < e->count && !e->out.overflow; i++)
        put_token(e, &e->tokens[i]);
    if (last)
        put_symbol(e, LZ77_HUFFMAN_END);
    end_bits(e);
}

size_t lz77_huffman_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity)
{
    struct encoder e = {.out = pdu_over(out, capacity)};
    uint32_t at = 0;

    if (length >= UINT32_MAX)
        return 0;
    e.finder = lz_finder_new(WINDOW, length);
    e.tokens = g_new(struct token, MIN(length, LZ77_HUFFMAN_BLOCK));
    lz_finder_start(e.finder, in, (uint32_t)length);
    do {
        at = collect(&e, in, at, (uint32_t)length);
        put_block(&e, at == length);
    } while (at < length && !e.out.overflow);
    g_free(e.tokens);
    lz_finder_free(e.finder);
    return pdu_length(&e.out);
}
