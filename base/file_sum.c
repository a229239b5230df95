#include "base/file_sum.h"
#include "base/error.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

static bool sum_file(GChecksum *sum, FILE *f)
{
    guchar buffer[1 << 16];
    size_t n;

    while ((n = fread(buffer, 1, sizeof buffer, f)) > 0)
        g_checksum_update(sum, buffer, (gssize)n);
    return ferror(f) == 0;
}

static char *fail(const char *path, const char *why, GError **error)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can\u2019t be read: %s", path, why);
    return NULL;
}

char *file_sum_sha256(const char *path, GError **error)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    struct stat about;
    FILE *f;
    bool ok;

    if (stat(path, &about) != 0)
        return fail(path, g_strerror(errno), error);
    if (!S_ISREG(about.st_mode))
        return fail(path, "it is no file that can be read twice", error);
    f = fopen(path, "rb");
    if (!f)
        return fail(path, g_strerror(errno), error);
    ok = sum_file(sum, f);
    (void)fclose(f);
    return ok ? g_strdup(g_checksum_get_string(sum)) : fail(path, "reading stopped early", error);
}
