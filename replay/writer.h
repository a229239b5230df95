/* Bounds-checked writer, the counterpart of cursor.h.
 *
 * A write past the capacity writes nothing and makes the writer fail; failure sticks, so an encoder writes everything and
 * asks once, with writer_length(). Names say width and byte order. A place that is to be filled in later is reserved
 * with writer_skip() and written with writer_put_le16() and its kin. No allocation, no errors. */
#ifndef REPLAY_WRITER_H
#define REPLAY_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct writer {
    uint8_t *out;
    size_t at, capacity;
    bool failed;
};

static inline struct writer writer_over(uint8_t *out, size_t capacity)
{
    return (struct writer){out, 0, capacity, false};
}

/* Bytes written, or 0 after failing. */
static inline size_t writer_length(const struct writer *w)
{
    return w->failed ? 0 : w->at;
}

/* Reserves n bytes and returns their position; they are zero. 0 after failing. */
static inline size_t writer_skip(struct writer *w, size_t n)
{
    size_t at = w->at;

    if (w->failed || n > w->capacity - w->at) {
        w->failed = true;
        return 0;
    }
    if (n > 0)
        memset(w->out + at, 0, n);
    w->at += n;
    return at;
}

static inline void writer_bytes(struct writer *w, const uint8_t *bytes, size_t n)
{
    if (w->failed || n > w->capacity - w->at) {
        w->failed = true;
        return;
    }
    if (n > 0)
        memcpy(w->out + w->at, bytes, n);
    w->at += n;
}

static inline void writer_u8(struct writer *w, uint8_t value)
{
    if (w->failed || w->at == w->capacity)
        w->failed = true;
    else
        w->out[w->at++] = value;
}

static inline void writer_le16(struct writer *w, uint16_t value)
{
    const uint8_t b[] = {(uint8_t)value, (uint8_t)(value >> 8)};

    writer_bytes(w, b, sizeof b);
}

static inline void writer_le32(struct writer *w, uint32_t value)
{
    const uint8_t b[] = {(uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16),
                         (uint8_t)(value >> 24)};

    writer_bytes(w, b, sizeof b);
}

/* Fill in a place that writer_skip() reserved. Nothing happens after failing. */
static inline void writer_put_le16(struct writer *w, size_t at, uint16_t value)
{
    if (w->failed)
        return;
    w->out[at] = (uint8_t)value;
    w->out[at + 1] = (uint8_t)(value >> 8);
}

static inline void writer_put_le32(struct writer *w, size_t at, uint32_t value)
{
    writer_put_le16(w, at, (uint16_t)value);
    writer_put_le16(w, at + 2, (uint16_t)(value >> 16));
}

#endif
