/* SHA-256 of a file's bytes, read in pieces. Cost: about 2.5 s a GB. */
#ifndef BASE_FILE_SUM_H
#define BASE_FILE_SUM_H

#include <glib.h>

/* In lower-case hex. Returns owned, or NULL with a COPYTRIAL_ERROR_INPUT that names the file: it can't be read, or isn't a file that can be read a
 * second time. */
char *file_sum_sha256(const char *path, GError **error);

#endif
