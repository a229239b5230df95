#include "cli/replay_as.h"
#include "cli/profiles.h"
#include "base/error.h"
#include "replay/calibrated_profile.h"
#include "replay/study.h"
#include "sim/command.h"
#include "sim/copy.h"

#include <string.h>

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* Bytes that moved of each file, in the order of their first exchange. */
static void add_files(const GArray *exchanges, bool upload, GArray *groups)
{
    g_autoptr(GHashTable) places = g_hash_table_new(g_direct_hash, g_direct_equal);

    for (guint i = 0; i < exchanges->len; i++) {
        const struct exchange *e = &g_array_index(exchanges, struct exchange, i);
        gpointer key = GUINT_TO_POINTER(e->file), place;
        struct file_group fresh = {.count = 1};

        if (!e->data_bytes || (upload ? !command_is_write(e->command) : !command_is_read(e->command)))
            continue;
        place = g_hash_table_lookup(places, key);
        if (!place) {
            g_array_append_val(groups, fresh);
            place = GUINT_TO_POINTER(groups->len); /* from 1: NULL means none */
            g_hash_table_insert(places, key, place);
        }
        g_array_index(groups, struct file_group, GPOINTER_TO_UINT(place) - 1).size_bytes += e->data_bytes;
    }
}

/* Neighbours of one size become one group. */
static GArray *join_groups(GArray *files)
{
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(struct file_group));

    for (guint i = 0; i < files->len; i++) {
        struct file_group g = g_array_index(files, struct file_group, i);
        struct file_group *last =
            groups->len ? &g_array_index(groups, struct file_group, groups->len - 1) : NULL;

        if (last && last->size_bytes == g.size_bytes)
            last->count++;
        else
            g_array_append_val(groups, g);
    }
    g_array_unref(files);
    return groups;
}

static GArray *captured_files(const struct replay *r, bool upload)
{
    GArray *files = g_array_new(FALSE, FALSE, sizeof(struct file_group));

    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        add_files(c->study->trace, upload, files);
    }
    return join_groups(files);
}

static bool moved_up(const struct replay *r)
{
    uint64_t up = 0, down = 0;

    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        up += c->bytes_written;
        down += c->bytes_read;
    }
    return up > down;
}

/* ---- profiles ------------------------------------------------------------------------------------------------------ */

static bool load_server(struct replay_as *a, const struct replay *r, const struct replay_model *m,
                        GError **error)
{
    g_autofree char *text = calibrated_profile(r, m, error);
    struct yaml_doc *doc = text ? yaml_load_text("captured server", text, strlen(text), error) : NULL;
    bool ok = doc && server_profile_bind(&a->server, doc, error);

    if (doc)
        yaml_doc_free(doc);
    return ok;
}

bool replay_as_init(struct replay_as *a, const struct replay *r, const struct replay_model *m,
                    const char *client, const struct network_profile *network, uint64_t seed, GError **error)
{
    a->network = network;
    a->seed = seed;
    a->upload = moved_up(r);
    if (!profiles_load_client(client, &a->client, error)) {
        client_profile_init(&a->client); /* the callee has cleared it */
        return false;
    }
    if (!(a->upload ? a->client.upload : a->client.download)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "client \"%s\" has no %s list", client,
                    a->upload ? "upload" : "download");
        return false;
    }
    a->groups = captured_files(r, a->upload);
    return load_server(a, r, m, error);
}

void replay_as_clear(struct replay_as *a)
{
    client_profile_clear(&a->client);
    server_profile_clear(&a->server);
    g_clear_pointer(&a->groups, g_array_unref);
}

/* ---- running ------------------------------------------------------------------------------------------------------- */

struct as_run {
    struct network_profile network; /* a view, with this run's values */
    struct copy copy;
};

static void prepare(const void *self, uint64_t run, struct simulation_run *out)
{
    const struct replay_as *a = self;
    struct as_run *r = g_new0(struct as_run, 1);

    copy_init(&r->copy, &(struct copy_setup){.client = &a->client,
                                             .groups = a->groups,
                                             .upload = a->upload,
                                             .rtt_ns = 2 * network_one_way_ns(a->network)});
    network_profile_draw(a->network, a->seed, run, &r->network);
    out->owned = r;
    out->setup = (struct sim_setup){
        .network = &r->network,
        .client_tcp = &a->client.tcp,
        .server_tcp = &a->server.tcp,
        .server = &a->server,
        .client_host = &a->client.host,
        .server_host = &a->server.host,
        .credits = a->client.credits,
        .most_outstanding = profiles_max_requests(&a->client, &a->server),
        .request_timeout_ns = a->client.request_timeout_ns,
        .connections = &r->copy.connection,
        .connection_count = 1,
        .seed = a->seed,
        .run = run,
    };
}

static void release(struct simulation_run *run)
{
    struct as_run *r = run->owned;

    copy_clear(&r->copy);
    g_free(r);
}

struct simulation_plan replay_as_plan(const struct replay_as *a)
{
    return (struct simulation_plan){prepare, release, NULL, a};
}
