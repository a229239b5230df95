#include "replay/gzfile.h"

#include <errno.h>
#include <glib.h>
#include <sys/types.h>
#include <zlib.h>

struct gzfile {
    gzFile file;
    FILE *stream;
    const char *problem;
};

static ssize_t read_some(struct gzfile *g, char *buffer, size_t size)
{
    unsigned wanted = size > INT_MAX ? INT_MAX : (unsigned)size;
    int code = Z_OK;
    int n = gzread(g->file, buffer, wanted);

    if (n > 0)
        return n;
    gzerror(g->file, &code);
    if (code == Z_BUF_ERROR)
        g->problem = "its compressed data ends early";
    else if (code != Z_OK && code != Z_STREAM_END)
        g->problem = "its compressed data is damaged";
    return 0;
}

static int close_file(void *cookie)
{
    struct gzfile *g = cookie;

    gzclose_r(g->file);
    g->file = NULL;
    return 0;
}

#if defined(HAVE_FOPENCOOKIE)
static ssize_t cookie_read(void *cookie, char *buffer, size_t size)
{
    return read_some(cookie, buffer, size);
}

static FILE *make_stream(struct gzfile *g)
{
    return fopencookie(g, "r", (cookie_io_functions_t){.read = cookie_read, .close = close_file});
}
#elif defined(HAVE_FUNOPEN)
static int cookie_read(void *cookie, char *buffer, int size)
{
    return (int)read_some(cookie, buffer, (size_t)size);
}

static FILE *make_stream(struct gzfile *g)
{
    return funopen(g, cookie_read, NULL, NULL, close_file);
}
#else
static FILE *make_stream(struct gzfile *g)
{
    close_file(g);
    errno = ENOTSUP;
    return NULL;
}
#endif

struct gzfile *gzfile_open(const char *path)
{
    struct gzfile *g = g_new0(struct gzfile, 1);

    g->file = gzopen(path, "rb");
    if (g->file) {
        gzbuffer(g->file, 256 * 1024);
        g->stream = make_stream(g);
    }
    if (!g->stream) {
        g_free(g);
        return NULL;
    }
    return g;
}

FILE *gzfile_stream(struct gzfile *g)
{
    return g->stream;
}

void gzfile_free(struct gzfile *g)
{
    g_free(g);
}

const char *gzfile_problem(const struct gzfile *g)
{
    return g->problem;
}

uint64_t gzfile_position(const struct gzfile *g)
{
    z_off_t at = gzoffset(g->file);

    return at < 0 ? 0 : (uint64_t)at;
}
