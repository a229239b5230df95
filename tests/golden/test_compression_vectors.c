/* The files that Windows compressed: every one decodes byte for byte, and our sizes stay beside Windows' own. */
#include "replay/codec.h"
#include "tests/bytes.h"
#include "tests/data.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* In sum over the files of a folder, and for each file of at least 2,000 bytes. */
#define SUM_TOLERANCE  0.005
#define FILE_TOLERANCE 0.035

struct folder {
    const char *name, *suffix;
    uint16_t id;
    unsigned files;
    bool standard; /* the effort that SMB uses: sizes are compared */
};

static const struct folder FOLDERS[] = {
    {"compressed-plain", ".lzplain", SMB_CODEC_LZ77, 58, true},
    {"compressed-more-plain", ".lzplain", SMB_CODEC_LZ77, 37, false},
    {"compressed-huffman", ".lzhuff", SMB_CODEC_LZ77_HUFFMAN, 59, true},
    {"compressed-more-huffman", ".lzhuff", SMB_CODEC_LZ77_HUFFMAN, 37, false},
};

static GBytes *load(const char *folder, const char *name)
{
    g_autofree char *path = g_build_filename(folder, name, NULL);
    char *data;
    gsize length;
    g_autoptr(GError) error = NULL;

    g_file_get_contents(path, &data, &length, &error);
    g_assert_no_error(error);
    return g_bytes_new_take(data, length);
}

/* Windows stores a file that doesn't get smaller as it is. */
static bool is_stored(GBytes *compressed, GBytes *plain)
{
    return g_bytes_equal(compressed, plain);
}

static void check_decoding(const struct smb_codec *codec, GBytes *compressed, GBytes *plain)
{
    gsize length, size;
    const uint8_t *in = g_bytes_get_data(compressed, &length);
    const uint8_t *expected = g_bytes_get_data(plain, &size);
    g_autofree uint8_t *out = g_malloc(size);
    size_t written;

    g_assert_cmpint(codec->decode(in, length, out, size, &written), ==, CODEC_OK);
    assert_same_bytes(out, written, expected, size);
    /* One byte less, and one more, than there are. */
    g_assert_cmpint(codec->decode(in, length, out, size - 1, &written), ==, CODEC_MALFORMED);
    g_assert_cmpint(codec->decode(in, length - 1, out, size, &written), !=, CODEC_OK);
}

/* As Windows: the original size when compression doesn't make it smaller. */
static size_t our_size(const struct smb_codec *codec, GBytes *plain)
{
    gsize size;
    const uint8_t *in = g_bytes_get_data(plain, &size);
    g_autofree uint8_t *out = g_malloc(size), *back = g_malloc(size);
    size_t length = codec->encode(in, size, out, size - 1), written;

    if (length == 0)
        return size;
    g_assert_cmpint(codec->decode(out, length, back, size, &written), ==, CODEC_OK);
    assert_same_bytes(back, written, in, size);
    return length;
}

static void test_folder(gconstpointer data)
{
    const struct folder *f = data;
    const struct smb_codec *codec = smb_codec_find(f->id);
    g_autofree char *vectors = data_shared_path("vectors/compression");
    g_autofree char *folder = NULL, *plain_folder = NULL;
    g_autoptr(GDir) dir = NULL;
    size_t ours = 0, windows = 0;
    unsigned files = 0;
    const char *name;

    if (!vectors)
        return;
    folder = g_build_filename(vectors, f->name, NULL);
    plain_folder = g_build_filename(vectors, "decompressed", NULL);
    dir = g_dir_open(folder, 0, NULL);
    g_assert_nonnull(dir);
    while ((name = g_dir_read_name(dir))) {
        g_autofree char *stem = g_strndup(name, strlen(name) - strlen(f->suffix));
        g_autofree char *plain_name = g_strconcat(stem, ".decomp", NULL);
        g_autoptr(GBytes) compressed = load(folder, name), plain = load(plain_folder, plain_name);
        size_t theirs = g_bytes_get_size(compressed), size;

        files++;
        if (!is_stored(compressed, plain))
            check_decoding(codec, compressed, plain);
        if (!f->standard)
            continue;
        size = our_size(codec, plain);
        ours += size;
        windows += theirs;
        g_test_message("%s: Windows %zu, ours %zu", stem, theirs, size);
        if (theirs >= 2000)
            g_assert_cmpfloat(ABS((double)size / (double)theirs - 1), <, FILE_TOLERANCE);
    }
    g_assert_cmpuint(files, ==, f->files);
    if (f->standard) {
        g_test_message("%s in all: Windows %zu, ours %zu", f->name, windows, ours);
        g_assert_cmpfloat(ABS((double)ours / (double)windows - 1), <, SUM_TOLERANCE);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(FOLDERS); i++) {
        g_autofree char *path = g_strconcat("/compression-vectors/", FOLDERS[i].name, NULL);

        g_test_add_data_func(path, &FOLDERS[i], test_folder);
    }
    return g_test_run();
}
