/* Units of measurements, and conversion between units of one quantity.
 *
 * Times: ns us µs ms s min h and their words ("seconds"); sizes: B kB MB GB TB (1000), KiB MiB GiB TiB (1024); rates: a size a
 * time ("MiB/s", "MB/min"), "bit/s" with k, M, G. A lower-case b that isn't "bit" is ambiguous and refused.
 * A time and a rate become each other only when the size that was moved is given.
 *
 * Errors: COPYTRIAL_ERROR_INPUT without a file name: the caller prefixes where the unit stood. */
#ifndef REPORT_UNIT_CONVERT_H
#define REPORT_UNIT_CONVERT_H

#include <glib.h>
#include <stdbool.h>

enum unit_quantity {
    UNIT_TIME, /* base: s */
    UNIT_SIZE, /* base: B */
    UNIT_RATE, /* base: B/s */
};

struct unit {
    enum unit_quantity quantity;
    double factor; /* one of it in the base unit */
};

bool unit_parse(const char *text, struct unit *unit, GError **error);
/* "a time", "a size", "a rate". Static. */
const char *unit_quantity_name(enum unit_quantity quantity);

/* Equal texts always convert, whatever they mean. `size_bytes` is what one run moved, 0 when that isn't known. */
bool unit_convert(double value, const char *from, const char *to, double size_bytes, double *converted,
                  GError **error);

#endif
