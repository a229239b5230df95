/* The bytes of a file, a pipe or standard input, decompressed where they are gzip or zstd.
 *
 * Compression is told by content, not by name: gzip with any number of members (RFC 1952), zstd with any number of frames and
 * skippable frames (RFC 8878) and a window of up to 128 MiB. Compressed data that ends early or is damaged gives what can be
 * decompressed and then reads as the end; byte_source_problem() tells the difference afterwards. The only file of the
 * program that includes zlib.h and zstd.h.
 *
 * Ownership: byte_source_open() returns owned. Errors: COPYTRIAL_ERROR_INPUT naming the file. Cost: plain bytes are read into the
 * caller's memory without a copy of ours. */
#ifndef REPLAY_BYTE_SOURCE_H
#define REPLAY_BYTE_SOURCE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct byte_source;

/* Of a path, or of standard input when it is "-". */
struct byte_source *byte_source_open(const char *path, GError **error);
void byte_source_free(struct byte_source *s);
/* Returns how many bytes it put at `to`, up to `size`; 0 at the end. */
size_t byte_source_read(struct byte_source *s, uint8_t *to, size_t size);
/* NULL, or a phrase for what was wrong with the data so far. View until byte_source_free(). */
const char *byte_source_problem(const struct byte_source *s);
/* Bytes of the file read so far, compressed as they are. */
uint64_t byte_source_position(const struct byte_source *s);
/* Whether opening the same path again gives the same bytes again: true for files, not for pipes. */
bool byte_source_is_file(const struct byte_source *s);

#endif
