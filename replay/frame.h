/* From the bytes of a frame to the facts of its TCP segment: link layer, tunnels, IPv4 or IPv6, TCP.
 *
 * Pure: no state, no allocation; views point into the frame. Lengths come from the IP header, so that a frame cut to a
 * snap length still says how much it carried; where the IP header says 0 (segmentation offload, RFC 2675 jumbograms)
 * the frame's wire length stands in. Of a tunnelled packet the innermost counts, with at most FRAME_TUNNELS_MAX around it: GRE with
 * IP, Ethernet, ERSPAN or WCCP in it, VXLAN, IP in IP. Read from RFC 791, 8200, 9293, 7323, 2018, 2784, 2890, 7348, 2003, 4213,
 * draft-foschiano-erspan,
 * draft-mclaggan-wccp-v2rev1; IEEE 802.1Q; LINKTYPE_ descriptions of tcpdump.org for the link layers. */
#ifndef REPLAY_FRAME_H
#define REPLAY_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum frame_link {
    FRAME_LINK_UNSUPPORTED,
    FRAME_LINK_ETHERNET, /* with 802.1Q and QinQ tags, and LLC/SNAP */
    FRAME_LINK_SLL,      /* Linux cooked, version 1 */
    FRAME_LINK_SLL2,
    FRAME_LINK_RAW,  /* starts with the IP header */
    FRAME_LINK_NULL, /* BSD loopback: four bytes of address family, whatever its byte order */
};

enum frame_outcome {
    FRAME_TCP,
    FRAME_NOT_IP,
    FRAME_NOT_TCP,
    FRAME_FRAGMENT,  /* of an IP packet that may hold TCP: see frame.fragment */
    FRAME_CUT,       /* the capture holds too little of it to see the whole of TCP's fixed header */
    FRAME_MALFORMED, /* lengths that can't be */
    FRAME_UNREAD,    /* link type not supported */
};

/* Which way it crossed the interface that captured it. */
enum frame_heading { FRAME_ANYWHERE, FRAME_INBOUND, FRAME_OUTBOUND };

enum { FRAME_FIN = 1, FRAME_SYN = 2, FRAME_RST = 4, FRAME_ACK = 16 };
enum { FRAME_TUNNELS_MAX = 4 };

/* One end of a segment; IPv4 stands in the first four bytes, the rest are 0. */
struct frame_end {
    uint8_t address[16];
    uint16_t port;
};

/* A piece of an IP packet's payload. Its ends, `ipv6`, `ttl` and the headings stand in the frame. */
struct frame_fragment {
    uint32_t id;
    uint8_t protocol;
    bool more;       /* pieces come after it */
    uint32_t offset; /* in the packet's payload; with `length` at most 65,535 */
    uint32_t length; /* on the wire; not 0 */
    uint32_t seen;   /* of it captured */
    const uint8_t *bytes;
};

struct frame {
    struct frame_end from, to;
    bool ipv6;
    uint8_t flags; /* FRAME_FIN, ... */
    uint8_t ttl;
    uint16_t ip_id; /* 0 in IPv6, and where the sender doesn't count */
    uint16_t window;
    uint32_t seq, ack;
    uint32_t ip_bytes;      /* IP header, TCP header and payload */
    uint32_t payload_bytes; /* on the wire */
    uint32_t payload_seen;  /* of them captured, from the first on */
    const uint8_t *payload;
    int32_t mss;    /* -1: option absent */
    int16_t wscale; /* -1: option absent */
    bool sack_permitted;
    bool timestamps;
    uint32_t timestamp;  /* the sender's, when there are any */
    uint8_t sack_blocks; /* that it carries */
    uint8_t tcp_seen;    /* bytes of the TCP header captured, */
    uint8_t link_seen;   /* and of the outermost link layer's */
    const uint8_t *tcp, *link;
    enum frame_heading heading;     /* as the link layer marks it */
    struct frame_fragment fragment; /* of FRAME_FRAGMENT only */
};

/* Decodes `captured` bytes of a frame that had `wire`. `out` is filled for FRAME_TCP and FRAME_FRAGMENT only. */
enum frame_outcome frame_decode(enum frame_link link, const uint8_t *bytes, size_t captured, size_t wire,
                                struct frame *out);

#endif
