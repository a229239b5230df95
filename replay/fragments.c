#include "replay/fragments.h"
#include "base/units.h"

#include <string.h>

enum { UNIT = 8, UNITS = 8192, IPV4_HEADER = 20, IPV6_HEADER = 40, PACKET_MAX = 65535 };

enum state { FREE, OPEN, DONE, VOID };

struct fragments_packet {
    enum state state;
    struct frame_end from, to;
    bool ipv6;
    uint8_t protocol, ttl;
    uint32_t id;
    int64_t time_ns; /* of its first fragment; of the last when it is whole */
    uint64_t frames, frame_bytes;
    uint32_t total; /* of its payload; 0: the end wasn't seen */
    uint32_t units; /* there */
    uint32_t cut;   /* the first byte that isn't captured of any fragment */
    GByteArray *data;
    uint8_t there[UNITS / 8];
};

void fragments_init(struct fragments *t, struct ledger *ledger)
{
    memset(t, 0, sizeof *t);
    t->ledger = ledger;
}

static void drop(struct fragments *t, struct fragments_packet *p)
{
    if (p->state == OPEN || p->state == VOID)
        ledger_add(t->ledger, LEDGER_FRAGMENT, p->frames, p->frame_bytes);
    g_clear_pointer(&p->data, g_byte_array_unref);
    p->state = FREE;
}

void fragments_fini(struct fragments *t)
{
    for (int i = 0; t->packets && i < FRAGMENTS_PACKETS; i++)
        drop(t, &t->packets[i]);
    g_clear_pointer(&t->packets, g_free);
    g_clear_pointer(&t->whole, g_byte_array_unref);
}

static bool is_of(const struct fragments_packet *p, const struct frame *f)
{
    return p->state != FREE && p->id == f->fragment.id && p->protocol == f->fragment.protocol &&
           p->ipv6 == f->ipv6 && memcmp(p->from.address, f->from.address, sizeof p->from.address) == 0 &&
           memcmp(p->to.address, f->to.address, sizeof p->to.address) == 0;
}

static bool is_stale(const struct fragments_packet *p, int64_t time_ns)
{
    int64_t limit = p->state == DONE ? FRAGMENTS_ECHO_NS : 30 * NS_PER_S;

    return time_ns < p->time_ns - limit || time_ns - limit > p->time_ns;
}

static void start(struct fragments_packet *p, const struct frame *f, int64_t time_ns)
{
    memset(p, 0, sizeof *p);
    p->state = OPEN;
    p->from = f->from;
    p->to = f->to;
    p->ipv6 = f->ipv6;
    p->protocol = f->fragment.protocol;
    p->ttl = f->ttl;
    p->id = f->fragment.id;
    p->time_ns = time_ns;
    p->cut = UINT32_MAX;
    p->data = g_byte_array_new();
}

/* The packet of this fragment: the one that waits for it, or a new one in the place of a free, a finished or the oldest one. */
static struct fragments_packet *packet_of(struct fragments *t, const struct frame *f, int64_t time_ns)
{
    struct fragments_packet *place;

    if (!t->packets)
        t->packets = g_new0(struct fragments_packet, FRAGMENTS_PACKETS);
    place = &t->packets[0];
    for (int i = 0; i < FRAGMENTS_PACKETS; i++) {
        struct fragments_packet *p = &t->packets[i];

        if (is_of(p, f)) {
            if (!is_stale(p, time_ns))
                return p;
            place = p;
            break;
        }
        if (place->state == FREE)
            continue;
        if (p->state == FREE || p->time_ns < place->time_ns)
            place = p;
    }
    drop(t, place);
    start(place, f, time_ns);
    return place;
}

static bool is_there(const struct fragments_packet *p, uint32_t unit)
{
    return (p->there[unit / 8] >> (unit % 8) & 1) != 0;
}

static uint32_t count_there(const struct fragments_packet *p, uint32_t first, uint32_t end)
{
    uint32_t count = 0;

    for (uint32_t unit = first; unit < end; unit++)
        count += is_there(p, unit);
    return count;
}

