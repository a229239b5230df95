#include "replay/pcapng.h"

#include <string.h>

enum {
    BLOCK_SECTION = PCAPNG_MAGIC,
    BLOCK_INTERFACE = 1,
    BLOCK_PACKET = 2, /* obsolete */
    BLOCK_SIMPLE_PACKET = 3,
    BLOCK_STATISTICS = 5,
    BLOCK_ENHANCED_PACKET = 6,
    BLOCK_SECRETS = 10,
    BLOCK_HEAD = 8,   /* type and length */
    BLOCK_FRAME = 12, /* and the length again at the end */
    BLOCK_MAX = 1 << 24,
    SECTION_MIN = 28,
    SECRETS_KINDS = 8,
};

struct pcapng {
    struct byte_window *window; /* borrowed */
    struct pcapng_interfaces interfaces;
    GArray *secrets; /* of struct pcapng_secrets */
    int64_t last_ns;
    bool big_endian;
    bool foreign; /* in a section of another version */
    bool cut;
    uint64_t frames;
    uint64_t gaps;         /* places where blocks didn't join */
    uint64_t bad_blocks;   /* whole ones with a body that can't be */
    uint64_t no_interface; /* frames that name none that was described */
    uint64_t timeless;
    uint64_t foreign_sections;
};

struct block {
    uint32_t type;
    struct cursor body;
};

/* ---- blocks -------------------------------------------------------------------------------------------------------- */

/* Section headers say in which order the bytes of all that follows stand, their own length included. */
static bool section_order(const uint8_t *head, bool *big_endian)
{
    static const uint8_t BIG[] = {0x1a, 0x2b, 0x3c, 0x4d}, LITTLE[] = {0x4d, 0x3c, 0x2b, 0x1a};

    *big_endian = memcmp(head + BLOCK_HEAD, BIG, sizeof BIG) == 0;
    return *big_endian || memcmp(head + BLOCK_HEAD, LITTLE, sizeof LITTLE) == 0;
}

static uint32_t number_at(const uint8_t *at, bool big_endian)
{
    struct cursor c = cursor_over(at, 4);

    return pcapng_u32(&c, big_endian);
}

/* Whether a whole block begins here. Of one that doesn't, the length is taken for wrong, or the file for cut within it. */
static bool take_block(struct pcapng *p, struct block *b)
{
    const uint8_t *head = byte_window_need(p->window, BLOCK_FRAME);
    bool big_endian = p->big_endian;
    uint32_t length;

    if (!head)
        return false;
    b->type = number_at(head, big_endian);
    if (b->type == BLOCK_SECTION && !section_order(head, &big_endian))
        return false;
    length = number_at(head + 4, big_endian);
    if (length < (b->type == BLOCK_SECTION ? SECTION_MIN : BLOCK_FRAME) || length > BLOCK_MAX ||
        length % 4 != 0)
        return false;
    head = byte_window_need(p->window, length);
    if (!head || number_at(head + length - 4, big_endian) != length)
        return false;
    p->big_endian = big_endian;
    b->body = cursor_over(head + BLOCK_HEAD, length - BLOCK_FRAME);
    byte_window_skip(p->window, length);
    return true;
}

/* The least length of the blocks that a search may end at; 0 for others, of which padding and chance make too many. */
static uint32_t sure_length(uint32_t type)
{
    switch (type) {
    case BLOCK_SECTION:
        return SECTION_MIN;
    case BLOCK_INTERFACE:
        return 20;
    case BLOCK_PACKET:
    case BLOCK_ENHANCED_PACKET:
        return 32;
    case BLOCK_SIMPLE_PACKET:
        return 16;
    default:
        return 0;
    }
}

/* Byte by byte: what follows a cut file that another was appended to stands anywhere. */
static bool find_block(struct pcapng *p, struct block *b)
{
    const uint8_t *head;

    while ((head = byte_window_need(p->window, BLOCK_FRAME)) != NULL) {
        uint32_t least = sure_length(number_at(head, p->big_endian));

        if (least > 0 && number_at(head + 4, p->big_endian) >= least && take_block(p, b))
            return true;
        byte_window_skip(p->window, 1);
    }
    return false;
}

static bool next_block(struct pcapng *p, struct block *b)
{
    if (take_block(p, b))
        return true;
    if (byte_window_left(p->window) == 0)
        return false;
    if (find_block(p, b)) {
        p->gaps++;
        return true;
    }
    p->cut = true;
    return false;
}

