/* LZ4's block format, through liblz4. codec.h states the contract, with two limits: the decoder can't tell a truncated input from a
 * malformed one, and says nothing of the bytes before the fault. */
#ifndef REPLAY_LZ4_BLOCK_H
#define REPLAY_LZ4_BLOCK_H

#include "replay/codec.h"

enum codec_outcome lz4_block_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                    size_t *written);
size_t lz4_block_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity);

#endif
