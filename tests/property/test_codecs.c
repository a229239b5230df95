/* Properties of the codecs on made-up inputs: what is encoded decodes to itself, what is cut off or damaged never does harm, and no
 * input takes out-of-proportion time. */
#include "base/rng.h"
#include "replay/codec.h"
#include "tests/bytes.h"

#include <glib.h>
#include <gsl/gsl_rng.h>
#include <string.h>
#include <time.h>

enum { SIZE_MAX_BYTES = 200000 };

typedef void fill(gsl_rng *rng, uint8_t *data, size_t size);

static void fill_noise(gsl_rng *rng, uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)gsl_rng_uniform_int(rng, 256);
}

static void fill_few_symbols(gsl_rng *rng, uint8_t *data, size_t size)
{
    unsigned long symbols = 1 + gsl_rng_uniform_int(rng, 5);

    for (size_t i = 0; i < size; i++)
        data[i] = (uint8_t)gsl_rng_uniform_int(rng, symbols);
}

static void fill_runs(gsl_rng *rng, uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t run = 1 + gsl_rng_uniform_int(rng, 1U << gsl_rng_uniform_int(rng, 18));

        run = MIN(run, size - i);
        memset(data + i, (int)gsl_rng_uniform_int(rng, 256), run);
        i += run;
    }
}

/* Copies of earlier parts, near and far, with noise between them. */
static void fill_copies(gsl_rng *rng, uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t length = 1 + gsl_rng_uniform_int(rng, 1U << gsl_rng_uniform_int(rng, 10));
        size_t from = i > 0 ? i - 1 - gsl_rng_uniform_int(rng, MIN(i, 70000)) : 0;

        length = MIN(length, size - i);
        for (size_t k = 0; k < length; k++)
            data[i + k] = i > 0 && length > 2 ? data[from + k] : (uint8_t)gsl_rng_uniform_int(rng, 256);
        i += length;
    }
}

static const struct {
    const char *name;
    fill *fill;
} KINDS[] = {
    {"noise", fill_noise}, {"few symbols", fill_few_symbols}, {"runs", fill_runs}, {"copies", fill_copies}};

/* Sizes around those at which something changes, and any others. */
static size_t pick_size(gsl_rng *rng)
{
    static const size_t edges[] = {0, 4096, 8192, 65536, 131072};
    size_t edge = edges[gsl_rng_uniform_int(rng, G_N_ELEMENTS(edges))];

    switch (gsl_rng_uniform_int(rng, 3)) {
    case 0:
        return gsl_rng_uniform_int(rng, 300);
    case 1:
        return edge + gsl_rng_uniform_int(rng, 4) - (edge > 0 ? 2 : 0);
    default:
        return gsl_rng_uniform_int(rng, SIZE_MAX_BYTES);
    }
}

static void check_round_trip(const struct smb_codec *c, const uint8_t *data, size_t size)
{
    size_t capacity = size + size / 4 + 1024, written;
    g_autofree uint8_t *encoded = g_malloc(capacity), *out = g_malloc(size + 1);
    size_t length = c->encode(data, size, encoded, capacity);
    g_autofree uint8_t *exact = NULL;

    if (c->id == SMB_CODEC_PATTERN_V1 && length == 0)
        return;
    if (size > 0)
        g_assert_cmpuint(length, >, 0);
    exact = g_memdup2(encoded, length);
    g_assert_cmpint(c->decode(exact, length, out, size, &written), ==, CODEC_OK);
    assert_same_bytes(out, written, data, size);
}

static void test_round_trip(gconstpointer data)
{
    const struct smb_codec *c = data;
    g_autofree uint8_t *plain = g_malloc(SIZE_MAX_BYTES);
    gsl_rng *rng = rng_stream(1, c->id, "codecs");

    for (int run = 0; run < 200; run++) {
        size_t kind = (size_t)run % G_N_ELEMENTS(KINDS), size = pick_size(rng);
        g_autofree uint8_t *exact = NULL;

        KINDS[kind].fill(rng, plain, size);
        g_test_message("%s, %zu bytes", KINDS[kind].name, size);
        exact = g_memdup2(plain, size);
        check_round_trip(c, exact, size);
    }
    gsl_rng_free(rng);
}

/* Bytes at the end that may say nothing: flags of no token, bits behind the end symbol. */
static size_t padding(const struct smb_codec *c)
{
    switch (c->id) {
    case SMB_CODEC_LZ77:
        return 4;
    case SMB_CODEC_LZ77_HUFFMAN:
        return 2;
    default:
        return 0;
    }
}

