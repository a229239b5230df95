/* Text in an 8-bit page that doesn't say which.
 *
 * Two Western European pages are known and one is guessed from the letters: CP850 of the console, Windows-1252 of windows.
 * Labels in other pages (Japanese, Chinese, Cyrillic) come out as wrong letters, and numbers, colons and rules come out right,
 * because these are ASCII in every page that Windows uses. A no-break space between digits is kept as one in both. */
#ifndef REPORT_CODE_PAGE_H
#define REPORT_CODE_PAGE_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* Returns UTF-8, owned. `page` gets the name of the page, static. */
char *code_page_decode(const void *data, size_t length, const char **page);

#endif
