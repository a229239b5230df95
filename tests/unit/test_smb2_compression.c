/* Compressed messages of both forms, built by hand from [MS-SMB2] 2.2.42. */
#include "replay/smb2_compression.h"
#include "tests/bytes.h"
#include "tests/hex.h"

#include <glib.h>

/* "abc" 100 times, compressed with LZ77: [MS-XCA] 3.1. */
#define ABC_LZ77 "ffffff1f 616263 1700 0f ff 2601"

struct message_case {
    const char *name, *message;
    size_t capacity;
    enum codec_outcome outcome;
    const char *original; /* as far as it is decoded */
};

static const struct message_case CASES[] = {
    {"unchained, head as it was", "fc534d42 2c010000 0200 0000 02000000 4142" ABC_LZ77, 302, CODEC_OK,
     "4142 616263616263"},
    {"unchained, all of it", "fc534d42 2c010000 0200 0000 00000000" ABC_LZ77, 300, CODEC_OK, "616263616263"},
    {"unchained, no algorithm", "fc534d42 02000000 0000 0000 00000000 4142", 2, CODEC_OK, "4142"},
    {"unchained, too large for the caller", "fc534d42 2c010000 0200 0000 00000000" ABC_LZ77, 299,
     CODEC_MALFORMED, ""},
    {"unchained, sizes overflow", "fc534d42 ffffffff 0200 0000 02000000 4142", 4096, CODEC_MALFORMED, ""},
    {"unchained, head cut", "fc534d42 2c010000 0200 0000 10000000 4142", 4096, CODEC_TRUNCATED, "4142"},
    {"chained",
     "fc534d42 70010000 0000 0100 02000000 4142 0400 0000 08000000 2a000000 40000000"
     "0200 0000 11000000 2c010000" ABC_LZ77 "0400 0000 08000000 2e000000 02000000",
     4096, CODEC_OK, "4142 2a*64 616263616263"},
    {"chained, parts make less than the header says", "fc534d42 03000000 0000 0100 02000000 4142", 4096,
     CODEC_MALFORMED, ""},
    {"chained, parts make more", "fc534d42 01000000 0000 0100 02000000 4142", 4096, CODEC_MALFORMED, ""},
    {"chained, a run that would burst", "fc534d42 02000000 0400 0100 08000000 2a000000 ffffffff", 4096,
     CODEC_MALFORMED, ""},
    {"chained, bombs that fit their headers", "fc534d42 ffffff7f 0400 0100 08000000 2a000000 ffffff7f",
     1 << 24, CODEC_MALFORMED, ""},
    {"chained, part shorter than its size field", "fc534d42 2c010000 0200 0100 03000000 2c0100", 4096,
     CODEC_TRUNCATED, ""},
    {"chained, a length that can't be", "fc534d42 2c010000 0200 0100 03000000 2c010000 ff", 4096,
     CODEC_MALFORMED, ""},
    {"chained, part cut",
     "fc534d42 70010000 0000 0100 02000000 4142 0400 0000 08000000 2a000000 40000000 0200 0000 11000000 "
     "2c010000 ffffff1f6162",
     4096, CODEC_TRUNCATED, "4142 2a*64 6162"},
    {"unknown algorithm", "fc534d42 02000000 0900 0000 00000000 4142", 4096, CODEC_MALFORMED, ""},
    {"unknown flags", "fc534d42 02000000 0200 0200 00000000 4142", 4096, CODEC_MALFORMED, ""},
    {"another protocol", "fe534d42 02000000 0200 0000 00000000 4142", 4096, CODEC_MALFORMED, ""},
    {"unchained, no algorithm and more than it says", "fc534d42 02000000 0000 0000 00000000 41424344", 2,
     CODEC_MALFORMED, ""},
    {"header cut", "fc534d42 02000000 0200 0000 000000", 4096, CODEC_TRUNCATED, ""},
};

static void test_case(gconstpointer data)
{
    const struct message_case *t = data;
    g_autoptr(GByteArray) message = bytes_of(t->message), original = bytes_of(t->original);
    g_autofree uint8_t *exact = g_memdup2(message->data, message->len), *out = g_malloc(t->capacity);
    size_t written = SIZE_MAX;

    g_assert_cmpint(smb2_compression_decode(exact, message->len, out, t->capacity, &written), ==, t->outcome);
    g_assert_cmpuint(written, >=, original->len);
    if (t->outcome != CODEC_OK)
        g_assert_cmpuint(written, ==, original->len);
    assert_same_bytes(out, original->len, original->data, original->len);
}

static void test_parts(void)
{
    g_autoptr(GByteArray) message = bytes_of(CASES[6].message);
    static const struct {
        uint16_t algorithm;
        uint32_t original_bytes;
        size_t length;
    } wanted[] = {{SMB_CODEC_NONE, 2, 2},
                  {SMB_CODEC_PATTERN_V1, 64, 8},
                  {SMB_CODEC_LZ77, 300, 13},
                  {SMB_CODEC_PATTERN_V1, 2, 8}};
    struct smb2_compression c;

    g_assert_cmpint(smb2_compression_parse(message->data, message->len, &c), ==, CODEC_OK);
    g_assert_true(c.chained);
    g_assert_cmpuint(c.original_bytes, ==, 368);
    g_assert_cmpuint(c.count, ==, G_N_ELEMENTS(wanted));
    for (unsigned i = 0; i < c.count; i++) {
        g_assert_cmpuint(c.parts[i].algorithm, ==, wanted[i].algorithm);
        g_assert_cmpuint(c.parts[i].original_bytes, ==, wanted[i].original_bytes);
        g_assert_cmpuint(c.parts[i].length, ==, wanted[i].length);
    }
}

