#include "sim/command.h"
#include "sim/profile.h"
#include "base/error.h"
#include "base/units.h"

#include <string.h>

#define AT(member)      offsetof(struct client_profile, member)
#define STEP_AT(member) offsetof(struct client_step, member)

static const char *const DATA[] = {"none", "read", "write", NULL};
static const char *const DIALECTS[] = {"SMB1", "2.0.2", "2.1", "3.0", "3.0.2", "3.1.1", NULL};

static const char *const PROTECTION[] = {"none", "sign", "encrypt", NULL};

#define COMPRESSION_AT(member) offsetof(struct client_compression, member)

static const struct yaml_field COMPRESSION_FIELDS[] = {
    {.key = "ratio", .type = YAML_PERCENT, .offset = COMPRESSION_AT(ratio), .required = true},
    {.key = "sample", .type = YAML_SIZE, .offset = COMPRESSION_AT(sample_bytes)},
    {.key = "threshold", .type = YAML_SIZE, .offset = COMPRESSION_AT(threshold_bytes)},
    {.type = YAML_END},
};

static const struct yaml_field STEP_FIELDS[] = {
    {.key = "command", .type = YAML_TEXT, .offset = STEP_AT(command_name), .required = true},
    {.key = "request", .type = YAML_SIZE, .offset = STEP_AT(request_bytes), .required = true},
    {.key = "response", .type = YAML_SIZE, .offset = STEP_AT(response_bytes), .required = true},
    {.key = "think", .type = YAML_TIME, .offset = STEP_AT(think_ns)},
    {.key = "repeat", .type = YAML_COUNT, .offset = STEP_AT(repeat)},
    {.key = "data", .type = YAML_CHOICE, .offset = STEP_AT(data), .choices = DATA},
    {.key = "block", .type = YAML_SIZE, .offset = STEP_AT(block_bytes)},
    {.key = "depth", .type = YAML_COUNT, .offset = STEP_AT(depth)},
    {.key = "basis", .type = YAML_TEXT, .offset = STEP_AT(basis)},
    {.type = YAML_LINE, .offset = STEP_AT(line)},
    {.type = YAML_END},
};

static const struct client_step STEP_DEFAULT = {.repeat = 1, .depth = 1};

#define STEPS(name, member)                                                                                  \
    {                                                                                                        \
        .key = name, .type = YAML_LIST, .offset = AT(member), .fields = STEP_FIELDS,                         \
        .item_size = sizeof(struct client_step), .item_default = &STEP_DEFAULT                               \
    }

static const struct yaml_field FIELDS[] = {
    {.key = "name", .type = YAML_TEXT, .offset = AT(name), .required = true},
    {.key = "description", .type = YAML_TEXT, .offset = AT(description)},
    {.key = "dialect", .type = YAML_TEXT, .offset = AT(dialect), .required = true},
    {.key = "system", .type = YAML_CHOICE, .offset = AT(system), .choices = TCP_SYSTEMS, .required = true},
    {.key = "tcp", .type = YAML_MAP, .offset = AT(tcp), .fields = TCP_PROFILE_FIELDS},
    {.key = "protection", .type = YAML_CHOICE, .offset = AT(protection), .choices = PROTECTION},
    {.key = "credits", .type = YAML_COUNT, .offset = AT(credits)},
    {.key = "compression", .type = YAML_MAP, .offset = AT(compression), .fields = COMPRESSION_FIELDS},
    HOST_PROFILE_ROWS(AT(host)),
    {.key = "request_timeout", .type = YAML_TIME, .offset = AT(request_timeout_ns)},
    STEPS("connect", connect),
    STEPS("download", download),
    STEPS("upload", upload),
    STEPS("disconnect", disconnect),
    {.type = YAML_END},
};

void client_profile_init(struct client_profile *c)
{
    *c = (struct client_profile){0};
    host_profile_init(&c->host);
}

void client_profile_clear(struct client_profile *c)
{
    yaml_clear(FIELDS, c);
}

static bool check_step(struct client_step *s, int allowed_data, const struct yaml_doc *doc, GError **error)
{
    if (!command_from_name(s->command_name, &s->command))
        return yaml_fail(doc, s->line, error,
                         "command: \"%s\" is no SMB command (names read \"SMB2 CREATE\", \"SMB1 READ_ANDX\")",
                         s->command_name);
    if (s->request_bytes < 1 || s->request_bytes > UINT32_MAX / 2 || s->response_bytes > UINT32_MAX / 2)
        return yaml_fail(doc, s->line, error, "request must be at least 1 B, and neither size above 2 GiB");
    if (s->data != CLIENT_DATA_NONE && s->data != allowed_data)
        return yaml_fail(doc, s->line, error, "data: \"%s\" doesn't belong into this list", DATA[s->data]);
    if (s->data != CLIENT_DATA_NONE && (s->block_bytes < 1 || s->block_bytes > (1 << 30)))
        return yaml_fail(doc, s->line, error, "a data step needs a block between 1 B and 1 GiB");
    if (s->data == CLIENT_DATA_NONE && (s->block_bytes || s->depth != 1))
        return yaml_fail(doc, s->line, error,
                         "block and depth belong to a step with data: read or data: write");
    if (s->repeat < 1 || s->repeat > 1000 || s->depth < 1 || s->depth > 65536)
        return yaml_fail(doc, s->line, error, "repeat must be 1 to 1000, depth 1 to 65536");
    return true;
}

static bool check_steps(GArray *steps, int allowed_data, const struct yaml_doc *doc, GError **error)
{
    for (guint i = 0; steps && i < steps->len; i++) {
        if (!check_step(&g_array_index(steps, struct client_step, i), allowed_data, doc, error))
            return false;
    }
    return true;
}

/* The system's row first, so that the file's `tcp:` section changes single values of it. */
static bool bind_system(struct client_profile *c, struct yaml_doc *doc, GError **error)
{
    if (!yaml_bind(doc, "client", FIELDS, c, error))
        return false;
    client_profile_clear(c);
    c->tcp = *tcp_profile_of(c->system);
    return yaml_bind(doc, "client", FIELDS, c, error);
}

bool client_profile_bind(struct client_profile *c, struct yaml_doc *doc, GError **error)
{
    int line = yaml_line(doc, "client");

    if (!bind_system(c, doc, error))
        return false;
    if (!g_strv_contains(DIALECTS, c->dialect)) {
        g_autofree char *list = g_strjoinv(", ", (char **)(uintptr_t)DIALECTS);

        return yaml_fail(doc, line, error, "client: dialect: \"%s\" is none of %s", c->dialect, list);
    }
    if (!c->download && !c->upload)
        return yaml_fail(doc, line, error, "client: needs a download or an upload list");
    if (c->tcp.initial_window < 1 || c->tcp.receive_window_bytes < 1460)
        return yaml_fail(doc, line, error,
                         "client: tcp: initial window and receive window must hold a segment");
    if (c->credits && strcmp(c->dialect, "SMB1") == 0)
        return yaml_fail(doc, line, error, "client: credits belong to SMB2 and SMB3");
    if (!host_profile_check(&c->host, doc, "client", error))
        return false;
    return check_steps(c->connect, CLIENT_DATA_NONE, doc, error) &&
           check_steps(c->download, CLIENT_DATA_READ, doc, error) &&
           check_steps(c->upload, CLIENT_DATA_WRITE, doc, error) &&
           check_steps(c->disconnect, CLIENT_DATA_NONE, doc, error);
}
