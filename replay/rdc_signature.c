#include "replay/rdc_signature.h"
#include "replay/cursor.h"

/* [MS-RDC] 2.2.1: size, version, least version to read it with, padding, file type. */
static const uint8_t HEADER[RDC_HEADER_BYTES] = {[0] = 0x18, [4] = 1, [6] = 1, [8] = 1, [10] = 1, [16] = 1};

GByteArray *rdc_signature_file(const struct rdc_filter *f, const uint8_t *data, size_t length)
{
    g_autoptr(GArray) cuts = rdc_filter_cuts(f, data, length);
    GByteArray *out = g_byte_array_sized_new(RDC_HEADER_BYTES + RDC_SIGNATURE_BYTES * cuts->len);

    g_byte_array_append(out, HEADER, RDC_HEADER_BYTES);
    for (guint i = 0; i < cuts->len; i++) {
        uint64_t from = g_array_index(cuts, uint64_t, i),
                 to = i + 1 < cuts->len ? g_array_index(cuts, uint64_t, i + 1) : length, size = to - from;
        uint8_t signature[RDC_SIGNATURE_BYTES];

        md4_digest(data + from, size, signature);
        signature[MD4_BYTES] = (uint8_t)size;
        signature[MD4_BYTES + 1] = (uint8_t)(size >> 8);
        g_byte_array_append(out, signature, sizeof signature);
    }
    return out;
}

static bool is_header(struct cursor *c)
{
    uint32_t size = cursor_le32(c), least;

    cursor_le32(c);
    least = cursor_le32(c);
    cursor_le32(c);
    return cursor_le64(c) == 1 && size == RDC_HEADER_BYTES && least == 0x00010001 && cursor_ok(c);
}

GArray *rdc_signature_read(const uint8_t *bytes, size_t length)
{
    struct cursor c = cursor_over(bytes, length);
    GArray *chunks;
    struct rdc_chunk chunk = {0};

    if (!is_header(&c) || c.left % RDC_SIGNATURE_BYTES != 0)
        return NULL;
    chunks = g_array_sized_new(FALSE, FALSE, sizeof chunk, (guint)(c.left / RDC_SIGNATURE_BYTES));
    while (c.left > 0) {
        memcpy(chunk.hash, cursor_bytes(&c, MD4_BYTES), MD4_BYTES);
        chunk.length = cursor_le16(&c);
        g_array_append_val(chunks, chunk);
        chunk.offset += chunk.length;
    }
    return chunks;
}
