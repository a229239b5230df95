/* Each codec on small inputs written out by hand, among them the examples of [MS-XCA] section 3. */
#include "replay/codec.h"
#include "replay/huffman_code.h"
#include "replay/pattern_v1.h"
#include "tests/bytes.h"
#include "tests/hex.h"

#include <glib.h>
#include <string.h>

struct decode_case {
    const char *name;
    uint16_t id;
    const char *in; /* hexadecimal */
    const char *out;
    size_t size; /* 0: the length of `out` */
    enum codec_outcome outcome;
};

#define ABC_10  "abcabcabcabcabcabcabcabcabcabc"
#define ABC_100 ABC_10 ABC_10 ABC_10 ABC_10 ABC_10 ABC_10 ABC_10 ABC_10 ABC_10 ABC_10
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define SONG                                                                                                 \
    "F# F# G A A G F# E D D E F# F# E E F# F# G A A G F# E D D E F# E D D E E F# D E F# G F# D E F# G F# "   \
    "E D E A F# F# G A A G F# E D D E F# E D D"
#define SONG_HEX                                                                                             \
    "38b08846232000204720410010a24701a0452044000845015079 00c045200524138805b4024a44ef0358028c0916014845"    \
    "00be009e0004011890 00"
/* Code lengths of LZ77+Huffman for the letters, 0x50 being half of "`" and "a". */
#define TABLE_LETTERS "00*48 50 55*10 45 44 04 00*66 04 00*127 "
#define TABLE_ABC     "00*48 30 23 00*78 02 00*14 20 00*112 "

static const struct decode_case DECODE[] = {
    {"letters", SMB_CODEC_LZ77, "3f000000 6162636465666768696a6b6c6d6e6f707172737475767778797a", LETTERS, 0,
     CODEC_OK},
    {"abc 100 times", SMB_CODEC_LZ77, "ffffff1f 616263 1700 0f ff 2601", ABC_100, 0, CODEC_OK},
    {"end behind 32 tokens", SMB_CODEC_LZ77, "00000000 61*32", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 0,
     CODEC_OK},
    {"nothing", SMB_CODEC_LZ77, "ffffffff", "", 0, CODEC_OK},
    {"shared half byte", SMB_CODEC_LZ77, "ffffff7f 61 0700 21 0700", "aaaaaaaaaaaaaaaaaaaaaaaa", 0, CODEC_OK},
    {"wide length", SMB_CODEC_LZ77, "ffffff7f 61 0700 0f ff 0000 00010000", "a", 260, CODEC_OK},
    {"length below its form", SMB_CODEC_LZ77, "ffffff7f 61 0700 0f ff 1500", "a", 260, CODEC_MALFORMED},
    {"offset before the start", SMB_CODEC_LZ77, "ffffff7f 61 0800", "a", 4, CODEC_MALFORMED},
    {"literal beyond the size", SMB_CODEC_LZ77, "3f000000 6162", "a", 0, CODEC_MALFORMED},
    {"match beyond the size", SMB_CODEC_LZ77, "ffffff7f 61 0000", "a", 3, CODEC_MALFORMED},
    {"flags cut", SMB_CODEC_LZ77, "3f0000", "", 1, CODEC_TRUNCATED},
    {"token cut", SMB_CODEC_LZ77, "ffffff7f 61 00", "a", 4, CODEC_TRUNCATED},
    {"length cut", SMB_CODEC_LZ77, "ffffff7f 61 0700 0f ff 26", "a", 300, CODEC_TRUNCATED},
    {"letters", SMB_CODEC_LZ77_HUFFMAN, TABLE_LETTERS "d8523ed794115be9195ff9d67cdf8d0400000000", LETTERS, 0,
     CODEC_OK},
    {"abc 100 times", SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "a8dc0000ff2601", ABC_100, 0, CODEC_OK},
    {"no end symbol", SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "00dc0000", "abc", 0, CODEC_MALFORMED},
    {"table cut", SMB_CODEC_LZ77_HUFFMAN, "00*48 30 23", "", 3, CODEC_TRUNCATED},
    {"bits cut", SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "a8dc", "", 300, CODEC_TRUNCATED},
    {"length cut", SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "a8dc0000ff26", "abc", 300, CODEC_TRUNCATED},
    {"code space not filled", SMB_CODEC_LZ77_HUFFMAN, "00*48 30 20 00*206 00000000", "", 3, CODEC_MALFORMED},
    {"code space overfull", SMB_CODEC_LZ77_HUFFMAN, "11*256 00000000", "", 3, CODEC_MALFORMED},
    {"match beyond the size", SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "a8dc0000ff2601", "abc", 299,
     CODEC_MALFORMED},
    {"bytes left over", SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "a8dc0000ff260100", ABC_100, 0, CODEC_MALFORMED},
    {"song", SMB_CODEC_LZNT1, SONG_HEX, SONG "\0", sizeof SONG, CODEC_OK},
    {"end mark", SMB_CODEC_LZNT1, "0230 616263 0000", "abc", 0, CODEC_OK},
    {"two stored chunks, zeros between", SMB_CODEC_LZNT1, "0230 616263 0030 64", "abc", 4097, CODEC_OK},
    {"no chunk", SMB_CODEC_LZNT1, "", "", 0, CODEC_OK},
    {"half a header", SMB_CODEC_LZNT1, "0230 616263 01", "abc", 4097, CODEC_TRUNCATED},
    {"stored chunk cut", SMB_CODEC_LZNT1, "0330 616263", "abc", 4, CODEC_TRUNCATED},
    {"chunk missing", SMB_CODEC_LZNT1, "0230 616263", "abc", 4, CODEC_TRUNCATED},
    {"token cut", SMB_CODEC_LZNT1, "05b0 08 616263 26", "abc", 300, CODEC_TRUNCATED},
    {"token outside its chunk", SMB_CODEC_LZNT1, "04b0 08 616263 26", "abc", 300, CODEC_MALFORMED},
    {"abc 100 times", SMB_CODEC_LZNT1, "05b0 08 616263 2621", ABC_100, 0, CODEC_OK},
    {"wrong signature", SMB_CODEC_LZNT1, "0220 616263", "", 3, CODEC_MALFORMED},
    {"offset before the start", SMB_CODEC_LZNT1, "03b0 02 61 0010", "a", 4, CODEC_MALFORMED},
    {"more than the size", SMB_CODEC_LZNT1, "0330 61626364", "abc", 0, CODEC_MALFORMED},
    {"run", SMB_CODEC_PATTERN_V1, "61 000000 04000000", "aaaa", 0, CODEC_OK},
    {"reserved bytes ignored", SMB_CODEC_PATTERN_V1, "61 ffffff 01000000", "a", 0, CODEC_OK},
    {"run cut", SMB_CODEC_PATTERN_V1, "61 000000 040000", "", 4, CODEC_TRUNCATED},
    {"run too long", SMB_CODEC_PATTERN_V1, "61 000000 ffffffff", "", 4, CODEC_MALFORMED},
    {"bytes behind the run", SMB_CODEC_PATTERN_V1, "61 000000 04000000 00", "", 4, CODEC_MALFORMED},
    {"literals", SMB_CODEC_LZ4, "30 616263", "abc", 0, CODEC_OK},
    {"match", SMB_CODEC_LZ4, "1f 61 0100 00 50 6161616161", "aaaaaaaaaaaaaaaaaaaaaaaaa", 0, CODEC_OK},
    {"less than the size", SMB_CODEC_LZ4, "30 616263", "abc", 4, CODEC_TRUNCATED},
    {"literals cut", SMB_CODEC_LZ4, "30 6162", "", 3, CODEC_MALFORMED},
};

