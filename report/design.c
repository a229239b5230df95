#include "report/design.h"

#include <glib.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdint.h>

/* The runs of one arm with one label. */
struct group {
    const char *label; /* view */
    size_t n;
    double mean, squares; /* sum of squares around the mean */
};

static struct group *find(GArray *groups, GHashTable *index, const char *label)
{
    gpointer at;

    if (g_hash_table_lookup_extended(index, label, NULL, &at))
        return &g_array_index(groups, struct group, GPOINTER_TO_UINT(at));
    struct group fresh = {.label = label};

    g_hash_table_insert(index, (gpointer)(uintptr_t)label, GUINT_TO_POINTER(groups->len));
    g_array_append_val(groups, fresh);
    return &g_array_index(groups, struct group, groups->len - 1);
}

/* In the order of each label's first run. */
static GArray *group_runs(const double *x, size_t n, const char *const *labels)
{
    GArray *groups = g_array_new(FALSE, FALSE, sizeof(struct group));
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);

    for (size_t i = 0; i < n; i++) {
        struct group *g = find(groups, index, labels[i]);
        double off = x[i] - g->mean;

        g->n++;
        g->mean += off / (double)g->n;
        g->squares += off * (x[i] - g->mean);
    }
    return groups;
}

static void take_runs(struct design *d, const struct design_arm *treatment, const struct design_arm *control)
{
    d->treatment = g_new(double, treatment->n + 1);
    d->control = g_new(double, control->n + 1);
    for (size_t i = 0; i < treatment->n; i++)
        d->treatment[i] = treatment->x[i];
    for (size_t i = 0; i < control->n; i++)
        d->control[i] = control->x[i];
    d->n_treatment = treatment->n;
    d->n_control = control->n;
}

static void take_matches(struct design *d, const GArray *treatment, const GArray *control)
{
    g_autoptr(GHashTable) index = g_hash_table_new(g_str_hash, g_str_equal);

    d->treatment = g_new(double, treatment->len + 1);
    d->control = g_new(double, treatment->len + 1);
    for (guint i = 0; i < control->len; i++) {
        struct group *g = &g_array_index(control, struct group, i);

        g_hash_table_insert(index, (gpointer)(uintptr_t)g->label, g);
        d->left_out += g->n;
    }
    for (guint i = 0; i < treatment->len; i++) {
        const struct group *g = &g_array_index(treatment, struct group, i);
        const struct group *other = g_hash_table_lookup(index, g->label);

        if (!other) {
            d->left_out += g->n;
            continue;
        }
        d->treatment[d->n_treatment++] = g->mean;
        d->control[d->n_control++] = other->mean;
        d->left_out -= other->n;
    }
    d->paired = true;
}

static size_t shared(const GArray *a, const GArray *b)
{
    g_autoptr(GHashTable) labels = g_hash_table_new(g_str_hash, g_str_equal);
    size_t count = 0;

    for (guint i = 0; i < a->len; i++)
        g_hash_table_add(labels, (gpointer)(uintptr_t)g_array_index(a, struct group, i).label);
    for (guint i = 0; i < b->len; i++)
        count += g_hash_table_contains(labels, g_array_index(b, struct group, i).label) ? 1 : 0;
    return count;
}

/* Sums of the one-way analysis of variance, over both arms. */
struct variance_table {
    double between, within, runs, clusters, arms, unequal; /* unequal: sum of m² / n over the arms */
};

static double add_arm(struct variance_table *t, const GArray *groups)
{
    double n = 0, mean = 0, sizes = 0;

    for (guint i = 0; i < groups->len; i++) {
        const struct group *g = &g_array_index(groups, struct group, i);
        double m = (double)g->n;

        n += m;
        mean += (g->mean - mean) * m / n;
        sizes += m * m;
        t->within += g->squares;
    }
    for (guint i = 0; i < groups->len; i++) {
        const struct group *g = &g_array_index(groups, struct group, i);

        t->between += (double)g->n * (g->mean - mean) * (g->mean - mean);
    }
    if (n > 0) {
        t->runs += n;
        t->clusters += (double)groups->len;
        t->arms += 1;
        t->unequal += sizes / n;
    }
    return n > 0 ? sizes / n : 1;
}

static void correlate(struct design *d, const struct design_arm *treatment, const struct design_arm *control,
                      const GArray *of_treatment, const GArray *of_control)
{
    struct variance_table t = {0};
    double mean_size_treatment = add_arm(&t, of_treatment), mean_size_control = add_arm(&t, of_control);
    double df_between = t.clusters - t.arms, df_within = t.runs - t.clusters, size, msb, msw, icc;

    d->icc = d->effective_treatment = d->effective_control = quantity_unknown(
        df_between > 0 ? "every cluster is one run" : "an arm\u2019s runs are all in one cluster");
    if (df_between <= 0 || df_within <= 0)
        return;
    size = (t.runs - t.unequal) / df_between;
    msb = t.between / df_between;
    msw = t.within / df_within;
    if (!(msb + (size - 1) * msw > 0)) {
        d->icc = d->effective_treatment = d->effective_control = quantity_unknown("the runs show no spread");
        return;
    }
    icc = CLAMP((msb - msw) / (msb + (size - 1) * msw), 0, 1);
    d->icc = quantity_of(icc);
    d->effective_treatment = quantity_of((double)treatment->n / (1 + (mean_size_treatment - 1) * icc));
    d->effective_control = quantity_of((double)control->n / (1 + (mean_size_control - 1) * icc));
}

static double *means_of(const GArray *groups)
{
    double *means = g_new(double, groups->len + 1);

    for (guint i = 0; i < groups->len; i++)
        means[i] = g_array_index(groups, struct group, i).mean;
    return means;
}

static void take_blocks(struct design *d, const struct design_arm *treatment,
                        const struct design_arm *control)
{
    g_autoptr(GArray) a = group_runs(treatment->x, treatment->n, treatment->block);
    g_autoptr(GArray) b = group_runs(control->x, control->n, control->block);
    size_t both = shared(a, b);

    if (both >= 2) {
        d->unit = DESIGN_BLOCKS;
        take_matches(d, a, b);
    } else if (both == 1 && a->len == 1 && b->len == 1) {
        take_runs(d, treatment, control); /* one block for all says nothing */
    } else {
        d->unit = DESIGN_CLUSTERS;
        d->treatment = means_of(a);
        d->control = means_of(b);
        d->n_treatment = a->len;
        d->n_control = b->len;
        correlate(d, treatment, control, a, b);
    }
}

void design_init(struct design *d, const struct design_arm *treatment, const struct design_arm *control,
                 bool in_order)
{
    struct quantity none = quantity_unknown("the runs are not in clusters");

    *d = (struct design){.icc = none, .effective_treatment = none, .effective_control = none};
    if (treatment->pair && control->pair) {
        g_autoptr(GArray) a = group_runs(treatment->x, treatment->n, treatment->pair);
        g_autoptr(GArray) b = group_runs(control->x, control->n, control->pair);

        d->unit = DESIGN_PAIRS;
        take_matches(d, a, b);
    } else if (treatment->block && control->block) {
        take_blocks(d, treatment, control);
    } else {
        take_runs(d, treatment, control);
        d->paired = in_order;
        d->unit = in_order ? DESIGN_PAIRS : DESIGN_RUNS;
    }
}

void design_fini(struct design *d)
{
    g_free(d->treatment);
    g_free(d->control);
}