/* ---- what they say -------------------------------------------------------------------------------------------------- */

static void read_section(struct pcapng *p, struct cursor body)
{
    cursor_skip(&body, 4);
    p->foreign = pcapng_u16(&body, p->big_endian) != 1;
    p->foreign_sections += p->foreign;
    pcapng_interfaces_new_section(&p->interfaces);
}

static void read_secrets(struct pcapng *p, struct cursor body)
{
    struct pcapng_secrets fresh = {pcapng_u32(&body, p->big_endian), 1};

    for (guint i = 0; i < p->secrets->len; i++) {
        struct pcapng_secrets *s = &g_array_index(p->secrets, struct pcapng_secrets, i);

        if (s->kind == fresh.kind || i + 1 == SECRETS_KINDS) {
            s->blocks++;
            return;
        }
    }
    g_array_append_val(p->secrets, fresh);
}

static void read_frame_options(struct pcapng *p, struct cursor options, struct pcapng_interface *fact,
                               struct pcapng_frame *f)
{
    enum { FLAGS = 2, DROPS = 4, DIRECTION = 3 };
    struct cursor value;
    uint16_t code;

    while (options.left >= 4 && pcapng_option(&options, p->big_endian, &code, &value)) {
        if (code == FLAGS && value.left >= 4) {
            uint32_t direction = pcapng_u32(&value, p->big_endian) & DIRECTION;

            f->heading = direction == 1 ? FRAME_INBOUND : direction == 2 ? FRAME_OUTBOUND : FRAME_ANYWHERE;
        }
        if (code == DROPS && value.left >= 8 && fact) {
            uint64_t drops = pcapng_u64(&value, p->big_endian);

            fact->missing += MIN(drops, UINT32_MAX);
            fact->counts_drops = true;
        }
    }
}

/* Both kinds with times; they differ in what stands before those. */
static bool read_packet(struct pcapng *p, struct cursor body, uint32_t interface, uint32_t drops,
                        struct pcapng_frame *f)
{
    struct pcapng_decoding *d = pcapng_interfaces_get(&p->interfaces, interface);
    struct pcapng_interface *fact = d ? pcapng_interfaces_fact(&p->interfaces, d) : NULL;
    uint64_t ticks = (uint64_t)pcapng_u32(&body, p->big_endian) << 32;

    ticks |= pcapng_u32(&body, p->big_endian);
    f->captured = pcapng_u32(&body, p->big_endian);
    f->wire = pcapng_u32(&body, p->big_endian);
    f->wire = MAX(f->wire, f->captured);
    f->bytes = cursor_bytes(&body, f->captured);
    if (!cursor_ok(&body))
        return false;
    cursor_skip(&body, MIN((size_t)(-f->captured & 3), body.left));
    f->interface = fact;
    f->timed = d != NULL;
    f->heading = FRAME_ANYWHERE;
    if (body.left > 0)
        read_frame_options(p, body, fact, f);
    p->no_interface += !d;
    if (fact) {
        fact->frames++;
        fact->missing += drops;
        p->last_ns = pcapng_time_ns(d, ticks);
    }
    f->time_unix_ns = p->last_ns;
    return true;
}

static bool read_enhanced_packet(struct pcapng *p, struct cursor body, struct pcapng_frame *f)
{
    uint32_t interface = pcapng_u32(&body, p->big_endian);

    return read_packet(p, body, interface, 0, f);
}

static bool read_old_packet(struct pcapng *p, struct cursor body, struct pcapng_frame *f)
{
    uint16_t interface = pcapng_u16(&body, p->big_endian);
    uint16_t drops = pcapng_u16(&body, p->big_endian);

    return read_packet(p, body, interface, drops == UINT16_MAX ? 0 : drops, f); /* all ones: not known */
}

/* What was captured isn't said: it is the least of the frame's length, the snap length and the block. */
static bool read_simple_packet(struct pcapng *p, struct cursor body, struct pcapng_frame *f)
{
    struct pcapng_decoding *d = pcapng_interfaces_get(&p->interfaces, 0);
    struct pcapng_interface *fact = d ? pcapng_interfaces_fact(&p->interfaces, d) : NULL;

    f->wire = pcapng_u32(&body, p->big_endian);
    if (!cursor_ok(&body))
        return false;
    f->captured = (uint32_t)MIN(f->wire, body.left);
    if (d && d->snap_length > 0)
        f->captured = MIN(f->captured, d->snap_length);
    f->bytes = cursor_bytes(&body, f->captured);
    f->interface = fact;
    f->heading = FRAME_ANYWHERE;
    f->timed = false;
    f->time_unix_ns = p->last_ns;
    p->timeless++;
    p->no_interface += !d;
    if (fact)
        fact->frames++;
    return true;
}

