/* Captures with compressed and encrypted messages, read from the file on: what comes out is known exactly. */
#include "replay/analysis.h"
#include "replay/ledger.h"
#include "replay/smb2_compression.h"
#include "replay/smb2_key_list.h"
#include "tests/data.h"
#include "tests/session.h"

static struct replay *read_capture(const GByteArray *pcap, const char *keys)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GArray) list = keys ? smb2_key_list_parse("keys", keys, &error) : NULL;
    const struct replay_options options = {.keep_exchanges = true, .keys = list};
    g_autofree char *path = temporary_file(pcap->data, pcap->len);
    struct replay *r = replay_read((const char *const[]){path, NULL}, &options, &error);

    g_unlink(path);
    g_assert_no_error(error);
    g_assert_cmpuint(r->connections->len, ==, 1);
    return r;
}

static const struct replay_connection *only(const struct replay *r)
{
    return g_ptr_array_index(r->connections, 0);
}

static const struct replay_command *command(const struct replay_connection *c, uint16_t code)
{
    for (guint i = 0; i < c->commands->len; i++) {
        if (g_array_index(c->commands, struct replay_command, i).command == code)
            return &g_array_index(c->commands, struct replay_command, i);
    }
    return NULL;
}

/* ---- compression ------------------------------------------------------------------------------------------------ */

enum { READ_BYTES = 20000, HEAD = 80 };

/* Sends a message compressed with LZ77, but for its first `head` bytes. Returns its length on the wire. */
static uint32_t send_compressed(struct session *s, int from, const GByteArray *message, size_t head)
{
    g_autoptr(GByteArray) wire = g_byte_array_new();
    size_t length;

    g_byte_array_set_size(wire, message->len);
    length = smb2_compression_encode(smb_codec_find(SMB_CODEC_LZ77), message->data, message->len, head,
                                     wire->data, wire->len);
    g_assert_cmpuint(length, >, 0);
    g_byte_array_set_size(wire, (guint)length);
    session_message(s, from, wire);
    return (uint32_t)length;
}

/* A read whose answer is compressed. */
static uint32_t compressed_read(struct session *s, uint64_t id, size_t head)
{
    g_autoptr(GByteArray) request = g_byte_array_new(), response = g_byte_array_new();

    put_smb2_read(request, id, READ_BYTES, 0x77);
    put_smb2_read_response(response, id, 0, READ_BYTES);
    for (guint i = 0; i < READ_BYTES; i++)
        response->data[HEAD + i] = (uint8_t)(i * i / 7 % 23 + i / 4096);
    session_message(s, 0, request);
    return send_compressed(s, 1, response, head);
}

static void check_reads(const struct replay *r, unsigned reads, uint64_t wire)
{
    const struct replay_connection *c = only(r);
    const struct replay_command *row = command(c, SMB2_READ);

    g_assert_true(c->compressed);
    g_assert_false(c->encrypted);
    g_assert_cmpuint(row->requests, ==, reads);
    g_assert_cmpuint(row->responses, ==, reads);
    g_assert_cmpuint(c->bytes_read, ==, reads * READ_BYTES);
    g_assert_cmpuint(c->unanswered, ==, 0);
    g_assert_cmpuint(c->compressed_messages, ==, reads);
    g_assert_cmpuint(c->original_bytes, ==, reads * (HEAD + READ_BYTES));
    g_assert_cmpuint(c->compressed_bytes, ==, wire);
    /* The command's bytes are those on the wire. */
    g_assert_cmpuint(row->bytes, ==, wire + reads * (4 + 113 + 4));
}

static void test_compressed_reads(gconstpointer head)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    uint64_t wire = 0;

    session_init(&s, pcap);
    session_open(&s);
    for (unsigned i = 0; i < 3; i++)
        wire += compressed_read(&s, i + 1, GPOINTER_TO_SIZE(head));
    r = read_capture(pcap, NULL);
    check_reads(r, 3, wire);
    g_assert_cmpuint(tally_count(&r->ledger, ledger_name(LEDGER_COMPRESSED)), ==, 0);
    replay_free(r);
}

/* Frames cut to 200 bytes: sizes and the header are there, so the counts and the ratio stay. */
static void test_compressed_snap(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    uint64_t wire;

    session_init(&s, pcap);
    s.snap = 200;
    session_open(&s);
    wire = compressed_read(&s, 1, HEAD);
    r = read_capture(pcap, NULL);
    check_reads(r, 1, wire);
    replay_free(r);
}

/* Two commands in one compressed message, both within what is compressed. */
static void test_compressed_compound(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) chain = g_byte_array_new();
    struct session s;
    struct replay *r;
    uint32_t wire;

    session_init(&s, pcap);
    session_open(&s);
    put_smb2_read(chain, 1, 0, 0x77);
    g_byte_array_set_size(chain, 120);
    memset(chain->data + 113, 0, 7);
    chain->data[20] = 120; /* where the next command is */
    put_smb2_read(chain, 2, 0, 0x77);
    wire = send_compressed(&s, 0, chain, 0);
    r = read_capture(pcap, NULL);
    g_assert_cmpuint(command(only(r), SMB2_READ)->requests, ==, 2);
    g_assert_cmpuint(command(only(r), SMB2_READ)->bytes, ==, wire + 4);
    g_assert_cmpuint(only(r)->exchanges, ==, 1);
    g_assert_cmpuint(only(r)->compressed_messages, ==, 1);
    replay_free(r);
}

