#include "cli/replay_clients.h"

#include <string.h>

/* The client profiles that stand for their dialects, the older first. */
static const struct newer {
    int major;
    const char *profile, *name, *what;
} NEWER[] = {
    {2, "windows-7-explorer", "smb2_client", "SMB 2: the files copied by Windows 7's Explorer"},
    {3, "windows-11-explorer", "smb3_client", "SMB 3: the files copied by Windows 11's Explorer"},
};
static const char BASIS[] =
    "that client does as its profile says, some of it assumed, and the server answers "
    "as fast as it did";

/* Of the connection that moved most: 1 to 3, or 0 when its negotiation wasn't seen. */
static int major_dialect(const struct replay *r)
{
    const struct replay_connection *main = NULL;

    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        if (!main || c->bytes_read + c->bytes_written > main->bytes_read + main->bytes_written)
            main = c;
    }
    if (!main || !main->dialect)
        return 0;
    return strcmp(main->dialect, "SMB1") == 0 ? 1 : main->dialect[0] - '0';
}

static void client_free(void *item)
{
    struct replay_client *c = item;

    replay_as_clear(&c->as);
    g_free(c);
}

GPtrArray *replay_clients(const struct replay *r, const struct replay_model *m, uint64_t seed)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(client_free);
    int major = major_dialect(r);

    for (size_t i = 0; major > 0 && i < G_N_ELEMENTS(NEWER); i++) {
        struct replay_client *c;

        if (NEWER[i].major <= major)
            continue;
        c = g_new0(struct replay_client, 1);
        c->name = NEWER[i].name;
        c->what = NEWER[i].what;
        c->basis = BASIS;
        client_profile_init(&c->as.client);
        server_profile_init(&c->as.server);
        if (replay_as_init(&c->as, r, m, NEWER[i].profile, &m->network, seed, NULL) && c->as.groups->len > 0)
            g_ptr_array_add(list, c);
        else
            client_free(c);
    }
    return list;
}
