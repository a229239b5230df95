#include "replay/frame_layers.h"

enum {
    GRE_ETHERNET = 0x6558, /* transparent Ethernet bridging */
    GRE_ERSPAN = 0x88be,   /* versions I and II */
    GRE_ERSPAN_3 = 0x22eb,
    GRE_WCCP = 0x883e, /* packets that a router redirects to a web cache */
    VXLAN_PORT = 4789,
    VXLAN_PORT_LINUX = 8472, /* what Linux takes by default, from before the number was given out */
};

/* draft-foschiano-erspan-03, 4: version I has no header of its own, and only the others count frames in GRE. */
static void skip_erspan(struct cursor *c, bool numbered)
{
    if (numbered)
        cursor_skip(c, 8);
}

static void skip_erspan_3(struct cursor *c)
{
    cursor_skip(c, 11);
    if (cursor_u8(c) & 1) /* a platform's own part follows */
        cursor_skip(c, 8);
}

/* draft-mclaggan-wccp-v2rev1, 4: in version 2 a word stands before the IPv4 packet, never one that looks like its beginning. */
static uint16_t wccp_header(struct cursor *c)
{
    struct cursor peek = *c;
    uint8_t first = cursor_u8(&peek);

    if (first >> 4 != 4 || (first & 15) < 5)
        cursor_skip(c, 4);
    return ETHERTYPE_IPV4;
}

/* RFC 2784 and 2890: three optional words after the first. Version 1, of PPTP, and source routes carry nothing for us. */
static uint16_t gre_header(struct cursor *c)
{
    enum { CHECKSUM = 0x8000, ROUTING = 0x4000, KEY = 0x2000, SEQUENCE = 0x1000, VERSION = 7 };
    uint16_t flags = cursor_be16(c);
    uint16_t type = cursor_be16(c);

    if (flags & (ROUTING | VERSION))
        return 0;
    for (unsigned field = CHECKSUM; field >= SEQUENCE; field >>= 1) {
        if (flags & field)
            cursor_skip(c, 4);
    }
    if (type == GRE_ERSPAN)
        skip_erspan(c, (flags & SEQUENCE) != 0);
    else if (type == GRE_ERSPAN_3)
        skip_erspan_3(c);
    else if (type == GRE_WCCP)
        return wccp_header(c);
    else if (type != GRE_ETHERNET)
        return type;
    return frame_ethernet_header(c);
}

/* RFC 7348, 5: only the flag that says that there is a network identifier, and nothing in what is reserved. */
static uint16_t vxlan_header(struct cursor *c)
{
    uint16_t port;

    cursor_skip(c, 2);
    port = cursor_be16(c);
    cursor_skip(c, 4);
    if (port != VXLAN_PORT && port != VXLAN_PORT_LINUX)
        return 0;
    if (cursor_be32(c) != 0x08000000)
        return 0;
    cursor_skip(c, 4);
    return frame_ethernet_header(c);
}

enum frame_outcome frame_tunnel_header(struct frame_packet *p, uint16_t *ethertype)
{
    struct cursor *c = &p->rest;
    size_t before = c->left, passed;

    switch (p->protocol) {
    case PROTOCOL_GRE:
        *ethertype = gre_header(c);
        break;
    case PROTOCOL_UDP:
        *ethertype = vxlan_header(c);
        break;
    case PROTOCOL_IPV4: /* RFC 2003 */
        *ethertype = ETHERTYPE_IPV4;
        break;
    case PROTOCOL_IPV6: /* RFC 4213 */
        *ethertype = ETHERTYPE_IPV6;
        break;
    default:
        return FRAME_NOT_TCP;
    }
    if (!cursor_ok(c))
        return p->after_headers > before ? FRAME_CUT : FRAME_NOT_TCP;
    passed = before - c->left;
    if (*ethertype == 0)
        return FRAME_NOT_TCP;
    p->after_headers -= (uint32_t)passed; /* captured, and so on the wire as well */
    return FRAME_TCP;
}
