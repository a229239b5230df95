/* Where a file is cut into chunks by RDC's FilterMax algorithm, [MS-RDC] 3.1.5.1.
 *
 * A rolling hash (H3) over `window` bytes is taken at each byte. A chunk begins at byte 0, at each byte whose hash is larger than that of
 * every byte within `horizon` of it on either side, and 65,535 bytes behind a beginning that no other follows sooner. So a change moves only
 * the cuts within a horizon and a window of it, and chunks of random data are about twice the horizon long. Where the horizon
 * reaches beyond the end of the file, the bytes that are there count.
 *
 * Pure; memory is a few horizons besides the result; cost is linear in the length for any input. */
#ifndef REPLAY_RDC_FILTER_H
#define REPLAY_RDC_FILTER_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RDC_WINDOW_LEAST = 2,
    RDC_WINDOW_MOST = 96,
    RDC_HORIZON_LEAST = 128,
    RDC_HORIZON_MOST = 16383,
    RDC_CHUNK_MOST = 65535,
};

struct rdc_filter {
    uint32_t window, horizon; /* bytes, within the limits above */
};

/* Windows' defaults (msrdc.h): of files, and of signature files. */
extern const struct rdc_filter RDC_FILTER_FILES, RDC_FILTER_SIGNATURES;

/* The H3 hash of each byte: hashes[i] is of the `window` bytes that end with data[i], zeros standing before the file. */
void rdc_filter_hash(uint32_t window, const uint8_t *data, size_t length, uint32_t *hashes);
/* Where chunks begin, ascending: none of an empty file, else 0 first. Returns owned: of uint64_t. */
GArray *rdc_filter_cuts(const struct rdc_filter *f, const uint8_t *data, size_t length);

#endif
