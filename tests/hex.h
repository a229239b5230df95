/* Bytes written out as hexadecimal text, in which blanks don't count and "NN*count " repeats a byte. Header only. */
#ifndef TESTS_HEX_H
#define TESTS_HEX_H

#include <glib.h>

/* Returns owned. */
G_GNUC_UNUSED static inline GByteArray *bytes_of(const char *hex)
{
    GByteArray *out = g_byte_array_new();

    while (*hex) {
        guint8 value;
        guint64 count = 1;

        if (*hex == ' ') {
            hex++;
            continue;
        }
        value = (guint8)((g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1])) & 0xff);
        hex += 2;
        if (*hex == '*')
            count = g_ascii_strtoull(hex + 1, (char **)&hex, 10);
        while (count-- > 0)
            g_byte_array_append(out, &value, 1);
    }
    return out;
}

#endif
