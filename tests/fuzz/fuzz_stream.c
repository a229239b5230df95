/* Reassembly: six bytes of input are a segment or an ACK. Whatever comes, chunks follow each other without gap or overlap, and their
 * bytes are those that the segments had. */
#include "tests/fuzz/fuzz.h"
#include "replay/stream.h"

#include <glib.h>
#include <stdbool.h>

static uint8_t byte_at(int64_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 8));
}

static void take(void *self, const struct stream_chunk *chunk)
{
    int64_t *next = self;

    g_assert(chunk->offset == *next);
    g_assert(chunk->length > 0);
    *next += (int64_t)chunk->length;
    for (uint64_t i = 0; chunk->data && i < chunk->length; i++)
        g_assert(chunk->data[i] == byte_at(chunk->offset + (int64_t)i));
}

static void give(struct stream *s, int64_t offset, uint32_t length, uint32_t seen)
{
    uint8_t bytes[1024];

    seen = MIN(seen, MIN(length, sizeof bytes));
    for (uint32_t i = 0; i < seen; i++)
        bytes[i] = byte_at(offset + i);
    stream_segment(s, offset, bytes, length, seen, 1, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ledger ledger = {0};
    struct stream s;
    int64_t next = 0;

    stream_init(&s, take, &next, &ledger);
    for (; size >= 6; data += 6, size -= 6) {
        int64_t offset = next + (int16_t)(data[1] << 8 | data[2]);

        if (data[0] % 4 == 0)
            stream_acked(&s, offset);
        else
            give(&s, offset, (uint32_t)(data[3] << 8 | data[4]), (uint32_t)data[5] * 4);
        g_assert(s.next == next);
        g_assert(s.waiting_bytes <= STREAM_WAITING_BYTES);
    }
    stream_finish(&s);
    g_assert(s.waiting_bytes == 0);
    stream_fini(&s);
    return 0;
}
