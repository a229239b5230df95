#include "replay/pattern_v1.h"
#include "replay/cursor.h"
#include "replay/pdu.h"

enum codec_outcome pattern_v1_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                     size_t *written)
{
    struct cursor c = cursor_over(in, length);
    uint8_t pattern = cursor_u8(&c);
    uint32_t repetitions;

    *written = 0;
    cursor_skip(&c, 3); /* reserved, to be ignored */
    repetitions = cursor_le32(&c);
    if (!cursor_ok(&c))
        return CODEC_TRUNCATED;
    if (c.left > 0 || repetitions != size)
        return CODEC_MALFORMED;
    if (size > 0)
        memset(out, pattern, size);
    *written = size;
    return CODEC_OK;
}

void pattern_v1_scan(const uint8_t *in, size_t length, size_t *leading, size_t *trailing)
{
    size_t front = length > 0, back = length > 0;

    *leading = *trailing = 0;
    while (front < length && in[front] == in[0])
        front++;
    if (front >= PATTERN_V1_SHORTEST)
        *leading = front;
    if (front == length)
        return;
    while (back < length - front && in[length - 1 - back] == in[length - 1])
        back++;
    if (back >= PATTERN_V1_SHORTEST)
        *trailing = back;
}

size_t pattern_v1_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity)
{
    struct pdu w = pdu_over(out, capacity);
    size_t leading, trailing;

    pattern_v1_scan(in, length, &leading, &trailing);
    if (leading == 0 || leading < length || length > UINT32_MAX)
        return 0;
    pdu_u8(&w, in[0]);
    pdu_reserve(&w, 3);
    pdu_le32(&w, (uint32_t)length);
    return pdu_length(&w);
}
