/* Dates with a time of day as programs print them in the language of Windows: "Fri Oct 24 15:13:48 2014", "Montag, 19. November
 * 2018 01:34:16", "Tuesday, May 9, 2023 8:29:02 PM", "2024年4月27日 19:24:37", and the "de 202522:31:59" of a build that lost a blank.
 *
 * Month names of English, German, French, Spanish, Italian, Portuguese and Dutch are known; letters outside ASCII may be
 * damaged. Where months are numbers, the year must come first: "3/4/2020" is two days, and neither is guessed. */
#ifndef REPORT_DATE_TEXT_H
#define REPORT_DATE_TEXT_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970 as if the clock stood in UTC: the zone isn't written, so only differences mean something. */
bool date_text_parse(const char *text, int64_t *seconds);
/* Whether a time of day h:mm:ss stands in the text at all. */
bool date_text_has_time(const char *text);
/* "2014-10-24T15:13:48". Returns owned. */
char *date_text_format(int64_t seconds);

#endif
