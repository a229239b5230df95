/* Session keys that the user gives, in the format of Wireshark's table "smb2_seskey_list".
 *
 * A line is a session: session id, session key, server-to-client key, client-to-server key, separated by commas. All are
 * hexadecimal; the id is 8 bytes in the order in which they are on the wire. Fields that aren't known are empty, or "" as
 * Wireshark writes them, or left out at the end of the line; either the session key or both others are needed. Empty lines
 * and lines that begin with # are skipped. Errors: COPYTRIAL_ERROR_INPUT naming file and line. */
#ifndef REPLAY_SMB2_KEY_LIST_H
#define REPLAY_SMB2_KEY_LIST_H

#include "replay/smb2_encryption.h"

#include <glib.h>

enum { SMB2_SESSION_KEY_MAX = 64 };

struct smb2_key_entry {
    uint64_t session_id;
    uint8_t session_key[SMB2_SESSION_KEY_MAX];
    size_t session_key_bytes; /* 0: not given */
    struct smb2_keys keys;
    size_t key_bytes; /* of each of them: 16 or 32; 0: not given */
};

/* Returns owned: GArray of struct smb2_key_entry, with at least one element; NULL on error. */
GArray *smb2_key_list_read(const char *path, GError **error);
/* The same from text; `name` stands for it in messages. */
GArray *smb2_key_list_parse(const char *name, const char *text, GError **error);

#endif
