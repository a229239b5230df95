/* Signature files, [MS-RDC] 2.2.2: a header of 24 bytes, then for each chunk of a file its MD4 hash and its length, 18 bytes.
 *
 * Memory of a read file is 40 bytes a chunk. Whatever bytes come in, reading gives an array or NULL. */
#ifndef REPLAY_RDC_SIGNATURE_H
#define REPLAY_RDC_SIGNATURE_H

#include "replay/md4.h"
#include "replay/rdc_filter.h"

enum { RDC_HEADER_BYTES = 24, RDC_SIGNATURE_BYTES = MD4_BYTES + 2 };

struct rdc_chunk {
    uint64_t offset; /* in the file that the signatures are of */
    uint32_t length;
    uint8_t hash[MD4_BYTES];
};

/* The signature file of `data`, which may be a signature file itself. Returns owned. */
GByteArray *rdc_signature_file(const struct rdc_filter *f, const uint8_t *data, size_t length);
/* Its chunks: an owned array of struct rdc_chunk, or NULL when the bytes aren't a signature file. */
GArray *rdc_signature_read(const uint8_t *bytes, size_t length);

#endif
