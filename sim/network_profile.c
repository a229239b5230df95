#include "sim/profile.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/units.h"

#include <gsl/gsl_randist.h>
#include <math.h>

#define AT(member)      offsetof(struct network_profile, member)
#define SIDE_AT(member) offsetof(struct network_direction, member)

static const char *const COUNTS[] = {"ip", "ethernet", "wire", NULL};

#define BURST_AT(member)   offsetof(struct network_bursts, member)
#define REORDER_AT(member) offsetof(struct network_reordering, member)
#define HOP_AT(member)     offsetof(struct network_hop, member)

static const struct yaml_field BURST_FIELDS[] = {
    {.key = "enter", .type = YAML_PERCENT, .offset = BURST_AT(enter), .required = true},
    {.key = "leave", .type = YAML_PERCENT, .offset = BURST_AT(leave), .required = true},
    {.key = "loss", .type = YAML_PERCENT, .offset = BURST_AT(loss), .required = true},
    {.type = YAML_END},
};

static const struct yaml_field REORDER_FIELDS[] = {
    {.key = "share", .type = YAML_PERCENT, .offset = REORDER_AT(share), .required = true},
    {.key = "delay", .type = YAML_TIME, .offset = REORDER_AT(delay_ns), .required = true},
    {.type = YAML_END},
};

#define RANGE_AT(member) offsetof(struct network_range, member)
#define SHARE_AT(member) offsetof(struct network_share_range, member)

static const struct yaml_field TIME_RANGE_FIELDS[] = {
    {.key = "low", .type = YAML_TIME, .offset = RANGE_AT(low), .required = true},
    {.key = "high", .type = YAML_TIME, .offset = RANGE_AT(high), .required = true},
    {.type = YAML_END},
};

static const struct yaml_field RATE_RANGE_FIELDS[] = {
    {.key = "low", .type = YAML_RATE, .offset = RANGE_AT(low), .required = true},
    {.key = "high", .type = YAML_RATE, .offset = RANGE_AT(high), .required = true},
    {.type = YAML_END},
};

static const struct yaml_field SIZE_RANGE_FIELDS[] = {
    {.key = "low", .type = YAML_SIZE, .offset = RANGE_AT(low), .required = true},
    {.key = "high", .type = YAML_SIZE, .offset = RANGE_AT(high), .required = true},
    {.type = YAML_END},
};

static const struct yaml_field SHARE_RANGE_FIELDS[] = {
    {.key = "low", .type = YAML_PERCENT, .offset = SHARE_AT(low), .required = true},
    {.key = "high", .type = YAML_PERCENT, .offset = SHARE_AT(high), .required = true},
    {.type = YAML_END},
};

static const struct yaml_field SIDE_FIELDS[] = {
    {.key = "rate", .type = YAML_RATE, .offset = SIDE_AT(rate_bps), .required = true},
    {.key = "queue", .type = YAML_SIZE, .offset = SIDE_AT(queue_bytes), .required = true},
    {.key = "loss", .type = YAML_PERCENT, .offset = SIDE_AT(loss)},
    {.key = "packets_per_ms", .type = YAML_COUNT, .offset = SIDE_AT(packets_per_ms)},
    {.key = "burst_loss", .type = YAML_MAP, .offset = SIDE_AT(bursts), .fields = BURST_FIELDS},
    {.key = "lost_packets", .type = YAML_NUMBERS, .offset = SIDE_AT(lost_packets)},
    {.key = "jitter", .type = YAML_TIME, .offset = SIDE_AT(jitter_ns)},
    {.key = "reordering", .type = YAML_MAP, .offset = SIDE_AT(reordering), .fields = REORDER_FIELDS},
    {.key = "cross_traffic", .type = YAML_PERCENT, .offset = SIDE_AT(cross_traffic)},
    {.key = "rate_range", .type = YAML_MAP, .offset = SIDE_AT(rate_range), .fields = RATE_RANGE_FIELDS},
    {.key = "queue_range", .type = YAML_MAP, .offset = SIDE_AT(queue_range), .fields = SIZE_RANGE_FIELDS},
    {.key = "loss_range", .type = YAML_MAP, .offset = SIDE_AT(loss_range), .fields = SHARE_RANGE_FIELDS},
    {.type = YAML_END},
};

static const struct yaml_field HOP_FIELDS[] = {
    {.key = "rtt", .type = YAML_TIME, .offset = HOP_AT(rtt_ns)},
    {.key = "one_way_delay", .type = YAML_TIME, .offset = HOP_AT(one_way_delay_ns)},
    {.key = "down", .type = YAML_MAP, .offset = HOP_AT(down), .required = true, .fields = SIDE_FIELDS},
    {.key = "up", .type = YAML_MAP, .offset = HOP_AT(up), .required = true, .fields = SIDE_FIELDS},
    {.type = YAML_LINE, .offset = HOP_AT(line)},
    {.type = YAML_END},
};

