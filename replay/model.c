#include "replay/model.h"
#include "replay/spread.h"
#include "replay/study.h"
#include "base/error.h"

/* ---- making --------------------------------------------------------------------------------------------------------- */

static void add_connection(struct replay_model *m, const struct replay_connection *c)
{
    struct trace_connection *out = trace_add_connection(m->trace);
    const GArray *exchanges = c->study->trace;

    out->start_ns = c->first_ns;
    if (c->client_fin_ns >= 0 && c->study->last_done_ns >= 0)
        out->finish_ns = MAX(c->client_fin_ns - c->study->last_done_ns, 0);
    g_array_append_vals(out->exchanges, exchanges->data, exchanges->len);
}

/* On its own network the capture's losses strike again, the packets that they struck. */
static void list_losses(const struct calibration *k, enum replay_direction d, struct network_direction *out)
{
    const GArray *lost = k->side[d].lost;

    out->loss = 0;
    out->lost_packets = g_array_new(FALSE, TRUE, sizeof(struct yaml_number));
    for (guint i = 0; i < lost->len; i++) {
        struct yaml_number n = {.value = (double)g_array_index(lost, uint64_t, i)};

        g_array_append_val(out->lost_packets, n);
    }
}

/* When the copy begins and ends, as recorded, and whether with a handshake. */
static void find_span(struct replay_model *m, const struct replay *r)
{
    int64_t first = INT64_MAX, last = 0;

    for (guint i = 0; i < m->sources->len; i++) {
        const struct replay_connection *c =
            g_ptr_array_index(r->connections, g_array_index(m->sources, guint, i));

        last = MAX(last, c->last_ns);
        if (c->first_ns <= first) {
            first = c->first_ns;
            m->handshake = c->tcp.handshake;
        }
    }
    m->recorded_ns = last - first;
    for (guint i = 0; i < m->trace->connections->len; i++)
        g_array_index(m->trace->connections, struct trace_connection, i).start_ns -= first;
}

static void build(struct replay_model *m, const struct replay *r)
{
    calibration_copy(r->network, &m->calibration);
    m->point = m->calibration.point;
    m->ip_header_bytes = m->calibration.ip_header_bytes;
    calibration_network(&m->calibration, &m->network);
    if (m->sources->len == 1) {
        list_losses(&m->calibration, REPLAY_DOWN, &m->network.down);
        list_losses(&m->calibration, REPLAY_UP, &m->network.up);
    }
    calibration_tcp(&m->calibration, REPLAY_UP, &m->client_tcp);
    calibration_tcp(&m->calibration, REPLAY_DOWN, &m->server_tcp);
    if (r->payload.sampled_bytes && !r->payload.compressed_bytes) {
        m->payload_ratio = payload_sample_ratio(&r->payload);
        m->payload_share = (double)r->payload.sampled_bytes / (double)r->payload.passed_bytes;
    }
    find_span(m, r);
}

static void explain_none(const struct replay *r, GError **error)
{
    const char *path = g_ptr_array_index(r->files, 0);

    if (r->coverage < REPLAY_COVERAGE_LEAST)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s: only %.1f %% of the SMB connections' bytes belong to messages that could be "
                    "decoded: too little to calibrate and simulate from, which takes %.0f %%",
                    path, 100 * r->coverage, 100 * REPLAY_COVERAGE_LEAST);
    else
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s: no request in it can be replayed: no connection shows one whole", path);
}

struct replay_model *replay_model_new(const struct replay *r, GError **error)
{
    struct replay_model *m = g_new0(struct replay_model, 1);

    m->trace = trace_new();
    m->sources = g_array_new(FALSE, FALSE, sizeof(guint));
    network_profile_init(&m->network);
    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        if (!c->study || !c->study->trace || !c->study->trace->len || !replay_is_trusted(c))
            continue;
        add_connection(m, c);
        g_array_append_val(m->sources, i);
    }
    if (m->sources->len) {
        build(m, r);
        return m;
    }
    explain_none(r, error);
    replay_model_free(m);
    return NULL;
}

void replay_model_free(struct replay_model *m)
{
    if (!m)
        return;
    trace_free(m->trace);
    g_array_unref(m->sources);
    calibration_clear(&m->calibration);
    network_profile_clear(&m->network);
    g_free(m);
}

/* ---- running -------------------------------------------------------------------------------------------------------- */

void replay_run_init(struct replay_run *run, const struct replay_model *m,
                     const struct network_profile *other, uint64_t seed, uint64_t run_number)
{
    const struct trace *trace = m->trace;
    guint count = trace->connections->len;

    *run = (struct replay_run){0};
    if (run_number > 0 || other)
        trace = run->drawn = spread_trace(m, other, seed, run_number);
    network_profile_draw(other ? other : &m->network, seed, run_number, &run->network);
    run->connections = g_new0(struct sim_connection, count);
    run->cursors = g_new0(struct trace_cursor, count);
    for (guint i = 0; i < count; i++) {
        const struct trace_connection *c = &g_array_index(trace->connections, struct trace_connection, i);

        trace_cursor_init(&run->cursors[i], c);
        run->connections[i] =
            (struct sim_connection){.start_ns = c->start_ns, .source = run->cursors[i].source};
    }
    run->setup = (struct sim_setup){
        .network = &run->network,
        .client_tcp = &m->client_tcp,
        .server_tcp = &m->server_tcp,
        .client_host = m->host,
        .server_host = m->host,
        .connections = run->connections,
        .connection_count = count,
        .ip_header_bytes = m->ip_header_bytes,
        .seed = seed,
        .run = run_number,
    };
}

void replay_run_fini(struct replay_run *run)
{
    g_clear_pointer(&run->connections, g_free);
    g_clear_pointer(&run->cursors, g_free);
    g_clear_pointer(&run->drawn, trace_free);
}

int64_t replay_model_seen_ns(const struct replay_model *m, const struct sim_result *result)
{
    int64_t seen = result->elapsed_ns;

    if (m->point == REPLAY_POINT_SERVER)
        seen = result->server_elapsed_ns;
    else if (m->point == REPLAY_POINT_MIDDLE)
        seen = (seen + result->server_elapsed_ns) / 2;
    if (!m->handshake)
        seen -= result->handshake_ns;
    return MAX(seen, 0);
}
