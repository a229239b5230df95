#include "replay/lz77_huffman.h"
#include "replay/cursor.h"
#include "replay/lz_copy.h"

enum {
    SYMBOLS = LZ77_HUFFMAN_SYMBOLS,
    CODE_BITS = LZ77_HUFFMAN_CODE_BITS,
    FAST_BITS = 10, /* shorter code words are looked up, longer ones are searched by length */
};

/* The canonical code of one block: words of a length are consecutive, in the order of their symbols. */
struct code {
    uint16_t fast[1 << FAST_BITS]; /* symbol * 16 + length; 0: a longer word */
    uint16_t sorted[SYMBOLS];      /* symbols by length, then value */
    uint32_t end[CODE_BITS + 1];   /* first value behind the words of a length, as CODE_BITS bits */
    uint16_t start[CODE_BITS + 1]; /* where in `sorted` the words of a length begin */
    uint32_t first[CODE_BITS + 1]; /* first value of a length, as CODE_BITS bits */
};

struct decoder {
    struct cursor in;
    uint32_t bits; /* the next bits, from the top; at least 16 are there */
    int extra;     /* how many more than 16 */
    struct code code;
    uint8_t *out;
    size_t at, size;
};

/* 2.2.4 tells a decoder to fail unless the words fill the whole space. */
static bool count_lengths(const uint8_t *table, unsigned counts[CODE_BITS + 1])
{
    uint32_t space = 0;

    memset(counts, 0, (CODE_BITS + 1) * sizeof *counts);
    for (unsigned i = 0; i < SYMBOLS; i++)
        counts[table[i / 2] >> (i % 2 * 4) & 15]++;
    for (unsigned length = 1; length <= CODE_BITS; length++)
        space += (uint32_t)counts[length] << (CODE_BITS - length);
    return space == UINT32_C(1) << CODE_BITS;
}

static void fill_fast(struct code *code)
{
    unsigned at = 0;

    memset(code->fast, 0, sizeof code->fast);
    for (unsigned length = 1; length <= FAST_BITS; length++) {
        for (unsigned i = code->start[length]; i < code->start[length + 1]; i++) {
            uint16_t entry = (uint16_t)((unsigned)code->sorted[i] << 4 | length);

            for (unsigned n = 1U << (FAST_BITS - length); n > 0; n--)
                code->fast[at++] = entry;
        }
    }
}

static bool read_code(struct decoder *d)
{
    const uint8_t *table = cursor_bytes(&d->in, LZ77_HUFFMAN_TABLE);
    struct code *code = &d->code;
    unsigned counts[CODE_BITS + 1], next[CODE_BITS + 1];
    uint32_t value = 0;
    unsigned index = 0;

    if (!table || !count_lengths(table, counts))
        return false;
    for (unsigned length = 1; length <= CODE_BITS; length++) {
        code->first[length] = value;
        code->start[length] = (uint16_t)index;
        next[length] = index;
        value += (uint32_t)counts[length] << (CODE_BITS - length);
        code->end[length] = value;
        index += counts[length];
    }
    for (unsigned i = 0; i < SYMBOLS; i++) {
        unsigned length = table[i / 2] >> (i % 2 * 4) & 15;

        if (length > 0)
            code->sorted[next[length]++] = (uint16_t)i;
    }
    fill_fast(code);
    return true;
}

static void start_bits(struct decoder *d)
{
    d->bits = (uint32_t)cursor_le16(&d->in) << 16;
    d->bits |= cursor_le16(&d->in);
    d->extra = 16;
}

static void drop_bits(struct decoder *d, unsigned count)
{
    d->bits <<= count;
    d->extra -= (int)count;
    if (d->extra < 0) {
        d->bits |= (uint32_t)cursor_le16(&d->in) << -d->extra;
        d->extra += 16;
    }
}

static unsigned take_symbol(struct decoder *d)
{
    const struct code *code = &d->code;
    uint16_t entry = code->fast[d->bits >> (32 - FAST_BITS)];
    uint32_t value = d->bits >> (32 - CODE_BITS);
    unsigned length = FAST_BITS + 1;

    if (entry) {
        drop_bits(d, entry & 15);
        return entry >> 4;
    }
    while (value >= code->end[length])
        length++;
    drop_bits(d, length);
    return code->sorted[code->start[length] + ((value - code->first[length]) >> (CODE_BITS - length))];
}

/* 2.2.4: what follows a length of 15 stands in whole bytes, between the words of the bit stream. */
static uint32_t long_length(struct decoder *d)
{
    uint32_t length = cursor_u8(&d->in);

    if (length < 255)
        return length + 15;
    length = cursor_le16(&d->in);
    return length > 0 ? length : cursor_le32(&d->in);
}

static bool copy_match(struct decoder *d, unsigned symbol)
{
    unsigned offset_bits = (symbol - 256) >> 4;
    uint32_t length = symbol & 15;
    size_t offset = (size_t)1 << offset_bits, count;

    if (length == 15) {
        length = long_length(d);
        if (length < 15)
            return false;
    }
    if (offset_bits > 0) {
        offset += d->bits >> (32 - offset_bits);
        drop_bits(d, offset_bits);
    }
    count = (size_t)length + LZ77_HUFFMAN_MIN_MATCH;
    if (!cursor_ok(&d->in) || offset > d->at || count > d->size - d->at)
        return false;
    lz_copy(d->out + d->at, offset, count);
    d->at += count;
    return true;
}

/* Decodes up to the block's end or the output's. A match may reach over the block's end, and then the next block
 * begins, and is counted from, where that match ends. */
static bool decode_block(struct decoder *d, size_t block_end)
{
    while (d->at < block_end) {
        unsigned symbol = take_symbol(d);

        if (!cursor_ok(&d->in))
            return false;
        if (symbol < 256)
            d->out[d->at++] = (uint8_t)symbol;
        else if (!copy_match(d, symbol))
            return false;
    }
    return true;
}

/* 2.2.4: the end symbol stands behind the last byte, in the code of the last block. */
static enum codec_outcome check_end(struct decoder *d)
{
    return take_symbol(d) == LZ77_HUFFMAN_END && d->in.left == 0 ? CODEC_OK : CODEC_MALFORMED;
}

enum codec_outcome lz77_huffman_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                       size_t *written)
{
    struct decoder d = {.in = cursor_over(in, length), .out = out, .size = size};
    bool ok;

    do {
        size_t block_end = MIN(d.at + LZ77_HUFFMAN_BLOCK, size);

        ok = read_code(&d);
        if (ok) {
            start_bits(&d);
            ok = decode_block(&d, block_end);
        }
    } while (ok && d.at < size);
    *written = d.at;
    if (!cursor_ok(&d.in))
        return CODEC_TRUNCATED;
    return ok ? check_end(&d) : CODEC_MALFORMED;
}
