/* What the recorded messages don't show: large counts, AndX chains, transactions in parts, locks, breaks. */
#include "replay/smb1.h"
#include "tests/packets.h"

enum {
    LOCKING = 0x24,
    TRANSACTION = 0x25,
    READ = 0x2e,
    WRITE = 0x2f,
    TRANSACTION2 = 0x32,
    NT_TRANSACT = 0xa0
};

static GByteArray *message(uint8_t code, bool response)
{
    GByteArray *b = g_byte_array_new();
    struct smb1_spec s = {.code = code, .response = response, .mid = 7, .pid = 9};

    put_smb1(b, &s);
    return b;
}

static void put_andx(GByteArray *b, uint8_t next, uint16_t offset)
{
    put_u8(b, next);
    put_u8(b, 0);
    put_le(b, offset, 2);
}

/* Decodes in a heap block of the exact size. */
static struct smb_element decode(const GByteArray *b)
{
    g_autofree uint8_t *exact = g_memdup2(b->data, b->len);
    struct smb_element e;

    g_assert_cmpint(smb1_decode(exact, b->len, &e), ==, SMB_OK);
    return e;
}

static void test_large_read(void)
{
    g_autoptr(GByteArray) b = message(READ, true);
    struct smb_element e;

    put_u8(b, 12);
    put_andx(b, 0xff, 0);
    put_le(b, 0, 6);
    put_le(b, 0x2345, 2);
    put_le(b, 60, 2);
    put_le(b, 1, 2); /* high half of the length */
    put_zeros(b, 8);
    put_le(b, 0, 2);
    e = decode(b);
    g_assert_cmpuint(e.command, ==, SMB1_READ_ANDX);
    g_assert_true(e.response);
    g_assert_cmpuint(e.data_bytes, ==, 0x12345);
    g_assert_cmpuint(e.id, ==, UINT64_C(1) << 63 | 9 << 16 | 7);
    g_assert_cmpuint(e.next, ==, 0);
}

static void test_large_write(void)
{
    g_autoptr(GByteArray) b = message(WRITE, false);
    struct smb_element e;

    put_u8(b, 14);
    put_andx(b, 0xff, 0);
    put_le(b, 0x4001, 2); /* FID */
    put_le(b, 0, 4);
    put_le(b, 0, 4);
    put_le(b, 0, 4); /* mode, remaining */
    put_le(b, 1, 2);
    put_le(b, 0x10, 2);
    put_zeros(b, 6);
    put_le(b, 0, 2);
    e = decode(b);
    g_assert_cmpuint(e.data_bytes, ==, 0x10010);
    g_assert_true(e.has_file);
    g_assert_cmpuint(e.file[0], ==, 0x4001);
}

static void test_core_read_and_write(void)
{
    g_autoptr(GByteArray) read = message(0x0a, true);
    g_autoptr(GByteArray) write = message(0x0b, false);
    struct smb_element e;

    put_u8(read, 5);
    put_le(read, 1000, 2);
    put_zeros(read, 8);
    e = decode(read);
    g_assert_cmpuint(e.command, ==, SMB1_READ);
    g_assert_cmpuint(e.data_bytes, ==, 1000);
    put_u8(write, 5);
    put_le(write, 3, 2);
    put_le(write, 500, 2);
    put_zeros(write, 6);
    e = decode(write);
    g_assert_cmpuint(e.command, ==, SMB1_WRITE);
    g_assert_cmpuint(e.data_bytes, ==, 500);
    g_assert_cmpuint(e.file[0], ==, 3);
}

/* NT_CREATE_ANDX followed by READ_ANDX in one response. */
static void test_andx_chain(void)
{
    g_autoptr(GByteArray) b = message(0xa2, true);
    struct smb_element first, second;
    uint32_t at;

    put_u8(b, 34);
    put_andx(b, READ, 32 + 1 + 68 + 2);
    put_u8(b, 0);
    put_le(b, 0x4002, 2);
    put_zeros(b, 68 - 4 - 3);
    put_le(b, 0, 2);
    at = b->len;
    put_u8(b, 12);
    put_andx(b, 0xff, 0);
    put_zeros(b, 6);
    put_le(b, 100, 2);
    put_zeros(b, 12);
    put_le(b, 0, 2);
    first = decode(b);
    g_assert_true(first.opens);
    g_assert_cmpuint(first.file[0], ==, 0x4002);
    g_assert_cmpuint(first.next, ==, at);
    g_assert_cmpuint(first.next_command, ==, SMB1_READ_ANDX);
    g_assert_cmpint(smb1_decode_andx(b->data + at, b->len - at, &first, &second), ==, SMB_OK);
    g_assert_cmpuint(second.command, ==, SMB1_READ_ANDX);
    g_assert_true(second.response);
    g_assert_cmpuint(second.id, ==, first.id);
    g_assert_cmpuint(second.data_bytes, ==, 100);
    g_assert_cmpint(smb1_decode_andx(NULL, 0, &first, &second), ==, SMB_TRUNCATED);
}

static void put_locking(GByteArray *b, uint8_t type, uint32_t timeout, uint16_t locks)
{
    put_u8(b, 8);
    put_andx(b, 0xff, 0);
    put_le(b, 1, 2);
    put_u8(b, type);
    put_u8(b, 0);
    put_le(b, timeout, 4);
    put_le(b, 0, 2);
    put_le(b, locks, 2);
    put_le(b, 0, 2);
}

