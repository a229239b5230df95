#include "replay/frame_layers.h"

#include <string.h>

enum { PACKET_MAX = 65535, EXTENSIONS_MAX = 16 };

/* Whether what these carry may be TCP in the end; of others no fragment is worth keeping. */
static bool may_hold_tcp(uint8_t protocol)
{
    switch (protocol) {
    case PROTOCOL_TCP:
    case PROTOCOL_UDP:
    case PROTOCOL_GRE:
    case PROTOCOL_IPV4:
    case PROTOCOL_IPV6:
    case PROTOCOL_HOP_BY_HOP:
    case PROTOCOL_ROUTING:
    case PROTOCOL_AUTHENTICATION:
    case PROTOCOL_DESTINATION:
        return true;
    default:
        return false;
    }
}

static enum frame_outcome take_fragment(const struct frame_packet *p, struct frame_fragment f,
                                        struct frame *out)
{
    if (!may_hold_tcp(f.protocol))
        return FRAME_NOT_TCP;
    f.length = p->after_headers;
    f.seen = (uint32_t)p->rest.left;
    f.bytes = p->rest.at;
    if (f.length == 0 || f.length > PACKET_MAX - f.offset || (f.more && f.length % 8 != 0))
        return FRAME_MALFORMED;
    out->fragment = f;
    return FRAME_FRAGMENT;
}

/* RFC 791, 3.1. */
static enum frame_outcome ipv4_header(struct frame_packet *p, struct frame *out)
{
    enum { MORE = 0x2000, OFFSET = 0x1fff };
    struct cursor header = p->rest;
    uint8_t first = cursor_u8(&header);
    uint32_t header_bytes = (uint32_t)(first & 15) * 4;
    uint32_t total;
    uint16_t fragment;
    const uint8_t *from, *to;

    cursor_skip(&header, 1);
    total = cursor_be16(&header);
    out->ip_id = cursor_be16(&header);
    fragment = cursor_be16(&header);
    out->ttl = cursor_u8(&header);
    p->protocol = cursor_u8(&header);
    cursor_skip(&header, 2);
    from = cursor_bytes(&header, 4);
    to = cursor_bytes(&header, 4);
    if (!cursor_ok(&header))
        return FRAME_CUT;
    if (total == 0) /* the sender left segmenting to the adapter */
        total = p->after_headers;
    if (header_bytes < 20 || total < header_bytes)
        return FRAME_MALFORMED;
    memset(out->from.address, 0, sizeof out->from.address);
    memset(out->to.address, 0, sizeof out->to.address);
    memcpy(out->from.address, from, 4);
    memcpy(out->to.address, to, 4);
    out->ipv6 = false;
    cursor_limit(&p->rest, total);
    cursor_skip(&p->rest, header_bytes);
    p->ip_bytes = total;
    p->after_headers = total - header_bytes;
    if ((fragment & (MORE | OFFSET)) == 0)
        return FRAME_TCP;
    if (!cursor_ok(&p->rest))
        return FRAME_CUT;
    return take_fragment(p,
                         (struct frame_fragment){.id = out->ip_id,
                                                 .protocol = p->protocol,
                                                 .more = (fragment & MORE) != 0,
                                                 .offset = (uint32_t)(fragment & OFFSET) * 8},
                         out);
}

struct extensions {
    uint32_t bytes; /* passed so far */
    bool is_fragment;
    struct frame_fragment fragment;
};

static bool is_extension(uint8_t kind)
{
    return kind == PROTOCOL_HOP_BY_HOP || kind == PROTOCOL_ROUTING || kind == PROTOCOL_DESTINATION ||
           kind == PROTOCOL_AUTHENTICATION || kind == PROTOCOL_FRAGMENT;
}

/* Walks the extension headers of RFC 8200, 4, up to that of a fragment. Returns the upper protocol. */
static uint8_t skip_extensions(struct cursor *c, uint8_t next, struct extensions *e)
{
    for (int i = 0; i < EXTENSIONS_MAX && is_extension(next); i++) {
        uint8_t kind = next;
        uint32_t length;

        next = cursor_u8(c);
        length = cursor_u8(c);
        if (kind == PROTOCOL_FRAGMENT) {
            uint16_t piece = cursor_be16(c);

            length = 8;
            e->fragment.id = cursor_be32(c);
            e->fragment.offset = piece & 0xfff8;
            e->fragment.more = (piece & 1) != 0;
            e->fragment.protocol = next;
            /* RFC 6946: an atomic fragment, offset 0 and none to come, is a whole packet. */
            e->is_fragment = (piece & 0xfff9) != 0;
        } else {
            length = kind == PROTOCOL_AUTHENTICATION ? (length + 2) * 4 : (length + 1) * 8;
            cursor_skip(c, length - 2);
        }
        e->bytes += length;
        if (e->is_fragment || c->failed)
            return next;
    }
    return next;
}

static enum frame_outcome ipv6_header(struct frame_packet *p, struct frame *out)
{
    enum { HEADER = 40 };
    struct cursor *c = &p->rest;
    struct extensions e = {0};
    uint32_t payload;
    uint8_t next;
    const uint8_t *from, *to;

    cursor_skip(c, 4);
    payload = cursor_be16(c);
    next = cursor_u8(c);
    out->ttl = cursor_u8(c);
    from = cursor_bytes(c, 16);
    to = cursor_bytes(c, 16);
    if (!cursor_ok(c))
        return FRAME_CUT;
    if (payload == 0 && p->after_headers > HEADER)
        payload = p->after_headers - HEADER;
    cursor_limit(c, payload);
    p->protocol = skip_extensions(c, next, &e);
    if (e.bytes > payload)
        return FRAME_MALFORMED;
    if (!cursor_ok(c))
        return FRAME_CUT;
    memcpy(out->from.address, from, 16);
    memcpy(out->to.address, to, 16);
    out->ipv6 = true;
    out->ip_id = 0;
    p->ip_bytes = HEADER + payload;
    p->after_headers = payload - e.bytes;
    return e.is_fragment ? take_fragment(p, e.fragment, out) : FRAME_TCP;
}

enum frame_outcome frame_ip_header(uint16_t ethertype, struct frame_packet *p, struct frame *out)
{
    if (ethertype == ETHERTYPE_IPV4)
        return ipv4_header(p, out);
    if (ethertype == ETHERTYPE_IPV6)
        return ipv6_header(p, out);
    return FRAME_NOT_IP;
}
