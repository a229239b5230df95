/* Numbers as people read them.
 *
 * A number is rounded to its uncertainty (the standard error): two significant digits of that, no more. Minus signs
 * are U+2212; groups of three digits, units and % are set off by U+202F, a narrow space that doesn't break; p-values hold
 * together with U+00A0. Beyond a billion and below a ten-thousandth: powers of ten.
 * Ownership: returns owned strings. Locale: none. */
#ifndef REPORT_FORMAT_H
#define REPORT_FORMAT_H

#include "report/stats.h"

#include <stdbool.h>

#define FORMAT_MINUS     "\u2212"
#define FORMAT_NARROW    "\u202f"
#define FORMAT_NO_BREAK  "\u00a0"
#define FORMAT_PLUSMINUS "\u00b1"
#define FORMAT_ELLIPSIS  "\u2026"

/* What an estimate is rounded to: about its standard error, or a twentieth of it where that isn't known. */
double format_doubt(const struct interval *i);

/* `uncertainty` 0: as many digits as it takes, up to ten significant ones. */
char *format_number(double value, double uncertainty);
/* With "+" before positive values; 0 has no sign. */
char *format_signed(double value, double uncertainty);
/* Ten significant digits at most, trailing zeroes dropped: for inputs such as a margin or a measured value. */
char *format_plain(double value);
/* share and uncertainty as ratios: 0.05 gives "+5 %" or "5 %". */
char *format_percent(double share, double uncertainty, bool with_sign);
/* "p = 0.017", "p < 0.001", "p > 0.99". */
char *format_p(double p);
/* The figure alone: "0.017", "< 0.001". */
char *format_p_value(double p);
/* In place: the typographic spaces and minus signs of this file become ASCII, for terminals and logs. */
void format_to_terminal(char *text);

#endif
