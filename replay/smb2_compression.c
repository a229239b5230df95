#include "replay/smb2_compression.h"
#include "replay/cursor.h"
#include "replay/pattern_v1.h"
#include "replay/pdu.h"

enum {
    PROTOCOL_ID = 0x424d53fc,
    FLAG_CHAINED = 1, /* 2.2.42.2.1 */
    PART_HEADER = 8,
    ORIGINAL_SIZE = 4,
};

/* 2.2.42.2.1: which parts say what size they had. */
static bool has_original_size(uint16_t algorithm)
{
    return algorithm != SMB_CODEC_NONE && algorithm != SMB_CODEC_PATTERN_V1;
}

/* ---- parsing ---------------------------------------------------------------------------------------------------- */

/* The next `length` bytes are a part. Where there are fewer the cursor fails. */
static void add_part(struct smb2_compression *out, struct cursor *c, uint16_t algorithm,
                     uint32_t original_bytes, size_t length)
{
    size_t there = MIN(length, c->left);

    out->parts[out->count++] =
        (struct smb2_compression_part){algorithm, original_bytes, cursor_bytes(c, there), there};
    if (there < length)
        c->failed = true;
}

/* 2.2.42.2.2 */
static uint32_t run_length(struct cursor c)
{
    cursor_skip(&c, 4);
    return cursor_le32(&c);
}

/* 2.2.42.2.1. False for a length that can't be. */
static bool parse_part(struct smb2_compression *out, struct cursor *c)
{
    uint16_t algorithm = cursor_le16(c);
    uint32_t length, original_bytes;

    cursor_skip(c, 2);
    length = cursor_le32(c);
    original_bytes = algorithm == SMB_CODEC_PATTERN_V1 ? run_length(*c) : length;
    if (has_original_size(algorithm)) {
        original_bytes = cursor_le32(c);
        if (cursor_ok(c) && length < ORIGINAL_SIZE)
            return false;
        length -= ORIGINAL_SIZE;
    }
    if (cursor_ok(c))
        add_part(out, c, algorithm, original_bytes, length);
    return true;
}

static bool parse_parts(struct smb2_compression *out, struct cursor *c)
{
    uint64_t sum = 0;

    while (c->left > 0 && cursor_ok(c)) {
        if (out->count == SMB2_COMPRESSION_PARTS || !parse_part(out, c))
            return false;
    }
    for (unsigned i = 0; i < out->count; i++)
        sum += out->parts[i].original_bytes;
    return cursor_ok(c) ? sum == out->original_bytes : sum <= out->original_bytes;
}

/* 2.2.42.1 */
static bool parse_unchained(struct smb2_compression *out, struct cursor *c, uint16_t algorithm, uint32_t size,
                            uint32_t head)
{
    if (size > UINT32_MAX - head)
        return false;
    out->original_bytes = head + size;
    if (head > 0)
        add_part(out, c, SMB_CODEC_NONE, head, head);
    if (cursor_ok(c))
        add_part(out, c, algorithm, size, c->left);
    return true;
}

enum codec_outcome smb2_compression_parse(const uint8_t *bytes, size_t length, struct smb2_compression *out)
{
    struct cursor c = cursor_over(bytes, length), parts;
    uint32_t id = cursor_le32(&c), size = cursor_le32(&c), head;
    uint16_t algorithm, flags;
    bool ok;

    out->count = 0;
    parts = c;
    algorithm = cursor_le16(&c);
    flags = cursor_le16(&c);
    head = cursor_le32(&c);
    if (!cursor_ok(&c))
        return CODEC_TRUNCATED;
    if (id != PROTOCOL_ID || flags > FLAG_CHAINED)
        return CODEC_MALFORMED;
    out->chained = flags == FLAG_CHAINED;
    out->original_bytes = size;
    if (out->chained) {
        c = parts;
        ok = parse_parts(out, &c);
    } else {
        ok = parse_unchained(out, &c, algorithm, size, head);
    }
    if (!ok) {
        out->count = 0;
        return CODEC_MALFORMED;
    }
    return cursor_ok(&c) ? CODEC_OK : CODEC_TRUNCATED;
}

/* ---- decoding --------------------------------------------------------------------------------------------------- */