static const struct network_hop HOP_DEFAULT = {.rtt_ns = -1, .one_way_delay_ns = -1};

static const struct yaml_field FIELDS[] = {
    {.key = "name", .type = YAML_TEXT, .offset = AT(name), .required = true},
    {.key = "description", .type = YAML_TEXT, .offset = AT(description)},
    {.key = "rtt", .type = YAML_TIME, .offset = AT(rtt_ns)},
    {.key = "one_way_delay", .type = YAML_TIME, .offset = AT(one_way_delay_ns)},
    {.key = "rtt_range", .type = YAML_MAP, .offset = AT(rtt_range), .fields = TIME_RANGE_FIELDS},
    {.key = "down", .type = YAML_MAP, .offset = AT(down), .required = true, .fields = SIDE_FIELDS},
    {.key = "up", .type = YAML_MAP, .offset = AT(up), .required = true, .fields = SIDE_FIELDS},
    {.key = "mtu", .type = YAML_SIZE, .offset = AT(mtu_bytes)},
    {.key = "counts", .type = YAML_CHOICE, .offset = AT(counts), .choices = COUNTS},
    {.key = "beyond",
     .type = YAML_LIST,
     .offset = AT(beyond),
     .fields = HOP_FIELDS,
     .item_size = sizeof(struct network_hop),
     .item_default = &HOP_DEFAULT},
    {.type = YAML_END},
};

void network_profile_init(struct network_profile *n)
{
    *n = (struct network_profile){
        .rtt_ns = -1, .one_way_delay_ns = -1, .mtu_bytes = 1500, .counts = NETWORK_COUNTS_ETHERNET};
}

void network_profile_clear(struct network_profile *n)
{
    yaml_clear(FIELDS, n);
}

static bool check_lost_packets(const GArray *list, const struct yaml_doc *doc, GError **error)
{
    double last = 0;

    for (guint i = 0; list && i < list->len; i++) {
        const struct yaml_number *n = &g_array_index(list, struct yaml_number, i);

        if (n->value <= last || n->value != floor(n->value))
            return yaml_fail(doc, n->line, error,
                             "network: lost_packets must be whole numbers from 1, ascending");
        last = n->value;
    }
    return true;
}

static bool holds(const struct network_range *r, int64_t value)
{
    return (r->low == 0 && r->high == 0) || (r->low <= value && value <= r->high);
}

/* A value lies in its range. */
static bool check_ranges(const struct network_direction *d, const char *name, int line,
                         const struct yaml_doc *doc, GError **error)
{
    const struct network_share_range *loss = &d->loss_range;

    if (!holds(&d->rate_range, d->rate_bps) || (d->rate_range.high > 0 && d->rate_range.low < 1))
        return yaml_fail(doc, line, error, "network: %s: rate_range must hold the rate", name);
    if (!holds(&d->queue_range, d->queue_bytes))
        return yaml_fail(doc, line, error, "network: %s: queue_range must hold the queue", name);
    if (loss->high > 0 && (loss->low > d->loss || loss->high < d->loss || loss->high >= 1))
        return yaml_fail(doc, line, error, "network: %s: loss_range must hold the loss", name);
    return true;
}

static bool check_side(const struct network_direction *d, const char *name, int line,
                       const struct yaml_doc *doc, GError **error)
{
    const struct network_bursts *b = &d->bursts;

    if (d->rate_bps < 1 || d->rate_bps > INT64_C(1000000000000))
        return yaml_fail(doc, line, error, "network: %s: rate must be between 1 bit/s and 1000 Gbit/s", name);
    if (d->loss >= 1)
        return yaml_fail(doc, line, error, "network: %s: loss must be below 100 %%", name);
    if (b->enter > 1 || b->leave > 1 || b->loss > 1 || (b->enter > 0 && b->leave <= 0))
        return yaml_fail(doc, line, error,
                         "network: %s: burst_loss: shares up to 100 %%, and leave above 0 %%", name);
    if (d->reordering.share > 1)
        return yaml_fail(doc, line, error, "network: %s: reordering: a share is at most 100 %%", name);
    if (d->cross_traffic >= 1)
        return yaml_fail(doc, line, error, "network: %s: cross_traffic must be below 100 %% of the rate",
                         name);
    return check_ranges(d, name, line, doc, error) && check_lost_packets(d->lost_packets, doc, error);
}

/* The delay is given once, either way. */
static bool check_hop(int64_t rtt_ns, int64_t one_way_ns, const struct network_direction *down,
                      const struct network_direction *up, int line, const struct yaml_doc *doc,
                      GError **error)
{
    if ((rtt_ns < 0) == (one_way_ns < 0))
        return yaml_fail(doc, line, error, "network: give the delay once, as rtt or as one_way_delay");
    return check_side(down, "down", line, doc, error) && check_side(up, "up", line, doc, error);
}

