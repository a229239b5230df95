/* Arrays that are used up from the front. */
#ifndef REPLAY_ARRAY_H
#define REPLAY_ARRAY_H

#include <glib.h>

/* A new array of all but the first `count` elements; unrefs the old one. Unlike g_array_remove_range() it gives memory back: of many
 * connections each has its busy time, and then keeps little. */
static inline GArray *array_without_first(GArray *old, guint count)
{
    guint size = g_array_get_element_size(old);
    GArray *rest = g_array_sized_new(FALSE, FALSE, size, old->len - count);

    if (old->len > count)
        g_array_append_vals(rest, old->data + (gsize)count * size, old->len - count);
    g_array_unref(old);
    return rest;
}

#endif
