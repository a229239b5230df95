/* Result files are written whole or not at all: to a temporary file in the same folder, synced, then renamed. Devices and
 * pipes are written in place. A link to a file is followed, and a file that is replaced keeps its permissions. */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/* Writes `length` bytes to `path`, or to standard output for "-". On failure: COPYTRIAL_ERROR_OUTPUT naming the path, and
 * whatever stood there before still stands. */
bool outfile_write(const char *path, const void *data, size_t length, GError **error);

/* The same, piece by piece, for a result that is too large to be held: nothing stands under the name until the commit. */
struct outfile;
/* Returns owned; borrows nothing. NULL with COPYTRIAL_ERROR_OUTPUT. */
struct outfile *outfile_open(const char *path, GError **error);
bool outfile_append(struct outfile *o, const void *data, size_t length, GError **error);
/* Both take `o`. */
bool outfile_commit(struct outfile *o, GError **error);
void outfile_discard(struct outfile *o);

/* Fails early when `path` can't be written later: its folder is missing or not writable, it is a folder, or a file that
 * is write-protected. Leaves nothing behind. */
bool outfile_probe(const char *path, GError **error);

#endif
