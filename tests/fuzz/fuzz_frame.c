/* The frame decoder: the first byte picks the link type, the second how much longer the frame was on the wire. */
#include "tests/fuzz/fuzz.h"
#include "replay/frame.h"

#include <glib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum frame_outcome outcome;
    struct frame f;

    if (size < 2)
        return 0;
    outcome = frame_decode((enum frame_link)(data[0] % (FRAME_LINK_NULL + 1)), data + 2, size - 2,
                           size - 2 + data[1], &f);
    if (outcome != FRAME_TCP)
        return 0;
    g_assert(f.payload_seen <= f.payload_bytes);
    g_assert(f.payload_bytes < f.ip_bytes);
    g_assert(f.payload_seen == 0 || (f.payload >= data + 2 && f.payload + f.payload_seen <= data + size));
    g_assert(f.sack_blocks <= 4);
    g_assert(f.wscale <= 14);
    return 0;
}
