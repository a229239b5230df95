#include "sim/profile.h"
#include "base/error.h"
#include "base/units.h"

#include <string.h>

#define AT(member) offsetof(struct client_profile, member)

static const char *const DIALECTS[] = {"SMB1", "2.0.2", "2.1", "3.0", "3.0.2", "3.1.1", NULL};

static const char *const PROTECTION[] = {"none", "sign", "encrypt", NULL};

#define COMPRESSION_AT(member) offsetof(struct client_compression, member)

static const struct yaml_field COMPRESSION_FIELDS[] = {
    {.key = "ratio", .type = YAML_PERCENT, .offset = COMPRESSION_AT(ratio), .required = true},
    {.key = "sample", .type = YAML_SIZE, .offset = COMPRESSION_AT(sample_bytes)},
    {.key = "threshold", .type = YAML_SIZE, .offset = COMPRESSION_AT(threshold_bytes)},
    {.type = YAML_END},
};

#define FILE_CACHE_AT(member) offsetof(struct client_file_cache, member)

static const struct yaml_field FILE_CACHE_FIELDS[] = {
    {.key = "above", .type = YAML_TIME, .offset = FILE_CACHE_AT(above_ns), .required = true},
    {.key = "rate", .type = YAML_RATE, .offset = FILE_CACHE_AT(rate_bps)},
    {.type = YAML_LINE, .offset = FILE_CACHE_AT(line)},
    {.type = YAML_END},
};

#define STEPS(name, member)                                                                                  \
    {                                                                                                        \
        .key = name, .type = YAML_LIST, .offset = AT(member), .fields = CLIENT_STEP_FIELDS,                  \
        .item_size = sizeof(struct client_step), .item_default = &CLIENT_STEP_DEFAULT                        \
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
    {.key = "files_at_once", .type = YAML_COUNT, .offset = AT(files_at_once)},
    {.key = "connections", .type = YAML_COUNT, .offset = AT(connections)},
    {.key = "max_requests", .type = YAML_COUNT, .offset = AT(max_requests)},
    {.key = "file_cache", .type = YAML_MAP, .offset = AT(file_cache), .fields = FILE_CACHE_FIELDS},
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
    *c = (struct client_profile){.files_at_once = 1, .connections = 1};
    host_profile_init(&c->host);
}

void client_profile_clear(struct client_profile *c)
{
    yaml_clear(FIELDS, c);
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

static const char *what_is_wrong(const struct client_profile *c)
{
    bool smb1 = strcmp(c->dialect, "SMB1") == 0;

    if (!c->download && !c->upload)
        return "needs a download or an upload list";
    if (c->tcp.initial_window < 1 || c->tcp.receive_window_bytes < 1460)
        return "tcp: initial window and receive window must hold a segment";
    if (c->credits && smb1)
        return "credits belong to SMB2 and SMB3";
    if (c->protection == CLIENT_PROTECTION_ENCRYPT && c->dialect[0] != '3')
        return "protection: encrypt belongs to SMB3";
    if (c->compression.ratio > 0 && strcmp(c->dialect, "3.1.1") != 0)
        return "compression belongs to dialect 3.1.1";
    if (c->max_requests && !smb1)
        return "max_requests belongs to SMB1: SMB2 and SMB3 have credits";
    if (c->files_at_once < 1 || c->files_at_once > 1024)
        return "files_at_once must be 1 to 1024";
    if (c->connections < 1 || c->connections > 32)
        return "connections must be 1 to 32";
    if (c->connections > 1 && c->dialect[0] != '3')
        return "several connections of a session belong to SMB3";
    return NULL;
}

bool client_profile_bind(struct client_profile *c, struct yaml_doc *doc, GError **error)
{
    int line = yaml_line(doc, "client");
    const char *wrong;

    if (!bind_system(c, doc, error))
        return false;
    if (!g_strv_contains(DIALECTS, c->dialect)) {
        g_autofree char *list = g_strjoinv(", ", (char **)(uintptr_t)DIALECTS);

        return yaml_fail(doc, line, error, "client: dialect: \"%s\" is none of %s", c->dialect, list);
    }
    wrong = what_is_wrong(c);
    if (wrong)
        return yaml_fail(doc, line, error, "client: %s", wrong);
    return host_profile_check(&c->host, doc, "client", error) &&
           client_steps_check(c, c->connect, CLIENT_DATA_NONE, doc, error) &&
           client_steps_check(c, c->download, CLIENT_DATA_READ, doc, error) &&
           client_steps_check(c, c->upload, CLIENT_DATA_WRITE, doc, error) &&
           client_steps_check(c, c->disconnect, CLIENT_DATA_NONE, doc, error);
}
