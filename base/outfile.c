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

/* The permissions of the file that stands there, else those of a plainly created one. mkstemp's 0600 is neither. */
static mode_t result_mode(const char *target)
{
    struct stat st;
    mode_t mask;

    if (stat(target, &st) == 0)
        return st.st_mode & 07777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Links are followed, so that a rename replaces the file and never the link: /dev/stdout is one. Returns owned. */
static char *follow_links(const char *path)
{
    char *target = realpath(path, NULL);

    return target ? target : g_strdup(path);
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

static bool write_whole(const char *path, const char *target, const void *data, size_t length, GError **error)
{
    g_autofree char *temp = g_strconcat(target, ".XXXXXX", NULL);
    int fd = mkstemp(temp);
    bool ok;

    if (fd < 0)
        return fail(path, "can't be written", errno, error);
    ok = write_all(fd, data, length) && fchmod(fd, result_mode(target)) == 0 && fsync(fd) == 0;
    if (close(fd) != 0 || !ok || rename(temp, target) != 0) {
        int code = errno;

        unlink(temp);
        return fail(path, "can't be written", code, error);
    }
    return true;
}

bool outfile_write(const char *path, const void *data, size_t length, GError **error)
{
    g_autofree char *target = NULL;

    if (strcmp(path, "-") == 0) {
        if (fwrite(data, 1, length, stdout) != length || fflush(stdout) != 0)
            return fail("standard output", "can't be written", errno, error);
        return true;
    }
    if (is_special(path))
        return write_special(path, data, length, error);
    if (!outfile_probe(path, error))
        return false;
    target = follow_links(path);
    return write_whole(path, target, data, length, error);
}

bool outfile_probe(const char *path, GError **error)
{
    g_autofree char *target = follow_links(path);
    g_autofree char *folder = g_path_get_dirname(target);

    if (strcmp(path, "-") == 0 || is_special(path))
        return true;
    if (g_file_test(target, G_FILE_TEST_IS_DIR))
        return fail(path, "can't be written", EISDIR, error);
    if (access(target, W_OK) != 0 && errno != ENOENT)
        return fail(path, "can't be written", errno, error);
    if (access(folder, W_OK | X_OK) != 0)
        return fail(path, "can't be written", errno, error);
    return true;
}
