#include "cli/rdc_times.h"
#include "cli/profiles.h"
#include "base/error.h"
#include "replay/rdc_workload.h"
#include "sim/command.h"
#include "sim/copy.h"

#include <string.h>

/* One run of either kind. */
struct rdc_run {
    struct network_profile network; /* view of the profile, with this run's values */
    struct copy copy;
    GArray *groups;
    struct trace_connection calls;
    struct trace_cursor cursor;
    struct sim_connection connection;
};

struct asked {
    const struct rdc_times *times;
    const struct rdc_transfer *transfer; /* NULL: the whole file */
    uint64_t after_bytes;
};

void rdc_times_init(struct rdc_times *t)
{
    *t = (struct rdc_times){.runs = G_MININT, .seed = 1};
    network_profile_init(&t->network);
    client_profile_init(&t->client);
    server_profile_init(&t->server);
}

void rdc_times_clear(struct rdc_times *t)
{
    network_profile_clear(&t->network);
    client_profile_clear(&t->client);
    server_profile_clear(&t->server);
    g_free(t->network_name);
    g_free(t->client_name);
    g_free(t->server_name);
}

bool rdc_times_load(struct rdc_times *t, GError **error)
{
    if (!t->client_name)
        t->client_name = g_strdup("robocopy");
    if (!t->server_name)
        t->server_name = g_strdup("windows-server-2022");
    if (!profiles_load_network(t->network_name, &t->network, error) ||
        !profiles_load_client(t->client_name, &t->client, error) ||
        !profiles_load_server(t->server_name, &t->server, error))
        return false;
    if (!t->client.download) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "client \"%s\" has no download list",
                    t->client_name);
        return false;
    }
    for (guint i = 0; t->server.max_block_bytes && i < t->client.download->len; i++) {
        struct client_step *s = &g_array_index(t->client.download, struct client_step, i);

        s->block_bytes = MIN(s->block_bytes, t->server.max_block_bytes);
    }
    return true;
}

static void append_steps(const GArray *steps, uint16_t flags, GArray *exchanges)
{
    for (guint i = 0; steps && i < steps->len; i++) {
        const struct client_step *s = &g_array_index(steps, struct client_step, i);
        struct exchange e = {.think_ns = s->think_ns,
                             .request_bytes = (uint32_t)s->request_bytes,
                             .response_bytes = (uint32_t)s->response_bytes,
                             .command = s->command,
                             .flags = (uint16_t)(flags | EXCHANGE_BARRIER)};

        if (!s->response_bytes)
            e.flags |= EXCHANGE_NO_RESPONSE;
        for (int64_t k = 0; k < s->repeat; k++)
            g_array_append_val(exchanges, e);
    }
}

/* As many calls are out as the client has data requests out. */
static struct rdc_calls calls_of(const struct client_profile *client)
{
    struct rdc_calls how = {.command = g_str_equal(client->dialect, "SMB1") ? SMB1_NT_TRANSACT : SMB2_IOCTL,
                            .calls_at_once = 1};

    if (client->protection != CLIENT_PROTECTION_NONE)
        how.flags = client->protection == CLIENT_PROTECTION_SIGN ? EXCHANGE_SIGNED : EXCHANGE_ENCRYPTED;
    for (guint i = 0; i < client->download->len; i++) {
        const struct client_step *s = &g_array_index(client->download, struct client_step, i);

        if (s->data == CLIENT_DATA_READ)
            how.calls_at_once = (uint32_t)s->depth;
    }
    return how;
}

static void prepare_calls(struct rdc_run *r, const struct asked *a)
{
    const struct client_profile *client = &a->times->client;
    struct rdc_calls how = calls_of(client);

    r->calls = (struct trace_connection){.finish_ns = -1,
                                         .exchanges = g_array_new(FALSE, FALSE, sizeof(struct exchange))};
    append_steps(client->connect, 0, r->calls.exchanges);
    rdc_workload_append(a->transfer, &how, r->calls.exchanges);
    append_steps(client->disconnect, how.flags, r->calls.exchanges);
    trace_cursor_init(&r->cursor, &r->calls);
    r->connection = (struct sim_connection){.source = r->cursor.source};
}

static void prepare_copy(struct rdc_run *r, const struct asked *a)
{
    struct file_group group = {.count = 1, .size_bytes = (int64_t)a->after_bytes};

    r->groups = g_array_new(FALSE, FALSE, sizeof group);
    g_array_append_val(r->groups, group);
    copy_init(&r->copy, &(struct copy_setup){.client = &a->times->client,
                                             .groups = r->groups,
                                             .rtt_ns = 2 * network_one_way_ns(&a->times->network),
                                             .networks = 1});
    r->connection = r->copy.connection;
}

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    const struct asked *a = self;
    const struct rdc_times *t = a->times;
    struct rdc_run *r = g_new0(struct rdc_run, 1);

    network_profile_draw(&t->network, (uint64_t)t->seed, run, &r->network);
    if (a->transfer)
        prepare_calls(r, a);
    else
        prepare_copy(r, a);
    out->owned = r;
    out->setup = (struct sim_setup){
        .network = &r->network,
        .client_tcp = &t->client.tcp,
        .server_tcp = &t->server.tcp,
        .server = &t->server,
        .client_host = &t->client.host,
        .server_host = &t->server.host,
        .credits = t->client.credits,
        .most_outstanding = profiles_max_requests(&t->client, &t->server),
        .request_timeout_ns = t->client.request_timeout_ns,
        .connections = &r->connection,
        .connection_count = 1,
        .seed = (uint64_t)t->seed,
        .run = run,
    };
}

static void release(struct simulation_run *run)
{
    struct rdc_run *r = run->owned;

    if (r->groups) {
        copy_clear(&r->copy);
        g_array_unref(r->groups);
    }
    if (r->calls.exchanges)
        g_array_unref(r->calls.exchanges);
    g_free(r);
}

void rdc_times_run(struct rdc_times *t, const struct rdc_transfer *transfer, uint64_t after_bytes)
{
    struct asked a = {.times = t, .after_bytes = after_bytes};
    struct simulation_plan plan = {prepare, release, NULL, &a};
    guint runs = t->runs != G_MININT ? (guint)t->runs : network_is_random(&t->network) ? 40 : 1;

    simulation_run(&plan, runs, &t->whole);
    a.transfer = transfer;
    simulation_run(&plan, runs, &t->rdc);
}
