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

/* Fails early when `path` can't be written later: its folder is missing or not writable, it is a folder, or a file that
 * is write-protected. Leaves nothing behind. */
bool outfile_probe(const char *path, GError **error);

#endif
