/* RDC's parts against worked values of the specifications: MD4's of RFC 1320 A.5, H3's of [MS-RDC] 4.2, the signature file's layout. */
#include "replay/rdc_signature.h"
#include "replay/rdc_workload.h"
#include "sim/command.h"
#include "tests/bytes.h"

#include <string.h>

static void check_md4(const char *text, const char *wanted)
{
    uint8_t digest[MD4_BYTES];
    g_autoptr(GString) hex = g_string_new(NULL);

    md4_digest((const uint8_t *)text, strlen(text), digest);
    for (int i = 0; i < MD4_BYTES; i++)
        g_string_append_printf(hex, "%02x", digest[i]);
    g_assert_cmpstr(hex->str, ==, wanted);
}

static void test_md4(void)
{
    check_md4("", "31d6cfe0d16ae931b73c59d7e0c089c0");
    check_md4("a", "bde52cb31de33e46245e05fbdbd6fb24");
    check_md4("abc", "a448017aaf21d8525fc10ae87aa6729d");
    check_md4("message digest", "d9130a8164549fe818874806e1c7014b");
    check_md4("abcdefghijklmnopqrstuvwxyz", "d79e1c308aa5bbcdeea8ed63df412da9");
    check_md4("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
              "043f8582f241db351ce627e153e7f0e4");
    check_md4("12345678901234567890123456789012345678901234567890123456789012345678901234567890",
              "e33b4ddc9c38f2199c3e7b164fcc0536");
}

/* [MS-RDC] 4.2 works the first two out, for a window of 4. */
static void test_hash(void)
{
    static const uint8_t data[] = {0x48, 0x65};
    uint32_t hashes[G_N_ELEMENTS(data)];

    rdc_filter_hash(4, data, sizeof data, hashes);
    g_assert_cmphex(hashes[0], ==, 0x6ee63f63);
    g_assert_cmphex(hashes[1], ==, 0x9698c3b2);
}

/* The hash says nothing of bytes that have left the window, for any window. */
static void test_window(void)
{
    for (uint32_t window = RDC_WINDOW_LEAST; window <= RDC_WINDOW_MOST; window++) {
        uint8_t a[2 * RDC_WINDOW_MOST], b[2 * RDC_WINDOW_MOST];
        uint32_t of_a[sizeof a], of_b[sizeof b];

        for (size_t i = 0; i < sizeof a; i++) {
            a[i] = (uint8_t)(7 * i * i + 3 * i);
            b[i] = i < RDC_WINDOW_MOST ? (uint8_t)(a[i] + 1 + i) : a[i];
        }
        rdc_filter_hash(window, a, sizeof a, of_a);
        rdc_filter_hash(window, b, sizeof b, of_b);
        for (size_t i = RDC_WINDOW_MOST + window - 1; i < sizeof a; i++)
            g_assert_cmphex(of_a[i], ==, of_b[i]);
    }
}

static void test_signature_file(void)
{
    static const uint8_t head[] = {0x18, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0};
    g_autoptr(GByteArray) file = rdc_signature_file(&RDC_FILTER_FILES, (const uint8_t *)"abc", 3);
    g_autoptr(GArray) chunks = rdc_signature_read(file->data, file->len);

    g_assert_cmpuint(file->len, ==, RDC_HEADER_BYTES + RDC_SIGNATURE_BYTES);
    assert_same_bytes(file->data, sizeof head, head, sizeof head);
    g_assert_cmphex(file->data[RDC_HEADER_BYTES], ==, 0xa4);
    g_assert_cmpuint(file->data[RDC_HEADER_BYTES + MD4_BYTES], ==, 3);
    g_assert_cmpuint(chunks->len, ==, 1);
    g_assert_cmpuint(g_array_index(chunks, struct rdc_chunk, 0).length, ==, 3);

    g_assert_null(rdc_signature_read(file->data, file->len - 1));
    g_assert_null(rdc_signature_read(file->data, RDC_HEADER_BYTES - 1));
    file->data[0]++;
    g_assert_null(rdc_signature_read(file->data, file->len));
}

/* Nothing to cut at: chunks are as long as they may be. */
static void test_longest_chunk(void)
{
    size_t length = 3 * RDC_CHUNK_MOST + 5;
    g_autofree uint8_t *zeros = g_malloc0(length);
    g_autoptr(GArray) cuts = rdc_filter_cuts(&RDC_FILTER_FILES, zeros, length);

    g_assert_cmpuint(cuts->len, ==, 4);
    for (guint i = 0; i < cuts->len; i++)
        g_assert_cmpuint(g_array_index(cuts, uint64_t, i), ==, i * RDC_CHUNK_MOST);
}

/* 18 bytes for each 2 KiB: a file of 7 MiB has 63 kB of signatures, one of 8 MiB 74 kB. */
static void test_depth(void)
{
    g_assert_cmpuint(rdc_transfer_depth(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, 0), ==, 1);
    g_assert_cmpuint(rdc_transfer_depth(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, 7 << 20), ==, 1);
    g_assert_cmpuint(rdc_transfer_depth(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, 8 << 20), ==, 2);
    g_assert_cmpuint(rdc_transfer_depth(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, INT64_C(1) << 50), ==,
                     RDC_LEVELS_MOST);
}

/* A file of which nothing is there: one call opens, one gets the signatures, one asks, its 300 kB come in two, one closes. */
static void test_calls(void)
{
    size_t length = 300000;
    g_autofree uint8_t *data = g_malloc(length);
    g_autoptr(GArray) calls = g_array_new(FALSE, FALSE, sizeof(struct exchange));
    struct rdc_versions v = {.before = data, .after = data, .after_bytes = length};
    struct rdc_calls how = {.command = SMB2_IOCTL, .calls_at_once = 2};
    struct rdc_transfer *t;
    uint64_t data_bytes = 0, answered = 0;

    for (size_t i = 0; i < length; i++)
        data[i] = (uint8_t)(i * i >> 7);
    t = rdc_transfer_new(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, 1, &v);
    rdc_workload_append(t, &how, calls);
    g_assert_cmpuint(calls->len, ==, 6);
    for (guint i = 0; i < calls->len; i++) {
        const struct exchange *e = &g_array_index(calls, struct exchange, i);

        data_bytes += e->data_bytes;
        answered += e->response_bytes;
    }
    g_assert_cmpuint(data_bytes, ==, length);
    g_assert_cmpuint(answered, >=, rdc_transfer_bytes(t));
    g_assert_cmpuint(answered, <, rdc_transfer_bytes(t) + 1000);
    /* The signatures wait for the opening, the needs for the signatures, the data for what is two before. */
    g_assert_true(g_array_index(calls, struct exchange, 1).flags & EXCHANGE_BARRIER);
    g_assert_true(g_array_index(calls, struct exchange, 2).flags & EXCHANGE_BARRIER);
    g_assert_cmpuint(g_array_index(calls, struct exchange, 3).after, ==, 0);
    g_assert_cmpuint(g_array_index(calls, struct exchange, 4).after, ==, 2);
    g_assert_true(g_array_index(calls, struct exchange, 5).flags & EXCHANGE_BARRIER);
    rdc_transfer_free(t);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rdc/md4", test_md4);
    g_test_add_func("/rdc/hash", test_hash);
    g_test_add_func("/rdc/window", test_window);
    g_test_add_func("/rdc/signature-file", test_signature_file);
    g_test_add_func("/rdc/longest-chunk", test_longest_chunk);
    g_test_add_func("/rdc/depth", test_depth);
    g_test_add_func("/rdc/calls", test_calls);
    return g_test_run();
}
