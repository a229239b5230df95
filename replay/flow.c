#include "replay/flow.h"
#include "replay/study.h"

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
    t->segments = g_array_new(FALSE, FALSE, sizeof(struct replay_segment));
    t->shared = shared;
}

void flow_fini(struct flow_table *t)
{
    g_clear_pointer(&t->by_ends, g_hash_table_unref);
    g_clear_pointer(&t->finished, g_ptr_array_unref);
    g_clear_pointer(&t->segments, g_array_unref);
    calibration_clear(&t->rates);
    t->last = NULL;
}

static void finish_connection(struct flow_table *t, struct flow *f)
{
    struct replay_connection *facts;

    if (t->shared->options.measure)
        connection_share(f->connection, t->segments);
    facts = connection_finish(f->connection);

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

/* ---- windows ---------------------------------------------------------------------------------------------------------- */

static gint compare_frame(gconstpointer a, gconstpointer b)
{
    const struct replay_segment *x = a, *y = b;

    return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static uint64_t packets_of(const struct replay_connection *c)
{
    return c->tcp.side[REPLAY_UP].packets + c->tcp.side[REPLAY_DOWN].packets;
}

/* Of connections that have been worked through, the one that saw most. */
struct survey {
    const struct replay_connection *main;
    guint count;
};

static void look_at(struct survey *s, const struct replay_connection *c)
{
    s->count++;
    if (!s->main || packets_of(c) > packets_of(s->main) ||
        (packets_of(c) == packets_of(s->main) && c->first_frame < s->main->first_frame))
        s->main = c;
}

static struct survey survey(const struct flow_table *t)
{
    struct survey s = {NULL, 0};
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, t->by_ends);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        const struct replay_connection *c = connection_studied(((struct flow *)key)->connection);

        if (c)
            look_at(&s, c);
    }
    for (guint i = 0; t->finished && i < t->finished->len; i++)
        look_at(&s, g_ptr_array_index(t->finished, i));
    return s;
}

/* What the segments since the last time say of the network, once there is more than one connection. */
static void take_rates(struct flow_table *t, const struct survey *s)
{
    struct calibration k;

    if (s->count > 1) {
        calibration_copy(&s->main->study->calibration, &k);
        g_array_sort(t->segments, compare_frame);
        calibrate_shared(t->segments, &k);
        if (t->rates_known) {
            calibration_merge_rates(&t->rates, &k);
            calibration_clear(&k);
        } else {
            t->rates = k;
        }
        t->rates_known = true;
    }
    g_array_set_size(t->segments, 0);
}

void flow_advance(struct flow_table *t)
{
    GHashTableIter iter;
    gpointer key;
    struct survey s;

    t->shared->window_used = 0;
    g_hash_table_iter_init(&iter, t->by_ends);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        struct flow *f = key;

        if (!f->connection)
            continue;
        connection_share(f->connection, t->segments);
        connection_advance(f->connection);
        t->shared->window_used += connection_window_used(f->connection);
    }
    g_hash_table_iter_init(&iter, t->by_ends);
    while (g_hash_table_iter_next(&iter, &key, NULL)) {
        struct flow *f = key;

        if (f->connection)
            connection_advance_session(f->connection);
    }
    s = survey(t);
    take_rates(t, &s);
}

static struct calibration *network_of(struct flow_table *t)
{
    struct calibration *k = g_new0(struct calibration, 1);
    struct survey s = survey(t);

    take_rates(t, &s);
    if (!s.main) {
        g_free(k);
        return NULL;
    }
    calibration_copy(&s.main->study->calibration, k);
    for (enum replay_direction d = 0; t->rates_known && d < REPLAY_DIRECTIONS; d++) {
        k->side[d].rate_bps = t->rates.side[d].rate_bps;
        k->side[d].packets_per_ms = t->rates.side[d].packets_per_ms;
        k->side[d].budget_phase_ns = t->rates.side[d].budget_phase_ns;
    }
    return k;
}

/* ---- the end ------------------------------------------------------------------------------------------------------------ */

GPtrArray *flow_finish(struct flow_table *t, struct calibration **network)
{
    GHashTableIter iter;
    gpointer key;

    g_hash_table_iter_init(&iter, t->by_ends);
    while (g_hash_table_iter_next(&iter, &key, NULL))
        finish_connection(t, key);
    g_hash_table_remove_all(t->by_ends);
    t->last = NULL;
    g_ptr_array_sort(t->finished, compare_start);
    *network = t->shared->options.measure ? network_of(t) : NULL;
    return g_steal_pointer(&t->finished);
}
