#include "cli/replay_outcome.h"
#include "cli/profiles.h"
#include "base/units.h"
#include "replay/spread.h"
#include "replay/study.h"

#include <math.h>

static const double UNPAIRED_SHARE = 0.01;

/* Enough for the 5 % and 95 % quantiles to stand apart from the extremes. */
enum { DEFAULT_RUNS = 60, CHANGE_RUNS = 20 };

/* Views of what the connections' studies own. */
static void measure(struct replay_outcome *o)
{
    const GPtrArray *connections = o->replay->connections;
    guint trusted = 0;

    o->calibrations = g_array_new(FALSE, TRUE, sizeof(struct calibration));
    o->breakdowns = g_array_new(FALSE, TRUE, sizeof(struct breakdown));
    for (guint i = 0; i < connections->len; i++) {
        const struct study *s = ((const struct replay_connection *)g_ptr_array_index(connections, i))->study;

        g_array_append_val(o->calibrations, s->calibration);
        g_array_append_val(o->breakdowns, s->breakdown);
        trusted += replay_is_trusted(g_ptr_array_index(connections, i));
    }
    o->refused = trusted == 0;
}

/* ---- simulation --------------------------------------------------------------------------------------------------- */

struct plan {
    const struct replay_model *model;
    const struct network_profile *network; /* NULL: the model's own */
    uint64_t seed;
};

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    const struct plan *p = self;
    struct replay_run *r = g_new0(struct replay_run, 1);

    replay_run_init(r, p->model, p->network, p->seed, run);
    out->owned = r;
    out->setup = r->setup;
}

static void release(struct simulation_run *run)
{
    replay_run_fini(run->owned);
    g_free(run->owned);
}

static int64_t seen_ns(const void *self, const struct sim_result *result)
{
    return replay_model_seen_ns(((const struct plan *)self)->model, result);
}

static void self_replay(struct replay_outcome *o, uint64_t seed)
{
    struct replay_run run = {0};

    replay_run_init(&run, o->model, NULL, seed, 0);
    sim_run(&run.setup, &o->self);
    o->self_ns = replay_model_seen_ns(o->model, &o->self);
    replay_run_fini(&run);
}

static bool is_upload(const struct replay *r, int64_t *data_bytes, uint64_t *exchanges)
{
    uint64_t read = 0, written = 0;

    *exchanges = 0;
    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        read += c->bytes_read;
        written += c->bytes_written;
        *exchanges += c->exchanges;
    }
    *data_bytes = (int64_t)MAX(read, written);
    return written > read;
}

static void note(struct prediction *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void note(struct prediction *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(p->validity, g_strdup_vprintf(format, args));
    va_end(args);
}

/* The share of the encrypted bytes that is missing from what is simulated, because nothing shows what they answer. */
static double missing_share(const struct replay *r)
{
    uint64_t missing = 0, all = 0;

    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        missing += c->unpaired_bytes;
        all += c->opaque_bytes;
    }
    return all ? (double)missing / (double)all : 0;
}

/* The model's own error, as a share of the seconds, and what is missing from it. */
static double reach(const struct replay_outcome *o, const struct network_profile *network)
{
    double error = replay_outcome_error_pct(o) / 100;

    return spread_reach(network, isfinite(error) ? error : 0) + missing_share(o->replay);
}

/* A window that was never full may grow; that matters where the other network holds more. */
static void note_window(struct prediction *p, const struct calibrated *seen,
                        const struct network_profile *network, const struct tcp_profile *receiver,
                        bool upload)
{
    const struct network_direction *aim = upload ? &network->up : &network->down;
    double holds = (double)aim->rate_bps / 8e9 * 2 * (double)network_one_way_ns(network);

    if (!seen->known && seen->bound > 0 && holds > seen->bound)
        note(p,
             "The %s's receive window was %.0f bytes at least and never full; it is assumed to grow to "
             "Linux's "
             "largest, %.1f MiB.",
             upload ? "server" : "client", seen->bound,
             (double)tcp_profile_largest_window(receiver) / 1048576);
}

/* What the capture could not show and the prediction leans on. */
static void note_validity(struct replay_outcome *o, bool upload)
{
    struct prediction *p = &o->prediction;
    const struct calibration *k = &o->model->calibration;
    const struct calibrated *rate = &k->side[upload ? REPLAY_UP : REPLAY_DOWN].rate_bps;
    const struct network_direction *aim = upload ? &o->network.up : &o->network.down;
    double error = replay_outcome_error_pct(o);

    note(p, "On its own calibrated network the same copy takes %.2f %% %s than recorded.", fabs(error),
         error < 0 ? "less" : "more");
    if (!p->client)
        note(p,
             "The interval holds the spread of the capture's own service and think times, faster and slower "
             "hosts, what is uncertain of the capture's round trip%s, and %.1f %% for the model's own error.",
             network_is_random(&o->network) ? ", the randomness of the network" : "",
             100 * reach(o, &o->network));
    if (!p->client)
        note(p,
             "Calibrated at a round trip of %.4g ms. At %.4g ms hosts idle for another time, and paths are "
             "as warm: "
             "%+.0f us for each exchange that waits for its answer.",
             (double)o->model->network.rtt_ns / 1e6, 2 * (double)network_one_way_ns(&o->network) / 1e6,
             spread_shift_ns(o->model, &o->network) / 1e3);
    note_window(p, &o->model->calibration.end[upload ? REPLAY_DOWN : REPLAY_UP].receive_window_bytes,
                &o->network, upload ? &o->model->server_tcp : &o->model->client_tcp, upload);
    if (!rate->known && rate->bound > 0 && (double)aim->rate_bps > rate->bound)
        note(p,
             "The capture never filled its link towards the %s: above %.4g Mbit/s the hosts' own limits are "
             "not known.",
             upload ? "server" : "client", rate->bound / 1e6);
    if (missing_share(o->replay) > UNPAIRED_SHARE)
        note(
            p,
            "%.1f %% of the encrypted bytes answer no request that could be seen, and are missing from this: "
            "don't trust it. Session keys (--keys) would tell what they are.",
            100 * missing_share(o->replay));
    if (o->replay->coverage < 0.99)
        note(p, "Only %.1f %% of the capture's bytes could be decoded.", 100 * o->replay->coverage);
}

