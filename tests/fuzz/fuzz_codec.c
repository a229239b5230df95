/* One codec, CODEC being its id. An input's first three bytes are a size, and a bit that says whether the rest is to be decoded to that
 * size or to be encoded. Whatever can be decoded, or encoded, comes back when it is taken round once more. */
#include "tests/fuzz/fuzz.h"
#include "replay/codec.h"

#include <glib.h>
#include <string.h>

/* Large outputs are decoded, but not encoded again: that would take most of the time. */
enum { HEADER = 3, SIZE_LIMIT = 140000, AGAIN_LIMIT = 6000, ENCODE = 0x80 };

static void round_trip(const struct smb_codec *c, const uint8_t *data, size_t size)
{
    size_t capacity = size + size / 4 + 1024, written = SIZE_MAX;
    uint8_t *encoded = g_malloc(capacity);
    size_t length = c->encode(data, size, encoded, capacity);

    if (length > 0) {
        uint8_t *exact = g_memdup2(encoded, length), *back = g_malloc(size);
        enum codec_outcome outcome = c->decode(exact, length, back, size, &written);

        g_assert(outcome == CODEC_OK && written == size);
        g_assert(size == 0 || memcmp(back, data, size) == 0);
        g_free(exact);
        g_free(back);
    }
    g_free(encoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct smb_codec *c = smb_codec_find(CODEC);
    size_t wanted, written = SIZE_MAX;
    uint8_t *out;

    if (size < HEADER)
        return 0;
    wanted = (data[0] | (uint32_t)data[1] << 8 | (uint32_t)(data[2] & ~ENCODE) << 16) % SIZE_LIMIT;
    if (data[2] & ENCODE) {
        round_trip(c, data + HEADER, size - HEADER);
        return 0;
    }
    out = g_malloc(wanted);
    if (c->decode(data + HEADER, size - HEADER, out, wanted, &written) == CODEC_OK) {
        g_assert(written == wanted);
        if (written <= AGAIN_LIMIT)
            round_trip(c, out, written);
    }
    g_assert(written <= wanted);
    g_free(out);
    return 0;
}
