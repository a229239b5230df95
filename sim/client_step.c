/* A line of a client's list of exchanges: how it reads, and what is wrong with it. */
#include "sim/command.h"
#include "sim/profile.h"

#include <string.h>

#define STEP_AT(member) offsetof(struct client_step, member)

enum { SMB2_LEAST = 72 }; /* framing, header and the shortest body */

static const char *const DATA[] = {"none", "read", "write", NULL};
static const char *const WAIT[] = {"each", "all", NULL};
static const char *const CACHED[] = {"no", "file", "directory", "connection", NULL};

const struct yaml_field CLIENT_STEP_FIELDS[] = {
    {.key = "command", .type = YAML_TEXT, .offset = STEP_AT(command_name), .required = true},
    {.key = "request", .type = YAML_SIZE, .offset = STEP_AT(request_bytes), .required = true},
    {.key = "response", .type = YAML_SIZE, .offset = STEP_AT(response_bytes), .required = true},
    {.key = "think", .type = YAML_TIME, .offset = STEP_AT(think_ns)},
    {.key = "repeat", .type = YAML_COUNT, .offset = STEP_AT(repeat)},
    {.key = "data", .type = YAML_CHOICE, .offset = STEP_AT(data), .choices = DATA},
    {.key = "block", .type = YAML_SIZE, .offset = STEP_AT(block_bytes)},
    {.key = "depth", .type = YAML_COUNT, .offset = STEP_AT(depth)},
    {.key = "wait", .type = YAML_CHOICE, .offset = STEP_AT(wait), .choices = WAIT},
    {.key = "cached", .type = YAML_CHOICE, .offset = STEP_AT(cached), .choices = CACHED},
    {.key = "cached_for", .type = YAML_TIME, .offset = STEP_AT(cached_for_ns)},
    {.key = "compound", .type = YAML_BOOL, .offset = STEP_AT(compound)},
    {.key = "basis", .type = YAML_TEXT, .offset = STEP_AT(basis)},
    {.type = YAML_LINE, .offset = STEP_AT(line)},
    {.type = YAML_END},
};

const struct client_step CLIENT_STEP_DEFAULT = {.repeat = 1, .depth = 1};

/* The largest block of a dialect that has its own. SMB1 counts the bytes of a write in 16 bits, and peers that don't know the
 * extension of that field reset the connection; 2.0.2 has single credits: [MS-SMB2] 3.2.4.1.5. */
static int64_t largest_block(const char *dialect)
{
    if (strcmp(dialect, "SMB1") == 0)
        return UINT16_MAX;
    return strcmp(dialect, "2.0.2") == 0 ? 65536 : 1 << 30;
}

static bool check_data(const struct client_profile *c, const struct client_step *s,
                       const struct yaml_doc *doc, GError **error)
{
    int64_t largest = largest_block(c->dialect);

    if (s->block_bytes < 1 || s->block_bytes > (1 << 30))
        return yaml_fail(doc, s->line, error, "a data step needs a block between 1 B and 1 GiB");
    if (s->block_bytes > largest)
        return yaml_fail(doc, s->line, error, "a block of dialect %s has at most %d B", c->dialect,
                         (int)largest);
    return true;
}

static bool check_cache(const struct client_profile *c, const struct client_step *s, bool per_file,
                        const struct yaml_doc *doc, GError **error)
{
    if (s->cached != CLIENT_CACHED_NO && !per_file)
        return yaml_fail(doc, s->line, error, "cached belongs into the download and upload lists");
    if (s->cached == CLIENT_CACHED_FILE && !c->file_cache.line)
        return yaml_fail(doc, s->line, error, "cached: file needs the client's file_cache");
    if (s->cached_for_ns && s->cached != CLIENT_CACHED_DIRECTORY && s->cached != CLIENT_CACHED_CONNECTION)
        return yaml_fail(doc, s->line, error,
                         "cached_for belongs to cached: directory and cached: connection");
    if (s->data != CLIENT_DATA_NONE && s->cached > CLIENT_CACHED_FILE)
        return yaml_fail(doc, s->line, error, "file data can be cached for their file only");
    return true;
}

