#include "replay/messages.h"

static int by_start(gconstpointer a, gconstpointer b)
{
    const struct message *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->exchange < y->exchange ? -1 : x->exchange > y->exchange;
}

GArray *messages_list(const struct replay_connection *c, enum replay_direction d)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct message));

    for (guint i = 0; i < c->exchanges_kept->len; i++) {
        const struct replay_exchange *e = &g_array_index(c->exchanges_kept, struct replay_exchange, i);
        int64_t start = d == REPLAY_UP ? e->request_offset : e->response_offset;
        struct message m = {
            .start = start,
            .end = start + (d == REPLAY_UP ? e->request_bytes : e->response_bytes),
            .last_frame = d == REPLAY_UP ? e->request_last_frame : e->response_last_frame,
            .exchange = i,
        };

        if (m.last_frame)
            g_array_append_val(list, m);
    }
    g_array_sort(list, by_start);
    return list;
}

const struct message *messages_find(const GArray *list, guint *at, int64_t offset)
{
    const struct message *m;

    if (!list->len)
        return NULL;
    while (*at + 1 < list->len && g_array_index(list, struct message, *at + 1).start <= offset)
        (*at)++;
    while (*at > 0 && g_array_index(list, struct message, *at).start > offset)
        (*at)--;
    m = &g_array_index(list, struct message, *at);
    return m->start <= offset && offset < m->end ? m : NULL;
}
