#include "replay/spread.h"
#include "base/rng.h"

#include <gsl/gsl_randist.h>
#include <math.h>

enum { SPREAD_POOL_LEAST = 4 };
static const double SPREAD_HOST_SD = 0.1; /* of the logarithm */
static const double SPREAD_WAKE = 50000;  /* ns for the root of a millisecond */
static const double SPREAD_WAKE_SD = 0.8; /* of its logarithm, from host to host */
static const double SPREAD_REACH = 0.05, SPREAD_REACH_LOSSY = 0.07;

/* ---- resampling ------------------------------------------------------------------------------------------------------ */

static uint32_t pool_key(const struct exchange *e)
{
    return (uint32_t)e->command << 8 | (e->data_bytes ? g_bit_storage(e->data_bytes) : 0);
}

/* Returns owned: key to GArray of guint, the members' indices. */
static GHashTable *make_pools(const GArray *exchanges)
{
    GHashTable *pools =
        g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, (GDestroyNotify)g_array_unref);

    for (guint i = 0; i < exchanges->len; i++) {
        gpointer key = GUINT_TO_POINTER(pool_key(&g_array_index(exchanges, struct exchange, i)));
        GArray *members = g_hash_table_lookup(pools, key);

        if (!members) {
            members = g_array_new(FALSE, FALSE, sizeof(guint));
            g_hash_table_insert(pools, key, members);
        }
        g_array_append_val(members, i);
    }
    return pools;
}

static void resample_pool(const GArray *members, const GArray *from, GArray *to, gsl_rng *rng)
{
    guint length = (guint)MAX(cbrt(members->len), 1), source = 0;

    if (members->len < SPREAD_POOL_LEAST)
        return;
    for (guint i = 0; i < members->len; i++) {
        const struct exchange *e;
        struct exchange *x = &g_array_index(to, struct exchange, g_array_index(members, guint, i));

        source = i % length ? (source + 1) % members->len : (guint)gsl_rng_uniform_int(rng, members->len);
        e = &g_array_index(from, struct exchange, g_array_index(members, guint, source));
        x->service_ns = e->service_ns;
        x->think_ns = e->think_ns;
    }
}

static void resample(const GArray *from, GArray *to, gsl_rng *rng)
{
    g_autoptr(GHashTable) pools = make_pools(from);
    g_autoptr(GHashTable) done = g_hash_table_new(g_direct_hash, g_direct_equal);

    /* By first appearance: a hash table has no order to rely on. */
    for (guint i = 0; i < from->len; i++) {
        gpointer key = GUINT_TO_POINTER(pool_key(&g_array_index(from, struct exchange, i)));

        if (g_hash_table_add(done, key))
            resample_pool(g_hash_table_lookup(pools, key), from, to, rng);
    }
}

/* ---- what all exchanges of a run share --------------------------------------------------------------------------------- */

struct shared {
    double server, client; /* factors of their times */
    double shift_ns;       /* of each exchange that had the connection to itself */
};

/* What a warm path's exchange saves against the handshake, whose like the other network's round trip is. */
static double warmth_ns(const struct calibration *k)
{
    return k->rtt_ns.known && k->handshake_ns > k->rtt_ns.value ? k->handshake_ns - k->rtt_ns.value : 0;
}

static double root_of_round_trip(const struct network_profile *n)
{
    return sqrt(2e-6 * (double)network_one_way_ns(n));
}

double spread_shift_ns(const struct replay_model *m, const struct network_profile *network)
{
    double waking = SPREAD_WAKE * (root_of_round_trip(network) - root_of_round_trip(&m->network));

    return waking - warmth_ns(&m->calibration);
}

static void share(struct shared *s, const struct replay_model *m, const struct network_profile *network,
                  gsl_rng *rng)
{
    const double reach = 1.959963984540054; /* standard deviations to either end of a 95 % interval */
    double sd = M_SQRT2 * SPREAD_HOST_SD, waking = 0;

    *s = (struct shared){1, 1, 0};
    if (network) {
        s->shift_ns = -warmth_ns(&m->calibration);
        waking = spread_shift_ns(m, network) - s->shift_ns;
    }
    if (!rng) {
        s->shift_ns += waking;
        return;
    }
    s->server = exp(gsl_ran_gaussian(rng, sd));
    s->client = exp(gsl_ran_gaussian(rng, sd));
    s->shift_ns += waking * exp(gsl_ran_gaussian(rng, SPREAD_WAKE_SD));
    s->shift_ns += gsl_ran_gaussian(rng, m->calibration.rtt_scatter_ns / reach);
}

static bool has_connection_to_itself(const struct exchange *e)
{
    return e->flags & EXCHANGE_BARRIER && !(e->flags & (EXCHANGE_NO_RESPONSE | EXCHANGE_BACKGROUND));
}

static void apply(const struct shared *s, struct exchange *e)
{
    double service = (double)e->service_ns * s->server, think = (double)e->think_ns * s->client;

    if (has_connection_to_itself(e)) {
        service += s->shift_ns;
        think += MIN(service, 0); /* what a service can't give */
    }
    e->service_ns = (int64_t)MAX(service, 0);
    e->think_ns = (int64_t)MAX(think, 0);
}

struct trace *spread_trace(const struct replay_model *m, const struct network_profile *network, uint64_t seed,
                           uint64_t run)
{
    struct trace *to = trace_new();
    gsl_rng *rng = rng_stream(seed, run, "replay/times");
    struct shared shared;

    share(&shared, m, network, run > 0 ? rng : NULL);
    for (guint i = 0; i < m->trace->connections->len; i++) {
        const struct trace_connection *c = &g_array_index(m->trace->connections, struct trace_connection, i);
        struct trace_connection *copy = trace_add_connection(to);

        copy->start_ns = c->start_ns;
        copy->finish_ns = c->finish_ns;
        g_array_append_vals(copy->exchanges, c->exchanges->data, c->exchanges->len);
        if (run > 0)
            resample(c->exchanges, copy->exchanges, rng);
        for (guint j = 0; j < copy->exchanges->len; j++)
            apply(&shared, &g_array_index(copy->exchanges, struct exchange, j));
    }
    gsl_rng_free(rng);
    return to;
}

double spread_reach(const struct network_profile *network, double self_error)
{
    double own = SPREAD_REACH;

    for (guint i = 0; i < 2 * network_hop_count(network); i++) {
        const struct network_direction *d = network_hop_direction(network, i / 2, i % 2);

        if (d->loss > 0 || d->bursts.enter > 0)
            own = SPREAD_REACH_LOSSY;
    }
    return hypot(own, self_error);
}
