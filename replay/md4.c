#include "replay/md4.h"

#include <string.h>

enum { BLOCK = 64 };

static uint32_t rotated(uint32_t x, unsigned by)
{
    return x << by | x >> (32 - by);
}

static uint32_t choose(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | (~x & z);
}

static uint32_t majority(uint32_t x, uint32_t y, uint32_t z)
{
    return (x & y) | (x & z) | (y & z);
}

static uint32_t parity(uint32_t x, uint32_t y, uint32_t z)
{
    return x ^ y ^ z;
}

/* One round, RFC 1320 3.4: the shifts of four steps and the order of the words come from tables, the function and the constant inlined. */
static inline void turn(uint32_t s[4], const uint32_t words[16], const uint8_t order[16],
                        const uint8_t shifts[4], uint32_t add, uint32_t (*mix)(uint32_t, uint32_t, uint32_t))
{
    for (int i = 0; i < 16; i += 4) {
        s[0] = rotated(s[0] + mix(s[1], s[2], s[3]) + words[order[i]] + add, shifts[0]);
        s[3] = rotated(s[3] + mix(s[0], s[1], s[2]) + words[order[i + 1]] + add, shifts[1]);
        s[2] = rotated(s[2] + mix(s[3], s[0], s[1]) + words[order[i + 2]] + add, shifts[2]);
        s[1] = rotated(s[1] + mix(s[2], s[3], s[0]) + words[order[i + 3]] + add, shifts[3]);
    }
}

static void take_block(uint32_t state[4], const uint8_t *block)
{
    static const uint8_t ORDER[3][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                         {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15},
                                         {0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15}};
    static const uint8_t SHIFTS[3][4] = {{3, 7, 11, 19}, {3, 5, 9, 13}, {3, 9, 11, 15}};
    uint32_t words[16], s[4];

    for (int i = 0; i < 16; i++)
        words[i] = block[4 * i] | (uint32_t)block[4 * i + 1] << 8 | (uint32_t)block[4 * i + 2] << 16 |
                   (uint32_t)block[4 * i + 3] << 24;
    memcpy(s, state, sizeof s);
    turn(s, words, ORDER[0], SHIFTS[0], 0, choose);
    turn(s, words, ORDER[1], SHIFTS[1], 0x5a827999, majority);
    turn(s, words, ORDER[2], SHIFTS[2], 0x6ed9eba1, parity);
    for (int i = 0; i < 4; i++)
        state[i] += s[i];
}

void md4_digest(const uint8_t *data, size_t length, uint8_t digest[MD4_BYTES])
{
    uint32_t state[4] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476};
    uint8_t tail[2 * BLOCK] = {0};
    size_t whole = length / BLOCK * BLOCK, rest = length - whole,
           padded = rest + 9 <= BLOCK ? (size_t)BLOCK : (size_t)2 * BLOCK;

    for (size_t at = 0; at < whole; at += BLOCK)
        take_block(state, data + at);
    if (rest > 0)
        memcpy(tail, data + whole, rest);
    tail[rest] = 0x80;
    for (unsigned i = 0; i < 8; i++)
        tail[padded - 8 + i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
    for (size_t at = 0; at < padded; at += BLOCK)
        take_block(state, tail + at);
    for (unsigned i = 0; i < MD4_BYTES; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (8 * (i % 4)));
}
