/* Plain LZ77, [MS-XCA] 2.3 and 2.4: what Windows calls Xpress, and SMB's default. codec.h states the contract. */
#ifndef REPLAY_LZ77_H
#define REPLAY_LZ77_H

#include "replay/codec.h"

enum codec_outcome lz77_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size, size_t *written);
size_t lz77_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity);

#endif
