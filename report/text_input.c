#include "report/text_input.h"
#include "report/code_page.h"
#include "base/error.h"

#include <errno.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

#define LARGEST ((size_t)256 << 20)

static const char NO_BREAK_SPACE[] = "\xc2\xa0", NARROW_NO_BREAK_SPACE[] = "\xe2\x80\xaf";

static bool fail(const char *name, GError **error, const char *what)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: %s", name, what);
    return false;
}

bool text_input_fail(const struct text_input *in, int line, GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    if (line > 0)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: %s", in->name, line, what);
    else
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: %s", in->name, what);
    return false;
}

static guint unit_at(const unsigned char *data, bool big_endian)
{
    return big_endian ? (guint)data[0] << 8 | data[1] : (guint)data[1] << 8 | data[0];
}

/* A half pair becomes U+FFFD; an odd last byte is what a cut file ends with. */
static char *decode_utf16(const unsigned char *data, size_t length, bool big_endian, size_t *decoded)
{
    GString *out = g_string_sized_new(length / 2);

    for (size_t i = 0; i + 1 < length; i += 2) {
        gunichar c = unit_at(data + i, big_endian);

        if (c >= 0xd800 && c < 0xdc00 && i + 3 < length) {
            guint low = unit_at(data + i + 2, big_endian);

            if (low >= 0xdc00 && low < 0xe000) {
                c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
                i += 2;
            }
        }
        g_string_append_unichar(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
    }
    *decoded = out->len;
    return g_string_free(out, FALSE);
}

/* Text in Latin letters as UTF-16 without its mark: most bytes of one parity are zero, none of the other. */
static bool looks_like_utf16(const unsigned char *data, size_t length, bool *big_endian)
{
    size_t zeroes[2] = {0, 0}, seen = MIN(length, 4096) & ~(size_t)1;

    for (size_t i = 0; i < seen; i++)
        zeroes[i & 1] += data[i] == 0;
    *big_endian = zeroes[0] > zeroes[1];
    return seen >= 8 && MIN(zeroes[0], zeroes[1]) == 0 && MAX(zeroes[0], zeroes[1]) > seen / 4;
}

static char *decode(struct text_input *in, const unsigned char *data, size_t length, size_t *decoded)
{
    bool big_endian = false;
    char *text;

    in->encoding = "UTF-8";
    if (length >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        length -= 3;
    } else if (length >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0)) {
        big_endian = data[0] == 0xfe;
        in->encoding = big_endian ? "UTF-16BE" : "UTF-16LE";
        return decode_utf16(data + 2, length - 2, big_endian, decoded);
    } else if (looks_like_utf16(data, length, &big_endian)) {
        in->encoding = big_endian ? "UTF-16BE" : "UTF-16LE";
        in->encoding_guessed = true;
        return decode_utf16(data, length, big_endian, decoded);
    }
    *decoded = length;
    if (memchr(data, 0, length) || g_utf8_validate((const char *)data, (gssize)length, NULL))
        return g_strndup((const char *)data, length); /* a zero is found and refused by the caller */
    in->encoding_guessed = true;
    text = code_page_decode(data, length, &in->encoding);
    *decoded = strlen(text);
    return text;
}

static bool check_text(const char *name, const char *text, size_t length, GError **error)
{
    if (g_str_has_prefix(text, "PML_"))
        return fail(name, error, "is Process Monitor's binary log: save it as CSV first (File, Save)");
    if (memchr(text, 0, length) == NULL)
        return true;
    if (g_str_has_suffix(name, ".blg"))
        return fail(
            name, error,
            "is Performance Monitor's binary log: turn it into CSV first (relog in.blg -f csv -o out.csv)");
    return fail(name, error, "is not text: it holds zero bytes");
}

static void add_line(struct text_input *in, char *text, int number)
{
    struct text_line line = {text, number};

    g_array_append_val(in->lines, line);
}

/* One line as the file has it, which bare carriage returns part into several: a progress display that overwrites itself. */
static void split_returns(struct text_input *in, char *line, int number)
{
    size_t length = strlen(line);
    char *next;

    while (length > 0 && line[length - 1] == '\r')
        line[--length] = '\0';
    while (*line == '\r')
        line++;
    for (; (next = strchr(line, '\r')); line = next + 1) {
        *next = '\0';
        if (*line)
            add_line(in, line, number);
    }
    add_line(in, line, number);
}

static void split(struct text_input *in)
{
    int number = 1;
    char *line = in->text, *end;

    for (; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        split_returns(in, line, number);
        number++;
    }
    if (*line)
        split_returns(in, line, number);
}

/* Length of "2021-03-11T14:41:24.0608111Z " at the start of a line, or 0. */
static size_t stamp_length(const char *text)
{
    static const char SHAPE[] = "0000-00-00T00:00:00";
    const char *p = text;

    for (size_t i = 0; SHAPE[i]; i++, p++) {
        if (SHAPE[i] == '0' ? !g_ascii_isdigit(*p) : *p != SHAPE[i])
            return 0;
    }
    if (*p == '.') {
        p++;
        while (g_ascii_isdigit(*p))
            p++;
    }
    if (*p != 'Z')
        return 0;
    p++;
    return *p == ' ' ? (size_t)(p + 1 - text) : *p == '\0' ? (size_t)(p - text) : 0;
}

