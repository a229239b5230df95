#include "replay/errors.h"

void errors_fini(struct errors *e)
{
    g_clear_pointer(&e->rows, g_array_unref);
}

void errors_add(struct errors *e, const struct replay_error *error)
{
    if (!e->rows)
        e->rows = g_array_new(FALSE, FALSE, sizeof(struct replay_error));
    for (guint i = 0; i < e->rows->len; i++) {
        struct replay_error *row = &g_array_index(e->rows, struct replay_error, i);

        if (row->status == error->status && row->command == error->command) {
            row->count += error->count;
            row->first_frame = MIN(row->first_frame, error->first_frame);
            row->last_frame = MAX(row->last_frame, error->last_frame);
            return;
        }
    }
    if (e->rows->len < ERRORS_KINDS)
        g_array_append_val(e->rows, *error);
    else
        e->more += error->count;
}

void errors_merge(struct errors *to, const struct errors *from)
{
    for (guint i = 0; from->rows && i < from->rows->len; i++)
        errors_add(to, &g_array_index(from->rows, struct replay_error, i));
    to->more += from->more;
}

static gint most_frequent_first(gconstpointer a, gconstpointer b)
{
    const struct replay_error *x = a, *y = b;

    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->first_frame < y->first_frame ? -1 : x->first_frame > y->first_frame;
}

GArray *errors_facts(struct errors *e)
{
    GArray *rows = e->rows ? e->rows : g_array_new(FALSE, FALSE, sizeof(struct replay_error));

    g_array_sort(rows, most_frequent_first);
    *e = (struct errors){0};
    return rows;
}
