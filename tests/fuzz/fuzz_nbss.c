/* Framing: the first byte says where the stream begins and how it is cut into chunks, which ones are holes, and how the reader asks on. */
#include "tests/fuzz/fuzz.h"
#include "replay/nbss.h"

#include <glib.h>

enum { ALL = 255 }; /* the step that asks for whole messages */

struct reading {
    const uint8_t *stream;
    size_t size;
    unsigned step;
    uint32_t last_at;
    unsigned open; /* parts of the message so far */
};

static uint32_t take_part(void *self, const struct nbss_message *m, uint32_t at, const uint8_t *bytes,
                          size_t length, bool cut)
{
    struct reading *r = self;
    size_t start = (size_t)m->offset + NBSS_PREFIX + at;

    g_assert(at == 0 || at > r->last_at);
    g_assert(length <= NBSS_PART);
    g_assert(cut || length == MIN(m->length - at, NBSS_PART));
    g_assert(start + length <= r->size);
    for (size_t i = 0; i < length; i++)
        g_assert(bytes[i] == r->stream[start + i]);
    r->last_at = at;
    r->open++;
    return r->step == ALL ? NBSS_WHOLE : at + r->step * 8;
}

static void take_whole(void *self, const struct nbss_message *m, const uint8_t *bytes, size_t length)
{
    struct reading *r = self;
    size_t start = (size_t)m->offset + NBSS_PREFIX;

    g_assert(r->open == 1);
    g_assert(length <= m->length && start + length <= r->size);
    for (size_t i = 0; i < length; i++)
        g_assert(bytes[i] == r->stream[start + i]);
}

static void take_end(void *self, const struct nbss_message *m, bool broken)
{
    struct reading *r = self;

    g_assert(broken || r->open > 0);
    g_assert(m->missing <= m->length);
    g_assert(m->first_ns <= m->last_ns);
    r->open = 0;
}

/* Lengths as a reader might expect them; they are mostly wrong, as a broken capture makes them. */
static uint32_t infer(void *self, unsigned ahead)
{
    const struct reading *r = self;

    return ahead > r->step ? 0 : 16 + (r->step * 7 + (ahead & 3) * 11) % 200;
}

static uint32_t between(void *self)
{
    const struct reading *r = self;

    return r->step % 3 ? 20 : 0;
}

static void take_inferred(void *self, const struct nbss_message *m, bool sure, bool broken)
{
    struct reading *r = self;

    (void)sure;
    g_assert(r->open == 0);
    g_assert(m->offset >= 0 && (size_t)m->offset + m->length + NBSS_PREFIX <= r->size);
    g_assert(broken || m->length > 0);
    g_assert(m->first_ns <= m->last_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ledger ledger = {0};
    struct reading r = {.step = 0};
    struct nbss_reader reader = {take_part, take_whole, take_end, &r, NULL, NULL, NULL, NULL};
    struct nbss n;
    size_t chunk, hole;
    bool cut;

    if (size < 3)
        return 0;
    r.step = data[1];
    chunk = (size_t)data[0] / 2 + 1;
    hole = data[2]; /* every how many-th chunk is one; 0: none; from 128 on the snap length made them */
    cut = hole >= 128;
    hole &= 127;
    if (cut) {
        reader.infer = infer;
        reader.between = between;
        reader.inferred = take_inferred;
    }
    r.stream = data + 3;
    r.size = size - 3;
    nbss_init(&n, data[0] % 2, &reader, &ledger);
    for (size_t at = 0, count = 1; at < r.size; count++) {
        size_t length = MIN(chunk, r.size - at);
        bool missing = hole > 0 && count % hole == 0;
        struct stream_chunk c = {(int64_t)at, length, missing ? NULL : r.stream + at,
                                 (int64_t)at, at + 1, missing && cut};

        nbss_chunk(&n, &c);
        at += length;
    }
    nbss_finish(&n);
    nbss_fini(&n);
    return 0;
}
