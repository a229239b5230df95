#include "replay/derive_client.h"
#include "sim/command.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* ---- stretches ------------------------------------------------------------------------------------------------------ */

static const struct exchange *at(const GArray *exchanges, guint i)
{
    return &g_array_index(exchanges, struct exchange, i);
}

static int data_of(const struct exchange *e)
{
    if (e->data_bytes && command_is_read(e->command))
        return CLIENT_DATA_READ;
    return e->data_bytes && command_is_write(e->command) ? CLIENT_DATA_WRITE : CLIENT_DATA_NONE;
}

/* The exchanges of one file: [from, to). */
struct stretch {
    guint from, to;
};

static bool is_upload(const GArray *exchanges)
{
    uint64_t bytes[CLIENT_DATA_WRITE + 1] = {0};

    for (guint i = 0; i < exchanges->len; i++)
        bytes[data_of(at(exchanges, i))] += at(exchanges, i)->data_bytes;
    return bytes[CLIENT_DATA_WRITE] > bytes[CLIENT_DATA_READ];
}

/* Returns owned array of struct stretch, for each file that moved data that way. */
static GArray *find_stretches(const GArray *exchanges, int data)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct stretch));
    g_autoptr(GHashTable) copied = g_hash_table_new(g_direct_hash, g_direct_equal);
    g_autoptr(GHashTable) begun = g_hash_table_new(g_direct_hash, g_direct_equal);
    struct stretch last = {0, 0};
    guint32 file = 0;

    for (guint i = 0; i < exchanges->len; i++) {
        if (data_of(at(exchanges, i)) == data)
            g_hash_table_add(copied, GUINT_TO_POINTER(at(exchanges, i)->file));
    }
    if (g_hash_table_size(copied) > 1)
        g_hash_table_remove(copied, GUINT_TO_POINTER(0)); /* of unknown files */
    for (guint i = 0; i < exchanges->len; i++) {
        gpointer key = GUINT_TO_POINTER(at(exchanges, i)->file);

        if (g_hash_table_contains(copied, key) && g_hash_table_add(begun, key)) {
            if (last.to)
                g_array_append_val(list, ((struct stretch){last.from, i}));
            last.from = i;
            file = at(exchanges, i)->file;
        }
        if (g_hash_table_size(begun) > 0 && at(exchanges, i)->file == file)
            last.to = i + 1;
    }
    if (last.to)
        g_array_append_val(list, last);
    return list;
}

/* ---- sequences of steps ------------------------------------------------------------------------------------------------- */

/* One step of the list in the making: what each stretch has of it. */
struct gathered {
    uint16_t command;
    int data;
    int64_t block_bytes, depth;
    GArray *requests, *responses, *thinks; /* of double */
};

static void clear_gathered(void *item)
{
    struct gathered *g = item;

    g_array_unref(g->requests);
    g_array_unref(g->responses);
    g_array_unref(g->thinks);
}

static bool is_listed(const struct exchange *e)
{
    return !(e->flags & (EXCHANGE_NO_RESPONSE | EXCHANGE_BACKGROUND));
}

/* Whether exchange `i` goes on with the data step that the one before it is in. */
static bool goes_on(const GArray *exchanges, guint from, guint i)
{
    return i > from && data_of(at(exchanges, i)) != CLIENT_DATA_NONE &&
           at(exchanges, i - 1)->command == at(exchanges, i)->command;
}

/* "205;208r;206;": equal for files that are copied alike. Returns owned. */
static char *signature(const GArray *exchanges, const struct stretch *s)
{
    GString *text = g_string_new(NULL);

    for (guint i = s->from; i < s->to; i++) {
        if (is_listed(at(exchanges, i)) && !goes_on(exchanges, s->from, i))
            g_string_append_printf(text, "%x%s;", at(exchanges, i)->command,
                                   data_of(at(exchanges, i)) ? "d" : "");
    }
    return g_string_free(text, FALSE);
}

static void add_sample(struct gathered *g, const struct exchange *e)
{
    double request = (double)e->request_bytes - (g->data == CLIENT_DATA_WRITE ? e->data_bytes : 0);
    double response = (double)e->response_bytes - (g->data == CLIENT_DATA_READ ? e->data_bytes : 0);
    double think = (double)e->think_ns;

    g_array_append_val(g->requests, request);
    g_array_append_val(g->responses, response);
    g_array_append_val(g->thinks, think);
    g->block_bytes = MAX(g->block_bytes, (int64_t)e->data_bytes);
}

