/* A bounded writer of message bytes, the counterpart of cursor.h.
 *
 * A pdu lies over bytes of a fixed size, which are zeroed unless the builder writes every one. Writing past the end writes nothing
 * and sets `overflow`; a builder writes its whole structure and asks once at the end. What it doesn't reach stays as it was.
 * Positions count from the first byte. */
#ifndef REPLAY_PDU_H
#define REPLAY_PDU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct pdu {
    uint8_t *bytes; /* borrowed */
    size_t size;
    size_t at;
    bool overflow;
};

static inline struct pdu pdu_over(uint8_t *bytes, size_t size)
{
    return (struct pdu){.bytes = bytes, .size = size};
}

static inline size_t pdu_left(const struct pdu *p)
{
    return p->size - p->at;
}

/* The next `n` bytes, to be filled in by the caller; NULL when there is no room. */
static inline uint8_t *pdu_take(struct pdu *p, size_t n)
{
    if (p->overflow || n > pdu_left(p)) {
        p->overflow = true;
        return NULL;
    }
    p->at += n;
    return p->bytes + p->at - n;
}

static inline void pdu_zeros(struct pdu *p, size_t n)
{
    (void)pdu_take(p, n);
}

static inline void pdu_bytes(struct pdu *p, const void *bytes, size_t n)
{
    uint8_t *to = pdu_take(p, n);

    if (to && n)
        memcpy(to, bytes, n);
}

static inline void pdu_le(struct pdu *p, uint64_t value, size_t n)
{
    uint8_t *to = pdu_take(p, n);

    for (size_t i = 0; to && i < n; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static inline void pdu_be(struct pdu *p, uint64_t value, size_t n)
{
    uint8_t *to = pdu_take(p, n);

    for (size_t i = 0; to && i < n; i++)
        to[i] = (uint8_t)(value >> 8 * (n - 1 - i));
}

static inline void pdu_u8(struct pdu *p, uint64_t value)
{
    pdu_le(p, value, 1);
}

static inline void pdu_le16(struct pdu *p, uint64_t value)
{
    pdu_le(p, value, 2);
}

static inline void pdu_le32(struct pdu *p, uint64_t value)
{
    pdu_le(p, value, 4);
}

static inline void pdu_le64(struct pdu *p, uint64_t value)
{
    pdu_le(p, value, 8);
}

static inline void pdu_be16(struct pdu *p, uint64_t value)
{
    pdu_be(p, value, 2);
}

static inline void pdu_be32(struct pdu *p, uint64_t value)
{
    pdu_be(p, value, 4);
}

/* Room for `n` bytes that are put in later: zeroes them, whatever was there, and returns their position; 0 on overflow. */
static inline size_t pdu_reserve(struct pdu *p, size_t n)
{
    uint8_t *to = pdu_take(p, n);

    if (to && n)
        memset(to, 0, n);
    return to ? p->at - n : 0;
}

/* Fill in what pdu_reserve() made room for. */
static inline void pdu_put_le16(struct pdu *p, size_t at, uint32_t value)
{
    if (p->overflow)
        return;
    p->bytes[at] = (uint8_t)value;
    p->bytes[at + 1] = (uint8_t)(value >> 8);
}

static inline void pdu_put_le32(struct pdu *p, size_t at, uint32_t value)
{
    pdu_put_le16(p, at, value & 0xffff);
    pdu_put_le16(p, at + 2, value >> 16);
}

/* Bytes written, or 0 on overflow. */
static inline size_t pdu_length(const struct pdu *p)
{
    return p->overflow ? 0 : p->at;
}

/* Up to position `at`, with zeros. */
static inline void pdu_pad_to(struct pdu *p, size_t at)
{
    if (at > p->at)
        pdu_zeros(p, at - p->at);
}

#endif