/* Damaged where the header is compressed, too: counted as what couldn't be seen. */
static void test_compressed_damaged(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) message = g_byte_array_new();
    struct session s;
    struct replay *r;

    session_init(&s, pcap);
    session_open(&s);
    session_read(&s, 1, 100);
    put_be(message, 0xfc534d42, 4);
    put_le(message, 500, 4);
    put_le(message, SMB_CODEC_LZ77, 2);
    put_zeros(message, 6);
    put_be(message, 0xffffffff, 4); /* a match before there is anything */
    put_zeros(message, 40);
    session_message(&s, 1, message);
    r = read_capture(pcap, NULL);
    g_assert_cmpuint(tally_count(&r->ledger, ledger_name(LEDGER_COMPRESSED)), ==, 1);
    g_assert_cmpuint(only(r)->compressed_messages, ==, 1);
    g_assert_cmpuint(only(r)->original_bytes, ==, 500);
    g_assert_cmpuint(command(only(r), SMB2_READ)->responses, ==, 1);
    replay_free(r);
}

/* ---- encryption ------------------------------------------------------------------------------------------------- */

static GByteArray *recorded(void)
{
    g_autofree char *path = data_source_path("traces/smb3-smbclient-encrypted.pcap");
    char *bytes;
    gsize length;

    g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
    return g_byte_array_new_take((guint8 *)bytes, length);
}

static char *recorded_keys(void)
{
    g_autofree char *path = data_source_path("traces/smb3-smbclient-encrypted.keys");
    char *text;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* Takes the first `frames` frames out of a little-endian pcap. */
static void drop_frames(GByteArray *pcap, unsigned frames)
{
    for (; frames > 0; frames--) {
        guint captured = pcap->data[32] | (guint)pcap->data[33] << 8;

        g_byte_array_remove_range(pcap, 24, 16 + captured);
    }
}

static void test_decrypted(void)
{
    g_autoptr(GByteArray) pcap = recorded();
    g_autofree char *keys = recorded_keys();
    struct replay *r = read_capture(pcap, keys);
    const struct replay_connection *c = only(r);

    g_assert_true(c->encrypted);
    g_assert_false(c->compressed);
    g_assert_cmpuint(c->opaque_messages, ==, 0);
    g_assert_cmpuint(c->bytes_read, ==, 33000);
    g_assert_cmpuint(command(c, SMB2_READ)->requests, ==, 4);
    g_assert_cmpuint(command(c, SMB2_READ)->interim, ==, 2);
    g_assert_cmpuint(c->opens, ==, 5);
    g_assert_cmpuint(c->unanswered, ==, 0);
    replay_free(r);
}

static void check_opaque(const GByteArray *pcap, const char *keys, uint64_t messages)
{
    struct replay *r = read_capture(pcap, keys);

    g_assert_true(only(r)->encrypted);
    g_assert_cmpuint(only(r)->opaque_messages, ==, messages);
    g_assert_null(command(only(r), SMB2_READ));
    replay_free(r);
}

static void test_opaque(void)
{
    g_autoptr(GByteArray) pcap = recorded();
    g_autofree char *keys = recorded_keys(), *wrong_key = g_strdup(keys), *wrong_id = g_strdup(keys);

    check_opaque(pcap, NULL, 52);
    wrong_key[20] = wrong_key[20] == '0' ? '1' : '0';
    check_opaque(pcap, wrong_key, 52);
    wrong_id[0] = wrong_id[0] == '0' ? '1' : '0';
    check_opaque(pcap, wrong_id, 52);
}

/* Without its beginning the session key of a 3.1.1 session opens nothing. */
static void test_midstream(void)
{
    g_autoptr(GByteArray) pcap = recorded();
    g_autofree char *keys = recorded_keys();

    drop_frames(pcap, 12);
    check_opaque(pcap, keys, 52);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_data_func("/transforms/compressed-reads", GSIZE_TO_POINTER(HEAD), test_compressed_reads);
    g_test_add_data_func("/transforms/compressed-whole", GSIZE_TO_POINTER(0), test_compressed_reads);
    g_test_add_func("/transforms/compressed-snap", test_compressed_snap);
    g_test_add_func("/transforms/compressed-compound", test_compressed_compound);
    g_test_add_func("/transforms/compressed-damaged", test_compressed_damaged);
    g_test_add_func("/transforms/decrypted", test_decrypted);
    g_test_add_func("/transforms/opaque", test_opaque);
    g_test_add_func("/transforms/midstream", test_midstream);
    return g_test_run();
}
