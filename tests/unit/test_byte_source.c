/* Plain, gzip and zstd bytes, whole and cut, from files and pipes; and the window over them. */
#include "replay/byte_window.h"
#include "base/error.h"
#include "tests/bytes.h"
#include "tests/compress.h"
#include "tests/packets.h"

#include <unistd.h>

enum { LENGTH = 700000 };

/* Not quite compressible, and not the same anywhere. */
static GByteArray *some_bytes(void)
{
    GByteArray *b = g_byte_array_new();
    uint32_t state = 1;

    for (unsigned i = 0; i < LENGTH; i++) {
        state = state * 1664525 + 1013904223;
        put_u8(b, state >> 28);
    }
    return b;
}

static GByteArray *read_all(const char *path, char **problem)
{
    g_autoptr(GError) error = NULL;
    struct byte_source *s = byte_source_open(path, &error);
    GByteArray *all = g_byte_array_new();
    uint8_t piece[999];
    size_t n;

    g_assert_no_error(error);
    while ((n = byte_source_read(s, piece, sizeof piece)) > 0)
        g_byte_array_append(all, piece, (guint)n);
    g_assert_cmpuint(byte_source_read(s, piece, sizeof piece), ==, 0);
    *problem = g_strdup(byte_source_problem(s));
    byte_source_free(s);
    return all;
}

static void check_reads(const GByteArray *file, const GByteArray *wanted)
{
    g_autofree char *path = temporary_file(file->data, file->len);
    g_autofree char *problem = NULL;
    g_autoptr(GByteArray) all = read_all(path, &problem);

    g_assert_cmpstr(problem, ==, NULL);
    assert_same_bytes(all->data, all->len, wanted->data, wanted->len);
    g_unlink(path);
}

static void test_whole(void)
{
    g_autoptr(GByteArray) plain = some_bytes();
    g_autoptr(GByteArray) gzip = compress_gzip(plain);
    g_autoptr(GByteArray) zstd = compress_zstd(plain);
    g_autoptr(GByteArray) tiny = g_byte_array_new();

    check_reads(plain, plain);
    check_reads(gzip, plain);
    check_reads(zstd, plain);
    put_be(tiny, 0x1f, 1); /* half of gzip's mark */
    check_reads(tiny, tiny);
}

/* Members and frames one behind the other, skippable ones too, and padding behind the last. */
static void test_several(void)
{
    g_autoptr(GByteArray) plain = some_bytes();
    g_autoptr(GByteArray) twice = some_bytes();
    g_autoptr(GByteArray) gzip = compress_gzip(plain);
    g_autoptr(GByteArray) gzips = compress_gzip(plain);
    g_autoptr(GByteArray) zstd = compress_zstd(plain);
    g_autoptr(GByteArray) zstds = g_byte_array_new();

    put_array(twice, plain);
    put_array(gzips, gzip);
    put_zeros(gzips, 512);
    check_reads(gzips, twice);
    put_le(zstds, 0x184d2a53, 4); /* skippable: 5 bytes */
    put_le(zstds, 5, 4);
    put_zeros(zstds, 5);
    put_array(zstds, zstd);
    put_array(zstds, zstd);
    check_reads(zstds, twice);
}

static void check_cut(const GByteArray *whole, guint length, const GByteArray *plain)
{
    g_autofree char *path = temporary_file(whole->data, length);
    g_autofree char *problem = NULL;
    g_autoptr(GByteArray) all = read_all(path, &problem);

    g_assert_cmpstr(problem, ==, "its compressed data ends early");
    g_assert_cmpuint(all->len, <, plain->len);
    assert_same_bytes(all->data, all->len, plain->data, all->len);
    if (length > whole->len * 3 / 4)
        g_assert_cmpuint(all->len, >, plain->len / 2);
    g_unlink(path);
}

static void test_cut(void)
{
    g_autoptr(GByteArray) plain = some_bytes();
    g_autoptr(GByteArray) gzip = compress_gzip(plain);
    g_autoptr(GByteArray) zstd = compress_zstd(plain);

    for (guint length = 4; length < 40; length++) {
        check_cut(gzip, length, plain);
        check_cut(zstd, length, plain);
    }
    for (guint length = 40; length < MIN(gzip->len, zstd->len) - 9; length += 33333) {
        check_cut(gzip, length, plain);
        check_cut(zstd, length, plain);
    }
}