static void test_decode(gconstpointer data)
{
    const struct decode_case *t = data;
    g_autoptr(GByteArray) in = bytes_of(t->in);
    size_t known = strlen(t->out), size = t->size > 0 ? t->size : known, written = SIZE_MAX;
    g_autofree uint8_t *exact = g_memdup2(in->data, in->len); /* so that a sanitizer sees each step too far */
    g_autofree uint8_t *out = size > 0 ? g_malloc(size) : NULL;
    enum codec_outcome outcome = smb_codec_find(t->id)->decode(exact, in->len, out, size, &written);

    g_assert_cmpint(outcome, ==, t->outcome);
    g_assert_cmpuint(written, <=, size);
    if (outcome == CODEC_OK)
        g_assert_cmpuint(written, ==, size);
    else
        g_assert_cmpuint(written, ==, known);
    assert_same_bytes(out, MIN(known, written), t->out, MIN(known, written));
}

static void test_zeros_between_chunks(void)
{
    g_autoptr(GByteArray) in = bytes_of("0230 616263 0030 64");
    uint8_t out[4097];
    size_t written;

    memset(out, 0xee, sizeof out);
    g_assert_cmpint(smb_codec_find(SMB_CODEC_LZNT1)->decode(in->data, in->len, out, sizeof out, &written), ==,
                    CODEC_OK);
    for (size_t i = 3; i < 4096; i++)
        g_assert_cmpuint(out[i], ==, 0);
    g_assert_cmpuint(out[4096], ==, 'd');
}

/* What Windows makes of these, [MS-XCA] 3.1 and 3.2, byte for byte. */
static void test_encode_as_windows(void)
{
    static const struct decode_case cases[] = {
        {NULL, SMB_CODEC_LZ77, "3f000000 6162636465666768696a6b6c6d6e6f707172737475767778797a", LETTERS, 0,
         0},
        {NULL, SMB_CODEC_LZ77, "ffffff1f 616263 1700 0f ff 2601", ABC_100, 0, 0},
        {NULL, SMB_CODEC_LZ77_HUFFMAN, TABLE_LETTERS "d8523ed794115be9195ff9d67cdf8d0400000000", LETTERS, 0,
         0},
        {NULL, SMB_CODEC_LZ77_HUFFMAN, TABLE_ABC "a8dc0000ff2601", ABC_100, 0, 0},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GByteArray) expected = bytes_of(cases[i].in);
        uint8_t out[400];
        size_t length = smb_codec_find(cases[i].id)
                            ->encode((const uint8_t *)cases[i].out, strlen(cases[i].out), out, sizeof out);

        assert_same_bytes(out, length, expected->data, expected->len);
    }
}