static void store(struct fragments_packet *p, const struct frame_fragment *g, uint32_t first, uint32_t end)
{
    uint32_t seen_end = g->offset + g->seen;

    for (uint32_t unit = first; unit < end; unit++)
        p->there[unit / 8] = (uint8_t)(p->there[unit / 8] | 1U << (unit % 8));
    p->units += end - first;
    if (g->seen < g->length)
        p->cut = MIN(p->cut, seen_end);
    if (p->data->len < seen_end) {
        guint before = p->data->len;

        g_byte_array_set_size(p->data, seen_end);
        memset(p->data->data + before, 0, seen_end - before);
    }
    if (g->seen > 0)
        memcpy(p->data->data + g->offset, g->bytes, g->seen);
}

/* Whether it fits to what is there: no end beyond the end, and no part of what came before. */
static bool fits(const struct fragments_packet *p, const struct frame_fragment *g, uint32_t there)
{
    uint32_t end = g->offset + g->length;

    if (there > 0)
        return false;
    if (p->total > 0)
        return g->more ? end <= p->total : end == p->total;
    return g->more || end / UNIT >= p->units;
}

static void put_be16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static void write_header(const struct fragments_packet *p, uint8_t *header)
{
    if (p->ipv6) {
        header[0] = 0x60;
        put_be16(header + 4, p->total);
        header[6] = p->protocol;
        header[7] = p->ttl;
        memcpy(header + 8, p->from.address, 16);
        memcpy(header + 24, p->to.address, 16);
        return;
    }
    header[0] = 0x45;
    put_be16(header + 2, IPV4_HEADER + p->total);
    put_be16(header + 4, p->id);
    header[8] = p->ttl;
    header[9] = p->protocol;
    memcpy(header + 12, p->from.address, 4);
    memcpy(header + 16, p->to.address, 4);
}

static void hand_out(struct fragments *t, struct fragments_packet *p, struct fragments_whole *whole)
{
    uint8_t header[IPV6_HEADER] = {0};
    uint32_t header_bytes = p->ipv6 ? IPV6_HEADER : IPV4_HEADER;
    uint32_t seen = MIN(p->data->len, p->cut);

    write_header(p, header);
    g_byte_array_set_size(p->data, seen);
    g_byte_array_prepend(p->data, header, header_bytes);
    g_clear_pointer(&t->whole, g_byte_array_unref);
    t->whole = g_steal_pointer(&p->data);
    *whole = (struct fragments_whole){t->whole->data, t->whole->len, header_bytes + p->total, p->frames,
                                      p->frame_bytes};
}

bool fragments_add(struct fragments *t, const struct frame *f, uint64_t frame_bytes, int64_t time_ns,
                   struct fragments_whole *whole)
{
    const struct frame_fragment *g = &f->fragment;
    struct fragments_packet *p = packet_of(t, f, time_ns);
    uint32_t first = g->offset / UNIT, end = (g->offset + g->length + UNIT - 1) / UNIT;
    uint32_t there = p->state == DONE ? end - first : count_there(p, first, end);

    if (p->state != VOID && there == end - first) {
        ledger_add(t->ledger, LEDGER_DUPLICATE, 1, frame_bytes);
        return false;
    }
    p->frames++;
    p->frame_bytes += frame_bytes;
    if (p->state == OPEN && !fits(p, g, there)) {
        p->state = VOID;
        g_clear_pointer(&p->data, g_byte_array_unref);
    }
    if (p->state == VOID)
        return false;
    if (!g->more)
        p->total = g->offset + g->length;
    store(p, g, first, end);
    if (p->total == 0 || p->units < (p->total + UNIT - 1) / UNIT)
        return false;
    if (!p->ipv6 && p->total > PACKET_MAX - IPV4_HEADER) {
        p->state = VOID;
        return false;
    }
    hand_out(t, p, whole);
    p->state = DONE;
    p->time_ns = time_ns;
    return true;
}
