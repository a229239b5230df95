/* Bounds-checked reader: the only way in which this folder touches captured bytes.
 *
 * A read past the end returns 0, moves nothing and makes the cursor fail; failure sticks, so a decoder reads its whole
 * structure and asks once, with cursor_ok(). Names say width and byte order. A view from cursor_bytes() points into
 * the captured bytes and lives as long as they do. No allocation, no errors. */
#ifndef REPLAY_CURSOR_H
#define REPLAY_CURSOR_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cursor {
    const uint8_t *at;
    size_t left;
    bool failed;
};

static inline struct cursor cursor_over(const uint8_t *bytes, size_t length)
{
    return (struct cursor){bytes, length, false};
}

G_GNUC_WARN_UNUSED_RESULT static inline bool cursor_ok(const struct cursor *c)
{
    return !c->failed;
}

/* View of the next n bytes, or NULL after failing. */
static inline const uint8_t *cursor_bytes(struct cursor *c, size_t n)
{
    const uint8_t *bytes = c->at;

    if (c->failed || n > c->left) {
        c->failed = true;
        return NULL;
    }
    /* An empty cursor may hold a null pointer, to which not even 0 may be added. */
    if (n > 0)
        c->at += n;
    c->left -= n;
    return bytes;
}

static inline void cursor_skip(struct cursor *c, size_t n)
{
    cursor_bytes(c, n);
}

/* Cuts what is left to at most n bytes: a layer hands on no more than its own length field allows. */
static inline void cursor_limit(struct cursor *c, size_t n)
{
    if (c->left > n)
        c->left = n;
}

static inline uint8_t cursor_u8(struct cursor *c)
{
    const uint8_t *b = cursor_bytes(c, 1);

    return b ? b[0] : 0;
}

static inline uint16_t cursor_be16(struct cursor *c)
{
    const uint8_t *b = cursor_bytes(c, 2);

    return (uint16_t)(b ? b[0] << 8 | b[1] : 0);
}

static inline uint16_t cursor_le16(struct cursor *c)
{
    const uint8_t *b = cursor_bytes(c, 2);

    return (uint16_t)(b ? b[1] << 8 | b[0] : 0);
}

static inline uint32_t cursor_be32(struct cursor *c)
{
    const uint8_t *b = cursor_bytes(c, 4);

    return b ? (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3] : 0;
}

static inline uint32_t cursor_le32(struct cursor *c)
{
    const uint8_t *b = cursor_bytes(c, 4);

    return b ? (uint32_t)b[3] << 24 | (uint32_t)b[2] << 16 | (uint32_t)b[1] << 8 | b[0] : 0;
}

static inline uint64_t cursor_be64(struct cursor *c)
{
    uint64_t high = cursor_be32(c);

    return high << 32 | cursor_be32(c);
}

static inline uint64_t cursor_le64(struct cursor *c)
{
    const uint8_t *b = cursor_bytes(c, 8);
    uint64_t value = 0;

    for (int i = 7; b && i >= 0; i--)
        value = value << 8 | b[i];
    return value;
}

#endif
