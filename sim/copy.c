#include "sim/copy.h"
#include "sim/command.h"
#include "base/units.h"

/* ---- files ----------------------------------------------------------------------------------------------------------- */

/* The next file of the list. False at its end. */
static bool take_file(struct copy_source *s)
{
    struct copy *c = s->copy;
    const struct file_group *g;

    if (c->group >= c->groups->len)
        return false;
    g = &g_array_index(c->groups, struct file_group, c->group);
    s->file = c->next_file++;
    s->size = g->size_bytes;
    s->directory = g->directory;
    s->saved = 0;
    if (++c->in_group >= g->count) {
        c->in_group = 0;
        c->group++;
    }
    return true;
}

/* ---- caches ---------------------------------------------------------------------------------------------------------- */

static struct copy_cached *cached_at(const struct copy_source *s)
{
    return s->takes_files ? &s->copy->cached[s->step] : NULL;
}

static bool is_cached(const struct copy_source *s, const struct client_step *step, int64_t now_ns)
{
    const struct copy_cached *k = cached_at(s);

    if (!k || s->done)
        return false; /* what has begun is finished */
    switch (step->cached) {
    case CLIENT_CACHED_FILE:
        return s->copy->file_cached;
    case CLIENT_CACHED_DIRECTORY:
    case CLIENT_CACHED_CONNECTION:
        if (step->cached_for_ns && k->at_ns + step->cached_for_ns <= now_ns)
            return false;
        return k->made &&
               (step->cached == CLIENT_CACHED_CONNECTION || k->everywhere || k->directory == s->directory);
    default:
        return false;
    }
}

/* A warm copy's caches hold what it asks for: they are from just before it. */
static void warm_up(struct copy *c)
{
    for (guint i = 0; c->warm && i < c->per_file->len; i++)
        c->cached[i] = (struct copy_cached){.made = true, .everywhere = true};
}

static void note_made(const struct copy_source *s, int64_t now_ns)
{
    struct copy_cached *k = cached_at(s);

    if (k)
        *k = (struct copy_cached){.made = true, .directory = s->directory, .at_ns = now_ns};
}

/* ---- blocks ---------------------------------------------------------------------------------------------------------- */

enum { ENCRYPTION_BYTES = 52, COMPRESSION_BYTES = 16 }; /* transform headers: [MS-SMB2] 2.2.41, 2.2.42.1 */

/* Whether this block is tried: always, or under the first rule of Windows 11 and Server 2022 only while the sample goes on, and
 * behind it where the sample has shrunk enough. */
static bool tries_compression(const struct copy_source *s)
{
    const struct client_compression *k = &s->copy->client->compression;

    if (k->ratio <= 0)
        return false;
    return !k->sample_bytes || s->offset < k->sample_bytes || s->saved >= k->threshold_bytes;
}

static uint32_t compress(struct copy_source *s, uint32_t bytes, struct exchange *out)
{
    uint32_t packed;

    if (!tries_compression(s))
        return bytes;
    packed = (uint32_t)(bytes * s->copy->client->compression.ratio) + COMPRESSION_BYTES;
    out->flags |= EXCHANGE_COMPRESSED; /* the attempt costs, whether or not it pays */
    if (packed >= bytes)
        return bytes;
    s->saved += bytes - packed;
    return packed;
}

/* Sliding: the first `depth` blocks go out together, each later one when the block `depth` before it is through. In bursts: `depth`
 * blocks go out together when those before are all through. */
static void release_block(const struct copy_source *s, const struct client_step *step, struct exchange *out)
{
    uint64_t depth = (uint64_t)step->depth;

    if (s->done == 0 || (step->wait == CLIENT_WAIT_ALL && s->done % depth == 0))
        out->flags |= EXCHANGE_BARRIER;
    else if (step->wait == CLIENT_WAIT_EACH && s->done >= depth)
        out->after = (uint32_t)depth;
}

static void fill_block(struct copy_source *s, const struct client_step *step, struct exchange *out)
{
    uint32_t whole = (uint32_t)MIN(step->block_bytes, s->size - s->offset);
    uint32_t bytes = compress(s, whole, out);

    out->data_bytes = whole;
    if (step->data == CLIENT_DATA_READ)
        out->response_bytes += bytes;
    else
        out->request_bytes += bytes;
    release_block(s, step, out);
    s->offset += whole;
}

