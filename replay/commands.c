#include "replay/commands.h"

struct command_row {
    struct replay_command counts;
    struct durations service;
};

void commands_fini(struct commands *c)
{
    for (guint i = 0; c->rows && i < c->rows->len; i++)
        durations_fini(&g_array_index(c->rows, struct command_row, i).service);
    g_clear_pointer(&c->rows, g_array_unref);
}

static struct command_row *row_of(struct commands *c, uint16_t command)
{
    uint16_t *at = &c->at[COMMAND_PROTOCOL(command) % 3][COMMAND_CODE(command)];

    if (*at == 0) {
        struct command_row row = {.counts = {.command = command}};

        if (!c->rows)
            c->rows = g_array_new(FALSE, FALSE, sizeof(struct command_row));
        g_array_append_val(c->rows, row);
        *at = (uint16_t)c->rows->len;
    }
    return &g_array_index(c->rows, struct command_row, *at - 1);
}

void commands_count(struct commands *c, const struct smb_element *e, bool chained, uint64_t bytes)
{
    struct replay_command *row = &row_of(c, e->command)->counts;

    row->data_bytes += e->data_bytes;
    if (chained) {
        row->andx++;
        return;
    }
    row->bytes += bytes;
    row->requests += !e->response;
    row->responses += e->response;
    row->errors += e->error;
    row->interim += e->interim;
}

void commands_service(struct commands *c, const struct replay_exchange *x)
{
    struct command_row *row = row_of(c, x->command);
    int64_t ns = x->response_first_ns - x->request_last_ns;

    if (ns > row->service.most || row->service.count == 0) {
        row->counts.slowest_request = x->request_last_frame;
        row->counts.slowest_response = x->response_first_frame;
    }
    durations_add(&row->service, ns);
}

static void merge_row(struct command_row *to, const struct command_row *from)
{
    const struct replay_command *c = &from->counts;

    to->counts.requests += c->requests;
    to->counts.responses += c->responses;
    to->counts.errors += c->errors;
    to->counts.interim += c->interim;
    to->counts.andx += c->andx;
    to->counts.bytes += c->bytes;
    to->counts.data_bytes += c->data_bytes;
    if (from->service.count > 0 && (from->service.most > to->service.most || to->service.count == 0)) {
        to->counts.slowest_request = c->slowest_request;
        to->counts.slowest_response = c->slowest_response;
    }
    durations_merge(&to->service, &from->service);
}

void commands_merge(struct commands *to, const struct commands *from)
{
    for (guint i = 0; from->rows && i < from->rows->len; i++) {
        const struct command_row *row = &g_array_index(from->rows, struct command_row, i);

        merge_row(row_of(to, row->counts.command), row);
    }
}

static void fill_service(struct replay_command *c, struct durations *service)
{
    c->service_samples = service->count;
    c->service_median_ns = durations_quantile(service, 0.5);
    c->service_p90_ns = durations_quantile(service, 0.9);
    c->service_p95_ns = durations_quantile(service, 0.95);
    c->service_p99_ns = durations_quantile(service, 0.99);
    c->service_max_ns = service->count > 0 ? service->most : -1;
    c->service_total_ns = service->total;
}

GArray *commands_facts(struct commands *c)
{
    GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct replay_command));

    for (guint i = 0; c->rows && i < c->rows->len; i++) {
        struct command_row *row = &g_array_index(c->rows, struct command_row, i);

        fill_service(&row->counts, &row->service);
        g_array_append_val(facts, row->counts);
    }
    return facts;
}
