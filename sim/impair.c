#include "sim/impair.h"
#include "base/rng.h"

static gsl_rng *stream(bool needed, uint64_t seed, uint64_t run, const char *name, const char *what)
{
    g_autofree char *full = g_strconcat(name, "/", what, NULL);

    return needed ? rng_stream(seed, run, full) : NULL;
}

void impair_init(struct impair *i, const struct network_direction *d, uint64_t seed, uint64_t run,
                 const char *name)
{
    *i = (struct impair){
        .direction = d,
        .loss = stream(d->loss > 0, seed, run, name, "loss"),
        .burst = stream(d->bursts.enter > 0, seed, run, name, "burst"),
        .jitter = stream(d->jitter_ns > 0, seed, run, name, "jitter"),
        .reorder = stream(d->reordering.share > 0, seed, run, name, "reorder"),
    };
    i->active = i->loss || i->burst || i->jitter || i->reorder || (d->lost_packets && d->lost_packets->len);
}

void impair_fini(struct impair *i)
{
    g_clear_pointer(&i->loss, gsl_rng_free);
    g_clear_pointer(&i->burst, gsl_rng_free);
    g_clear_pointer(&i->jitter, gsl_rng_free);
    g_clear_pointer(&i->reorder, gsl_rng_free);
}

static bool burst_drops(struct impair *i)
{
    const struct network_bursts *b = &i->direction->bursts;

    i->bad = gsl_rng_uniform(i->burst) < (i->bad ? 1 - b->leave : b->enter);
    return gsl_rng_uniform(i->burst) < (i->bad ? b->loss : 0);
}

static bool is_listed(struct impair *i)
{
    const GArray *list = i->direction->lost_packets;

    if (!list || i->next_listed >= list->len)
        return false;
    if (g_array_index(list, struct yaml_number, i->next_listed).value > (double)i->offered)
        return false;
    i->next_listed++;
    return true;
}

bool impair_drops(struct impair *i)
{
    bool drops;

    i->offered++;
    drops = is_listed(i);
    if (i->burst && burst_drops(i))
        drops = true;
    if (i->loss && gsl_rng_uniform(i->loss) < i->direction->loss)
        drops = true;
    return drops;
}

int64_t impair_due(struct impair *i, int64_t due_ns)
{
    if (i->jitter)
        due_ns += (int64_t)(gsl_rng_uniform(i->jitter) * (double)i->direction->jitter_ns);
    if (i->reorder && gsl_rng_uniform(i->reorder) < i->direction->reordering.share)
        return due_ns + i->direction->reordering.delay_ns;
    i->last_out_ns = MAX(i->last_out_ns, due_ns);
    return i->last_out_ns;
}
