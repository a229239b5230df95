#include "replay/sessions.h"

#include <string.h>

static struct replay_connection *connection_at(const GPtrArray *connections, guint i)
{
    return g_ptr_array_index(connections, i);
}

static bool belong_together(const struct replay_connection *a, const struct replay_connection *b)
{
    if (a->client_guid_known && b->client_guid_known)
        return memcmp(a->client_guid, b->client_guid, sizeof a->client_guid) == 0;
    return a->binds_session || b->binds_session;
}

/* The first connection that this one shares a session with, itself if there is none. */
static guint find_first(GHashTable *by_id, const GPtrArray *connections, guint i)
{
    struct replay_connection *c = connection_at(connections, i);
    guint first = i;

    for (unsigned k = 0; k < c->session_id_count; k++) {
        gpointer known = g_hash_table_lookup(by_id, &c->session_ids[k]);

        if (!known)
            g_hash_table_insert(by_id, &c->session_ids[k], GUINT_TO_POINTER(i + 1));
        else if (belong_together(connection_at(connections, GPOINTER_TO_UINT(known) - 1), c))
            first = MIN(first, GPOINTER_TO_UINT(known) - 1);
    }
    return first;
}

static void add(struct replay_session *s, const struct replay_connection *c)
{
    s->first_ns = s->connections ? MIN(s->first_ns, c->first_ns) : c->first_ns;
    s->last_ns = s->connections ? MAX(s->last_ns, c->last_ns) : c->last_ns;
    s->connections++;
    s->bytes_read += c->bytes_read;
    s->bytes_written += c->bytes_written;
}

GArray *sessions_join(GPtrArray *connections)
{
    GArray *sessions = g_array_new(FALSE, TRUE, sizeof(struct replay_session));
    g_autoptr(GHashTable) by_id = g_hash_table_new(g_int64_hash, g_int64_equal);

    for (guint i = 0; i < connections->len; i++) {
        struct replay_connection *c = connection_at(connections, i);
        guint first = find_first(by_id, connections, i);

        if (first == i) {
            c->session = sessions->len;
            g_array_set_size(sessions, sessions->len + 1);
        } else {
            c->session = connection_at(connections, first)->session;
        }
        add(&g_array_index(sessions, struct replay_session, c->session), c);
    }
    return sessions;
}
