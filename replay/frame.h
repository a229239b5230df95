/* From the bytes of a frame to the facts of its TCP segment: link layer, IPv4 or IPv6, TCP.
 *
 * Pure: no state, no allocation; views point into the frame. Lengths come from the IP header, so that a frame cut to a
 * snap length still says how much it carried; where the IP header says 0 (segmentation offload, RFC 2675 jumbograms)
 * the frame's wire length stands in. Read from RFC 791, 8200, 9293, 7323, 2018; IEEE 802.1Q; LINKTYPE_ descriptions of
 * tcpdump.org for the link layers. */
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
    FRAME_FRAGMENT,  /* of an IP packet: not reassembled */
    FRAME_CUT,       /* the capture holds too little of it to see the whole of TCP's fixed header */
    FRAME_MALFORMED, /* lengths that can't be */
    FRAME_UNREAD,    /* link type not supported */
};

enum { FRAME_FIN = 1, FRAME_SYN = 2, FRAME_RST = 4, FRAME_ACK = 16 };

/* One end of a segment; IPv4 stands in the first four bytes, the rest are 0. */
struct frame_end {
    uint8_t address[16];
    uint16_t port;
};

struct frame {
    struct frame_end from, to;
    bool ipv6;
    uint8_t flags; /* FRAME_FIN, ... */
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
    uint16_t ip_id;      /* IPv4's identification; 0 in IPv6 */
    uint8_t sack_blocks; /* that it carries */
};

/* Decodes `captured` bytes of a frame that had `wire`. `out` is filled for FRAME_TCP only. */
enum frame_outcome frame_decode(enum frame_link link, const uint8_t *bytes, size_t captured, size_t wire,
                                struct frame *out);

#endif
