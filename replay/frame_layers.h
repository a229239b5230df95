/* The layers below TCP, one step each: link header, IP header, tunnel header. Private to the frame decoder; contracts and sources as in
 * frame.h. Link headers are shorter than 256 bytes. */
#ifndef REPLAY_FRAME_LAYERS_H
#define REPLAY_FRAME_LAYERS_H

#include "replay/cursor.h"
#include "replay/frame.h"

enum {
    ETHERTYPE_IPV4 = 0x0800,
    ETHERTYPE_IPV6 = 0x86dd,
    PROTOCOL_HOP_BY_HOP = 0,
    PROTOCOL_IPV4 = 4,
    PROTOCOL_TCP = 6,
    PROTOCOL_UDP = 17,
    PROTOCOL_IPV6 = 41,
    PROTOCOL_ROUTING = 43,
    PROTOCOL_FRAGMENT = 44,
    PROTOCOL_GRE = 47,
    PROTOCOL_AUTHENTICATION = 51,
    PROTOCOL_DESTINATION = 60,
};

/* What the headers read so far leave. */
struct frame_packet {
    struct cursor rest;     /* captured bytes, cut to the packet's length */
    uint32_t after_headers; /* the same on the wire */
    uint32_t ip_bytes;      /* of the whole IP packet */
    uint8_t protocol;
};

/* Returns the EtherType of what follows, or 0 for what isn't IP; `c` moves past the header, or fails. Sets out->heading. */
uint16_t frame_link_header(enum frame_link link, struct cursor *c, struct frame *out);
/* The same of an Ethernet header. */
uint16_t frame_ethernet_header(struct cursor *c);
/* From an IP header to what it carries, with its ends, id and TTL in `out`. FRAME_TCP: go on with p->protocol, whatever it is. */
enum frame_outcome frame_ip_header(uint16_t ethertype, struct frame_packet *p, struct frame *out);
/* From a tunnel's header to the packet in it and its EtherType. FRAME_TCP: go on; FRAME_NOT_TCP: not a tunnel. */
enum frame_outcome frame_tunnel_header(struct frame_packet *p, uint16_t *ethertype);

#endif