bool network_profile_bind(struct network_profile *n, struct yaml_doc *doc, GError **error)
{
    int line = yaml_line(doc, "network");

    if (!yaml_bind(doc, "network", FIELDS, n, error))
        return false;
    if (n->mtu_bytes < 576 || n->mtu_bytes > 65535)
        return yaml_fail(doc, line, error, "network: mtu must be between 576 B and 65535 B");
    if (!check_hop(n->rtt_ns, n->one_way_delay_ns, &n->down, &n->up, line, doc, error))
        return false;
    if (!holds(&n->rtt_range, n->rtt_ns))
        return yaml_fail(doc, line, error, "network: rtt_range must hold the rtt");
    for (guint i = 0; n->beyond && i < n->beyond->len; i++) {
        const struct network_hop *h = &g_array_index(n->beyond, struct network_hop, i);

        if (!check_hop(h->rtt_ns, h->one_way_delay_ns, &h->down, &h->up, h->line, doc, error))
            return false;
    }
    return true;
}

guint network_hop_count(const struct network_profile *n)
{
    return 1 + (n->beyond ? n->beyond->len : 0);
}

static const struct network_hop *hop_beyond(const struct network_profile *n, guint i)
{
    return &g_array_index(n->beyond, struct network_hop, i - 1);
}

const struct network_direction *network_hop_direction(const struct network_profile *n, guint i, bool down)
{
    if (i == 0)
        return down ? &n->down : &n->up;
    return down ? &hop_beyond(n, i)->down : &hop_beyond(n, i)->up;
}

int64_t network_hop_delay_ns(const struct network_profile *n, guint i)
{
    int64_t rtt_ns = i == 0 ? n->rtt_ns : hop_beyond(n, i)->rtt_ns;
    int64_t one_way_ns = i == 0 ? n->one_way_delay_ns : hop_beyond(n, i)->one_way_delay_ns;

    return one_way_ns >= 0 ? one_way_ns : rtt_ns / 2;
}

int64_t network_one_way_ns(const struct network_profile *n)
{
    int64_t sum = 0;

    for (guint i = 0; i < network_hop_count(n); i++)
        sum += network_hop_delay_ns(n, i);
    return sum;
}

static bool is_uncertain(const struct network_direction *d)
{
    return d->rate_range.high > 0 || d->queue_range.high > 0 || d->loss_range.high > 0;
}

/* `z` is standard normal: one draw moves all values that belong together. */
static double drawn(double value, double low, double high, double z)
{
    const double reach = 1.959963984540054; /* standard deviations to either end of a 95 % interval */
    double sd = (z < 0 ? value - low : high - value) / reach;

    return high > 0 ? value + z * sd : value;
}

static void draw_direction(struct network_direction *d, double rate_z, gsl_rng *rng)
{
    double queue_z = gsl_ran_ugaussian(rng), loss_z = gsl_ran_ugaussian(rng);

    d->rate_bps = MAX(
        (int64_t)drawn((double)d->rate_bps, (double)d->rate_range.low, (double)d->rate_range.high, rate_z),
        1);
    d->queue_bytes = MAX((int64_t)drawn((double)d->queue_bytes, (double)d->queue_range.low,
                                        (double)d->queue_range.high, queue_z),
                         0);
    d->loss = CLAMP(drawn(d->loss, d->loss_range.low, d->loss_range.high, loss_z), 0, 0.999);
}

void network_profile_draw(const struct network_profile *n, uint64_t seed, uint64_t run,
                          struct network_profile *out)
{
    gsl_rng *rng;
    double rate_z;

    *out = *n;
    if (run == 0 || !(n->rtt_range.high > 0 || is_uncertain(&n->down) || is_uncertain(&n->up)))
        return;
    rng = rng_stream(seed, run, "network/ranges");
    if (n->rtt_ns >= 0)
        out->rtt_ns = MAX((int64_t)drawn((double)n->rtt_ns, (double)n->rtt_range.low,
                                         (double)n->rtt_range.high, gsl_ran_ugaussian(rng)),
                          0);
    rate_z = gsl_ran_ugaussian(rng);
    draw_direction(&out->down, rate_z, rng);
    draw_direction(&out->up, rate_z, rng);
    gsl_rng_free(rng);
}

bool network_is_random(const struct network_profile *n)
{
    if (n->rtt_range.high > 0)
        return true;
    for (guint i = 0; i < 2 * network_hop_count(n); i++) {
        const struct network_direction *d = network_hop_direction(n, i / 2, i % 2);

        if (d->loss > 0 || d->bursts.enter > 0 || d->jitter_ns > 0 || d->reordering.share > 0 ||
            d->cross_traffic > 0 || is_uncertain(d))
            return true;
    }
    return false;
}

int64_t network_counted_bytes(int counts, int64_t ip_bytes)
{
    switch (counts) {
    case NETWORK_COUNTS_ETHERNET:
        return ip_bytes + 14;
    case NETWORK_COUNTS_WIRE:
        return MAX(ip_bytes + 38, 84);
    default:
        return ip_bytes;
    }
}
