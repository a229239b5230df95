#include "sim/workload.h"
#include "sim/profile.h"
#include "base/error.h"
#include "base/units.h"

#include <string.h>

/* ---- traces ------------------------------------------------------------------------------------------------------- */

static void clear_connection(void *item)
{
    struct trace_connection *c = item;

    g_clear_pointer(&c->exchanges, g_array_unref);
}

struct trace *trace_new(void)
{
    struct trace *t = g_new0(struct trace, 1);

    t->connections = g_array_new(FALSE, TRUE, sizeof(struct trace_connection));
    g_array_set_clear_func(t->connections, clear_connection);
    return t;
}

void trace_free(struct trace *t)
{
    if (!t)
        return;
    g_array_unref(t->connections);
    g_free(t);
}

struct trace_connection *trace_add_connection(struct trace *t)
{
    struct trace_connection c = {.finish_ns = -1,
                                 .exchanges = g_array_new(FALSE, TRUE, sizeof(struct exchange))};

    g_array_append_val(t->connections, c);
    return &g_array_index(t->connections, struct trace_connection, t->connections->len - 1);
}

static bool next_of_trace(void *self, struct exchange *out)
{
    struct trace_cursor *c = self;

    if (c->next >= c->connection->exchanges->len)
        return false;
    *out = g_array_index(c->connection->exchanges, struct exchange, c->next++);
    return true;
}

void trace_cursor_init(struct trace_cursor *c, const struct trace_connection *connection)
{
    *c = (struct trace_cursor){.connection = connection, .source = {next_of_trace, c}};
}

/* ---- copies by a client profile ------------------------------------------------------------------------------------ */

enum copy_phase { COPY_CONNECT, COPY_FILES, COPY_DISCONNECT, COPY_DONE };

static const struct client_step *current_step(const struct copy_source *c)
{
    return c->steps && c->step < c->steps->len ? &g_array_index(c->steps, struct client_step, c->step) : NULL;
}

static int64_t file_size(const struct copy_source *c)
{
    return g_array_index(c->groups, struct file_group, c->group).size_bytes;
}

static void next_step(struct copy_source *c)
{
    c->saved = 0;
    c->step++;
    c->blocks = 0;
    c->offset = 0;
}

static void next_file(struct copy_source *c)
{
    const struct file_group *g = &g_array_index(c->groups, struct file_group, c->group);

    c->file++;
    if (++c->in_group >= g->count) {
        c->in_group = 0;
        c->group++;
    }
    c->step = 0;
}

/* Moves to the next list when the one in progress is through. */
static void next_list(struct copy_source *c)
{
    if (c->phase == COPY_FILES)
        next_file(c);
    if (c->phase == COPY_CONNECT || c->phase == COPY_FILES) {
        c->step = 0;
        c->phase = COPY_FILES;
        c->steps = c->per_file;
        if (c->group < c->groups->len)
            return;
        c->phase = COPY_DISCONNECT;
        c->steps = c->client->disconnect;
        return;
    }
    c->phase = COPY_DONE;
}

enum { ENCRYPTION_BYTES = 52, COMPRESSION_BYTES = 16 }; /* transform headers: [MS-SMB2] 2.2.41, 2.2.42.1 */

/* Whether this block is tried: always, or under the first rule of Windows 11 and Server 2022 only while the sample goes on, and
 * behind it where the sample has shrunk enough. */
static bool tries_compression(const struct copy_source *c)
{
    const struct client_compression *k = &c->client->compression;

    if (k->ratio <= 0)
        return false;
    return !k->sample_bytes || c->offset < k->sample_bytes || c->saved >= k->threshold_bytes;
}

static uint32_t compress(struct copy_source *c, uint32_t bytes, struct exchange *out)
{
    uint32_t packed;

    if (!tries_compression(c))
        return bytes;
    packed = (uint32_t)(bytes * c->client->compression.ratio) + COMPRESSION_BYTES;
    out->flags |= EXCHANGE_COMPRESSED; /* the attempt costs, whether or not it pays */
    if (packed >= bytes)
        return bytes;
    c->saved += bytes - packed;
    return packed;
}

static void fill_block(struct copy_source *c, const struct client_step *s, struct exchange *out)
{
    uint32_t whole = (uint32_t)MIN(s->block_bytes, file_size(c) - c->offset);
    uint32_t bytes = compress(c, whole, out);

    out->data_bytes = whole;
    if (s->data == CLIENT_DATA_READ)
        out->response_bytes += bytes;
    else
        out->request_bytes += bytes;
    /* The first `depth` blocks go out together; each later one when the block `depth` before it is through. */
    out->after = (uint32_t)(c->blocks >= (uint64_t)s->depth ? s->depth : 0);
    if (c->blocks == 0)
        out->flags |= EXCHANGE_BARRIER;
    c->offset += whole;
    c->blocks++;
    if (c->offset >= file_size(c))
        next_step(c);
}

/* Signing and encryption begin with the session: the connect list goes without. */
static void protect(const struct copy_source *c, struct exchange *out)
{
    if (c->phase == COPY_CONNECT)
        return;
    if (c->client->protection == CLIENT_PROTECTION_SIGN)
        out->flags |= EXCHANGE_SIGNED;
    if (c->client->protection != CLIENT_PROTECTION_ENCRYPT)
        return;
    out->flags |= EXCHANGE_ENCRYPTED;
    out->request_bytes += ENCRYPTION_BYTES;
    if (out->response_bytes)
        out->response_bytes += ENCRYPTION_BYTES;
}

static bool next_of_copy(void *self, struct exchange *out)
{
    struct copy_source *c = self;
    const struct client_step *s;

    for (;;) {
        while (c->phase != COPY_DONE && !current_step(c))
            next_list(c);
        if (c->phase == COPY_DONE)
            return false;
        s = current_step(c);
        if (s->data == CLIENT_DATA_NONE || file_size(c) > 0)
            break;
        next_step(c); /* an empty file has no blocks */
    }
    *out = (struct exchange){
        .think_ns = s->think_ns,
        .request_bytes = (uint32_t)s->request_bytes,
        .response_bytes = (uint32_t)s->response_bytes,
        .command = s->command,
        .file = c->file,
        .flags = s->response_bytes ? 0 : EXCHANGE_NO_RESPONSE,
    };
    protect(c, out);
    if (s->data != CLIENT_DATA_NONE) {
        fill_block(c, s, out);
        return true;
    }
    out->flags |= EXCHANGE_BARRIER;
    if (++c->blocks >= (uint64_t)s->repeat)
        next_step(c);
    return true;
}

void copy_source_init(struct copy_source *c, const struct client_profile *client, bool upload,
                      const GArray *groups)
{
    *c = (struct copy_source){
        .client = client,
        .steps = client->connect,
        .per_file = upload ? client->upload : client->download,
        .groups = groups,
        .phase = COPY_CONNECT,
        .source = {next_of_copy, c},
    };
    g_assert(c->per_file);
}

int64_t file_groups_bytes(const GArray *groups)
{
    int64_t sum = 0;

    for (guint i = 0; i < groups->len; i++) {
        const struct file_group *g = &g_array_index(groups, struct file_group, i);

        sum += g->count * g->size_bytes;
    }
    return sum;
}
