#include "replay/huffman_code.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOLS = HUFFMAN_CODE_SYMBOLS };

struct leaf {
    uint32_t count;
    uint16_t symbol;
};

static int by_count(const void *a, const void *b)
{
    const struct leaf *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    return x->symbol - y->symbol;
}

static unsigned sorted_leaves(const uint32_t *counts, unsigned shift, struct leaf *leaves)
{
    unsigned n = 0;

    for (unsigned i = 0; i < SYMBOLS; i++) {
        if (counts[i] > 0)
            leaves[n++] = (struct leaf){(counts[i] >> shift) + 1, (uint16_t)i};
    }
    qsort(leaves, n, sizeof *leaves, by_count);
    return n;
}

/* The smaller of the next unused leaf and the next unused inner node. Nodes 0 to n - 1 are the leaves, later ones are inner nodes,
 * which come into being in the order of their sums, so neither kind needs sorting again. */
static unsigned take_smaller(const uint32_t *sums, unsigned n, unsigned made, unsigned *leaf, unsigned *inner)
{
    if (*leaf < n && (*inner >= made || sums[*leaf] <= sums[*inner]))
        return (*leaf)++;
    return (*inner)++;
}

/* Huffman's construction; returns the longest word. */
static unsigned build(const struct leaf *leaves, unsigned n, uint8_t *lengths)
{
    uint32_t sums[2 * SYMBOLS];
    uint16_t parents[2 * SYMBOLS] = {0};
    uint8_t depths[2 * SYMBOLS];
    unsigned leaf = 0, inner = n, longest = 0;

    for (unsigned i = 0; i < n; i++)
        sums[i] = leaves[i].count;
    for (unsigned made = n; made < 2 * n - 1; made++) {
        unsigned a = take_smaller(sums, n, made, &leaf, &inner);
        unsigned b = take_smaller(sums, n, made, &leaf, &inner);

        sums[made] = sums[a] + sums[b];
        parents[a] = parents[b] = (uint16_t)made;
    }
    depths[2 * n - 2] = 0;
    for (unsigned i = 2 * n - 2; i-- > 0;)
        depths[i] = (uint8_t)(depths[parents[i]] + 1);
    for (unsigned i = 0; i < n; i++) {
        lengths[leaves[i].symbol] = depths[i];
        longest = MAX(longest, depths[i]);
    }
    return longest;
}

void huffman_code_lengths(const uint32_t *counts, unsigned limit, uint8_t *lengths)
{
    struct leaf leaves[SYMBOLS];
    unsigned shift = 0, n;

    memset(lengths, 0, SYMBOLS);
    do {
        n = sorted_leaves(counts, shift, leaves);
        g_assert(n >= 2);
        shift++;
    } while (build(leaves, n, lengths) > limit);
}
