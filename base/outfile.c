#include "base/outfile.h"
#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail(const char *path, const char *what, int code, GError **error)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT, "%s: %s: %s", path, what, g_strerror(code));
    return false;
}

static bool write_all(int fd, const void *data, size_t length)
{
    const char *p = data;

    while (length > 0) {
        ssize_t n = write(fd, p, length);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        p += n;
        length -= (size_t)n;
    }
    return true;
}

/* A result keeps the permissions that a plainly created file would have, which mkstemp's 0600 is not. */
static mode_t usual_mode(void)
{
    mode_t mask = umask(0);

    umask(mask);
    return 0666 & ~mask;
}

/* Devices such as /dev/null and pipes can't be replaced by a rename: they are written in place. */
static bool is_special(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool write_special(const char *path, const void *data, size_t length, GError **error)
{
    FILE *f = fopen(path, "wb");
    bool ok;

    if (!f)
        return fail(path, "can't be written", errno, error);
    ok = fwrite(data, 1, length, f) == length;
    if (fclose(f) != 0 || !ok)
        return fail(path, "can't be written", errno, error);
    return true;
}

bool outfile_write(const char *path, const void *data, size_t length, GError **error)
{
    g_autofree char *temp = NULL;
    int fd;
    bool ok;

    if (strcmp(path, "-") == 0) {
        if (fwrite(data, 1, length, stdout) != length || fflush(stdout) != 0)
            return fail("standard output", "can't be written", errno, error);
        return true;
    }
    if (is_special(path))
        return write_special(path, data, length, error);
    if (!outfile_probe(path, error))
        return false;
    temp = g_strconcat(path, ".XXXXXX", NULL);
    fd = mkstemp(temp);
    if (fd < 0)
        return fail(path, "can't be written", errno, error);
    ok = write_all(fd, data, length) && fsync(fd) == 0 && fchmod(fd, usual_mode()) == 0;
    if (close(fd) != 0 || !ok || rename(temp, path) != 0) {
        int code = errno;

        unlink(temp);
        return fail(path, "can't be written", code, error);
    }
    return true;
}

bool outfile_probe(const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);

    if (strcmp(path, "-") == 0 || is_special(path))
        return true;
    if (g_file_test(path, G_FILE_TEST_IS_DIR))
        return fail(path, "can't be written", EISDIR, error);
    if (access(folder, W_OK | X_OK) != 0)
        return fail(path, "can't be written", errno, error);
    return true;
}
