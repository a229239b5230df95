#include "replay/lz_finder.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

enum {
    WEIGHT_0 = 1,
    WEIGHT_1 = 8,
    WEIGHT_2 = 2,
    HASHES = 255 * (WEIGHT_0 + WEIGHT_1 + WEIGHT_2) + 1,
    TRIES = 8,
    LONG_ENOUGH = 6,
};

struct lz_finder {
    const uint8_t *data;
    uint32_t length, window, mask;
    uint32_t latest[HASHES]; /* position + 1; 0: none */
    uint32_t before[];       /* by position, modulo the window: position + 1 of the one that it displaced */
};

struct lz_finder *lz_finder_new(uint32_t window, size_t length)
{
    size_t slots = (size_t)1 << g_bit_storage(MIN(window, MAX(length, 2)) - 1);
    /* Slots are written before they are read. */
    struct lz_finder *f = g_malloc(sizeof *f + slots * sizeof f->before[0]);

    f->window = window;
    f->mask = (uint32_t)slots - 1;
    return f;
}

void lz_finder_free(struct lz_finder *f)
{
    g_free(f);
}

void lz_finder_start(struct lz_finder *f, const uint8_t *data, uint32_t length)
{
    f->data = data;
    f->length = length;
    memset(f->latest, 0, sizeof f->latest);
}

/* How far the bytes from `a` on equal those from `b` on, which is the later one. */
static uint32_t equal_bytes(const struct lz_finder *f, uint32_t a, uint32_t b)
{
    const uint8_t *x = f->data + a, *y = f->data + b;
    uint32_t most = f->length - b, n = 0;

    while (most - n >= 8 && memcmp(x + n, y + n, 8) == 0)
        n += 8;
    while (n < most && x[n] == y[n])
        n++;
    return n;
}

struct lz_match lz_finder_next(struct lz_finder *f, uint32_t at)
{
    struct lz_match best = {0, 0};
    const uint8_t *b = f->data + at;
    uint32_t hash, candidate;

    if (f->length - at < LZ_FINDER_MIN)
        return best;
    hash = (uint32_t)(b[0] * WEIGHT_0 + b[1] * WEIGHT_1 + b[2] * WEIGHT_2);
    candidate = f->latest[hash];
    f->before[at & f->mask] = candidate;
    f->latest[hash] = at + 1;
    for (int i = 0; i < TRIES && candidate > 0; i++) {
        uint32_t position = candidate - 1, older, n;

        if (at - position > f->window)
            break;
        n = equal_bytes(f, position, at);
        if (n < LZ_FINDER_MIN)
            break;
        if (n > best.length)
            best = (struct lz_match){at - position, n};
        if (best.length >= LONG_ENOUGH)
            break;
        /* The slot of a position one whole window back has been taken over by `at`: there the trail ends. */
        older = f->before[position & f->mask];
        candidate = older < candidate ? older : 0;
    }
    return best;
}
