/* A gzip file as a stdio stream of its decompressed bytes, for libraries that read from a FILE.
 *
 * Data that ends early or is damaged reads as the end of the file; gzfile_problem() tells the difference afterwards. */
#ifndef REPLAY_GZFILE_H
#define REPLAY_GZFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct gzfile;

/* NULL with errno when the file can't be opened. fclose() of the stream (gzfile_stream()) ends reading, gzfile_free()
 * then frees the rest. */
struct gzfile *gzfile_open(const char *path);
FILE *gzfile_stream(struct gzfile *g);
void gzfile_free(struct gzfile *g);
/* Compressed bytes read so far. */
uint64_t gzfile_position(const struct gzfile *g);
/* NULL, or a phrase for what was wrong with the compressed data so far. Static. */
const char *gzfile_problem(const struct gzfile *g);

#endif