static void predict(struct replay_outcome *o, const struct replay_request *request)
{
    struct plan plan = {o->model, &o->network, request->seed};
    struct simulation_plan how = {prepare, release, seen_ns, &plan};
    int64_t data_bytes;
    uint64_t exchanges;
    bool upload = is_upload(o->replay, &data_bytes, &exchanges);
    const struct tcp_profile *receiver = upload ? &o->model->server_tcp : &o->model->client_tcp;

    o->prediction =
        (struct prediction){.network = o->network.name, .validity = g_ptr_array_new_with_free_func(g_free)};
    simulation_run(&how, request->runs ? request->runs : DEFAULT_RUNS, &o->prediction.simulation);
    simulation_widen(&o->prediction.simulation, reach(o, &o->network));
    o->prediction.baselines =
        baselines_of(&o->network, 1, upload, data_bytes, tcp_profile_largest_window(receiver), exchanges);
    note_validity(o, upload);
    o->predicted = true;
}

/* The capture's files, copied by another client. */
static bool predict_as(struct replay_outcome *o, const struct replay_request *request, GError **error)
{
    const struct network_profile *network = request->network ? &o->network : &o->model->network;
    struct simulation_plan plan;
    struct prediction *p = &o->prediction;
    int64_t window;

    if (!replay_as_init(&o->as, o->replay, o->model, request->as, network, request->seed, error))
        return false;
    plan = replay_as_plan(&o->as);
    *p = (struct prediction){.network = network->name,
                             .client = o->as.client.name,
                             .validity = g_ptr_array_new_with_free_func(g_free)};
    simulation_run(&plan,
                   request->runs                ? request->runs
                   : network_is_random(network) ? DEFAULT_RUNS
                                                : 1,
                   &p->simulation);
    window = tcp_profile_largest_window(o->as.upload ? &o->as.server.tcp : &o->as.client.tcp);
    p->baselines = baselines_of(network, 1, o->as.upload, file_groups_bytes(o->as.groups), window,
                                p->simulation.typical.exchanges);
    note_validity(o, o->as.upload);
    note(
        p,
        "The client's exchanges are those of its profile; the server's service times are the captured ones.");
    note(p, "Files have the sizes that moved in the capture.");
    o->predicted = true;
    return true;
}

bool replay_outcome_init(struct replay_outcome *o, const struct replay *r,
                         const struct replay_request *request, GError **error)
{
    g_autoptr(GError) why = NULL;

    *o = (struct replay_outcome){.replay = r};
    client_profile_init(&o->as.client);
    server_profile_init(&o->as.server);
    network_profile_init(&o->network);
    if (request->network && !profiles_load_network(request->network, &o->network, error))
        return false;
    measure(o);
    if (!request->simulate && !o->refused)
        return true;
    o->model = replay_model_new(r, &why);
    if (!o->model && (request->network || request->as) && !o->refused) {
        g_propagate_error(error, g_steal_pointer(&why));
        return false;
    }
    if (!o->model) {
        o->why_not = g_strdup(why->message);
        return true;
    }
    self_replay(o, request->seed);
    if (request->as)
        return predict_as(o, request, error);
    if (request->network)
        predict(o, request);
    else if (!o->self.failed)
        o->changes = replay_changes(r, o->model, request->runs ? request->runs : CHANGE_RUNS, request->seed);
    return true;
}

void replay_outcome_clear(struct replay_outcome *o)
{
    g_clear_pointer(&o->changes, g_array_unref);
    g_clear_pointer(&o->calibrations, g_array_unref);
    g_clear_pointer(&o->breakdowns, g_array_unref);
    g_clear_pointer(&o->model, replay_model_free);
    g_clear_pointer(&o->why_not, g_free);
    g_clear_pointer(&o->prediction.validity, g_ptr_array_unref);
    replay_as_clear(&o->as);
    network_profile_clear(&o->network);
}

double replay_outcome_error_pct(const struct replay_outcome *o)
{
    double recorded = units_seconds(o->model->recorded_ns);

    return recorded > 0 ? 100 * (units_seconds(o->self_ns) - recorded) / recorded : NAN;
}
