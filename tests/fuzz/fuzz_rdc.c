/* Two versions of a file: the first byte says how many levels of signatures, the next three where the rest is cut in two. The new version
 * must come out of the old one; and bytes that claim to be a signature file are read or refused. */
#include "tests/fuzz/fuzz.h"
#include "replay/rdc_transfer.h"

#include <string.h>

enum { HEADER = 4 };

struct building {
    const uint8_t *sent;
    GByteArray *built;
};

static const uint8_t *fetch(void *self, uint64_t offset, uint64_t length)
{
    const struct building *b = self;

    (void)length;
    return b->sent + offset;
}

static void put(void *self, const uint8_t *bytes, size_t length)
{
    struct building *b = self;

    g_byte_array_append(b->built, bytes, (guint)length);
}

static void check_signatures(const uint8_t *data, size_t size)
{
    GArray *chunks = rdc_signature_read(data, size);

    if (!chunks)
        return;
    g_assert(chunks->len == (size - RDC_HEADER_BYTES) / RDC_SIGNATURE_BYTES);
    g_array_unref(chunks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rdc_filter filter = {5, 128};
    struct rdc_transfer *t;
    struct rdc_versions v;

    check_signatures(data, size);
    if (size < HEADER)
        return 0;
    v.before = data + HEADER;
    v.before_bytes = (data[1] | (size_t)data[2] << 8 | (size_t)data[3] << 16) % (size - HEADER + 1);
    v.after = v.before + v.before_bytes;
    v.after_bytes = size - HEADER - v.before_bytes;
    t = rdc_transfer_new(&filter, &RDC_FILTER_SIGNATURES, 1 + data[0] % RDC_LEVELS_MOST, &v);
    struct building b = {v.after, g_byte_array_new()};
    g_assert(
        rdc_transfer_rebuild(&t->levels[0], &(struct rdc_ends){v.before, v.before_bytes, fetch, put, &b}));
    g_assert(b.built->len == v.after_bytes);
    g_assert(v.after_bytes == 0 || memcmp(b.built->data, v.after, v.after_bytes) == 0);
    g_byte_array_unref(b.built);
    rdc_transfer_free(t);
    return 0;
}
