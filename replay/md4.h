/* MD4, RFC 1320: the hash by which [MS-RDC] knows a chunk again. Broken as a means against forgers; RDC doesn't use it as one.
 * Pure; cost is linear in the length. */
#ifndef REPLAY_MD4_H
#define REPLAY_MD4_H

#include <stddef.h>
#include <stdint.h>

enum { MD4_BYTES = 16 };

void md4_digest(const uint8_t *data, size_t length, uint8_t digest[MD4_BYTES]);

#endif
