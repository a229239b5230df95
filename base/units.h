/* Quantities with units: parsing from files and options, printing for people.
 *
 * Time is int64_t nanoseconds, rates are int64_t bit/s, sizes are int64_t bytes. A quantity is a decimal number and a
 * unit with optional space between them ("2 Mbit/s", "25ms", "61,440" is refused). A bare number is an error that
 * says which units fit; so are a negative, a non-finite and an overflowing value. Decimal prefixes are powers of
 * 1000 (kB, Mbit/s), binary ones of 1024 (KiB, MiB/s); "kb", "mb" and "Mbps" with a lower-case b are refused as
 * ambiguous, with the two readings named.
 *
 * Parsers set a COPYTRIAL_ERROR_INPUT whose message has no file name: the caller prefixes where the text stood.
 * Printers return owned strings. */
#ifndef BASE_UNITS_H
#define BASE_UNITS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S  INT64_C(1000000000)

bool units_parse_time(const char *text, int64_t *ns, GError **error);
bool units_parse_rate(const char *text, int64_t *bps, GError **error);
bool units_parse_size(const char *text, int64_t *bytes, GError **error);
/* "5 %" or "0.3%" gives 0.05 or 0.003. */
bool units_parse_percent(const char *text, double *ratio, GError **error);
/* A bare non-negative whole number, "10" or "1e3" no: digits only. */
bool units_parse_count(const char *text, int64_t *count, GError **error);

/* Shortest readable form, at most `digits` significant digits: "25 ms", "2 Mbit/s", "60 KiB", "316 MiB". Rates use decimal
 * prefixes, sizes binary ones where the value is a whole multiple, else decimal. */
char *units_format_time(int64_t ns, int digits);
char *units_format_rate(int64_t bps, int digits);
char *units_format_size(int64_t bytes, int digits);

double units_seconds(int64_t ns);

#endif