/* Signing and encryption begin with the session: the connect list goes without. */
static void protect(const struct copy_source *s, struct exchange *out)
{
    const struct copy *c = s->copy;

    if (s == &c->first || s->further)
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

/* ---- the list in progress -------------------------------------------------------------------------------------------- */

static const struct client_step *step_at(const struct copy_source *s)
{
    return s->steps && s->step < s->steps->len ? &g_array_index(s->steps, struct client_step, s->step) : NULL;
}

static bool is_through(const struct copy_source *s, const struct client_step *step)
{
    return step->data == CLIENT_DATA_NONE ? s->done >= (uint64_t)step->repeat : s->offset >= s->size;
}

static void leave_step(struct copy_source *s)
{
    s->step += MAX(step_at(s)->chain.count, 1);
    s->done = 0;
    s->offset = 0;
}

static bool sets_up_connection(uint16_t command)
{
    return command == SMB2_NEGOTIATE || command == SMB2_SESSION_SETUP;
}

/* Leaves the steps that make no (further) exchange. */
static void skip(struct copy_source *s, int64_t now_ns)
{
    const struct client_file_cache *cache = &s->copy->client->file_cache;
    const struct client_step *step;

    while ((step = step_at(s))) {
        bool held = is_cached(s, step, now_ns);

        if (!held && !is_through(s, step) && !(s->further && !sets_up_connection(step->command)))
            return;
        if (held && step->data != CLIENT_DATA_NONE && cache->rate_bps)
            s->local_ns += (int64_t)((double)s->size * 8e9 / (double)cache->rate_bps);
        leave_step(s);
    }
}

/* Goes to the next step that makes an exchange, in the file in progress or one behind it. */
static bool find_step(struct copy_source *s, int64_t now_ns)
{
    skip(s, now_ns);
    while (!step_at(s)) {
        if (!s->takes_files || !take_file(s))
            return false;
        s->step = 0;
        skip(s, now_ns);
    }
    return true;
}

static bool next_of_copy(void *self, int64_t now_ns, struct exchange *out)
{
    struct copy_source *s = self;
    const struct client_step *step;

    if (!find_step(s, now_ns))
        return false;
    step = step_at(s);
    *out = (struct exchange){
        .think_ns = step->think_ns + s->local_ns,
        .request_bytes = (uint32_t)step->request_bytes,
        .response_bytes = (uint32_t)step->response_bytes,
        .command = step->command,
        .file = s == &s->copy->last || s->further ? s->copy->file_count : s->file,
        .flags = step->response_bytes ? 0 : EXCHANGE_NO_RESPONSE,
    };
    s->local_ns = 0;
    if (step->chain.count) {
        out->chain = &step->chain;
        out->request_bytes = exchange_chain_bytes(&step->chain, false);
        out->response_bytes = exchange_chain_bytes(&step->chain, true);
    }
    protect(s, out);
    if (step->data != CLIENT_DATA_NONE)
        fill_block(s, step, out);
    else
        out->flags |= EXCHANGE_BARRIER;
    note_made(s, now_ns);
    s->done++;
    skip(s, now_ns);
    if (s->takes_files && !step_at(s))
        out->flags |= EXCHANGE_PAUSE;
    return true;
}

/* ---- life ------------------------------------------------------------------------------------------------------------ */

static void source_init(struct copy_source *s, struct copy *c, const GArray *steps)
{
    *s = (struct copy_source){.copy = c, .steps = steps, .source = {next_of_copy, s}};
}

static void init_workers(struct copy *c)
{
    size_t count = (size_t)c->client->files_at_once;

    c->workers = g_new0(struct copy_source, count);
    c->worker_sources = g_new0(struct exchange_source, count);
    for (size_t i = 0; i < count; i++) {
        source_init(&c->workers[i], c, c->per_file);
        c->workers[i].takes_files = true;
        c->workers[i].step = c->per_file->len; /* no file yet */
        c->worker_sources[i] = c->workers[i].source;
    }
    c->connection.workers = c->worker_sources;
    c->connection.worker_count = count;
}

/* As many on each network; the first on the first network is the session's own. */
static void init_further(struct copy *c, size_t networks)
{
    size_t each = (size_t)c->client->connections, total = networks * each - 1;

    c->further = g_new0(struct copy_source, total);
    c->further_setup = g_new0(struct sim_further, total);
    for (size_t i = 0; i < total; i++) {
        source_init(&c->further[i], c, c->client->connect);
        c->further[i].further = true;
        c->further_setup[i] = (struct sim_further){(i + 1) % networks, c->further[i].source};
    }
    c->connection.further = c->further_setup;
    c->connection.further_count = total;
}

void copy_init(struct copy *c, const struct copy_setup *setup)
{
    const struct client_profile *client = setup->client;
    const struct client_file_cache *cache = &client->file_cache;

    *c = (struct copy){
        .client = client,
        .per_file = setup->upload ? client->upload : client->download,
        .groups = setup->groups,
        .warm = setup->warm,
        .file_cached = setup->warm && cache->line && setup->rtt_ns > cache->above_ns,
        .file_count = (uint32_t)file_groups_count(setup->groups),
    };
    g_assert(c->per_file);
    c->cached = g_new0(struct copy_cached, c->per_file->len);
    warm_up(c);
    source_init(&c->first, c, client->connect);
    source_init(&c->last, c, client->disconnect);
    init_workers(c);
    init_further(c, MAX(setup->networks, 1));
    c->connection.source = c->first.source;
    c->connection.last = c->last.source;
}

void copy_clear(struct copy *c)
{
    g_clear_pointer(&c->cached, g_free);
    g_clear_pointer(&c->workers, g_free);
    g_clear_pointer(&c->worker_sources, g_free);
    g_clear_pointer(&c->further, g_free);
    g_clear_pointer(&c->further_setup, g_free);
}
