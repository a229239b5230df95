#include "replay/sessions.h"
#include "replay/analysis.h"
#include "replay/channels.h"

static void clear_session(gpointer data)
{
    struct replay_session *s = data;

    g_clear_pointer(&s->files, g_array_unref);
}

static void add(struct replay_session *s, const struct replay_connection *c)
{
    s->first_ns = s->connections ? MIN(s->first_ns, c->first_ns) : c->first_ns;
    s->last_ns = s->connections ? MAX(s->last_ns, c->last_ns) : c->last_ns;
    s->waits_known = (s->waits_known || s->connections == 0) && c->study && replay_is_trusted(c);
    s->connections++;
    s->bytes_read += c->bytes_read;
    s->bytes_written += c->bytes_written;
}

/* What is one for all its connections. */
static void finish(struct replay_session *s, struct channels *c)
{
    if (s->connections > 1) {
        s->files = files_facts(&c->files, s->bytes_read, s->bytes_written);
        session_path_finish(&c->path, s->first_ns, s->last_ns);
        s->waits = c->path.waits;
    } else {
        s->waits_known = false;
    }
}

GArray *sessions_join(GPtrArray *connections)
{
    GArray *sessions = g_array_new(FALSE, TRUE, sizeof(struct replay_session));
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL); /* of struct channels *, to the index + 1 */
    GHashTableIter iter;
    gpointer channels, at;

    g_array_set_clear_func(sessions, clear_session);
    for (guint i = 0; i < connections->len; i++) {
        struct replay_connection *c = g_ptr_array_index(connections, i);

        at = g_hash_table_lookup(known, c->channels);
        if (!at) {
            g_array_set_size(sessions, sessions->len + 1);
            at = GUINT_TO_POINTER(sessions->len);
            g_hash_table_insert(known, c->channels, at);
        }
        c->session = GPOINTER_TO_UINT(at) - 1;
        add(&g_array_index(sessions, struct replay_session, c->session), c);
    }
    g_hash_table_iter_init(&iter, known);
    while (g_hash_table_iter_next(&iter, &channels, &at))
        finish(&g_array_index(sessions, struct replay_session, GPOINTER_TO_UINT(at) - 1), channels);
    return sessions;
}
