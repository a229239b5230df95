#include "base/tally.h"

void tally_init(struct tally *t)
{
    t->rows = g_array_new(FALSE, FALSE, sizeof(struct tally_row));
    t->index = g_hash_table_new(g_str_hash, g_str_equal);
}

void tally_fini(struct tally *t)
{
    g_clear_pointer(&t->rows, g_array_unref);
    g_clear_pointer(&t->index, g_hash_table_unref);
}

void tally_add(struct tally *t, const char *name, uint64_t count, uint64_t bytes)
{
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(t->index, name)); /* 1-based */
    struct tally_row *row;

    if (!at) {
        struct tally_row fresh = {name, 0, 0};

        g_array_append_val(t->rows, fresh);
        at = t->rows->len;
        g_hash_table_insert(t->index, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(at));
    }
    row = &g_array_index(t->rows, struct tally_row, at - 1);
    row->count += count;
    row->bytes += bytes;
}

uint64_t tally_count(const struct tally *t, const char *name)
{
    guint at = GPOINTER_TO_UINT(g_hash_table_lookup(t->index, name));

    return at ? g_array_index(t->rows, struct tally_row, at - 1).count : 0;
}
