#include "sim/command.h"
#include "sim/profile.h"
#include "base/error.h"
#include "base/units.h"

#include <math.h>
#include <string.h>

#define AT(member)     offsetof(struct server_profile, member)
#define ROW_AT(member) offsetof(struct server_command, member)

static const struct yaml_field ROW_FIELDS[] = {
    {.key = "time", .type = YAML_TIME, .offset = ROW_AT(time_ns), .required = true},
    {.key = "rate", .type = YAML_RATE, .offset = ROW_AT(rate_bps)},
    {.type = YAML_LINE, .offset = ROW_AT(line)},
    {.type = YAML_END},
};

static const struct yaml_field FIELDS[] = {
    {.key = "name", .type = YAML_TEXT, .offset = AT(name), .required = true},
    {.key = "description", .type = YAML_TEXT, .offset = AT(description)},
    {.key = "system", .type = YAML_CHOICE, .offset = AT(system), .choices = TCP_SYSTEMS, .required = true},
    {.key = "tcp", .type = YAML_MAP, .offset = AT(tcp), .fields = TCP_PROFILE_FIELDS},
    {.key = "service", .type = YAML_MAP, .offset = AT(other), .fields = ROW_FIELDS, .required = true},
    {.key = "commands",
     .type = YAML_DICT,
     .offset = AT(commands),
     .fields = ROW_FIELDS,
     .item_size = sizeof(struct server_command)},
    {.key = "max_credits", .type = YAML_COUNT, .offset = AT(max_credits)},
    {.key = "credit_step", .type = YAML_COUNT, .offset = AT(credit_step)},
    {.key = "max_requests", .type = YAML_COUNT, .offset = AT(max_requests)},
    HOST_PROFILE_ROWS(AT(host)),
    {.key = "max_block", .type = YAML_SIZE, .offset = AT(max_block_bytes)},
    {.type = YAML_END},
};

void server_profile_init(struct server_profile *s)
{
    *s = (struct server_profile){.max_credits = 8192, .credit_step = 8192};
    host_profile_init(&s->host);
}

void server_profile_clear(struct server_profile *s)
{
    yaml_clear(FIELDS, s);
}

bool server_profile_bind(struct server_profile *s, struct yaml_doc *doc, GError **error)
{
    if (!yaml_bind(doc, "server", FIELDS, s, error))
        return false;
    server_profile_clear(s);
    s->tcp = *tcp_profile_of(s->system);
    if (!yaml_bind(doc, "server", FIELDS, s, error))
        return false;
    for (guint i = 0; s->commands && i < s->commands->len; i++) {
        struct server_command *row = &g_array_index(s->commands, struct server_command, i);

        if (!command_from_name(row->command_name, &row->command)) {
            g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                        "%s:%d: \"%s\" is no SMB command (names read \"SMB2 READ\", \"SMB1 READ_ANDX\")",
                        yaml_name(doc), row->line, row->command_name);
            return false;
        }
    }
    if (s->max_credits < 1 || s->credit_step < 1) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s:%d: server: max_credits and credit_step must be at least 1", yaml_name(doc),
                    yaml_line(doc, "server"));
        return false;
    }
    return host_profile_check(&s->host, doc, "server", error);
}

int64_t profiles_max_requests(const struct client_profile *client, const struct server_profile *server)
{
    if (strcmp(client->dialect, "SMB1") != 0)
        return 0;
    if (!client->max_requests || !server->max_requests)
        return MAX(client->max_requests, server->max_requests);
    return MIN(client->max_requests, server->max_requests);
}

int64_t server_service_ns(const struct server_profile *s, uint16_t command, int64_t data_bytes)
{
    const struct server_command *row = &s->other;

    for (guint i = 0; s->commands && i < s->commands->len; i++) {
        const struct server_command *r = &g_array_index(s->commands, struct server_command, i);

        if (r->command == command) {
            row = r;
            break;
        }
    }
    if (!row->rate_bps)
        return row->time_ns;
    return row->time_ns + (int64_t)llround((double)data_bytes * 8e9 / (double)row->rate_bps);
}
