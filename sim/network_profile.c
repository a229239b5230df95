#include "sim/profile.h"
#include "base/error.h"
#include "base/units.h"

#define AT(member)      offsetof(struct network_profile, member)
#define SIDE_AT(member) offsetof(struct network_direction, member)

static const char *const COUNTS[] = {"ip", "ethernet", "wire", NULL};

static const struct yaml_field SIDE_FIELDS[] = {
    {.key = "rate", .type = YAML_RATE, .offset = SIDE_AT(rate_bps), .required = true},
    {.key = "queue", .type = YAML_SIZE, .offset = SIDE_AT(queue_bytes), .required = true},
    {.key = "loss", .type = YAML_PERCENT, .offset = SIDE_AT(loss)},
    {.key = "packets_per_ms", .type = YAML_COUNT, .offset = SIDE_AT(packets_per_ms)},
    {.type = YAML_END},
};

static const struct yaml_field FIELDS[] = {
    {.key = "name", .type = YAML_TEXT, .offset = AT(name), .required = true},
    {.key = "description", .type = YAML_TEXT, .offset = AT(description)},
    {.key = "rtt", .type = YAML_TIME, .offset = AT(rtt_ns)},
    {.key = "one_way_delay", .type = YAML_TIME, .offset = AT(one_way_delay_ns)},
    {.key = "down", .type = YAML_MAP, .offset = AT(down), .required = true, .fields = SIDE_FIELDS},
    {.key = "up", .type = YAML_MAP, .offset = AT(up), .required = true, .fields = SIDE_FIELDS},
    {.key = "mtu", .type = YAML_SIZE, .offset = AT(mtu_bytes)},
    {.key = "counts", .type = YAML_CHOICE, .offset = AT(counts), .choices = COUNTS},
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

static bool fail(const struct yaml_doc *doc, GError **error, const char *what)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s:%d: network: %s", yaml_name(doc),
                yaml_line(doc, "network"), what);
    return false;
}

static bool check_side(const struct network_direction *d, const char *name, const struct yaml_doc *doc,
                       GError **error)
{
    g_autofree char *what = NULL;

    if (d->rate_bps < 1 || d->rate_bps > INT64_C(1000000000000))
        what = g_strdup_printf("%s: rate must be between 1 bit/s and 1000 Gbit/s", name);
    else if (d->loss >= 1)
        what = g_strdup_printf("%s: loss must be below 100 %%", name);
    else
        return true;
    return fail(doc, error, what);
}

bool network_profile_bind(struct network_profile *n, struct yaml_doc *doc, GError **error)
{
    if (!yaml_bind(doc, "network", FIELDS, n, error))
        return false;
    if ((n->rtt_ns < 0) == (n->one_way_delay_ns < 0))
        return fail(doc, error, "give the delay once, as rtt or as one_way_delay");
    if (n->mtu_bytes < 576 || n->mtu_bytes > 65535)
        return fail(doc, error, "mtu must be between 576 B and 65535 B");
    return check_side(&n->down, "down", doc, error) && check_side(&n->up, "up", doc, error);
}

int64_t network_one_way_ns(const struct network_profile *n)
{
    return n->one_way_delay_ns >= 0 ? n->one_way_delay_ns : n->rtt_ns / 2;
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