/* Adds a stretch to the list, which has its steps already or is empty. */
static void gather(GArray *steps, const GArray *exchanges, const struct stretch *s)
{
    guint step = 0, in_step = 0;

    for (guint i = s->from; i < s->to; i++) {
        const struct exchange *e = at(exchanges, i);
        struct gathered *g;

        if (!is_listed(e))
            continue;
        in_step = goes_on(exchanges, s->from, i) ? in_step + 1 : 0;
        step += in_step == 0;
        if (step > steps->len) {
            struct gathered fresh = {.command = e->command,
                                     .data = data_of(e),
                                     .depth = 1,
                                     .requests = g_array_new(FALSE, FALSE, sizeof(double)),
                                     .responses = g_array_new(FALSE, FALSE, sizeof(double)),
                                     .thinks = g_array_new(FALSE, FALSE, sizeof(double))};

            g_array_append_val(steps, fresh);
        }
        g = &g_array_index(steps, struct gathered, step - 1);
        add_sample(g, e);
        if (in_step) /* it waits for the one so far back, or for none of its step */
            g->depth =
                MAX(g->depth, e->after && e->after <= in_step ? (int64_t)e->after : (int64_t)in_step + 1);
    }
}

static double median_of(GArray *samples)
{
    double *values = &g_array_index(samples, double, 0);

    gsl_sort(values, 1, samples->len);
    return gsl_stats_median_from_sorted_data(values, 1, samples->len);
}

/* Takes `gathered`. Returns owned array of struct derived_step. */
static GArray *conclude(GArray *gathered)
{
    GArray *steps = g_array_new(FALSE, TRUE, sizeof(struct derived_step));

    for (guint i = 0; i < gathered->len; i++) {
        struct gathered *g = &g_array_index(gathered, struct gathered, i);
        struct derived_step s = {.command = g->command,
                                 .data = g->data,
                                 .request_bytes = (int64_t)median_of(g->requests),
                                 .response_bytes = (int64_t)median_of(g->responses),
                                 .think_ns = (int64_t)median_of(g->thinks),
                                 .block_bytes = g->data ? g->block_bytes : 0,
                                 .depth = g->depth,
                                 .samples = g->thinks->len};

        s.think_least_ns = (int64_t)g_array_index(g->thinks, double, 0); /* sorted by now */
        s.think_most_ns = (int64_t)g_array_index(g->thinks, double, g->thinks->len - 1);
        g_array_append_val(steps, s);
    }
    g_array_unref(gathered);
    return steps;
}

static GArray *gathered_new(void)
{
    GArray *list = g_array_new(FALSE, FALSE, sizeof(struct gathered));

    g_array_set_clear_func(list, clear_gathered);
    return list;
}

static GArray *single(const GArray *exchanges, guint from, guint to)
{
    const struct stretch s = {from, to};
    GArray *list = gathered_new();

    gather(list, exchanges, &s);
    return conclude(list);
}

/* ---- the most common one -------------------------------------------------------------------------------------------------- */

static GArray *common_steps(const GArray *exchanges, const GArray *stretches, guint *alike)
{
    g_autoptr(GHashTable) counts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autofree char *best = NULL;
    GArray *list = gathered_new();

    *alike = 0;
    for (guint i = 0; i < stretches->len; i++) {
        char *key = signature(exchanges, &g_array_index(stretches, struct stretch, i));
        guint count = GPOINTER_TO_UINT(g_hash_table_lookup(counts, key)) + 1;

        if (count > *alike) {
            *alike = count;
            g_free(best);
            best = g_strdup(key);
        }
        g_hash_table_replace(counts, key, GUINT_TO_POINTER(count));
    }
    for (guint i = 0; i < stretches->len; i++) {
        const struct stretch *s = &g_array_index(stretches, struct stretch, i);
        g_autofree char *key = signature(exchanges, s);

        if (g_strcmp0(key, best) == 0)
            gather(list, exchanges, s);
    }
    return conclude(list);
}

bool derive_client(const GArray *exchanges, struct derived_client *out)
{
    g_autoptr(GArray) stretches = NULL;

    *out = (struct derived_client){.upload = is_upload(exchanges)};
    stretches = find_stretches(exchanges, out->upload ? CLIENT_DATA_WRITE : CLIENT_DATA_READ);
    if (!stretches->len)
        return false;
    out->files = stretches->len;
    out->per_file = common_steps(exchanges, stretches, &out->alike);
    out->connect = single(exchanges, 0, g_array_index(stretches, struct stretch, 0).from);
    out->disconnect =
        single(exchanges, g_array_index(stretches, struct stretch, stretches->len - 1).to, exchanges->len);
    return true;
}

void derived_client_clear(struct derived_client *d)
{
    g_clear_pointer(&d->connect, g_array_unref);
    g_clear_pointer(&d->per_file, g_array_unref);
    g_clear_pointer(&d->disconnect, g_array_unref);
}
