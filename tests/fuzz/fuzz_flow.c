/* From frames to connections, without the file format: each frame is two bytes of captured length, two of what the wire had more,
 * one of time, and its bytes, behind a link type. */
#include "tests/fuzz/fuzz.h"
#include "replay/flow.h"

#include <glib.h>

static void check(const struct replay_connection *c)
{
    uint64_t answered = 0;

    g_assert(c->client && c->server);
    g_assert(c->exchanges_kept->len == c->exchanges);
    for (guint i = 0; i < c->exchanges_kept->len; i++) {
        const struct replay_exchange *x = &g_array_index(c->exchanges_kept, struct replay_exchange, i);

        answered += !(x->flags & REPLAY_NO_RESPONSE);
        g_assert((x->response_first_ns < 0) == ((x->flags & REPLAY_NO_RESPONSE) != 0));
        g_assert(x->elements > 0 && x->request_bytes > 0);
    }
    g_assert(answered + c->unanswered <= c->exchanges);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct connection_shared shared = {.options = {true, true}};
    struct flow_table table;
    enum frame_link link;
    int64_t now = 0;
    uint64_t number = 0;
    GPtrArray *found;

    if (size < 1)
        return 0;
    link = (enum frame_link)(data[0] % (FRAME_LINK_NULL + 1));
    data++;
    size--;
    flow_init(&table, &shared);
    while (size >= 5) {
        size_t captured = MIN((size_t)(data[0] << 8 | data[1]), size - 5);
        size_t wire = captured + (size_t)(data[2] << 8 | data[3]);
        struct frame f;

        now += (int64_t)(int8_t)data[4] * 100000;
        if (frame_decode(link, data + 5, captured, wire, &f) == FRAME_TCP)
            flow_frame(&table, &f, ++number, now);
        data += 5 + captured;
        size -= 5 + captured;
    }
    found = flow_finish(&table);
    for (guint i = 0; i < found->len; i++)
        check(g_ptr_array_index(found, i));
    g_ptr_array_unref(found);
    flow_fini(&table);
    return 0;
}
