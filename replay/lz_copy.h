/* The copy that every decoder of the Lempel-Ziv family makes: `length` bytes from `offset` back, where a copy that overlaps
 * itself repeats what it has just written. The caller has checked both against the output. */
#ifndef REPLAY_LZ_COPY_H
#define REPLAY_LZ_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline void lz_copy(uint8_t *to, size_t offset, size_t length)
{
    const uint8_t *from = to - offset;

    if (length <= 16 && offset >= length) {
        for (size_t i = 0; i < length; i++)
            to[i] = from[i];
        return;
    }
    /* The period may be copied whole; what stands before `to` is then two periods long, and so on. */
    while (length > offset) {
        memcpy(to, from, offset);
        to += offset;
        length -= offset;
        offset *= 2;
    }
    memcpy(to, from, length);
}

#endif
