#include "replay/rdc_workload.h"

/* [MS-FRS2]'s limits: of a signature call, of the needs in a call, of a buffer of data; and assumed headers. */
enum {
    SIGNATURES_MOST = 64 << 10,
    NEEDS_MOST = 20,
    NEED_BYTES = 16,
    BUFFER_MOST = 256 << 10,
    REQUEST_BYTES = 84,
    RESPONSE_BYTES = 60,
    OPENING_BYTES = 400,
};

struct calls {
    const struct rdc_calls *how;
    GArray *exchanges;
    bool waits;           /* the next call is for all before it */
    uint32_t since_level; /* calls since one waited for all */
};

static void call(struct calls *c, uint64_t request_bytes, uint64_t response_bytes, uint64_t data_bytes)
{
    struct exchange e = {
        .request_bytes = (uint32_t)(REQUEST_BYTES + request_bytes),
        .response_bytes = (uint32_t)(RESPONSE_BYTES + response_bytes),
        .data_bytes = (uint32_t)data_bytes,
        .command = c->how->command,
        .flags = c->how->flags,
    };

    if (c->waits) {
        e.flags |= EXCHANGE_BARRIER;
        c->since_level = 0;
        c->waits = false;
    } else if (c->since_level >= c->how->calls_at_once) {
        e.after = c->how->calls_at_once;
    }
    c->since_level++;
    g_array_append_val(c->exchanges, e);
}

static void get_signatures(struct calls *c, const struct rdc_level *level)
{
    c->waits = true;
    for (guint i = 0; i < level->pieces->len; i++) {
        const struct rdc_piece *p = &g_array_index(level->pieces, struct rdc_piece, i);

        for (uint64_t at = 0; p->travels && at < p->length; at += SIGNATURES_MOST)
            call(c, 0, MIN(SIGNATURES_MOST, p->length - at), 0);
    }
}

/* What was asked for comes in full buffers: stretches lie one behind the other. */
static void get_data(struct calls *c, guint needs, uint64_t bytes)
{
    call(c, (uint64_t)needs * NEED_BYTES, 0, 0);
    for (uint64_t at = 0; at < bytes; at += BUFFER_MOST)
        call(c, 0, MIN(BUFFER_MOST, bytes - at), MIN(BUFFER_MOST, bytes - at));
}

static void get_file(struct calls *c, const struct rdc_level *file)
{
    guint needs = 0;
    uint64_t bytes = 0;

    c->waits = true;
    for (guint i = 0; i < file->pieces->len; i++) {
        const struct rdc_piece *p = &g_array_index(file->pieces, struct rdc_piece, i);

        if (!p->travels)
            continue;
        bytes += p->length;
        if (++needs == NEEDS_MOST) {
            get_data(c, needs, bytes);
            needs = 0;
            bytes = 0;
        }
    }
    if (needs > 0)
        get_data(c, needs, bytes);
}

void rdc_workload_append(const struct rdc_transfer *t, const struct rdc_calls *how, GArray *exchanges)
{
    struct calls c = {.how = how, .exchanges = exchanges, .waits = true};

    call(&c, OPENING_BYTES, OPENING_BYTES, 0);
    for (guint i = t->depth; i > 0; i--)
        get_signatures(&c, &t->levels[i]);
    get_file(&c, &t->levels[0]);
    c.waits = true;
    call(&c, 0, 0, 0);
}