static bool check_step(const struct client_profile *c, struct client_step *s, int allowed_data,
                       const struct yaml_doc *doc, GError **error)
{
    if (!command_from_name(s->command_name, &s->command))
        return yaml_fail(doc, s->line, error,
                         "command: \"%s\" is no SMB command (names read \"SMB2 CREATE\", \"SMB1 READ_ANDX\")",
                         s->command_name);
    if (s->request_bytes < 1 || s->request_bytes > UINT32_MAX / 2 || s->response_bytes > UINT32_MAX / 2)
        return yaml_fail(doc, s->line, error, "request must be at least 1 B, and neither size above 2 GiB");
    if (s->data != CLIENT_DATA_NONE && s->data != allowed_data)
        return yaml_fail(doc, s->line, error, "data: \"%s\" doesn't belong into this list", DATA[s->data]);
    if (s->data != CLIENT_DATA_NONE && !check_data(c, s, doc, error))
        return false;
    if (s->data == CLIENT_DATA_NONE && (s->block_bytes || s->depth != 1 || s->wait != CLIENT_WAIT_EACH))
        return yaml_fail(doc, s->line, error,
                         "block, depth and wait belong to a step with data: read or data: write");
    if (s->repeat < 1 || s->repeat > 1000 || s->depth < 1 || s->depth > 65536)
        return yaml_fail(doc, s->line, error, "repeat must be 1 to 1000, depth 1 to 65536");
    return check_cache(c, s, allowed_data != CLIENT_DATA_NONE, doc, error);
}

/* Joins a step to the compound of those before it, of which `first` is the first. */
static bool join(struct client_step *first, const struct client_step *s, const struct yaml_doc *doc,
                 GError **error)
{
    struct exchange_chain *chain = &first->chain;

    if (s->data != CLIENT_DATA_NONE || first->data != CLIENT_DATA_NONE || s->repeat != 1 ||
        first->repeat != 1)
        return yaml_fail(doc, s->line, error, "a compound has neither file data nor repeated steps");
    if (s->think_ns || s->cached != CLIENT_CACHED_NO)
        return yaml_fail(doc, s->line, error, "think and cached belong to a compound's first step");
    if (COMMAND_PROTOCOL(s->command) != 2 || COMMAND_PROTOCOL(first->command) != 2 ||
        s->request_bytes < SMB2_LEAST || s->response_bytes < SMB2_LEAST ||
        first->request_bytes < SMB2_LEAST || first->response_bytes < SMB2_LEAST)
        return yaml_fail(
            doc, s->line, error,
            "a compound has commands of SMB2, each with a request and a response of 72 B or more");
    if (!chain->count)
        chain->elements[chain->count++] = (struct exchange_element){
            (uint32_t)first->request_bytes, (uint32_t)first->response_bytes, first->command};
    if (chain->count == EXCHANGE_ELEMENTS)
        return yaml_fail(doc, s->line, error, "a compound has at most %d steps", (int)EXCHANGE_ELEMENTS);
    chain->elements[chain->count++] =
        (struct exchange_element){(uint32_t)s->request_bytes, (uint32_t)s->response_bytes, s->command};
    return true;
}

static bool join_compounds(GArray *steps, bool per_file, const struct yaml_doc *doc, GError **error)
{
    struct client_step *first = NULL;

    for (guint i = 0; steps && i < steps->len; i++) {
        struct client_step *s = &g_array_index(steps, struct client_step, i);

        if (!s->compound)
            first = s;
        else if (!first || !per_file)
            return yaml_fail(doc, s->line, error,
                             "compound: there is no step before it in a download or upload list");
        else if (!join(first, s, doc, error))
            return false;
    }
    return true;
}

bool client_steps_check(const struct client_profile *c, GArray *steps, int allowed_data,
                        const struct yaml_doc *doc, GError **error)
{
    guint cached = 0;

    for (guint i = 0; steps && i < steps->len; i++) {
        struct client_step *s = &g_array_index(steps, struct client_step, i);

        if (!check_step(c, s, allowed_data, doc, error))
            return false;
        cached += s->cached != CLIENT_CACHED_NO;
    }
    if (!join_compounds(steps, allowed_data != CLIENT_DATA_NONE, doc, error))
        return false;
    if (steps && cached && cached == steps->len)
        return yaml_fail(
            doc, g_array_index(steps, struct client_step, 0).line, error,
            "a file needs an exchange that isn't cached: the server is asked whether the copy holds");
    return true;
}
