#include "replay/flow.h"

#include <string.h>

/* The ends in an order of their own, so that both directions find the same entry. */
struct flow {
    struct frame_end low, high;
    bool low_first; /* the low end sent the first frame */
    struct connection *connection;
};

static int compare_ends(const struct frame_end *a, const struct frame_end *b)
{
    int order = memcmp(a->address, b->address, sizeof a->address);

    return order ? order : (int)a->port - (int)b->port;
}

static bool same_end(const struct frame_end *a, const struct frame_end *b)
{
    return a->port == b->port && memcmp(a->address, b->address, sizeof a->address) == 0;
}

static guint hash_end(const struct frame_end *e, guint seed)
{
    for (size_t i = 0; i < sizeof e->address; i++)
        seed = (seed ^ e->address[i]) * 16777619U;
    return (seed ^ e->port) * 16777619U;
}

static guint flow_hash(gconstpointer key)
{
    const struct flow *f = key;

    return hash_end(&f->high, hash_end(&f->low, 2166136261U));
}

static gboolean flow_equal(gconstpointer a, gconstpointer b)
{
    const struct flow *x = a, *y = b;

    return same_end(&x->low, &y->low) && same_end(&x->high, &y->high);
}

static void flow_free(gpointer data)
{
    struct flow *f = data;

    connection_free(f->connection);
    g_free(f);
}

static gint compare_start(gconstpointer a, gconstpointer b)
{
    const struct replay_connection *x = *(struct replay_connection *const *)a;
    const struct replay_connection *y = *(struct replay_connection *const *)b;

    return x->first_frame < y->first_frame ? -1 : x->first_frame > y->first_frame;
}

void flow_init(struct flow_table *t, struct connection_shared *shared)
{
    memset(t, 0, sizeof *t);
    t->by_ends = g_hash_table_new_full(flow_hash, flow_equal, flow_free, NULL);
    t->finished = g_ptr_array_new_with_free_func((GDestroyNotify)replay_connection_free);
    t->shared = shared;
}

void flow_fini(struct flow_table *t)
{
    g_clear_pointer(&t->by_ends, g_hash_table_unref);
    g_clear_pointer(&t->finished, g_ptr_array_unref);
    t->last = NULL;
}

static void finish_connection(struct flow_table *t, struct flow *f)
{
    struct replay_connection *facts = connection_finish(f->connection);

    if (facts)
        g_ptr_array_add(t->finished, facts);
    connection_free(f->connection);
    f->connection = NULL;
}

/* Room for one more: lets go of connections that are over or have no SMB. */
static bool make_room(struct flow_table *t)
{
    GHashTableIter iter;
    gpointer key;

    if (g_hash_table_size(t->by_ends) < FLOW_LIMIT)
        return true;
    g_hash_table_iter_init(&iter, t->by_ends);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        struct flow *f = key;

        if (!connection_has_smb(f->connection) || connection_is_closed(f->connection)) {
            finish_connection(t, f);
            g_hash_table_iter_remove(&iter);
        }
    }
    t->last = NULL;
    return g_hash_table_size(t->by_ends) < FLOW_LIMIT;
}

static struct flow *flow_of(struct flow_table *t, const struct flow *key)
{
    struct flow *f = t->last;

    if (f && flow_equal(f, key))
        return f;
    f = g_hash_table_lookup(t->by_ends, key);
    if (!f) {
        if (!make_room(t))
            return NULL;
        f = g_new0(struct flow, 1);
        *f = *key;
        g_hash_table_add(t->by_ends, f);
    }
    t->last = f;
    return f;
}

void flow_frame(struct flow_table *t, const struct frame *frame, uint64_t number, int64_t time_ns)
{
    bool from_low = compare_ends(&frame->from, &frame->to) <= 0;
    struct flow key = {from_low ? frame->from : frame->to, from_low ? frame->to : frame->from, from_low,
                       NULL};
    struct flow *f = flow_of(t, &key);

    if (!f) {
        ledger_add(&t->shared->ledger, LEDGER_CONNECTION_LIMIT, 1, frame->ip_bytes);
        return;
    }
    if (f->connection && connection_is_over(f->connection, from_low == f->low_first, frame))
        finish_connection(t, f);
    if (!f->connection) {
        f->connection = connection_new(frame, t->shared);
        f->low_first = from_low;
    }
    connection_frame(f->connection, from_low == f->low_first, frame, number, time_ns);
}

GPtrArray *flow_finish(struct flow_table *t)
{
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, t->by_ends);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        finish_connection(t, key);
    g_hash_table_remove_all(t->by_ends);
    t->last = NULL;
    g_ptr_array_sort(t->finished, compare_start);
    return g_steal_pointer(&t->finished);
}