static void strip_stamps(struct text_input *in)
{
    for (guint i = 0; i < in->lines->len; i++) {
        const struct text_line *line = text_input_line(in, i);

        if (*line->text && stamp_length(line->text) == 0)
            return;
    }
    for (guint i = 0; i < in->lines->len; i++)
        g_array_index(in->lines, struct text_line, i).text += stamp_length(text_input_line(in, i)->text);
}

static void strip_fences(struct text_input *in)
{
    for (guint i = 0; i < in->lines->len; i++) {
        struct text_line *line = &g_array_index(in->lines, struct text_line, i);

        if (g_str_has_prefix(line->text, "```"))
            line->text += strlen(line->text);
    }
}

static GByteArray *inflate(const char *name, const void *data, size_t length, GError **error)
{
    g_autoptr(GZlibDecompressor) gzip = g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP);
    g_autoptr(GInputStream) packed = g_memory_input_stream_new_from_data(data, (gssize)length, NULL);
    g_autoptr(GInputStream) stream = g_converter_input_stream_new(packed, G_CONVERTER(gzip));
    g_autoptr(GByteArray) out = g_byte_array_new();
    guint8 buffer[16384];
    gssize got;

    while ((got = g_input_stream_read(stream, buffer, sizeof buffer, NULL, NULL)) > 0) {
        g_byte_array_append(out, buffer, (guint)got);
        if (out->len > LARGEST) {
            fail(name, error, "is over 256 MiB when unpacked");
            return NULL;
        }
    }
    if (got < 0) {
        fail(name, error, "is a damaged or cut gzip file");
        return NULL;
    }
    return g_steal_pointer(&out);
}

static bool fill(struct text_input *in, const void *data, size_t length, GError **error)
{
    g_autoptr(GByteArray) unpacked = NULL;
    size_t decoded = 0;

    if (length > LARGEST)
        return fail(in->name, error, "is over 256 MiB");
    if (length >= 2 && memcmp(data, "\x1f\x8b", 2) == 0) {
        unpacked = inflate(in->name, data, length, error);
        if (!unpacked)
            return false;
        data = unpacked->data;
        length = unpacked->len;
    }
    if (length == 0)
        return fail(in->name, error, "is empty");
    in->text = decode(in, data, length, &decoded);
    if (!check_text(in->name, in->text, decoded, error))
        return false;
    split(in);
    strip_stamps(in);
    strip_fences(in);
    return true;
}

struct text_input *text_input_new(const char *name, const void *data, size_t length, GError **error)
{
    struct text_input *in = g_new0(struct text_input, 1);

    in->name = g_strdup(name);
    in->lines = g_array_new(FALSE, FALSE, sizeof(struct text_line));
    in->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, length ? data : (const void *)"", length);
    if (fill(in, data, length, error))
        return in;
    text_input_free(in);
    return NULL;
}

/* Reads little more than is allowed, so that a device or a pipe without end stops too. Returns owned, or NULL with errno. */
static GByteArray *read_capped(const char *path)
{
    FILE *f = fopen(path, "rb");
    GByteArray *bytes;
    guint8 chunk[65536];
    size_t n;
    int code;

    if (!f)
        return NULL;
    bytes = g_byte_array_new();
    while (bytes->len <= LARGEST && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        g_byte_array_append(bytes, chunk, (guint)n);
    code = ferror(f) ? errno : 0;
    fclose(f);
    if (code)
        g_clear_pointer(&bytes, g_byte_array_unref);
    errno = code;
    return bytes;
}

struct text_input *text_input_load(const char *path, GError **error)
{
    g_autoptr(GByteArray) bytes = read_capped(path);

    if (bytes)
        return text_input_new(path, bytes->data, bytes->len, error);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: can't be read: %s", path,
                g_strerror(errno));
    return NULL;
}

void text_input_free(struct text_input *in)
{
    if (!in)
        return;
    g_free(in->name);
    g_free(in->text);
    g_free(in->sha256);
    g_array_unref(in->lines);
    g_free(in);
}

guint text_input_count(const struct text_input *in)
{
    return in->lines->len;
}

const struct text_line *text_input_line(const struct text_input *in, guint index)
{
    g_assert(index < in->lines->len);
    return &g_array_index(in->lines, struct text_line, index);
}

const char *text_input_skip_blanks(const char *text)
{
    for (;;) {
        if (g_ascii_isspace(*text))
            text++;
        else if (g_str_has_prefix(text, NO_BREAK_SPACE))
            text += strlen(NO_BREAK_SPACE);
        else if (g_str_has_prefix(text, NARROW_NO_BREAK_SPACE))
            text += strlen(NARROW_NO_BREAK_SPACE);
        else
            return text;
    }
}

bool text_input_is_blank(const char *text)
{
    return *text_input_skip_blanks(text) == '\0';
}