static void test_locking(void)
{
    g_autoptr(GByteArray) waits = message(LOCKING, false);
    g_autoptr(GByteArray) release = message(LOCKING, false);
    g_autoptr(GByteArray) broken = g_byte_array_new();
    struct smb1_spec notice = {.code = LOCKING, .mid = 0xffff, .pid = 0xffff};
    struct smb_element e;

    put_locking(waits, 0, 5000, 1);
    e = decode(waits);
    g_assert_true(e.background);
    g_assert_false(e.one_way || e.unasked);
    put_locking(release, 2, 0, 0); /* gives an oplock back: never answered */
    e = decode(release);
    g_assert_true(e.one_way);
    g_assert_false(e.background || e.unasked);
    put_smb1(broken, &notice); /* from the server */
    put_locking(broken, 2, 0, 0);
    g_assert_true(decode(broken).unasked);
}

static void put_transaction2_response(GByteArray *b, uint16_t total, uint16_t count, uint16_t displacement)
{
    put_u8(b, 10);
    put_le(b, 10, 2); /* parameters in all */
    put_le(b, total, 2);
    put_le(b, 0, 2);
    put_le(b, 10, 2);
    put_le(b, 56, 2);
    put_le(b, 0, 2);
    put_le(b, count, 2);
    put_le(b, 68, 2);
    put_le(b, displacement, 2);
    put_le(b, 0, 2);
    put_le(b, 0, 2);
}

static void test_transaction_in_parts(void)
{
    g_autoptr(GByteArray) first = message(TRANSACTION2, true);
    g_autoptr(GByteArray) last = message(TRANSACTION2, true);
    g_autoptr(GByteArray) interim = message(TRANSACTION2, true);
    g_autoptr(GByteArray) secondary = message(0x33, false);

    put_transaction2_response(first, 300, 200, 0);
    g_assert_true(decode(first).more);
    put_transaction2_response(last, 300, 100, 200);
    g_assert_false(decode(last).more);
    put_zeros(interim, 3); /* no words: the server asks for the rest of the request */
    g_assert_true(decode(interim).interim);
    put_zeros(secondary, 3);
    g_assert_true(decode(secondary).secondary);
}

static void test_notify_and_one_way(void)
{
    g_autoptr(GByteArray) notify = message(NT_TRANSACT, false);
    g_autoptr(GByteArray) mailslot = message(TRANSACTION, false);
    g_autoptr(GByteArray) cancel = message(0xa4, false);

    put_u8(notify, 23);
    put_zeros(notify, 35);
    put_u8(notify, 4);
    put_le(notify, 4, 2); /* NT_TRANSACT_NOTIFY_CHANGE */
    put_zeros(notify, 8);
    g_assert_true(decode(notify).background);
    put_u8(mailslot, 14);
    put_zeros(mailslot, 10);
    put_le(mailslot, 2, 2);
    put_zeros(mailslot, 16);
    g_assert_true(decode(mailslot).one_way);
    put_u8(cancel, 0);
    put_le(cancel, 0, 2);
    g_assert_true(decode(cancel).one_way);
}

static void test_status(void)
{
    static const struct {
        uint32_t status;
        bool nt, error;
    } CASES[] = {
        {0, true, false},          {0xc0000034, true, true},  {0xc0000016, true, false},
        {0x80000005, true, false}, {0x00020001, false, true}, /* DOS: class 1, code 2 */
        {0, false, false},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) b = g_byte_array_new();
        struct smb1_spec s = {.code = READ, .response = true, .status = CASES[i].status};
        struct smb_element e;

        put_smb1(b, &s);
        if (!CASES[i].nt)
            b->data[11] = 0x80; /* flags2 without NT status */
        put_zeros(b, 3);
        e = decode(b);
        g_assert_cmpint(e.error, ==, CASES[i].error);
    }
}

static void test_signature(void)
{
    g_autoptr(GByteArray) b = message(READ, false);

    put_zeros(b, 3);
    b->data[10] = 0x05;
    g_assert_false(decode(b).signature); /* announced, but empty */
    b->data[14] = 1;
    g_assert_true(decode(b).signature);
}

static void test_not_smb1(void)
{
    g_autoptr(GByteArray) b = message(READ, false);
    struct smb_element e;

    b->data[0] = 0xfe;
    g_assert_cmpint(smb1_decode(b->data, b->len, &e), ==, SMB_MALFORMED);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/smb1/large-read", test_large_read);
    g_test_add_func("/smb1/large-write", test_large_write);
    g_test_add_func("/smb1/core-read-and-write", test_core_read_and_write);
    g_test_add_func("/smb1/andx-chain", test_andx_chain);
    g_test_add_func("/smb1/locking", test_locking);
    g_test_add_func("/smb1/transaction-in-parts", test_transaction_in_parts);
    g_test_add_func("/smb1/notify-and-one-way", test_notify_and_one_way);
    g_test_add_func("/smb1/status", test_status);
    g_test_add_func("/smb1/signature", test_signature);
    g_test_add_func("/smb1/not-smb1", test_not_smb1);
    return g_test_run();
}
