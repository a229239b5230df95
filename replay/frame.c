#include "replay/frame.h"
#include "replay/cursor.h"

#include <string.h>

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_QINQ = 0x88a8,
    ETHERTYPE_QINQ_OLD = 0x9100,
    ETHERTYPE_SMALLEST = 0x0600, /* below it the field is an 802.3 length */
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_TCP = 6,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_AUTHENTICATION = 51,
    PROTOCOL_DESTINATION = 60,
    VLAN_TAGS_MAX = 4,
    EXTENSIONS_MAX = 16,
};

/* What an IP header leaves for TCP. */
struct packet {
    struct cursor rest; /* captured bytes after the IP headers, cut to the packet's length */
    uint32_t ip_bytes;
    uint32_t after_headers; /* bytes on the wire after the IP headers */
};

/* 802.2 LLC with SNAP, as in RFC 1042; any other LLC isn't IP. */
static uint16_t snap_type(struct cursor *c)
{
    static const uint8_t SNAP[] = {0xaa, 0xaa, 3, 0, 0, 0};
    const uint8_t *llc = cursor_bytes(c, sizeof SNAP);

    return llc && memcmp(llc, SNAP, sizeof SNAP) == 0 ? cursor_be16(c) : 0;
}

static uint16_t ethernet_type(struct cursor *c)
{
    uint16_t type;

    cursor_skip(c, 12);
    type = cursor_be16(c);
    for (int tags = 0; tags < VLAN_TAGS_MAX &&
                       (type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ || type == ETHERTYPE_QINQ_OLD);
         tags++) {
        cursor_skip(c, 2);
        type = cursor_be16(c);
    }
    return type < ETHERTYPE_SMALLEST ? snap_type(c) : type;
}

static uint16_t version_type(const struct cursor *c)
{
    struct cursor peek = *c;
    int version = cursor_u8(&peek) >> 4;

    return version == 4 ? ETHERTYPE_IPV4 : version == 6 ? ETHERTYPE_IPV6 : 0;
}

static uint16_t network_type(enum frame_link link, struct cursor *c)
{
    uint16_t type;

    switch (link) {
    case FRAME_LINK_ETHERNET:
        return ethernet_type(c);
    case FRAME_LINK_SLL:
        cursor_skip(c, 14);
        type = cursor_be16(c);
        if (type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ) {
            cursor_skip(c, 2);
            type = cursor_be16(c);
        }
        return type;
    case FRAME_LINK_SLL2:
        type = cursor_be16(c);
        cursor_skip(c, 18);
        return type;
    case FRAME_LINK_NULL:
        cursor_skip(c, 4);
        return version_type(c);
    default:
        return version_type(c);
    }
}

/* RFC 791, 3.1. `wire` is what the frame had from the IP header on. */
static enum frame_outcome decode_ipv4(struct cursor c, size_t wire, struct packet *p, struct frame *out)
{
    struct cursor header = c;
    uint8_t first = cursor_u8(&header);
    uint32_t header_bytes = (uint32_t)(first & 15) * 4;
    uint32_t total;
    uint16_t fragment;
    uint8_t protocol;
    const uint8_t *from, *to;

    cursor_skip(&header, 1);
    total = cursor_be16(&header);
    out->ip_id = cursor_be16(&header);
    fragment = cursor_be16(&header);
    cursor_skip(&header, 1);
    protocol = cursor_u8(&header);
    cursor_skip(&header, 2);
    from = cursor_bytes(&header, 4);
    to = cursor_bytes(&header, 4);
    if (!cursor_ok(&header))
        return FRAME_CUT;
    if (total == 0) /* the sender left segmenting to the adapter */
        total = (uint32_t)wire;
    if (header_bytes < 20 || total < header_bytes)
        return FRAME_MALFORMED;
    if ((fragment & 0x3fff) != 0) /* more to come, or an offset */
        return FRAME_FRAGMENT;
    if (protocol != PROTOCOL_TCP)
        return FRAME_NOT_TCP;
    memcpy(out->from.address, from, 4);
    memcpy(out->to.address, to, 4);
    cursor_limit(&c, total);
    cursor_skip(&c, header_bytes);
    *p = (struct packet){c, total, total - header_bytes};
    return FRAME_TCP;
}

/* Walks the extension headers of RFC 8200, 4. Returns the upper protocol and adds what it passed to *bytes. */
static uint8_t skip_extensions(struct cursor *c, uint8_t next, uint32_t *bytes, bool *fragment)
{
    for (int i = 0; i < EXTENSIONS_MAX; i++) {
        uint8_t kind = next;
        uint32_t length;

        if (kind != PROTOCOL_HOP_BY_HOP && kind != PROTOCOL_ROUTING && kind != PROTOCOL_DESTINATION &&
            kind != PROTOCOL_AUTHENTICATION && kind != PROTOCOL_FRAGMENT)
            return next;
        next = cursor_u8(c);
        length = cursor_u8(c);
        if (kind == PROTOCOL_FRAGMENT) {
            /* RFC 6946: an atomic fragment, offset 0 and none to come, is a whole packet. */
            *fragment = (cursor_be16(c) & 0xfff9) != 0;
            length = 8;
            cursor_skip(c, 4);
        } else {
            length = kind == PROTOCOL_AUTHENTICATION ? (length + 2) * 4 : (length + 1) * 8;
            cursor_skip(c, length - 2);
        }
        *bytes += length;
        if (*fragment || c->failed)
            return next;
    }
    return next;
}

