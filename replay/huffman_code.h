/* Lengths of a Huffman code's words from how often each symbol occurs, none longer than a limit.
 *
 * Symbols that occur get a length of at least 1, others 0; the words fill the code space (Kraft's sum is 1), as decoders
 * of [MS-XCA] demand. Needs two symbols that occur. The code is optimal unless the limit interferes; then the counts are
 * flattened until it doesn't, which costs well under 1 %. No allocation. */
#ifndef REPLAY_HUFFMAN_CODE_H
#define REPLAY_HUFFMAN_CODE_H

#include <stdint.h>

enum { HUFFMAN_CODE_SYMBOLS = 512 };

/* `counts` and `lengths` have HUFFMAN_CODE_SYMBOLS elements, the sum of counts is below 2^31, and `limit` is at least 10. */
void huffman_code_lengths(const uint32_t *counts, unsigned limit, uint8_t *lengths);

#endif
