/* LZ77+Huffman, [MS-XCA] 2.1 and 2.2: what Windows calls Xpress Huffman. codec.h states the contract. */
#ifndef REPLAY_LZ77_HUFFMAN_H
#define REPLAY_LZ77_HUFFMAN_H

#include "replay/codec.h"

enum {
    LZ77_HUFFMAN_BLOCK = 65536,  /* bytes before compression that share one code */
    LZ77_HUFFMAN_SYMBOLS = 512,  /* 256 literals, then 16 classes of offsets times 16 lengths */
    LZ77_HUFFMAN_TABLE = 256,    /* bytes: the code's lengths, half a byte each, in front of each block */
    LZ77_HUFFMAN_CODE_BITS = 15, /* longest code word */
    LZ77_HUFFMAN_END = 256,      /* the symbol behind the last byte; also a match of 3 from offset 1 */
    LZ77_HUFFMAN_MIN_MATCH = 3,
};

enum codec_outcome lz77_huffman_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                       size_t *written);
size_t lz77_huffman_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity);

#endif