static enum frame_outcome decode_ipv6(struct cursor c, size_t wire, struct packet *p, struct frame *out)
{
    enum { HEADER = 40 };
    uint32_t payload, extensions = 0;
    uint8_t next;
    bool fragment = false;
    const uint8_t *from, *to;

    cursor_skip(&c, 4);
    payload = cursor_be16(&c);
    next = cursor_u8(&c);
    cursor_skip(&c, 1);
    from = cursor_bytes(&c, 16);
    to = cursor_bytes(&c, 16);
    if (!cursor_ok(&c))
        return FRAME_CUT;
    if (payload == 0 && wire > HEADER)
        payload = (uint32_t)(wire - HEADER);
    cursor_limit(&c, payload);
    next = skip_extensions(&c, next, &extensions, &fragment);
    if (fragment)
        return FRAME_FRAGMENT;
    if (extensions > payload)
        return FRAME_MALFORMED;
    if (!cursor_ok(&c))
        return FRAME_CUT;
    if (next != PROTOCOL_TCP)
        return FRAME_NOT_TCP;
    memcpy(out->from.address, from, 16);
    memcpy(out->to.address, to, 16);
    out->ipv6 = true;
    *p = (struct packet){c, HEADER + payload, payload - extensions};
    return FRAME_TCP;
}

static void decode_option(uint8_t kind, struct cursor *body, struct frame *out)
{
    enum { MSS = 2, WINDOW_SCALE = 3, SACK_PERMITTED = 4, SACK = 5, TIMESTAMPS = 8 };

    switch (kind) {
    case MSS:
        if (body->left == 2)
            out->mss = cursor_be16(body);
        break;
    case WINDOW_SCALE:
        if (body->left == 1) {
            out->wscale = cursor_u8(body);
            if (out->wscale > 14) /* RFC 7323, 2.3 */
                out->wscale = 14;
        }
        break;
    case SACK_PERMITTED:
        out->sack_permitted = true;
        break;
    case SACK:
        out->sack_blocks = (uint8_t)(body->left / 8);
        break;
    case TIMESTAMPS:
        out->timestamps = body->left == 8;
        out->timestamp = cursor_be32(body);
        break;
    default:
        break;
    }
}

/* Options that are cut or malformed end the list; the segment itself still counts. */
static void decode_options(struct cursor options, struct frame *out)
{
    while (options.left > 0 && !options.failed) {
        uint8_t kind = cursor_u8(&options);
        uint8_t length;
        const uint8_t *body;

        if (kind == 0) /* end of list */
            return;
        if (kind == 1) /* no operation */
            continue;
        length = cursor_u8(&options);
        if (length < 2)
            return;
        body = cursor_bytes(&options, (size_t)length - 2);
        if (body) {
            struct cursor inner = cursor_over(body, (size_t)length - 2);

            decode_option(kind, &inner, out);
        }
    }
}

/* RFC 9293, 3.1. */
static enum frame_outcome decode_tcp(struct packet p, struct frame *out)
{
    struct cursor c = p.rest;
    struct cursor options;
    uint32_t header_bytes;

    out->from.port = cursor_be16(&c);
    out->to.port = cursor_be16(&c);
    out->seq = cursor_be32(&c);
    out->ack = cursor_be32(&c);
    header_bytes = (uint32_t)(cursor_u8(&c) >> 4) * 4;
    out->flags = cursor_u8(&c);
    out->window = cursor_be16(&c);
    cursor_skip(&c, 4);
    if (p.after_headers < 20)
        return FRAME_MALFORMED;
    if (!cursor_ok(&c))
        return FRAME_CUT;
    if (header_bytes < 20 || header_bytes > p.after_headers)
        return FRAME_MALFORMED;
    out->mss = -1;
    out->wscale = -1;
    options = c;
    cursor_limit(&options, header_bytes - 20);
    decode_options(options, out);
    out->ip_bytes = p.ip_bytes;
    out->payload_bytes = p.after_headers - header_bytes;
    cursor_skip(&c, header_bytes - 20);
    if (cursor_ok(&c)) {
        out->payload = c.at;
        out->payload_seen = (uint32_t)c.left;
    }
    return FRAME_TCP;
}

enum frame_outcome frame_decode(enum frame_link link, const uint8_t *bytes, size_t captured, size_t wire,
                                struct frame *out)
{
    struct cursor c = cursor_over(bytes, captured);
    struct packet p;
    enum frame_outcome outcome;
    uint16_t type;

    if (link == FRAME_LINK_UNSUPPORTED)
        return FRAME_UNREAD;
    memset(out, 0, sizeof *out);
    type = network_type(link, &c);
    if (!cursor_ok(&c))
        return FRAME_CUT;
    wire = wire > captured ? wire : captured;
    wire -= captured - c.left; /* the link header's bytes */
    if (type == ETHERTYPE_IPV4)
        outcome = decode_ipv4(c, wire, &p, out);
    else if (type == ETHERTYPE_IPV6)
        outcome = decode_ipv6(c, wire, &p, out);
    else
        return FRAME_NOT_IP;
    return outcome == FRAME_TCP ? decode_tcp(p, out) : outcome;
}
