/* From frames to connections, without the file format: each frame is two bytes of captured length, two of what the wire had more,
 * one of time, and its bytes, behind a link type, whose highest bit asks for windows and not for exchanges. */
#include "tests/fuzz/fuzz.h"
#include "replay/flow.h"
#include "replay/study.h"

#include <glib.h>

static void check_study(const struct replay_connection *c)
{
    int64_t sum = 0;

    for (int k = 0; k < WAIT_KINDS; k++) {
        g_assert(c->study->breakdown.waits.ns[k] >= 0);
        sum += c->study->breakdown.waits.ns[k];
    }
    g_assert(sum == replay_recorded_ns(c));
    g_assert(c->study->trace->len == c->exchanges);
}

static void check_exchanges(const struct replay_connection *c)
{
    uint64_t answered = 0;

    g_assert(c->exchanges_kept->len == c->exchanges);
    for (guint i = 0; i < c->exchanges_kept->len; i++) {
        const struct replay_exchange *x = &g_array_index(c->exchanges_kept, struct replay_exchange, i);

        answered += !(x->flags & REPLAY_NO_RESPONSE);
        g_assert((x->response_first_ns < 0) == ((x->flags & REPLAY_NO_RESPONSE) != 0));
        g_assert(x->elements > 0 && x->request_bytes > 0);
    }
    g_assert(answered + c->unanswered <= c->exchanges);
}

static void check(const struct replay_connection *c)
{
    g_assert(c->client && c->server);
    if (c->study)
        check_study(c);
    else
        check_exchanges(c);
}

enum { WINDOW = 20 }; /* so small that a short input has several */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct connection_shared shared = {.options = {.keep_exchanges = true, .keep_segments = true}};
    struct calibration *network;
    struct flow_table table;
    enum frame_link link;
    int64_t now = 0;
    uint64_t number = 0;
    GPtrArray *found;

    if (size < 1)
        return 0;
    link = (enum frame_link)(data[0] % (FRAME_LINK_NULL + 1));
    if (data[0] & 0x80)
        shared.options = (struct replay_options){.measure = true, .trace = true};
    data++;
    size--;
    flow_init(&table, &shared);
    while (size >= 5) {
        size_t captured = MIN((size_t)(data[0] << 8 | data[1]), size - 5);
        size_t wire = captured + (size_t)(data[2] << 8 | data[3]);
        struct frame f;

        now += (int64_t)data[4] * 100000;
        if (frame_decode(link, data + 5, captured, wire, &f) == FRAME_TCP)
            flow_frame(&table, &f, ++number, now);
        if (shared.options.measure && shared.window_used > WINDOW)
            flow_advance(&table);
        data += 5 + captured;
        size -= 5 + captured;
    }
    found = flow_finish(&table, &network);
    for (guint i = 0; i < found->len; i++)
        check(g_ptr_array_index(found, i));
    g_ptr_array_unref(found);
    flow_fini(&table);
    usage_fini(&shared.total);
    if (network)
        calibration_clear(network);
    g_free(network);
    return 0;
}
