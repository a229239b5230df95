#include "base/csv.h"

#include <stdbool.h>
#include <string.h>

void csv_put(GString *row, const char *text)
{
    bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    if (row->len > 0)
        g_string_append_c(row, ',');
    if (quoted)
        g_string_append_c(row, '"');
    for (; *text; text++) {
        if (*text == '"')
            g_string_append_c(row, '"');
        g_string_append_c(row, *text);
    }
    if (quoted)
        g_string_append_c(row, '"');
}
