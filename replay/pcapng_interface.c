#include "replay/pcapng_interface.h"
#include "base/units.h"

#include <string.h>

/* A frame names its interface with 32 bits, but nobody has more than these; nor does anybody read more than these lines. */
enum { SECTION_MAX = 1 << 16, FACTS_MAX = 1024, NAME_MAX_BYTES = 64 };

bool pcapng_option(struct cursor *options, bool big_endian, uint16_t *code, struct cursor *value)
{
    uint16_t length;
    const uint8_t *bytes;

    *code = pcapng_u16(options, big_endian);
    length = pcapng_u16(options, big_endian);
    bytes = cursor_bytes(options, length);
    if (!bytes || *code == 0)
        return false;
    *value = cursor_over(bytes, length);
    cursor_skip(options, MIN((size_t)(-length & 3), options->left)); /* padding */
    return true;
}

static void interface_free(gpointer data)
{
    struct pcapng_interface *i = data;

    g_free(i->name);
    g_free(i);
}

void pcapng_interfaces_init(struct pcapng_interfaces *t)
{
    t->facts = g_ptr_array_new_with_free_func(interface_free);
    t->sections = 0;
    t->section = g_array_new(FALSE, TRUE, sizeof(struct pcapng_decoding));
}

void pcapng_interfaces_fini(struct pcapng_interfaces *t)
{
    g_clear_pointer(&t->facts, g_ptr_array_unref);
    g_clear_pointer(&t->section, g_array_unref);
}

void pcapng_interfaces_new_section(struct pcapng_interfaces *t)
{
    g_array_set_size(t->section, 0);
    t->sections++;
}

/* Names go to terminals, and a stranger wrote them. */
static char *clean_name(struct cursor value)
{
    size_t length = MIN(value.left, NAME_MAX_BYTES);
    const uint8_t *bytes = cursor_bytes(&value, length);
    char *name = bytes ? g_utf8_make_valid((const char *)bytes, (gssize)length) : NULL;

    for (char *c = name; c && *c; c++) {
        if (g_ascii_iscntrl(*c))
            *c = '?';
    }
    return name;
}

static guint fact_of(struct pcapng_interfaces *t, char *name, uint16_t link_type)
{
    struct pcapng_interface *fact;

    for (guint i = 0; i < t->facts->len; i++) {
        fact = g_ptr_array_index(t->facts, i);
        if ((fact->link_type == link_type && g_strcmp0(fact->name, name) == 0) || i + 1 == FACTS_MAX) {
            g_free(name);
            return i;
        }
    }
    fact = g_new0(struct pcapng_interface, 1);
    fact->name = name;
    fact->link_type = link_type;
    g_ptr_array_add(t->facts, fact);
    return t->facts->len - 1;
}

bool pcapng_interfaces_describe(struct pcapng_interfaces *t, struct cursor body, bool big_endian)
{
    enum { NAME = 2, RESOLUTION = 9, OFFSET = 14 };
    struct pcapng_decoding d = {.exponent = 6};
    struct cursor value;
    char *name = NULL;
    uint16_t code;

    d.link_type = pcapng_u16(&body, big_endian);
    cursor_skip(&body, 2);
    d.snap_length = pcapng_u32(&body, big_endian);
    if (!cursor_ok(&body) || t->section->len >= SECTION_MAX)
        return false;
    while (pcapng_option(&body, big_endian, &code, &value)) {
        if (code == NAME && !name)
            name = clean_name(value);
        if (code == RESOLUTION && value.left >= 1) {
            uint8_t resolution = cursor_u8(&value);

            d.binary = (resolution & 0x80) != 0;
            d.exponent = resolution & 0x7f;
        }
        if (code == OFFSET && value.left >= 8)
            d.offset_s = (int64_t)pcapng_u64(&value, big_endian);
    }
    d.fact = fact_of(t, name, d.link_type);
    g_array_append_val(t->section, d);
    return true;
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > (uint64_t)INT64_MAX - MIN(b, (uint64_t)INT64_MAX) ? (uint64_t)INT64_MAX : a + b;
}

/* Counts run from the start of the capture: a later block of the same interface includes the earlier, and so does that of the
 * next piece of a ring buffer, which says that it counts since the same time. */
