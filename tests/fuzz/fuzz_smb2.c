/* SMB2 decoding, with every compound chain followed. */
#include "tests/fuzz/fuzz.h"
#include "replay/smb2.h"

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    while (size > 0) {
        struct smb_element e;

        if (smb2_decode(data, size, (uint32_t)size, &e) != SMB_OK)
            break;
        g_assert(e.opaque || e.hidden || COMMAND_PROTOCOL(e.command) == 2);
        g_assert(e.next == 0 || (e.next >= 64 && e.next < size));
        if (e.next == 0)
            break;
        data += e.next;
        size -= e.next;
    }
    return 0;
}
