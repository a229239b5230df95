/* A text against its golden file, line by line. COPYTRIAL_UPDATE_GOLDEN in the environment writes the file anew. Header only. */
#ifndef TESTS_GOLDEN_GOLDEN_H
#define TESTS_GOLDEN_GOLDEN_H

#include "tests/data.h"

static inline void golden_compare(const char *name, const char *now)
{
    g_autofree char *path = data_source_path(name), *expected = NULL;
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) a = NULL, b = NULL;

    if (g_getenv("COPYTRIAL_UPDATE_GOLDEN"))
        g_assert_true(g_file_set_contents(path, now, -1, NULL));
    g_file_get_contents(path, &expected, NULL, &error);
    g_assert_no_error(error);
    a = g_strsplit(now, "\n", -1);
    b = g_strsplit(expected, "\n", -1);
    for (guint i = 0; a[i] && b[i]; i++)
        g_assert_cmpstr(a[i], ==, b[i]);
    g_assert_cmpuint(g_strv_length(a), ==, g_strv_length(b));
}

#endif