/* Every prefix is refused without a step outside it. */
static void test_prefixes(void)
{
    g_autoptr(GByteArray) message = bytes_of(CASES[6].message);
    uint8_t out[400];
    size_t written;

    for (guint part = 0; part < message->len; part++) {
        g_autofree uint8_t *exact = g_memdup2(message->data, part);

        g_assert_cmpint(smb2_compression_decode(exact, part, out, sizeof out, &written), !=, CODEC_OK);
    }
}

static void test_too_many_parts(void)
{
    GByteArray *message = bytes_of("fc534d42 41000000");

    for (unsigned i = 0; i < SMB2_COMPRESSION_PARTS + 1; i++) {
        g_autoptr(GByteArray) part = bytes_of(i == 0 ? "0000 0100 01000000 41" : "0000 0000 01000000 41");

        g_byte_array_append(message, part->data, part->len);
    }
    uint8_t out[100];
    size_t written;

    g_assert_cmpint(smb2_compression_decode(message->data, message->len, out, sizeof out, &written), ==,
                    CODEC_MALFORMED);
    g_byte_array_unref(message);
}

/* As 3.1.4.4 has it: headers, run, compressed data, run. */
static void test_encode(void)
{
    uint8_t message[1000], out[1000], back[1000];
    struct smb2_compression c;
    size_t length, written;

    memset(message, 'z', sizeof message);
    for (size_t i = 0; i < 80; i++)
        message[i] = (uint8_t)i;
    for (size_t i = 200; i < 800; i++)
        message[i] = (uint8_t)('a' + i % 5);
    for (const struct smb_codec *codec = SMB_CODECS; codec->name; codec++) {
        if (codec->id == SMB_CODEC_PATTERN_V1)
            continue;
        length = smb2_compression_encode(codec, message, sizeof message, 80, out, sizeof out);
        g_assert_cmpuint(length, >, 0);
        g_assert_cmpuint(length, <, codec->id == SMB_CODEC_LZ77_HUFFMAN ? 450 : 200);
        g_assert_cmpint(smb2_compression_parse(out, length, &c), ==, CODEC_OK);
        g_assert_cmpuint(c.count, ==, 4);
        g_assert_cmpuint(c.parts[0].algorithm, ==, SMB_CODEC_NONE);
        g_assert_cmpuint(c.parts[1].algorithm, ==, SMB_CODEC_PATTERN_V1);
        g_assert_cmpuint(c.parts[1].original_bytes, ==, 120);
        g_assert_cmpuint(c.parts[2].algorithm, ==, codec->id);
        g_assert_cmpuint(c.parts[3].original_bytes, ==, 200);
        g_assert_cmpint(smb2_compression_decode(out, length, back, sizeof back, &written), ==, CODEC_OK);
        assert_same_bytes(back, written, message, sizeof message);
        g_assert_cmpuint(smb2_compression_encode(codec, message, sizeof message, 80, out, length - 1), ==, 0);
    }
}

static void test_encode_incompressible(void)
{
    uint8_t message[600], out[1000];
    g_autoptr(GRand) rand = g_rand_new_with_seed(1);
    const struct smb_codec *lz77 = smb_codec_find(SMB_CODEC_LZ77);
    struct smb2_compression c;
    size_t length;

    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (uint8_t)g_rand_int(rand);
    g_assert_cmpuint(smb2_compression_encode(lz77, message, sizeof message, 80, out, sizeof out), ==, 0);
    memset(message + 500, 0, 100); /* a run alone makes it worth while */
    length = smb2_compression_encode(lz77, message, sizeof message, 80, out, sizeof out);
    g_assert_cmpuint(length, >, 0);
    g_assert_cmpint(smb2_compression_parse(out, length, &c), ==, CODEC_OK);
    g_assert_cmpuint(c.count, ==, 3);
    g_assert_cmpuint(c.parts[1].algorithm, ==, SMB_CODEC_NONE);
    g_assert_cmpuint(c.parts[2].original_bytes, >=, 100);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autofree char *path = g_strconcat("/smb2-compression/", CASES[i].name, NULL);

        g_test_add_data_func(path, &CASES[i], test_case);
    }
    g_test_add_func("/smb2-compression/parts", test_parts);
    g_test_add_func("/smb2-compression/prefixes", test_prefixes);
    g_test_add_func("/smb2-compression/too-many-parts", test_too_many_parts);
    g_test_add_func("/smb2-compression/encode", test_encode);
    g_test_add_func("/smb2-compression/encode-incompressible", test_encode_incompressible);
    return g_test_run();
}