static void count_drops(struct pcapng_interfaces *t, struct pcapng_decoding *d, uint64_t since,
                        uint64_t dropped)
{
    struct pcapng_interface *fact = pcapng_interfaces_fact(t, d);
    bool goes_on = since != 0 && since == fact->since && fact->section != t->sections;
    uint64_t known = d->counted ? d->dropped : goes_on ? fact->counted : 0;

    fact->counts_drops = true;
    fact->dropped = add_saturated(fact->dropped, dropped > known ? dropped - known : 0);
    fact->since = since;
    fact->counted = dropped;
    fact->section = t->sections;
    d->dropped = dropped;
    d->counted = true;
}

bool pcapng_interfaces_statistics(struct pcapng_interfaces *t, struct cursor body, bool big_endian)
{
    enum { START = 2, BY_INTERFACE = 5, BY_SYSTEM = 7 };
    struct pcapng_decoding *d = pcapng_interfaces_get(t, pcapng_u32(&body, big_endian));
    struct cursor value;
    uint64_t dropped = 0, since = 0;
    bool counts = false;
    uint16_t code;

    cursor_skip(&body, 8);
    if (!cursor_ok(&body) || !d)
        return false;
    while (pcapng_option(&body, big_endian, &code, &value)) {
        if (code == START && value.left >= 8) {
            since = (uint64_t)pcapng_u32(&value, big_endian) << 32;
            since |= pcapng_u32(&value, big_endian);
        }
        if ((code == BY_INTERFACE || code == BY_SYSTEM) && value.left >= 8) {
            dropped = add_saturated(dropped, pcapng_u64(&value, big_endian));
            counts = true;
        }
    }
    if (counts)
        count_drops(t, d, since, dropped);
    return true;
}

struct pcapng_decoding *pcapng_interfaces_get(struct pcapng_interfaces *t, uint32_t number)
{
    return number < t->section->len ? &g_array_index(t->section, struct pcapng_decoding, number) : NULL;
}

struct pcapng_interface *pcapng_interfaces_fact(struct pcapng_interfaces *t, const struct pcapng_decoding *d)
{
    return g_ptr_array_index(t->facts, d->fact);
}

/* ---- time ------------------------------------------------------------------------------------------------------- */

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;

    while (exponent-- > 0)
        power *= 10;
    return power;
}

static uint64_t decimal_ns(uint64_t ticks, unsigned exponent)
{
    enum { NS = 9, DIGITS = 19 }; /* of 64 bits */
    uint64_t scale;

    if (exponent > NS)
        return exponent - NS > DIGITS ? 0 : ticks / power_of_ten(exponent - NS);
    scale = power_of_ten(NS - exponent);
    return ticks > (uint64_t)INT64_MAX / scale ? (uint64_t)INT64_MAX : ticks * scale;
}

/* ticks * 10^9 / 2^exponent, without the 94 bits that it takes at once. */
static uint64_t binary_ns(uint64_t ticks, unsigned exponent)
{
    uint64_t seconds = exponent < 64 ? ticks >> exponent : 0;
    uint64_t fraction = exponent < 64 ? ticks - (seconds << exponent) : ticks;
    uint64_t high = (fraction >> 32) * NS_PER_S, low = (fraction & UINT32_MAX) * NS_PER_S;

    if (seconds > INT64_MAX / NS_PER_S - 1)
        return INT64_MAX;
    if (exponent <= 32)
        return seconds * NS_PER_S + (low >> exponent); /* the fraction has no high part */
    high += low >> 32;
    return seconds * NS_PER_S + (exponent - 32 < 64 ? high >> (exponent - 32) : 0);
}

int64_t pcapng_time_ns(const struct pcapng_decoding *d, uint64_t ticks)
{
    const int64_t most_s = INT64_MAX / NS_PER_S;
    int64_t ns = (int64_t)(d->binary ? binary_ns(ticks, d->exponent) : decimal_ns(ticks, d->exponent));
    int64_t offset_ns;

    if (d->offset_s == 0)
        return ns;
    if (d->offset_s < -most_s)
        return INT64_MIN;
    if (d->offset_s > most_s)
        return INT64_MAX;
    offset_ns = d->offset_s * NS_PER_S;
    return offset_ns > 0 && ns > INT64_MAX - offset_ns ? INT64_MAX : ns + offset_ns; /* ns >= 0 */
}
