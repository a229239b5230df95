/* LZNT1, [MS-XCA] 2.5: NTFS' algorithm, in chunks of 4096 bytes that stand alone. codec.h states the contract.
 *
 * Windows fills a chunk that falls short of 4096 bytes, and isn't the last, up with zeros; so does the decoder. The encoder makes no
 * such chunks, and no end mark, for SMB sends the length. */
#ifndef REPLAY_LZNT1_H
#define REPLAY_LZNT1_H

#include "replay/codec.h"

enum codec_outcome lznt1_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size, size_t *written);
size_t lznt1_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity);

#endif