/* A decoder that gets only part of a message says so, and what it did write is right. */
static void test_prefixes(gconstpointer data)
{
    const struct smb_codec *c = data;
    uint8_t plain[3000], encoded[4000], out[3000];
    gsl_rng *rng = rng_stream(2, c->id, "codecs");
    size_t length, written;

    if (c->id == SMB_CODEC_PATTERN_V1)
        memset(plain, 'p', sizeof plain);
    else
        fill_copies(rng, plain, sizeof plain);
    length = c->encode(plain, sizeof plain, encoded, sizeof encoded);
    g_assert_cmpuint(length, >, 0);
    for (size_t part = 0; part < length; part++) {
        g_autofree uint8_t *exact = g_memdup2(encoded, part);
        enum codec_outcome outcome = c->decode(exact, part, out, sizeof out, &written);

        if (c->id == SMB_CODEC_LZ4) /* can't tell the two apart */
            g_assert_cmpint(outcome, !=, CODEC_OK);
        else if (part < length - padding(c))
            g_assert_cmpint(outcome, ==, CODEC_TRUNCATED);
        if (outcome == CODEC_OK)
            g_assert_cmpuint(written, ==, sizeof plain);
        assert_same_bytes(out, written, plain, written);
    }
    gsl_rng_free(rng);
}

static void test_damage(gconstpointer data)
{
    const struct smb_codec *c = data;
    gsl_rng *rng = rng_stream(3, c->id, "codecs");

    for (int run = 0; run < 2000; run++) {
        size_t size = gsl_rng_uniform_int(rng, 2000), length, written = SIZE_MAX;
        g_autofree uint8_t *plain = g_malloc(size + 1), *encoded = g_malloc(size + 1024);
        g_autofree uint8_t *out = g_malloc(size + 1), *exact = NULL;

        fill_copies(rng, plain, size);
        length = c->encode(plain, size, encoded, size + 1024);
        for (int i = 0; i < 3 && length > 0; i++)
            encoded[gsl_rng_uniform_int(rng, length)] = (uint8_t)gsl_rng_uniform_int(rng, 256);
        exact = g_memdup2(encoded, length);
        out[size] = 0x5a;
        if (c->decode(exact, length, out, size, &written) == CODEC_OK)
            g_assert_cmpuint(written, ==, size);
        g_assert_cmpuint(written, <=, size);
        g_assert_cmpuint(out[size], ==, 0x5a);
    }
    gsl_rng_free(rng);
}

/* Inputs that make a careless search quadratic: nearly equal stretches, all with the same hash. */
static void test_linear_time(gconstpointer data)
{
    const struct smb_codec *c = data;
    enum { SMALL = 1 << 19, FACTOR = 8 };
    size_t size = (size_t)SMALL * FACTOR;
    g_autofree uint8_t *plain = g_malloc(size), *out = g_malloc(size + size / 4);
    double seconds[2] = {G_MAXDOUBLE, G_MAXDOUBLE};

    for (size_t i = 0; i < size; i++)
        plain[i] = i % 5000 == 4999 ? (uint8_t)(i / 5000) : i % 7 < 5 ? 'a' : 'b';
    memset(out, 0, size + size / 4);    /* so that its pages are there */
    for (int run = 0; run < 6; run++) { /* the best of three each, in CPU time: others use the machine, too */
        double *best = &seconds[run % 2];
        clock_t start = clock();

        c->encode(plain, run % 2 ? size : SMALL, out, size + size / 4);
        *best = MIN(*best, (double)(clock() - start) / CLOCKS_PER_SEC);
    }
    /* Eight times the data takes eight times as long, or 64 times where time is quadratic. */
    g_assert_cmpfloat(seconds[1], <, 24 * seconds[0] + 0.05);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        GTestDataFunc run;
    } tests[] = {{"round-trip", test_round_trip},
                 {"prefixes", test_prefixes},
                 {"damage", test_damage},
                 {"linear-time", test_linear_time}};

    g_test_init(&argc, &argv, NULL);
    for (const struct smb_codec *c = SMB_CODECS; c->name; c++) {
        for (size_t i = 0; i < G_N_ELEMENTS(tests); i++) {
            g_autofree char *path = g_strdup_printf("/codecs/%s/%s", c->name, tests[i].name);

            g_test_add_data_func(path, c, tests[i].run);
        }
    }
    return g_test_run();
}
