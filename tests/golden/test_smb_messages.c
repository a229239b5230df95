/* Decoders against real messages (smb_messages.tsv), whole and every prefix of them. */
#include "replay/smb1.h"
#include "replay/smb2.h"
#include "tests/data.h"
#include "tests/packets.h"

enum { COMMAND_COLUMN, KIND, STATUS, ID, DATA, FILE_ID, FLAG, LENGTH, HEX, COLUMNS };

static GByteArray *bytes_of(const char *hex)
{
    GByteArray *b = g_byte_array_new();

    for (; hex[0] && hex[1]; hex += 2)
        put_u8(b, (unsigned)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1])));
    return b;
}

static enum smb_outcome decode(const uint8_t *bytes, size_t length, uint32_t whole, struct smb_element *e)
{
    return smb_version(bytes, length) == 1 ? smb1_decode(bytes, length, e)
                                           : smb2_decode(bytes, length, whole, e);
}

static void check_fields(const struct smb_element *e, char *const *row)
{
    g_autofree char *status = g_strdup_printf("%08x", e->status);
    g_autofree char *id = g_strdup_printf("%" G_GINT64_MODIFIER "x", e->id);
    g_autofree char *data = g_strdup_printf("%u", e->data_bytes);
    g_autofree char *file = NULL;

    if (!e->has_file)
        file = g_strdup("-");
    else if (COMMAND_PROTOCOL(e->command) == 1)
        file = g_strdup_printf("%" G_GINT64_MODIFIER "x", e->file[0]);
    else
        file = g_strdup_printf("%" G_GINT64_MODIFIER "x:%" G_GINT64_MODIFIER "x", e->file[0], e->file[1]);
    g_assert_cmpstr(command_name(e->command), ==, row[COMMAND_COLUMN]);
    g_assert_cmpstr(e->response ? "response" : "request", ==, row[KIND]);
    g_assert_cmpstr(status, ==, row[STATUS]);
    g_assert_cmpstr(id, ==, row[ID]);
    g_assert_cmpstr(data, ==, row[DATA]);
    g_assert_cmpstr(file, ==, row[FILE_ID]);
    g_assert_cmpstr(e->error ? "error" : e->interim ? "interim" : "-", ==, row[FLAG]);
    g_assert_cmpuint(e->next, ==, 0);
    g_assert_false(e->opaque || e->compressed || e->one_way || e->unasked || e->more);
}

/* Each prefix stands in a heap block of its own size, so that a sanitizer sees a read past its end. A header that is there whole
 * is decoded the same whatever follows. */
static void check_prefixes(const GByteArray *message, uint32_t whole, const struct smb_element *full)
{
    size_t header = COMMAND_PROTOCOL(full->command) == 1 ? 12 : 20; /* up to the flags */

    for (size_t n = 0; n <= message->len; n++) {
        g_autofree uint8_t *exact = g_memdup2(message->data, n);
        struct smb_element e;
        enum smb_outcome outcome = decode(exact, n, whole, &e);

        g_assert_cmpint(outcome, ==, n < header ? SMB_TRUNCATED : SMB_OK);
        if (outcome != SMB_OK)
            continue;
        g_assert_cmpuint(e.command, ==, full->command);
        g_assert_cmpint(e.no_id, ==, n < 32); /* in both protocols */
        g_assert_true(e.no_id || e.id == full->id);
        g_assert_cmpuint(e.status, ==, full->status);
        g_assert_true(e.data_bytes == 0 || e.data_bytes == full->data_bytes);
        g_assert_true(!e.has_file || e.file[0] == full->file[0]);
    }
}

static void test_messages(void)
{
    g_autofree char *path = data_source_path("tests/golden/smb_messages.tsv");
    g_autofree char *text = NULL;
    g_auto(GStrv) lines = NULL;
    unsigned checked = 0;

    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line; line++) {
        g_auto(GStrv) row = g_strsplit(*line, "\t", -1);
        g_autoptr(GByteArray) message = NULL;
        struct smb_element e;
        uint32_t whole;

        if (**line == '#' || g_strv_length(row) != COLUMNS || strcmp(row[HEX], "hex") == 0)
            continue;
        message = bytes_of(row[HEX]);
        whole = (uint32_t)g_ascii_strtoull(row[LENGTH], NULL, 10);
        g_assert_cmpint(decode(message->data, message->len, whole, &e), ==, SMB_OK);
        check_fields(&e, row);
        check_prefixes(message, whole, &e);
        checked++;
    }
    g_assert_cmpuint(checked, ==, 46);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/smb-messages/all", test_messages);
    return g_test_run();
}
