/* Frames to segments, with what is remembered from frame to frame: fragments and copies. Input as of fuzz_flow. */
#include "tests/fuzz/fuzz.h"
#include "replay/intake.h"

#include <glib.h>
#include <string.h>

static void check(const struct frame *f)
{
    volatile uint32_t seen = 0;

    g_assert(f->payload_seen <= f->payload_bytes);
    g_assert(f->payload_bytes < f->ip_bytes);
    for (uint32_t i = 0; i < f->payload_seen; i++)
        seen = seen + f->payload[i];
    for (uint32_t i = 0; i < f->tcp_seen; i++)
        seen = seen + f->tcp[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ledger ledger;
    struct intake intake;
    struct set_frame frame = {0};
    uint64_t segments = 0, left_out = 0;

    if (size < 1)
        return 0;
    memset(&ledger, 0, sizeof ledger);
    intake_init(&intake, &ledger);
    frame.link = (enum frame_link)(data[0] % (FRAME_LINK_NULL + 1));
    data++;
    size--;
    while (size >= 5) {
        uint32_t captured = (uint32_t)MIN((size_t)(data[0] << 8 | data[1]), size - 5);
        struct frame segment;

        frame.number++;
        frame.captured = captured;
        frame.wire = captured + (uint32_t)(data[2] << 8 | data[3]);
        frame.time_ns += (int64_t)(int8_t)data[4] * 100000;
        frame.bytes = data + 5;
        if (intake_segment(&intake, &frame, &segment)) {
            segments++;
            check(&segment);
        }
        data += 5 + captured;
        size -= 5 + captured;
    }
    intake_fini(&intake);
    for (int reason = 0; reason < LEDGER_REASONS; reason++)
        left_out += ledger.count[reason];
    g_assert(segments <= intake.tcp_packets && intake.tcp_packets <= frame.number);
    /* Every frame is a segment, part of one, or in the ledger. */
    g_assert(segments + left_out <= frame.number);
    return 0;
}
