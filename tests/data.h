/* Where tests find files. Header only; each test program includes it once. */
#ifndef TESTS_DATA_H
#define TESTS_DATA_H

#include <glib.h>

/* A file of the project, such as "traces/traces.json". Returns owned. */
G_GNUC_UNUSED static inline char *data_source_path(const char *name)
{
    const char *root = g_getenv("COPYTRIAL_SOURCE");

    return g_build_filename(root ? root : ".", name, NULL);
}

/* A file outside the project: public captures, recorded copies, vectors. Returns owned, or NULL after telling g_test that
 * the test is skipped because the data is absent. */
G_GNUC_UNUSED static inline char *data_shared_path(const char *name)
{
    const char *root = g_getenv("COPYTRIAL_DATA");
    g_autofree char *beside = data_source_path("../shared");
    g_autofree char *path = g_build_filename(root && *root ? root : beside, name, NULL);

    if (g_file_test(path, G_FILE_TEST_EXISTS))
        return g_steal_pointer(&path);
    g_test_skip("COPYTRIAL_DATA (default ../shared) does not hold this file");
    g_printerr("# skipped: %s is absent: set COPYTRIAL_DATA to the folder that holds it\n", path);
    return NULL;
}

#endif
