/* What the recorded messages don't show: compounds, transforms, locks, breaks, malformed headers. */
#include "replay/smb2.h"
#include "tests/packets.h"

static struct smb_element decode(const GByteArray *b, uint32_t whole)
{
    g_autofree uint8_t *exact = g_memdup2(b->data, b->len);
    struct smb_element e;

    g_assert_cmpint(smb2_decode(exact, b->len, whole, &e), ==, SMB_OK);
    return e;
}

static void test_chain(void)
{
    g_autoptr(GByteArray) b = g_byte_array_new();
    struct smb2_spec s = {.code = 5, .id = 3, .next = 128};
    struct smb_element e;

    put_smb2(b, &s);
    put_zeros(b, 64);
    e = decode(b, 256);
    g_assert_cmpuint(e.next, ==, 128);
    g_assert_cmpuint(e.length, ==, 128);
    g_assert_cmpuint(decode(b, 128).next, ==, 0); /* leads out of the message */
    b->data[20] = 8;                              /* into itself */
    g_assert_cmpuint(decode(b, 256).next, ==, 0);
}

static void test_dialects(void)
{
    static const struct {
        uint16_t revision;
        const char *name;
    } CASES[] = {{0x0202, "2.0.2"}, {0x0210, "2.1"}, {0x0300, "3.0"}, {0x0302, "3.0.2"},
                 {0x0311, "3.1.1"}, {0x02ff, NULL},  {0x9999, NULL}};

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct smb2_spec s = {.code = 0, .flags = 1};

        put_smb2(b, &s);
        put_le(b, 65, 2);
        put_le(b, 1, 2);
        put_le(b, CASES[i].revision, 2);
        put_zeros(b, 59);
        g_assert_cmpstr(smb_dialect_name(decode(b, b->len).dialect), ==, CASES[i].name);
    }
    g_assert_cmpstr(smb_dialect_name(SMB_DIALECT_1), ==, "SMB1");
}

static void test_encrypted(void)
{
    g_autoptr(GByteArray) b = g_byte_array_new();
    struct smb_element e;

    put_be(b, 0xfd534d42, 4);
    put_zeros(b, 40);
    put_le(b, UINT64_C(0x1122334455667788), 8);
    put_zeros(b, 100);
    e = decode(b, b->len);
    g_assert_true(e.opaque);
    g_assert_cmpuint(e.command, ==, COMMAND_OPAQUE);
    g_assert_cmpuint(e.id, ==, UINT64_C(0x1122334455667788));
    for (size_t n = 0; n < 52; n++) {
        g_autofree uint8_t *exact = g_memdup2(b->data, n);

        g_assert_cmpint(smb2_decode(exact, n, b->len, &e), ==, n < 4 ? SMB_TRUNCATED : SMB_OK);
        g_assert_cmpint(e.opaque, ==, n >= 4);
    }
}

/* Both forms leave the header readable when the sender didn't compress it. */
static void test_compressed(void)
{
    for (int chained = 0; chained < 2; chained++) {
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct smb_element e;

        put_be(b, 0xfc534d42, 4);
        put_le(b, 4096 + 80, 4);
        put_le(b, chained ? 0 : 2, 2); /* no compression of the first part; or LZ77 from the offset on */
        put_le(b, chained ? 1 : 0, 2);
        put_le(b, 80, 4);
        put_smb2_read_response(b, 12, 0, 4096);
        e = decode(b, b->len);
        g_assert_true(e.compressed);
        g_assert_false(e.hidden);
        g_assert_cmpuint(e.command, ==, SMB2_READ);
        g_assert_cmpuint(e.id, ==, 12);
        g_assert_cmpuint(e.data_bytes, ==, 4096);
        b->data[12] = 0; /* everything compressed */
        e = decode(b, b->len);
        g_assert_true(e.compressed && e.hidden);
        for (size_t n = 0; n < b->len; n += 7) {
            g_autofree uint8_t *exact = g_memdup2(b->data, n);

            g_assert_cmpint(smb2_decode(exact, n, b->len, &e), ==, n < 16 ? SMB_TRUNCATED : SMB_OK);
        }
    }
}

static struct smb_element decode_header(const struct smb2_spec *s)
{
    g_autoptr(GByteArray) b = g_byte_array_new();

    put_smb2(b, s);
    return decode(b, 88);
}

static void test_breaks_and_cancel(void)
{
    struct smb2_spec notice = {.code = 18, .flags = 1, .id = UINT64_MAX};
    struct smb2_spec acknowledged = {.code = 18, .flags = 1, .id = 5};
    struct smb2_spec cancel = {.code = 12, .id = 5, .flags = 2};
    struct smb2_spec notify = {.code = 15, .id = 6};

    g_assert_true(decode_header(&notice).unasked);
    g_assert_false(decode_header(&acknowledged).unasked);
    g_assert_true(decode_header(&cancel).one_way);
    g_assert_true(decode_header(&notify).background);
}

static void test_lock_waits(void)
{
    static const struct {
        uint32_t flags;
        bool waits;
    } CASES[] = {{1, true}, {2, true}, {0x11, false}, {0x12, false}, {4, false}};

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct smb2_spec s = {.code = 10, .id = 1};

        put_smb2(b, &s);
        put_le(b, 48, 2);
        put_le(b, 1, 2);
        put_zeros(b, 4 + 16 + 16);
        put_le(b, CASES[i].flags, 4);
        put_zeros(b, 4);
        g_assert_cmpint(decode(b, b->len).background, ==, CASES[i].waits);
    }
}

static void test_malformed(void)
{
    g_autoptr(GByteArray) b = g_byte_array_new();
    struct smb2_spec s = {.code = 8};
    struct smb_element e;

    put_smb2(b, &s);
    b->data[4] = 63; /* structure size */
    g_assert_cmpint(smb2_decode(b->data, b->len, b->len, &e), ==, SMB_MALFORMED);
    b->data[4] = 64;
    b->data[12] = 19; /* no such command */
    g_assert_cmpint(smb2_decode(b->data, b->len, b->len, &e), ==, SMB_MALFORMED);
    b->data[12] = 8;
    b->data[0] = 0xfb;
    g_assert_cmpint(smb2_decode(b->data, b->len, b->len, &e), ==, SMB_MALFORMED);
    b->data[0] = 0xfe;
    b->data[1] = 's';
    g_assert_cmpint(smb2_decode(b->data, b->len, b->len, &e), ==, SMB_MALFORMED);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/smb2/chain", test_chain);
    g_test_add_func("/smb2/dialects", test_dialects);
    g_test_add_func("/smb2/encrypted", test_encrypted);
    g_test_add_func("/smb2/compressed", test_compressed);
    g_test_add_func("/smb2/breaks-and-cancel", test_breaks_and_cancel);
    g_test_add_func("/smb2/lock-waits", test_lock_waits);
    g_test_add_func("/smb2/malformed", test_malformed);
    return g_test_run();
}
