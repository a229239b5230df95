/* Pattern_V1, [MS-SMB2] 2.2.42.2.2: a run of one byte, as 8 bytes. codec.h states the contract of the two coders; the encoder takes
 * nothing but a single run of at least PATTERN_V1_SHORTEST bytes. */
#ifndef REPLAY_PATTERN_V1_H
#define REPLAY_PATTERN_V1_H

#include "replay/codec.h"

enum { PATTERN_V1_BYTES = 8, PATTERN_V1_SHORTEST = 64 };

enum codec_outcome pattern_v1_decode(const uint8_t *in, size_t length, uint8_t *out, size_t size,
                                     size_t *written);
size_t pattern_v1_encode(const uint8_t *in, size_t length, uint8_t *out, size_t capacity);

/* [MS-SMB2] 3.1.4.4.1: lengths of the runs that data begins and ends with; 0 for runs that are too short to count. When all of it
 * is one run, that is the leading one. */
void pattern_v1_scan(const uint8_t *in, size_t length, size_t *leading, size_t *trailing);

#endif