static enum codec_outcome decode_part(const struct smb2_compression_part *p, uint8_t *out, size_t *written)
{
    const struct smb_codec *codec = smb_codec_find(p->algorithm);

    if (codec)
        return codec->decode(p->bytes, p->length, out, p->original_bytes, written);
    *written = 0;
    if (p->algorithm != SMB_CODEC_NONE || p->length > p->original_bytes)
        return CODEC_MALFORMED;
    if (p->length > 0)
        memcpy(out, p->bytes, p->length);
    *written = p->length;
    return p->length == p->original_bytes ? CODEC_OK : CODEC_TRUNCATED;
}

enum codec_outcome smb2_compression_decode(const uint8_t *bytes, size_t length, uint8_t *out, size_t capacity,
                                           size_t *written)
{
    struct smb2_compression c;
    enum codec_outcome outcome = smb2_compression_parse(bytes, length, &c);

    *written = 0;
    if (outcome != CODEC_MALFORMED && c.count > 0 && c.original_bytes > capacity)
        return CODEC_MALFORMED;
    for (unsigned i = 0; i < c.count; i++) {
        size_t more;
        enum codec_outcome part = decode_part(&c.parts[i], *written > 0 ? out + *written : out,
                                              &more); /* `out` of no size may be null */

        *written += more;
        /* A codec may take a part that was cut short for a malformed one. */
        if (part != CODEC_OK)
            return outcome == CODEC_TRUNCATED && i + 1 == c.count ? CODEC_TRUNCATED : part;
    }
    return outcome;
}

/* ---- encoding --------------------------------------------------------------------------------------------------- */

/* Room for a part's header; its flags say whether it is the first. */
static size_t start_part(struct pdu *p, bool *first, uint16_t algorithm)
{
    size_t at;

    pdu_le16(p, algorithm);
    pdu_le16(p, *first ? FLAG_CHAINED : 0);
    at = pdu_reserve(p, 4);
    *first = false;
    return at;
}

static void end_part(struct pdu *p, size_t at)
{
    pdu_put_le32(p, at, (uint32_t)(p->at - at - 4));
}

static void put_plain(struct pdu *p, bool *first, const uint8_t *bytes, size_t length)
{
    size_t at;

    if (length == 0)
        return;
    at = start_part(p, first, SMB_CODEC_NONE);
    pdu_bytes(p, bytes, length);
    end_part(p, at);
}

static void put_run(struct pdu *p, bool *first, uint8_t byte, size_t length)
{
    size_t at;

    if (length == 0)
        return;
    at = start_part(p, first, SMB_CODEC_PATTERN_V1);
    pdu_u8(p, byte);
    pdu_reserve(p, 3);
    pdu_le32(p, length);
    end_part(p, at);
}

static void put_encoded(struct pdu *p, bool *first, const struct smb_codec *codec, const uint8_t *bytes,
                        size_t length)
{
    struct pdu start = *p;
    bool was_first = *first;
    size_t at, encoded;

    if (length == 0)
        return;
    at = start_part(p, first, codec->id);
    pdu_le32(p, length);
    encoded = p->overflow ? 0 : codec->encode(bytes, length, p->bytes + p->at, MIN(pdu_left(p), length - 1));
    if (encoded > 0 && encoded + ORIGINAL_SIZE < length) {
        pdu_take(p, encoded);
        end_part(p, at);
        return;
    }
    *p = start;
    *first = was_first;
    put_plain(p, first, bytes, length);
}

size_t smb2_compression_encode(const struct smb_codec *codec, const uint8_t *message, size_t length,
                               size_t head, uint8_t *out, size_t capacity)
{
    struct pdu p = pdu_over(out, capacity);
    const uint8_t *data = message + head;
    size_t rest = length - head, leading, trailing;
    bool first = true;

    if (length > UINT32_MAX)
        return 0;
    pattern_v1_scan(data, rest, &leading, &trailing);
    pdu_le32(&p, PROTOCOL_ID);
    pdu_le32(&p, length);
    put_plain(&p, &first, message, head);
    put_run(&p, &first, leading ? data[0] : 0, leading);
    put_encoded(&p, &first, codec, data + leading, rest - leading - trailing);
    put_run(&p, &first, trailing ? data[rest - 1] : 0, trailing);
    return pdu_length(&p) < length ? pdu_length(&p) : 0;
}
