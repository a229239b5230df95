/* SMB1 decoding, with every AndX chain followed. */
#include "tests/fuzz/fuzz.h"
#include "replay/smb1.h"

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct smb_element e;
    uint32_t at = 0;

    if (smb1_decode(data, size, &e) != SMB_OK)
        return 0;
    g_assert(COMMAND_PROTOCOL(e.command) == 1);
    while (e.next > at && e.next < size) {
        struct smb_element before = e;

        at = e.next;
        if (smb1_decode_andx(data + at, size - at, &before, &e) != SMB_OK)
            break;
        g_assert(e.response == before.response && e.id == before.id);
    }
    return 0;
}