/* True when the block is a frame. */
static bool read_block(struct pcapng *p, const struct block *b, struct pcapng_frame *f)
{
    bool good = true;

    if (b->type == BLOCK_SECTION)
        read_section(p, b->body);
    else if (p->foreign)
        return false;
    else if (b->type == BLOCK_ENHANCED_PACKET)
        good = read_enhanced_packet(p, b->body, f);
    else if (b->type == BLOCK_PACKET)
        good = read_old_packet(p, b->body, f);
    else if (b->type == BLOCK_SIMPLE_PACKET)
        good = read_simple_packet(p, b->body, f);
    else if (b->type == BLOCK_INTERFACE)
        good = pcapng_interfaces_describe(&p->interfaces, b->body, p->big_endian);
    else if (b->type == BLOCK_STATISTICS)
        good = pcapng_interfaces_statistics(&p->interfaces, b->body, p->big_endian);
    else if (b->type == BLOCK_SECRETS)
        read_secrets(p, b->body);
    p->bad_blocks += !good;
    return good &&
           (b->type == BLOCK_ENHANCED_PACKET || b->type == BLOCK_PACKET || b->type == BLOCK_SIMPLE_PACKET);
}

bool pcapng_next(struct pcapng *p, struct pcapng_frame *frame)
{
    struct block b;

    while (next_block(p, &b)) {
        if (read_block(p, &b, frame)) {
            p->frames++;
            return true;
        }
    }
    return false;
}

/* ---- the whole ------------------------------------------------------------------------------------------------------- */

struct pcapng *pcapng_new(struct byte_window *window)
{
    struct pcapng *p = g_new0(struct pcapng, 1);
    struct block b;

    p->window = window;
    p->secrets = g_array_new(FALSE, FALSE, sizeof(struct pcapng_secrets));
    pcapng_interfaces_init(&p->interfaces);
    if (take_block(p, &b) && b.type == BLOCK_SECTION) {
        read_section(p, b.body);
        if (!p->foreign)
            return p;
    }
    pcapng_free(p);
    return NULL;
}

void pcapng_free(struct pcapng *p)
{
    if (!p)
        return;
    pcapng_interfaces_fini(&p->interfaces);
    g_array_unref(p->secrets);
    g_free(p);
}

bool pcapng_is_cut(const struct pcapng *p)
{
    return p->cut;
}

const GPtrArray *pcapng_interfaces(const struct pcapng *p)
{
    return p->interfaces.facts;
}

const GArray *pcapng_secrets(const struct pcapng *p)
{
    return p->secrets;
}

const char *pcapng_secrets_name(uint32_t kind)
{
    switch (kind) {
    case 0x544c534b:
        return "TLS keys";
    case 0x5353484b:
        return "SSH keys";
    case 0x57474b4c:
        return "WireGuard keys";
    case 0x5a4e574b:
        return "ZigBee network keys";
    case 0x5a415053:
        return "ZigBee application keys";
    case 0x55414b4c:
        return "OPC UA keys";
    default:
        return NULL;
    }
}

static void warn_count(GPtrArray *to, const char *path, uint64_t count, const char *one, const char *many)
{
    if (count > 0)
        g_ptr_array_add(
            to, g_strdup_printf("%s: %" G_GUINT64_FORMAT " %s", path, count, count == 1 ? one : many));
}

void pcapng_warnings(const struct pcapng *p, const char *path, GPtrArray *to)
{
    warn_count(to, path, p->gaps, "place is damaged: reading went on at the next whole block",
               "places are damaged: reading went on at the next whole block each time");
    warn_count(to, path, p->bad_blocks, "block says impossible things and was left out",
               "blocks say impossible things and were left out");
    warn_count(to, path, p->no_interface, "frame names an interface that the file doesn't describe",
               "frames name interfaces that the file doesn't describe");
    warn_count(to, path, p->timeless, "frame carries no time and got that of the frame before",
               "frames carry no time and got that of the frame before");
    warn_count(to, path, p->foreign_sections, "section is of another version of pcapng and was left out",
               "sections are of another version of pcapng and were left out");
    if (p->cut)
        g_ptr_array_add(
            to, g_strdup_printf("%s: is cut or damaged after frame %" G_GUINT64_FORMAT, path, p->frames));
}
