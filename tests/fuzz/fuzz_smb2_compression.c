/* Compressed messages: any bytes either decode to what their header says or are refused, and what decodes can be compressed again. */
#include "tests/fuzz/fuzz.h"
#include "replay/smb2_compression.h"

#include <glib.h>
#include <string.h>

enum { CAPACITY = 100000, AGAIN_LIMIT = 6000 };

static void compress_again(const uint8_t *message, size_t size, size_t head)
{
    for (const struct smb_codec *c = SMB_CODECS; c->name; c++) {
        uint8_t *out = g_malloc(size), *back = g_malloc(size);
        size_t length = smb2_compression_encode(c, message, size, head, out, size), written;

        g_assert(length < size || size == 0);
        if (length > 0) {
            g_assert(smb2_compression_decode(out, length, back, size, &written) == CODEC_OK);
            g_assert(written == size && memcmp(back, message, size) == 0);
        }
        g_free(out);
        g_free(back);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smb2_compression c;
    enum codec_outcome parsed = smb2_compression_parse(data, size, &c);
    uint8_t *out = g_malloc(CAPACITY);
    size_t written = SIZE_MAX;
    enum codec_outcome outcome = smb2_compression_decode(data, size, out, CAPACITY, &written);

    g_assert(written <= CAPACITY);
    g_assert(parsed == CODEC_OK || outcome != CODEC_OK);
    if (outcome == CODEC_OK) {
        g_assert(written == c.original_bytes);
        if (written <= AGAIN_LIMIT)
            compress_again(out, written, MIN(written, 64));
    }
    g_free(out);
    return 0;
}
