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

void commands_service(struct commands *c, uint16_t command, int64_t service_ns)
{
    durations_add(&row_of(c, command)->service, service_ns);
}

GArray *commands_facts(struct commands *c)
{
    GArray *facts = g_array_new(FALSE, FALSE, sizeof(struct replay_command));

    for (guint i = 0; c->rows && i < c->rows->len; i++) {
        struct command_row *row = &g_array_index(c->rows, struct command_row, i);

        row->counts.service_samples = row->service.count;
        row->counts.service_median_ns = durations_quantile(&row->service, 0.5);
        row->counts.service_p95_ns = durations_quantile(&row->service, 0.95);
        g_array_append_val(facts, row->counts);
    }
    return facts;
}