static void test_no_room(void)
{
    const uint8_t *song = (const uint8_t *)SONG;

    for (const struct smb_codec *c = SMB_CODECS; c->name; c++) {
        uint8_t out[600];
        size_t length;

        if (c->id == SMB_CODEC_PATTERN_V1)
            continue;
        length = c->encode(song, sizeof SONG, out, sizeof out);
        g_assert_cmpuint(length, >, 0);
        for (size_t capacity = 0; capacity < length; capacity++) {
            g_autofree uint8_t *small = g_malloc(capacity + 1);

            g_assert_cmpuint(c->encode(song, sizeof SONG, small, capacity), ==, 0);
        }
        g_assert_cmpuint(c->encode(song, sizeof SONG, out, length), ==, length);
    }
}

static void test_pattern(void)
{
    uint8_t data[300], out[PATTERN_V1_BYTES];
    size_t leading, trailing;

    memset(data, 'x', sizeof data);
    pattern_v1_scan(data, 300, &leading, &trailing);
    g_assert_cmpuint(leading, ==, 300);
    g_assert_cmpuint(trailing, ==, 0);
    g_assert_cmpuint(pattern_v1_encode(data, 64, out, sizeof out), ==, PATTERN_V1_BYTES);
    g_assert_cmpuint(pattern_v1_encode(data, 63, out, sizeof out), ==, 0);
    g_assert_cmpuint(pattern_v1_encode(data, 64, out, 7), ==, 0);
    data[64] = 'y';
    g_assert_cmpuint(pattern_v1_encode(data, 300, out, sizeof out), ==, 0);
    pattern_v1_scan(data, 300, &leading, &trailing);
    g_assert_cmpuint(leading, ==, 64);
    g_assert_cmpuint(trailing, ==, 235);
    pattern_v1_scan(data, 65 + 63, &leading, &trailing);
    g_assert_cmpuint(leading, ==, 64);
    g_assert_cmpuint(trailing, ==, 0);
    pattern_v1_scan(data + 1, 65 + 63, &leading, &trailing);
    g_assert_cmpuint(leading, ==, 0);
    g_assert_cmpuint(trailing, ==, 64);
    pattern_v1_scan(data, 0, &leading, &trailing);
    g_assert_cmpuint(leading + trailing, ==, 0);
}

/* Counts like Fibonacci's numbers give Huffman's construction its longest words. */
static void test_code_limit(void)
{
    uint32_t counts[HUFFMAN_CODE_SYMBOLS] = {0};
    uint8_t lengths[HUFFMAN_CODE_SYMBOLS];
    uint32_t a = 1, b = 1;
    double space = 0;

    for (int i = 0; i < 30; i++) {
        uint32_t next = a + b;

        counts[i * 7] = a;
        a = b;
        b = next;
    }
    huffman_code_lengths(counts, 15, lengths);
    for (int i = 0; i < HUFFMAN_CODE_SYMBOLS; i++) {
        g_assert_true((counts[i] > 0) == (lengths[i] > 0));
        g_assert_cmpuint(lengths[i], <=, 15);
        if (lengths[i] > 0)
            space += 1.0 / (double)(1U << lengths[i]);
    }
    g_assert_true(space == 1);
    g_assert_cmpuint(lengths[29 * 7], <=, 2);
}

static void test_table(void)
{
    g_assert_null(smb_codec_find(SMB_CODEC_NONE));
    g_assert_null(smb_codec_find(6));
    g_assert_cmpstr(smb_codec_find(SMB_CODEC_LZ77)->name, ==, "LZ77");
    for (const struct smb_codec *c = SMB_CODECS; c->name; c++)
        g_assert_true(smb_codec_find(c->id) == c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(DECODE); i++) {
        g_autofree char *path =
            g_strdup_printf("/codec/decode/%s/%s", smb_codec_find(DECODE[i].id)->name, DECODE[i].name);

        g_test_add_data_func(path, &DECODE[i], test_decode);
    }
    g_test_add_func("/codec/zeros-between-chunks", test_zeros_between_chunks);
    g_test_add_func("/codec/encode-as-windows", test_encode_as_windows);
    g_test_add_func("/codec/no-room", test_no_room);
    g_test_add_func("/codec/pattern", test_pattern);
    g_test_add_func("/codec/code-limit", test_code_limit);
    g_test_add_func("/codec/table", test_table);
    return g_test_run();
}
