#include "replay/frame_layers.h"

#include <string.h>

enum {
    ETHERTYPE_VLAN = 0x8100,
    ETHERTYPE_QINQ = 0x88a8,
    ETHERTYPE_QINQ_OLD = 0x9100,
    ETHERTYPE_SMALLEST = 0x0600, /* below it the field is an 802.3 length */
    VLAN_TAGS_MAX = 4,
};

/* 802.2 LLC with SNAP, as in RFC 1042; any other LLC isn't IP. */
static uint16_t snap_type(struct cursor *c)
{
    static const uint8_t SNAP[] = {0xaa, 0xaa, 3, 0, 0, 0};
    const uint8_t *llc = cursor_bytes(c, sizeof SNAP);

    return llc && memcmp(llc, SNAP, sizeof SNAP) == 0 ? cursor_be16(c) : 0;
}

static uint16_t skip_tags(struct cursor *c, uint16_t type)
{
    for (int tags = 0; tags < VLAN_TAGS_MAX &&
                       (type == ETHERTYPE_VLAN || type == ETHERTYPE_QINQ || type == ETHERTYPE_QINQ_OLD);
         tags++) {
        cursor_skip(c, 2);
        type = cursor_be16(c);
    }
    return type;
}

uint16_t frame_ethernet_header(struct cursor *c)
{
    uint16_t type;

    cursor_skip(c, 12);
    type = skip_tags(c, cursor_be16(c));
    return type < ETHERTYPE_SMALLEST ? snap_type(c) : type;
}

static uint16_t version_type(const struct cursor *c)
{
    struct cursor peek = *c;
    int version = cursor_u8(&peek) >> 4;

    return version == 4 ? ETHERTYPE_IPV4 : version == 6 ? ETHERTYPE_IPV6 : 0;
}

/* LINKTYPE_LINUX_SLL: to us, to all, to some, to another host, from us. */
static enum frame_heading cooked_heading(unsigned packet_type)
{
    return packet_type < 3 ? FRAME_INBOUND : packet_type == 4 ? FRAME_OUTBOUND : FRAME_ANYWHERE;
}

static uint16_t cooked_header(struct cursor *c, struct frame *out)
{
    out->heading = cooked_heading(cursor_be16(c));
    cursor_skip(c, 12);
    return skip_tags(c, cursor_be16(c));
}

static uint16_t cooked2_header(struct cursor *c, struct frame *out)
{
    uint16_t type = cursor_be16(c);

    cursor_skip(c, 8);
    out->heading = cooked_heading(cursor_u8(c));
    cursor_skip(c, 9);
    return skip_tags(c, type);
}

uint16_t frame_link_header(enum frame_link link, struct cursor *c, struct frame *out)
{
    switch (link) {
    case FRAME_LINK_ETHERNET:
        return frame_ethernet_header(c);
    case FRAME_LINK_SLL:
        return cooked_header(c, out);
    case FRAME_LINK_SLL2:
        return cooked2_header(c, out);
    case FRAME_LINK_NULL: /* families differ from system to system, and IP says which it is */
        cursor_skip(c, 4);
        return version_type(c);
    default:
        return version_type(c);
    }
}
