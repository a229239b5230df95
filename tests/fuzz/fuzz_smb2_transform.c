/* A connection's messages in a row, each with its sender and length in front, shown to the transform as the reader would: encrypted
 * ones are tried with the key of the recorded session that the seeds come from. */
#include "tests/fuzz/fuzz.h"
#include "replay/cursor.h"
#include "replay/smb2_key_list.h"
#include "replay/smb2_transform.h"

#include <glib.h>

static const char KEYS[] =
    "b369de7700000000,2bf6126f0b7b8417b76da1d94e9c870d\n"
    "0000000000000000,,00112233445566778899aabbccddeeff,00112233445566778899aabbccddeeff\n";

static void use(struct smb2_transform *t, enum replay_direction sender, const uint8_t *bytes, size_t length)
{
    uint8_t *exact = g_memdup2(bytes, length);
    struct smb2_undone undone;

    if (smb2_transform_wants(t, exact, length)) {
        if (!smb2_transform_is_needed(exact, length)) {
            smb2_transform_observe(t, exact, length);
        } else if (smb2_transform_undo(t, sender, exact, length, &undone) == SMB2_TRANSFORM_DONE) {
            g_assert(undone.encrypted || undone.compressed);
            g_assert(undone.length >= 4 && undone.bytes[0] == 0xfe);
        }
    }
    g_free(exact);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    g_autoptr(GArray) list = smb2_key_list_parse("keys", KEYS, NULL);
    struct smb2_sessions *sessions = smb2_sessions_new(list);
    struct smb2_transform *t = smb2_transform_new(sessions);
    struct cursor c = cursor_over(data, size);

    while (c.left > 0) {
        uint8_t sender = cursor_u8(&c);
        size_t length = cursor_le16(&c);
        const uint8_t *message = cursor_bytes(&c, length);

        if (!cursor_ok(&c))
            break;
        use(t, sender & 1 ? REPLAY_DOWN : REPLAY_UP, message, length);
    }
    smb2_transform_free(t);
    smb2_sessions_free(sessions);
    return 0;
}
