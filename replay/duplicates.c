#include "replay/duplicates.h"
#include "replay/cursor.h"

#include <string.h>

enum { ENTRIES = 1024, SENDERS = 256 };

/* Places are shared by what hashes to them: the latest stays. */
struct duplicates_entry {
    uint64_t print; /* of what has to be the same; 0: empty */
    int64_t time_ns;
    uint16_t way;   /* TTL and link header; 0 where the id tells */
    uint16_t check; /* the TCP checksum */
};

struct duplicates_sender {
    uint64_t ends;
    uint64_t print; /* of its last packet */
    uint16_t id;
    bool constant; /* the id is the same in different packets */
};

void duplicates_init(struct duplicates *d)
{
    d->entries = g_new0(struct duplicates_entry, ENTRIES);
    d->senders = g_new0(struct duplicates_sender, SENDERS);
}

void duplicates_fini(struct duplicates *d)
{
    g_clear_pointer(&d->entries, g_free);
    g_clear_pointer(&d->senders, g_free);
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15;
    return hash ^ hash >> 29;
}

/* Eight bytes at a time, and the rest at once. */
static uint64_t mix_rest(uint64_t hash, struct cursor c)
{
    uint64_t rest = c.left;

    while (c.left >= 8)
        hash = mix(hash, cursor_be64(&c));
    if (c.left >= 4)
        rest = rest << 32 | cursor_be32(&c);
    if (c.left >= 2)
        rest = rest << 16 | cursor_be16(&c);
    if (c.left > 0)
        rest = rest << 8 | cursor_u8(&c);
    return mix(hash, rest);
}

static uint64_t ends_hash(const struct frame *f)
{
    struct cursor from = cursor_over(f->from.address, sizeof f->from.address);
    struct cursor to = cursor_over(f->to.address, sizeof f->to.address);
    uint64_t hash = (uint64_t)f->from.port << 16 | f->to.port;

    if (!f->ipv6)
        return mix(hash, (uint64_t)cursor_be32(&from) << 32 | cursor_be32(&to));
    return mix_rest(mix_rest(hash, from), to);
}

/* The TCP header and the lengths, without the checksum, which is returned. */
static uint64_t segment_hash(uint64_t ends, const struct frame *f, uint16_t *checksum)
{
    uint64_t hash = mix(ends, (uint64_t)f->seq << 32 | f->ack);
    struct cursor tcp = cursor_over(f->tcp, f->tcp_seen);

    cursor_skip(&tcp, 12); /* ports and numbers */
    hash = mix(hash, (uint64_t)f->payload_bytes << 32 | cursor_be32(&tcp));
    *checksum = cursor_be16(&tcp);
    return mix_rest(hash, tcp);
}

/* Whether the sender's ids tell its packets apart. */
static bool id_counts(struct duplicates *d, uint64_t ends, uint64_t print, const struct frame *f)
{
    struct duplicates_sender *s = &d->senders[ends % SENDERS];

    if (s->ends != ends)
        *s = (struct duplicates_sender){.ends = ends};
    else if (s->id != f->ip_id)
        s->constant = false;
    else if (s->print != print)
        s->constant = true;
    s->id = f->ip_id;
    s->print = print;
    return f->ip_id != 0 && !s->constant;
}

bool duplicates_seen(struct duplicates *d, const struct frame *f, int64_t time_ns)
{
    struct duplicates_entry fresh = {.time_ns = time_ns};
    uint64_t ends = ends_hash(f), segment = segment_hash(ends, f, &fresh.check);
    bool counts = id_counts(d, ends, segment, f), seen;
    struct duplicates_entry *e;
    int64_t apart;

    fresh.print = (counts ? mix(segment, f->ip_id) : segment) | 1;
    if (!counts)
        fresh.way = (uint16_t)mix_rest(f->ttl, cursor_over(f->link, f->link_seen));
    e = &d->entries[(fresh.print >> 1) % ENTRIES];
    apart = e->time_ns > time_ns ? e->time_ns - time_ns : time_ns - e->time_ns;
    seen = e->print == fresh.print && apart <= DUPLICATES_ID_NS;
    if (seen && !counts) {
        bool may_come_again = f->payload_bytes == 0 && !(f->flags & (FRAME_SYN | FRAME_FIN));

        seen = e->check == fresh.check &&
               (e->way != fresh.way || (!may_come_again && apart <= DUPLICATES_PLAIN_NS));
    }
    if (!seen)
        *e = fresh;
    return seen;
}
