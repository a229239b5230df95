#include "replay/durations.h"

#include <math.h>

enum { STEPS_LOG2 = 6, STEPS = 1 << STEPS_LOG2, CLASSES = STEPS * (64 - STEPS_LOG2) };

void durations_fini(struct durations *d)
{
    g_clear_pointer(&d->values, g_array_unref);
    g_clear_pointer(&d->classes, g_free);
    *d = (struct durations){0};
}

/* Below STEPS each value is its own class; above, an octave has STEPS classes. */
static unsigned class_of(int64_t ns)
{
    unsigned shift = 0;

    while (ns >> shift >= 2 * STEPS)
        shift++;
    return shift * STEPS + (unsigned)(ns >> shift);
}

/* Middle of a class. */
static int64_t class_value(unsigned index)
{
    unsigned shift = index < 2 * STEPS ? 0 : index / STEPS - 1;
    int64_t low = (int64_t)(index - shift * STEPS) << shift;

    return low + (((INT64_C(1) << shift) - 1) / 2);
}

static void make_classes(struct durations *d)
{
    if (d->classes)
        return;
    d->classes = g_new0(uint32_t, CLASSES);
    for (guint i = 0; i < d->values->len; i++)
        d->classes[class_of(g_array_index(d->values, int64_t, i))]++;
}

void durations_add(struct durations *d, int64_t ns)
{
    if (ns < 0)
        ns = 0;
    if (!d->values)
        d->values = g_array_new(FALSE, FALSE, sizeof(int64_t));
    d->count++;
    d->most = MAX(d->most, ns);
    d->total += MIN(ns, INT64_MAX - d->total);
    if (d->values->len < DURATIONS_EXACT) {
        g_array_append_val(d->values, ns);
        return;
    }
    make_classes(d);
    d->classes[class_of(ns)]++;
}

void durations_merge(struct durations *to, const struct durations *from)
{
    if (!from->classes) {
        for (guint i = 0; from->values && i < from->values->len; i++)
            durations_add(to, g_array_index(from->values, int64_t, i));
        return;
    }
    if (!to->values)
        to->values = g_array_new(FALSE, FALSE, sizeof(int64_t));
    make_classes(to);
    /* `values` is full from here on, so that all that comes goes to the classes. */
    g_array_set_size(to->values, DURATIONS_EXACT);
    for (unsigned i = 0; i < CLASSES; i++)
        to->classes[i] += from->classes[i];
    to->count += from->count;
    to->most = MAX(to->most, from->most);
    to->total += MIN(from->total, INT64_MAX - to->total);
}

static gint compare(gconstpointer a, gconstpointer b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static int64_t exact_quantile(struct durations *d, uint64_t rank)
{
    return g_array_index(d->values, int64_t, rank - 1);
}

int64_t durations_quantile(struct durations *d, double share)
{
    uint64_t rank = (uint64_t)ceil(share * (double)d->count);
    uint64_t seen = 0;

    if (d->count == 0)
        return -1;
    if (rank < 1)
        rank = 1;
    if (!d->classes) {
        int64_t low;

        g_array_sort(d->values, compare);
        low = exact_quantile(d, rank);
        if (share == 0.5 && d->count % 2 == 0)
            return low + (exact_quantile(d, rank + 1) - low) / 2;
        return low;
    }
    for (unsigned i = 0; i < CLASSES; i++) {
        seen += d->classes[i];
        if (seen >= rank)
            return MIN(class_value(i), d->most);
    }
    return d->most;
}
