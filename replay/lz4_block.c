#include "replay/lz4_block.h"

#include <glib.h>
#include <lz4.h>

enum codec_outcome lz4_block_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                    size_t *written)
{
    int there;

    *written = 0;
    if (length > INT_MAX || size > INT_MAX)
        return CODEC_MALFORMED;
    there = LZ4_decompress_safe((const char *)in, (char *)out, (int)length, (int)size);
    if (there < 0)
        return CODEC_MALFORMED;
    *written = (size_t)there;
    return *written == size ? CODEC_OK : CODEC_TRUNCATED;
}

size_t lz4_block_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity)
{
    if (length > LZ4_MAX_INPUT_SIZE)
        return 0;
    return (size_t)LZ4_compress_default((const char *)in, (char *)out, (int)length,
                                        (int)MIN(capacity, INT_MAX));
}