static void check_problem(const GByteArray *file, const char *wanted)
{
    g_autofree char *path = temporary_file(file->data, file->len);
    g_autofree char *problem = NULL;

    g_byte_array_unref(read_all(path, &problem));
    g_assert_cmpstr(problem, ==, wanted);
    g_unlink(path);
}

static void test_damaged(void)
{
    static const uint8_t WIDE[] = {0x28, 0xb5, 0x2f,
                                   0xfd, 0x00, 0xa0}; /* a window of 2^30 bytes, RFC 8878 3.1.1.1.2 */
    g_autoptr(GByteArray) plain = some_bytes();
    g_autoptr(GByteArray) gzip = compress_gzip(plain);
    g_autoptr(GByteArray) zstd = compress_zstd(plain);
    g_autoptr(GByteArray) wide = g_byte_array_new();

    memset(gzip->data + gzip->len / 2, 0xff, 100);
    memset(zstd->data + zstd->len / 2, 0xff, 100);
    check_problem(gzip, "its compressed data is damaged");
    check_problem(zstd, "its compressed data is damaged");
    g_byte_array_append(wide, WIDE, sizeof WIDE);
    put_zeros(wide, 20);
    check_problem(wide, "its compressed data needs more than 128 MiB of memory");
}

static void test_standard_input(void)
{
    g_autoptr(GByteArray) plain = some_bytes();
    g_autoptr(GByteArray) zstd = compress_zstd(plain);
    g_autofree char *path = temporary_file(zstd->data, zstd->len);
    g_autofree char *problem = NULL;
    g_autoptr(GByteArray) all = NULL;
    g_autoptr(GError) error = NULL;
    int before = dup(STDIN_FILENO);
    FILE *f = fopen(path, "rb");
    struct byte_source *s;

    g_assert_cmpint(dup2(fileno(f), STDIN_FILENO), ==, STDIN_FILENO);
    all = read_all("-", &problem);
    g_assert_cmpstr(problem, ==, NULL);
    assert_same_bytes(all->data, all->len, plain->data, plain->len);
    s = byte_source_open("-", &error);
    g_assert_false(byte_source_is_file(s));
    byte_source_free(s);
    s = byte_source_open(path, &error);
    g_assert_true(byte_source_is_file(s));
    byte_source_free(s);
    dup2(before, STDIN_FILENO);
    close(before);
    fclose(f);
    g_unlink(path);
}

static void test_errors(void)
{
    g_autoptr(GError) missing = NULL, folder = NULL;

    g_assert_null(byte_source_open("/nonexistent/x", &missing));
    g_assert_error(missing, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    g_assert_cmpstr(missing->message, ==, "/nonexistent/x: can't be read: No such file or directory");
    g_assert_null(byte_source_open("/", &folder));
    g_assert_cmpstr(folder->message, ==, "/: is a folder, not a capture file");
}

/* Needs of all sizes, also greater than the buffer, show the bytes in their order; a need beyond the end takes nothing away. */
static void test_window(void)
{
    g_autoptr(GByteArray) plain = some_bytes();
    g_autofree char *path = temporary_file(plain->data, plain->len);
    static const size_t STEPS[] = {1, 7, 200000, 1500, 300000, 12, 66000};
    struct byte_source *s = byte_source_open(path, NULL);
    struct byte_window w;
    uint8_t piece[100];
    size_t at = 0;

    byte_window_init(&w, s);
    for (size_t i = 0; i < G_N_ELEMENTS(STEPS); i++) {
        const uint8_t *view = byte_window_need(&w, STEPS[i]);

        assert_same_bytes(view, STEPS[i], plain->data + at, STEPS[i]);
        byte_window_skip(&w, STEPS[i]);
        at += STEPS[i];
    }
    g_assert_null(byte_window_need(&w, LENGTH));
    g_assert_cmpuint(byte_window_left(&w), ==, LENGTH - at);
    g_assert_cmpuint(w.capacity, <=, 4 * LENGTH);
    g_assert_cmpuint(byte_window_read(&w, piece, sizeof piece), ==, sizeof piece);
    assert_same_bytes(piece, sizeof piece, plain->data + at, sizeof piece);
    byte_window_fini(&w);
    byte_source_free(s);
    g_unlink(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/byte-source/whole", test_whole);
    g_test_add_func("/byte-source/several", test_several);
    g_test_add_func("/byte-source/cut", test_cut);
    g_test_add_func("/byte-source/damaged", test_damaged);
    g_test_add_func("/byte-source/standard-input", test_standard_input);
    g_test_add_func("/byte-source/errors", test_errors);
    g_test_add_func("/byte-source/window", test_window);
    return g_test_run();
}
