/* The id map against GLib's hash table, under random insertions, removals and look-ups. */
#include "replay/idmap.h"

#include <glib.h>

static void test_oracle(void)
{
    struct idmap m = {0};
    g_autoptr(GHashTable) oracle = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    g_autoptr(GRand) rand = g_rand_new_with_seed(20);

    for (int step = 0; step < 400000; step++) {
        /* Few ids and much traffic make long clusters; the range moves as message ids do. */
        uint64_t id = (uint64_t)(step / 100) + (uint64_t)g_rand_int_range(rand, 0, 300);
        gint64 key = (gint64)id;
        uint32_t value = 0;
        gpointer wanted;

        switch (g_rand_int_range(rand, 0, 3)) {
        case 0:
            idmap_put(&m, id, (uint32_t)step + 1);
            g_hash_table_insert(oracle, g_memdup2(&key, sizeof key), GUINT_TO_POINTER((guint)step + 1));
            break;
        case 1:
            idmap_remove(&m, id);
            g_hash_table_remove(oracle, &key);
            break;
        default:
            wanted = g_hash_table_lookup(oracle, &key);
            g_assert_cmpint(idmap_get(&m, id, &value), ==, wanted != NULL);
            g_assert_cmpuint(value, ==, GPOINTER_TO_UINT(wanted));
            break;
        }
        g_assert_cmpuint(m.count, ==, g_hash_table_size(oracle));
    }
    g_assert_cmpuint(m.count, >, 0);
    idmap_clear(&m);
    g_assert_cmpuint(m.count, ==, 0);
    idmap_fini(&m);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/idmap/oracle", test_oracle);
    return g_test_run();
}
