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

struct outfile {
    char *path;   /* as given, for messages */
    char *target; /* links followed; NULL: written in place */
    char *temp;
    FILE *stream;
};

/* Frees `o` and, unless it was renamed, removes the temporary file. */
static void release(struct outfile *o)
{
    if (o->stream && o->stream != stdout)
        fclose(o->stream);
    if (o->temp)
        unlink(o->temp);
    g_free(o->temp);
    g_free(o->target);
    g_free(o->path);
    g_free(o);
}

static bool fail_outfile(const struct outfile *o, GError **error)
{
    return fail(o->path, "can't be written", errno, error);
}

static bool open_temp(struct outfile *o, GError **error)
{
    int fd;

    if (!outfile_probe(o->path, error))
        return false;
    o->target = follow_links(o->path);
    o->temp = g_strconcat(o->target, ".XXXXXX", NULL);
    fd = mkstemp(o->temp);
    if (fd < 0) {
        g_clear_pointer(&o->temp, g_free); /* nothing to remove */
        return fail_outfile(o, error);
    }
    o->stream = fdopen(fd, "wb");
    return o->stream || fail_outfile(o, error);
}

static bool open_stream(struct outfile *o, GError **error)
{
    if (strcmp(o->path, "-") == 0) {
        g_free(o->path);
        o->path = g_strdup("standard output");
        o->stream = stdout;
        return true;
    }
    if (!is_special(o->path))
        return open_temp(o, error);
    o->stream = fopen(o->path, "wb");
    return o->stream || fail_outfile(o, error);
}

struct outfile *outfile_open(const char *path, GError **error)
{
    struct outfile *o = g_new0(struct outfile, 1);

    o->path = g_strdup(path);
    if (open_stream(o, error))
        return o;
    release(o);
    return NULL;
}

bool outfile_append(struct outfile *o, const void *data, size_t length, GError **error)
{
    return fwrite(data, 1, length, o->stream) == length || fail_outfile(o, error);
}

static bool close_stream(struct outfile *o)
{
    FILE *stream = o->stream;
    bool ok = fflush(stream) == 0;

    if (stream == stdout)
        return ok;
    if (ok && o->temp)
        ok = fchmod(fileno(stream), result_mode(o->target)) == 0 && fsync(fileno(stream)) == 0;
    if (!ok)
        return false;
    o->stream = NULL;
    return fclose(stream) == 0;
}

bool outfile_commit(struct outfile *o, GError **error)
{
    bool ok = close_stream(o) && (!o->temp || rename(o->temp, o->target) == 0);

    if (ok)
        g_clear_pointer(&o->temp, g_free);
    else
        fail_outfile(o, error);
    release(o);
    return ok;
}

void outfile_discard(struct outfile *o)
{
    if (o)
        release(o);
}

bool outfile_write(const char *path, const void *data, size_t length, GError **error)
{
    struct outfile *o = outfile_open(path, error);

    if (!o)
        return false;
    if (outfile_append(o, data, length, error))
        return outfile_commit(o, error);
    outfile_discard(o);
    return false;
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
