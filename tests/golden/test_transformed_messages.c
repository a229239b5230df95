/* Every prefix of transformed messages, each in a heap block of its own size, so that a sanitizer sees a read past its end: the recorded
 * encrypted session, and messages compressed with each algorithm in both forms, which are also the fuzzers' seeds. */
#include "replay/cursor.h"
#include "replay/smb2.h"
#include "replay/smb2_compression.h"
#include "replay/smb2_key_list.h"
#include "replay/smb2_transform.h"
#include "tests/data.h"

static const char KEYS[] = "b369de7700000000,2bf6126f0b7b8417b76da1d94e9c870d\n"; /* as in traces/ */

static GBytes *load(const char *folder, const char *name)
{
    g_autofree char *within = g_build_filename("tests/fuzz/seeds", folder, name, NULL);
    g_autofree char *path = data_source_path(within);
    g_autoptr(GError) error = NULL;
    char *data;
    gsize length;

    g_file_get_contents(path, &data, &length, &error);
    g_assert_no_error(error);
    return g_bytes_new_take(data, length);
}

static enum smb2_transform_outcome undo(struct smb2_transform *t, enum replay_direction sender,
                                        const uint8_t *bytes, size_t length, struct smb2_undone *out)
{
    g_autofree uint8_t *exact = g_memdup2(bytes, length);

    smb2_transform_wants(t, exact, length);
    if (!smb2_transform_is_needed(exact, length)) {
        smb2_transform_observe(t, exact, length);
        return SMB2_TRANSFORM_FAILED;
    }
    return smb2_transform_undo(t, sender, exact, length, out);
}

/* `real`: it has a right header. */
static void decode_prefixes(const uint8_t *plain, size_t length, bool real)
{
    for (size_t n = 0; n <= length; n++) {
        g_autofree uint8_t *exact = g_memdup2(plain, n);
        struct smb_element e;

        enum smb_outcome outcome = smb2_decode(exact, n, (uint32_t)length, &e);

        if (real)
            g_assert_cmpint(outcome, ==, n < 20 ? SMB_TRUNCATED : SMB_OK);
        else
            g_assert_cmpint(outcome, !=, SMB_OK);
    }
}

/* One after the other, as the keys of a session follow from the messages that set it up. A transform of its own has the prefixes, for what
 * it would learn from those of the set-up. */
static void test_encrypted(void)
{
    g_autoptr(GBytes) session = load("smb2_transform", "first-25");
    g_autoptr(GArray) list = smb2_key_list_parse("keys", KEYS, NULL);
    struct smb2_sessions *sessions = smb2_sessions_new(list);
    struct smb2_transform *t = smb2_transform_new(sessions), *other = smb2_transform_new(NULL);
    struct cursor c = cursor_over(g_bytes_get_data(session, NULL), g_bytes_get_size(session));
    unsigned encrypted = 0;

    while (c.left > 0) {
        enum replay_direction sender = cursor_u8(&c) ? REPLAY_DOWN : REPLAY_UP;
        size_t length = cursor_le16(&c);
        const uint8_t *message = cursor_bytes(&c, length);
        bool needed = smb2_transform_is_needed(message, length);
        struct smb2_undone undone;

        g_assert_true(cursor_ok(&c));
        for (size_t n = 0; n < length; n++)
            g_assert_cmpint(undo(needed ? t : other, sender, message, n, &undone), !=, SMB2_TRANSFORM_DONE);
        if (undo(t, sender, message, length, &undone) != SMB2_TRANSFORM_DONE) {
            g_assert_false(needed);
            continue;
        }
        g_assert_true(undone.encrypted);
        decode_prefixes(undone.bytes, undone.length, true);
        encrypted++;
    }
    g_assert_cmpuint(encrypted, ==, 20);
    smb2_transform_free(other);
    smb2_transform_free(t);
    smb2_sessions_free(sessions);
}

static void check_compressed(const char *name, GBytes *message)
{
    struct smb2_transform *t = smb2_transform_new(NULL);
    const uint8_t *bytes = g_bytes_get_data(message, NULL);
    size_t length = g_bytes_get_size(message);
    struct smb2_undone undone;

    for (size_t n = 0; n < length; n++) {
        if (undo(t, REPLAY_DOWN, bytes, n, &undone) == SMB2_TRANSFORM_DONE)
            g_error("%s: the first %zu of %zu bytes pass for the whole", name, n, length);
    }
    g_assert_cmpint(undo(t, REPLAY_DOWN, bytes, length, &undone), ==, SMB2_TRANSFORM_DONE);
    g_assert_true(undone.compressed);
    decode_prefixes(undone.bytes, undone.length, false);
    smb2_transform_free(t);
}

static void test_compressed(void)
{
    g_autofree char *path = data_source_path("tests/fuzz/seeds/smb2_compression");
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    unsigned messages = 0;
    const char *name;

    g_assert_nonnull(dir);
    while ((name = g_dir_read_name(dir))) {
        g_autoptr(GBytes) message = load("smb2_compression", name);

        check_compressed(name, message);
        messages++;
    }
    g_assert_cmpuint(messages, >=, 40); /* four algorithms, five texts, two forms */
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/transformed-messages/encrypted", test_encrypted);
    g_test_add_func("/transformed-messages/compressed", test_compressed);
    return g_test_run();
}
