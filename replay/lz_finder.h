/* Finds earlier occurrences of the next bytes, choosing among them as Windows' encoders do.
 *
 * What Windows does was read off its own output for the published test files: positions are hashed by the sum of three bytes with
 * small weights, each hash remembers its latest position alone, only positions where a token starts are remembered (none
 * inside a match), and older positions with the same three bytes are tried until a match is long enough. With this rule
 * 99.8 % of its literals and over 90 % of its matches come out the same, so sizes do, too. It misses matches that a thorough search
 * would find; that is the point.
 *
 * Ownership: lz_finder_new() returns owned; the data is borrowed from lz_finder_start() on. Cost: a few comparisons a position, and
 * at most one long one. Positions are 32 bits wide: data of up to 4 GiB less one byte. */
#ifndef REPLAY_LZ_FINDER_H
#define REPLAY_LZ_FINDER_H

#include <stddef.h>
#include <stdint.h>

enum { LZ_FINDER_MIN = 3 };

struct lz_finder;

struct lz_match {
    uint32_t offset; /* bytes back */
    uint32_t length; /* at least LZ_FINDER_MIN, or 0: none */
};

/* `window` is the largest offset, a power of two or one less; no data will be longer than `length`. */
struct lz_finder *lz_finder_new(uint32_t window, size_t length);
void lz_finder_free(struct lz_finder *f);
/* Forgets everything, and begins with other data. */
void lz_finder_start(struct lz_finder *f, const uint8_t *data, uint32_t length);
/* A token starts at `at`, which is behind where the last one did: returns the match to use there, and remembers the position. */
struct lz_match lz_finder_next(struct lz_finder *f, uint32_t at);

#endif
