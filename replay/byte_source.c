#include "replay/byte_source.h"
#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { RAW_BUFFER = 1 << 18, MAGIC = 4 };

enum compression { PLAIN, GZIP, ZSTD };

struct byte_source {
    int fd;
    bool is_file, ended; /* no more to read */
    enum compression compression;
    bool inside;  /* of a gzip member or a zstd frame: the end may not come here */
    uint8_t *raw; /* bytes of the file that aren't handed out or decompressed yet */
    size_t raw_at, raw_end;
    z_stream gzip;
    ZSTD_DStream *zstd;
    char *problem;
    uint64_t position;
};

static size_t read_raw(struct byte_source *s, uint8_t *to, size_t size)
{
    ssize_t n = -1;

    if (s->ended)
        return 0;
    do
        n = read(s->fd, to, MIN(size, 1 << 30));
    while (n < 0 && errno == EINTR);
    if (n < 0 && !s->problem)
        s->problem = g_strdup_printf("can't be read to its end (%s)", g_strerror(errno));
    s->ended = n <= 0;
    s->position += n > 0 ? (uint64_t)n : 0;
    return n > 0 ? (size_t)n : 0;
}

/* At least `wanted` raw bytes, unless the file ends before. */
static void fill_raw(struct byte_source *s, size_t wanted)
{
    if (s->raw_end - s->raw_at >= wanted)
        return;
    memmove(s->raw, s->raw + s->raw_at, s->raw_end - s->raw_at);
    s->raw_end -= s->raw_at;
    s->raw_at = 0;
    while (s->raw_end < wanted && !s->ended)
        s->raw_end += read_raw(s, s->raw + s->raw_end, RAW_BUFFER - s->raw_end);
}

static enum compression compression_of(const uint8_t *head, size_t length)
{
    static const uint8_t ZSTD_FRAME[] = {0x28, 0xb5, 0x2f, 0xfd}, ZSTD_SKIPPABLE[] = {0x2a, 0x4d, 0x18};

    if (length >= 2 && head[0] == 0x1f && head[1] == 0x8b)
        return GZIP;
    if (length >= MAGIC &&
        (memcmp(head, ZSTD_FRAME, 4) == 0 || (head[0] >> 4 == 5 && memcmp(head + 1, ZSTD_SKIPPABLE, 3) == 0)))
        return ZSTD;
    return PLAIN;
}

static void start(struct byte_source *s)
{
    s->raw = g_malloc(RAW_BUFFER);
    fill_raw(s, MAGIC);
    s->compression = compression_of(s->raw, s->raw_end);
    s->inside = s->compression != PLAIN;
    if (s->compression == GZIP && inflateInit2(&s->gzip, 15 + 16) != Z_OK)
        s->problem = g_strdup("can't be decompressed: out of memory");
    if (s->compression == ZSTD) {
        s->zstd = ZSTD_createDStream();
        if (!s->zstd)
            s->problem = g_strdup("can't be decompressed: out of memory");
    }
}

struct byte_source *byte_source_open(const char *path, GError **error)
{
    bool standard_input = strcmp(path, "-") == 0;
    struct byte_source *s;
    struct stat about;
    int fd = standard_input ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0 || fstat(fd, &about) != 0) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read: %s",
                    standard_input ? "standard input" : path, g_strerror(errno));
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    if (S_ISDIR(about.st_mode)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: is a folder, not a capture file",
                    standard_input ? "standard input" : path);
        close(fd);
        return NULL;
    }
    s = g_new0(struct byte_source, 1);
    s->fd = fd;
    s->is_file = !standard_input && S_ISREG(about.st_mode);
    start(s);
    return s;
}

void byte_source_free(struct byte_source *s)
{
    if (!s)
        return;
    if (s->compression == GZIP)
        inflateEnd(&s->gzip);
    ZSTD_freeDStream(s->zstd);
    close(s->fd);
    g_free(s->raw);
    g_free(s->problem);
    g_free(s);
}

/* Bytes after the last member that aren't another one are padding, as gzip itself takes them. */
static bool next_member(struct byte_source *s)
{
    fill_raw(s, MAGIC);
    if (compression_of(s->raw + s->raw_at, s->raw_end - s->raw_at) != s->compression) {
        s->raw_at = s->raw_end;
        s->ended = true;
        return false;
    }
    s->inside = true;
    return true;
}

/* One turn of zlib. Returns false when no more can come. */
static bool inflate_some(struct byte_source *s, uint8_t *to, size_t size, size_t *done)
{
    int code;

    s->gzip.next_in = s->raw + s->raw_at;
    s->gzip.avail_in = (uInt)(s->raw_end - s->raw_at);
    s->gzip.next_out = to;
    s->gzip.avail_out = (uInt)MIN(size, 1 << 30);
    code = inflate(&s->gzip, Z_NO_FLUSH);
    s->raw_at = s->raw_end - s->gzip.avail_in;
    *done = (size_t)(s->gzip.next_out - to);
    if (code == Z_STREAM_END)
        s->inside = inflateReset(&s->gzip) != Z_OK;
    return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR;
}

static bool unzstd_some(struct byte_source *s, uint8_t *to, size_t size, size_t *done)
{
    ZSTD_inBuffer in = {s->raw, s->raw_end, s->raw_at};
    ZSTD_outBuffer out = {to, size, 0};
    size_t code = ZSTD_decompressStream(s->zstd, &out, &in);

    s->raw_at = in.pos;
    *done = out.pos;
    if (ZSTD_isError(code)) {
        if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
            s->problem = g_strdup("its compressed data needs more than 128 MiB of memory");
        return false;
    }
    s->inside = code != 0;
    return true;
}

static size_t read_compressed(struct byte_source *s, uint8_t *to, size_t size)
{
    size_t done = 0;

    while (done == 0 && !s->problem) {
        bool good;

        if (s->raw_at == s->raw_end) {
            s->raw_at = s->raw_end = 0;
            fill_raw(s, 1);
        }
        if (!s->inside && !next_member(s))
            return 0;
        good = s->compression == GZIP ? inflate_some(s, to, size, &done) : unzstd_some(s, to, size, &done);
        if (!good && !s->problem)
            s->problem = g_strdup("its compressed data is damaged");
        else if (done == 0 && s->inside && s->ended && s->raw_at == s->raw_end && !s->problem)
            s->problem = g_strdup("its compressed data ends early");
    }
    return done;
}

size_t byte_source_read(struct byte_source *s, uint8_t *to, size_t size)
{
    size_t n = MIN(size, s->raw_end - s->raw_at);

    if (s->compression != PLAIN)
        return size > 0 ? read_compressed(s, to, size) : 0;
    if (n == 0)
        return read_raw(s, to, size);
    memcpy(to, s->raw + s->raw_at, n);
    s->raw_at += n;
    return n;
}

const char *byte_source_problem(const struct byte_source *s)
{
    return s->problem;
}

uint64_t byte_source_position(const struct byte_source *s)
{
    return s->position;
}

bool byte_source_is_file(const struct byte_source *s)
{
    return s->is_file;
}
