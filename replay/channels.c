#include "replay/channels.h"

#include <string.h>

struct channels *channels_new(void)
{
    struct channels *c = g_new0(struct channels, 1);

    c->references = c->connections = 1;
    return c;
}

struct channels *channels_ref(struct channels *c)
{
    c->references++;
    return c;
}

void channels_unref(struct channels *c)
{
    if (!c || --c->references > 0)
        return;
    opens_fini(&c->opens);
    files_fini(&c->files);
    files_fini(&c->before);
    session_path_fini(&c->path);
    g_free(c);
}

/* ---- a connection's part --------------------------------------------------------------------------------------------------- */

void channel_init(struct channel *c)
{
    *c = (struct channel){.shared = channels_new()};
}

void channel_fini(struct channel *c)
{
    files_fini(&c->own);
    g_clear_pointer(&c->own_rows, g_array_unref);
    g_clear_pointer(&c->shared, channels_unref);
}

/* The first connection goes on from what the files were when it was alone. */
static void begin_own(struct channel *c)
{
    guint count = 0;

    if (c->own_rows)
        return;
    c->own_rows = g_array_new(FALSE, TRUE, sizeof(uint16_t));
    if (c->joined)
        return;
    c->own = c->shared->before;
    c->shared->before = (struct files){0};
    count = c->own.rows ? c->own.rows->len : 0;
    for (uint16_t row = 1; row <= count; row++)
        g_array_append_val(c->own_rows, row);
}

static uint16_t own_row(struct channel *c, uint16_t row)
{
    uint16_t *own;

    if (row == FILES_OTHERS)
        return row;
    if (c->own_rows->len < row)
        g_array_set_size(c->own_rows, row);
    own = &g_array_index(c->own_rows, uint16_t, row - 1);
    if (*own == 0)
        *own = files_row(&c->own, NULL);
    return *own;
}

void channel_use(struct channel *c, uint16_t row, const struct file_use *use)
{
    if (c->shared->connections > 1) {
        begin_own(c);
        files_use(&c->own, own_row(c, row), use);
    }
    files_use(&c->shared->files, row, use);
}

/* Names and sizes are the session's. */
static void name_own(struct channel *c)
{
    for (guint i = 0; i < c->own_rows->len; i++) {
        uint16_t own = g_array_index(c->own_rows, uint16_t, i);

        if (own > 0 && own != FILES_OTHERS)
            files_describe(&c->own, own, &c->shared->files, (uint16_t)(i + 1));
    }
}

GArray *channel_files(struct channel *c, uint64_t read, uint64_t written)
{
    if (c->shared->connections == 1) {
        c->shared->ended = true;
        session_path_drop(&c->shared->path);
        return files_facts(&c->shared->files, read, written);
    }
    begin_own(c);
    name_own(c);
    return files_facts(&c->own, read, written);
}

/* ---- which connections belong together -------------------------------------------------------------------------------------- */

struct known {
    uint64_t id;
    struct channels *channels;
    bool guid_known, binds;
    uint8_t guid[16];
};

static void known_free(gpointer data)
{
    struct known *k = data;

    channels_unref(k->channels);
    g_free(k);
}

void channels_table_fini(struct channels_table *t)
{
    g_clear_pointer(&t->by_id, g_hash_table_unref);
}

static void add(struct channels_table *t, const struct channel *c, const struct smb2_facts *f, uint64_t id)
{
    struct known *k = g_new0(struct known, 1);

    *k = (struct known){.id = id,
                        .channels = channels_ref(c->shared),
                        .guid_known = f->negotiated.client_guid_known,
                        .binds = f->binds};
    memcpy(k->guid, f->negotiated.client_guid, sizeof k->guid);
    g_hash_table_insert(t->by_id, &k->id, k);
}

static bool belong_together(const struct known *k, const struct smb2_facts *f)
{
    if (k->guid_known && f->negotiated.client_guid_known)
        return memcmp(k->guid, f->negotiated.client_guid, sizeof k->guid) == 0;
    return k->binds || f->binds;
}

static bool is_fresh(const struct channel *c)
{
    return c->shared->connections == 1 && !c->shared->files.rows && c->shared->opens.last == 0 &&
           !session_path_begun(&c->shared->path);
}

void channels_join(struct channels_table *t, struct channel *c, const struct smb2_facts *f)
{
    uint64_t id = f->sessions[f->session_count - 1];
    struct known *k;

    if (!t->by_id)
        t->by_id = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, known_free);
    k = g_hash_table_lookup(t->by_id, &id);
    if (!k) {
        add(t, c, f, id);
        return;
    }
    if (k->channels->ended) {
        channels_unref(k->channels);
        k->channels = channels_ref(c->shared);
    }
    if (k->channels == c->shared || !is_fresh(c) || !belong_together(k, f))
        return;
    if (k->channels->connections++ == 1)
        files_copy(&k->channels->files, &k->channels->before);
    k->binds |= f->binds;
    session_path_move(&c->shared->path, &k->channels->path);
    channels_unref(c->shared);
    c->shared = channels_ref(k->channels);
    c->joined = true;
}
