/* A simulated TCP/IP packet. Plain data, copied from the sender into the link's ring and shown to the receiver there:
 * no pool, so none can leak. */
#ifndef SIM_PACKET_H
#define SIM_PACKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum packet_flags {
    PACKET_SYN = 1,
    PACKET_ACK = 2,
    PACKET_RETRANSMISSION = 4,
    PACKET_DUPLICATE = 8,      /* the first SACK block reports data that came twice (DSACK, RFC 2883) */
    PACKET_QUEUED = 16,        /* it waited at a link behind data of the same burst: the link was the limit */
    PACKET_SENDER_BUSY = 32,   /* it waited for the sending host's processor */
    PACKET_RECEIVER_BUSY = 64, /* it waited for the receiving host's processor */
};

enum { PACKET_SACK_BLOCKS = 3 };

struct packet {
    uint64_t seq; /* stream offset of the first payload byte */
    uint64_t ack; /* stream offset expected next */
    uint32_t payload_bytes;
    uint32_t ip_bytes; /* headers included */
    uint32_t window_bytes;
    uint16_t connection;
    uint8_t flags;
    uint8_t sack_count;
    int64_t sent_ns;
    int64_t echo_ns; /* the echoed timestamp: when the segment that the ACK answers was sent (RFC 7323 4) */
    int64_t cap_wait_ns; /* the part of its wait that a packet budget caused: set on the way */
    int64_t sender_ns;   /* time at the sending host's processor */
    int64_t receiver_ns; /* time at the receiving host's adapter and processor */
    int32_t sack[PACKET_SACK_BLOCKS]
                [2]; /* start and end, relative to `ack`; last, since most packets have none */
};

/* Leaves out the SACK blocks that aren't there. */
static inline void packet_copy(struct packet *to, const struct packet *from)
{
    memcpy(to, from, offsetof(struct packet, sack));
    if (from->sack_count)
        memcpy(to->sack, from->sack, sizeof to->sack);
}

#endif
