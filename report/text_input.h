/* Text files from other programs, whatever their encoding and line ends, as lines of UTF-8.
 *
 * Encoding: by byte order mark (UTF-8, UTF-16LE, UTF-16BE); without one UTF-8 where that is valid, UTF-16 where every other
 * byte is zero, otherwise an 8-bit page (see report/code_page.h). Undecodable letters never refuse a file. Files may be
 * gzipped. Line ends: LF, CRLF, and a bare CR with text behind it, which starts a line with the same number, because
 * editors count line feeds. Taken away: a time stamp that every line begins with (CI logs) and Markdown fences.
 *
 * Errors: COPYTRIAL_ERROR_INPUT naming the file: it can't be read, is over 256 MiB, or is binary (said with the way to
 * turn it into text where that is known). Ownership: all strings are views, valid until text_input_free(). */
#ifndef REPORT_TEXT_INPUT_H
#define REPORT_TEXT_INPUT_H

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

struct text_line {
    const char *text; /* without its end */
    int number;       /* 1-based */
};

struct text_input {
    char *name;           /* what errors call it: the path as given */
    const char *encoding; /* static; "guessed" is said by encoding_guessed */
    bool encoding_guessed;
    char *text;    /* all lines, each ended by NUL */
    GArray *lines; /* of struct text_line */
    char *sha256;  /* of the file's bytes, in hex */
};

/* Return owned, or NULL with an error. */
struct text_input *text_input_load(const char *path, GError **error);
struct text_input *text_input_new(const char *name, const void *data, size_t length, GError **error);
void text_input_free(struct text_input *in);

guint text_input_count(const struct text_input *in);
/* Line by index, not by number. */
const struct text_line *text_input_line(const struct text_input *in, guint index);
/* The text of a line behind its leading blanks (no-break spaces too). View. */
const char *text_input_skip_blanks(const char *text);
bool text_input_is_blank(const char *text);

/* Sets an error that names file and line (the file alone for line 0). Returns false. */
bool text_input_fail(const struct text_input *in, int line, GError **error, const char *format, ...)
    G_GNUC_PRINTF(4, 5);

#endif
