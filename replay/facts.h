/* What a capture says about one TCP connection, as plain structs: exchanges, segments, TCP and command facts. The parts
 * of this folder fill them; analysis.h hands them out and states their units and numbering. */
#ifndef REPLAY_FACTS_H
#define REPLAY_FACTS_H

#include "sim/command.h"
#include "sim/run.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum replay_direction { REPLAY_UP, REPLAY_DOWN, REPLAY_DIRECTIONS };

/* ---- exchanges ------------------------------------------------------------------------------------------------ */

enum replay_exchange_flags {
    REPLAY_NO_RESPONSE = 1, /* none was seen; response fields are -1 or 0 */
    REPLAY_INTERIM = 2,     /* STATUS_PENDING came before the final response; times are the final one's */
    REPLAY_BACKGROUND = 4,  /* may wait at the server as long as it likes: CHANGE_NOTIFY, a LOCK that waits */
    REPLAY_ONE_WAY = 8,     /* has no response by design: CANCEL */
    REPLAY_OPAQUE = 16,     /* encrypted: command and data unknown, response paired by order alone */
    REPLAY_ERROR = 32,      /* the (first element's) final status says that it failed */
    REPLAY_CUT =
        64, /* the capture ends inside its response, or inside the request when it has none: bytes and
                             * times are those of what there was */
    REPLAY_OPEN = 128,     /* may yet be answered; never set when the capture has been read */
    REPLAY_INFERRED = 256, /* a header of it wasn't captured: known by place, length and order */
};

/* A request with its final response. A compound chain is one record, with its first command and its number of
 * elements; its response is complete when every element is answered, in one message or in several. An AndX chain
 * is one record of one element. */
struct replay_exchange {
    /* Frames with the message's first byte, and the frame that completed it. */
    int64_t request_first_ns, request_last_ns;
    int64_t response_first_ns, response_last_ns;
    uint64_t request_first_frame, request_last_frame; /* 0: none */
    uint64_t response_first_frame, response_last_frame;
    /* Stream offsets of the first byte of the 4-byte prefix; -1: none. */
    int64_t request_offset, response_offset;
    uint32_t request_bytes;  /* TCP payload, 4-byte prefix included */
    uint32_t response_bytes; /* the same; of all messages that answer it, interim ones left out */
    uint32_t data_bytes;     /* file data in request or response: READ, WRITE and their SMB1 kin */
    uint32_t status;         /* NT status, or DOS error with SMB1 clients that use those */
    uint32_t file; /* 1-based number of the open that it serves, in its session; 0: none or unknown */
    uint16_t command;
    uint16_t elements; /* of a compound; 1 for all others */
    uint16_t flags;
};

/* ---- segments --------------------------------------------------------------------------------------------------- */

enum replay_segment_flags {
    REPLAY_SYN = 1,
    REPLAY_FIN = 2,
    REPLAY_RST = 4,
    REPLAY_ACK = 8,
    REPLAY_RETRANSMISSION = 16, /* of any kind */
    REPLAY_FAST = 32,           /* with REPLAY_RETRANSMISSION: after duplicate ACKs */
    REPLAY_SPURIOUS = 64,       /* with REPLAY_RETRANSMISSION: of data that had been acknowledged already */
    REPLAY_KEEP_ALIVE = 128,
    REPLAY_WINDOW_PROBE = 256,   /* one byte into a zero window */
    REPLAY_OUT_OF_ORDER = 512,   /* filled a hole too soon to be a retransmission */
    REPLAY_DUPLICATE_ACK = 1024, /* a pure ACK that repeats the last one */
    REPLAY_AFTER_GAP = 2048,     /* bytes before it were missing when it came */
    REPLAY_RESENT =
        4096, /* with REPLAY_OUT_OF_ORDER: sent later than what it comes behind, so sent again after all */
};

/* One TCP frame, with or without payload, in the order of the capture. */
struct replay_segment {
    int64_t time_ns;
    int64_t offset; /* of its first payload byte, or where that would be */
    int64_t ack;    /* offset in the other direction; meaningless without REPLAY_ACK */
    uint64_t frame;
    uint32_t payload_bytes;
    uint32_t ip_bytes;     /* IP header, TCP header and payload */
    uint32_t window_bytes; /* scaled when the scale is known (tcp.window_scale_known) */
    uint16_t flags;
    uint8_t direction; /* enum replay_direction */
};

/* ---- TCP facts ---------------------------------------------------------------------------------------------------- */

enum replay_capture_point {
    REPLAY_POINT_UNKNOWN,
    REPLAY_POINT_CLIENT,
    REPLAY_POINT_SERVER,
    REPLAY_POINT_MIDDLE
};

/* What one end sent. */
struct replay_tcp_side {
    uint64_t packets, data_packets, payload_bytes, ip_bytes; /* payload counts retransmitted bytes again */
    uint64_t retransmissions;                                /* all kinds: fast, timeout and spurious ones */
    uint64_t fast_retransmissions, spurious_retransmissions;
    uint64_t out_of_order;
    uint64_t resent; /* of those out of order, which Wireshark's rule doesn't call retransmissions */
    uint64_t duplicate_acks, keep_alives, window_probes, zero_windows;
    uint64_t lost_segments; /* segments that came after a hole, as tshark's "previous segment not captured" */
    uint64_t unseen_acks;   /* ACKs for bytes that the capture doesn't hold */
    /* Pure ACKs of new data that came 10 to 500 ms after the last of it. Only where this end's ACKs are seen as it sends them
     * (its half of the round trip is below 1 ms); else a slow path looks the same, and `delayed_acks_known` is false. */
    bool delayed_acks_known;
    uint64_t delayed_acks;
    int64_t delayed_ack_ns; /* their sum */
    /* Frames to look at; 0: none. */
    uint64_t first_retransmission, first_zero_window, first_delayed_ack;
    uint64_t hole_bytes; /* stream bytes that the capture never showed */
    int64_t mss_bytes;   /* announced in its SYN; -1: not seen */
    int64_t largest_segment_bytes;
    int64_t window_max_bytes; /* largest that it advertised */
    bool sack_permitted, timestamps;
    int window_scale; /* -1: none announced or SYN not seen */
};

struct replay_tcp {
    struct replay_tcp_side side[REPLAY_DIRECTIONS]; /* side[REPLAY_UP] is the client */
    bool handshake;                                 /* SYN and SYN-ACK seen */
    bool window_scale_known;                        /* both SYNs seen */
    bool sack, timestamps;    /* in use: both ends announced it, or it was seen in use */
    int64_t handshake_rtt_ns; /* SYN to the ACK of the SYN-ACK; -1: not seen whole */
    /* Halves, from the capture point: to the server and back, to the client and back. Minimum over handshake and
     * data-to-ACK samples, never of a retransmitted byte (Karn); -1: no sample. */
    int64_t server_half_ns, client_half_ns;
    uint64_t server_half_samples, client_half_samples;
    /* Minimum RTT between the ends: the handshake's, or the sum of the halves if that is smaller or alone; -1: unknown. */
    int64_t rtt_ns;
    enum replay_capture_point point;
};

/* ---- commands ----------------------------------------------------------------------------------------------------- */

/* Counts as DESIGN.md's `commands` has them. */
struct replay_command {
    uint16_t command;
    uint64_t requests, responses, errors;
    uint64_t interim; /* among the responses */
    uint64_t andx;  /* times that it stood later in an AndX chain, requests and responses; not in the above */
    uint64_t bytes; /* TCP payload of its messages; a compound's elements share theirs by their own lengths */
    uint64_t data_bytes;
    uint64_t service_samples; /* 0: those below are meaningless */
    int64_t service_median_ns, service_p90_ns, service_p95_ns, service_p99_ns, service_max_ns;
    int64_t service_total_ns;
    uint64_t slowest_request,
        slowest_response; /* frames of the exchange that took the longest: its request's last, its answer's first */
};

/* ---- how the exchanges were ------------------------------------------------------------------------------------------ */

struct replay_block {
    uint64_t bytes, count;
};

enum { REPLAY_OCTAVES = 34 };

/* Reads that succeeded, or writes that were asked for, by the bytes that they moved. */
struct replay_blocks {
    uint64_t count, bytes;
    uint64_t octaves[REPLAY_OCTAVES];  /* [0]: of no bytes; [i]: of 2^(i-1) up to below 2^i */
    GArray *sizes;                     /* of struct replay_block: exact sizes, those that moved most first */
    uint64_t other_count, other_bytes; /* of sizes beyond those that are told apart */
};

enum { REPLAY_PENDING_EXACT = 64, REPLAY_PENDING_LEVELS = REPLAY_PENDING_EXACT + 11 };

/* Exchanges outstanding over time, from the first request to the last answer, background ones left out. An exchange is
 * outstanding from its request's first frame to its answer's last. */
struct replay_pending {
    int64_t ns[REPLAY_PENDING_LEVELS]; /* time at 0, 1, ... 63, then 64 to 127, 128 to 255, ... */
    int64_t total_ns;
    double mean;
    uint64_t max; /* that lasted for any time */
};

/* Commands that failed with one status. */
struct replay_error {
    uint32_t status;
    uint16_t command;
    uint64_t count;
    uint64_t first_frame, last_frame;
};

struct replay_usage {
    struct replay_blocks reads, writes;
    struct replay_pending pending;
    GArray *errors;       /* of struct replay_error, most frequent first */
    uint64_t errors_more; /* of kinds beyond those that are told apart */
};

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* A name that was opened on the connection, with what the exchanges of all its opens did; see replay/files.h. A pipe or a directory
 * is one too. Bytes of all rows sum to the connection's. */
struct replay_file {
    char *name;         /* below the share, UTF-8; NULL: opened before the capture began, or `others` */
    int64_t size_bytes; /* as last seen: the open's answer, or as far as it was written; -1: unknown */
    uint64_t bytes_read, bytes_written;
    int64_t first_ns, last_ns; /* first request; last response; -1: none */
    uint64_t exchanges;
    uint64_t round_trips; /* longest chain of its exchanges, each sent after the one before was answered */
    uint64_t opens;       /* that were answered with success */
    bool directory;
    bool others; /* the last row: all that has no row of its own */
};

/* ---- what was negotiated and asked for --------------------------------------------------------------------------- */

/* Requests of one kind of a command that has several: an information class, a control code, a transaction's subcommand. */
struct replay_subcommand {
    uint16_t command;
    uint32_t code;    /* of information classes: type << 8 | class */
    const char *name; /* the protocol's; NULL: not one that is known. Static */
    uint64_t requests;
};

enum { REPLAY_COMPRESSIONS = 5, REPLAY_SESSION_IDS = 16 };

/* Of SMB2 and 3. Names are static, NULL: not negotiated, or not seen. */
struct replay_smb2 {
    const char *signing,
        *cipher; /* "AES-128-GMAC", "AES-128-GCM" ...; without a choice of its own the dialect's */
    const char *compression[REPLAY_COMPRESSIONS]; /* that the server agreed to, in its order */
    bool multichannel;                            /* announced by both ends */
    uint64_t credits_requested, credits_granted, credits_charged; /* sums over messages */
    uint64_t multi_credit_requests;
    uint32_t credit_charge_max;
    bool credits_known; /* the connection's first message was seen: the five below are right */
    int64_t credits_most, credits_least; /* left to the client at any time: after a grant, after a request */
    uint64_t credits_none;               /* times that a request used up the last ... */
    uint64_t first_credits_none,
        last_credits_none;                /* ... and the frames of the first and the last of these */
    uint64_t contexts[2 * 8];             /* create contexts, by enum replay_context */
    uint64_t oplock_breaks, lease_breaks; /* sent by the server */
    uint64_t copied_bytes;                /* by the server itself, as answers to copy-chunk say */
};

enum replay_context {
    REPLAY_LEASE_V1,
    REPLAY_LEASE_V2,
    REPLAY_DURABLE,
    REPLAY_DURABLE_V2,
    REPLAY_RECONNECT,
    REPLAY_RECONNECT_V2,
    REPLAY_MAX_ACCESS,
    REPLAY_DISK_ID,
    REPLAY_CONTEXTS, /* asked for up to here; granted in responses from here on, in the same order */
};

/* ---- connections -------------------------------------------------------------------------------------------------- */

enum replay_truth { REPLAY_UNKNOWN, REPLAY_NO, REPLAY_YES };

struct replay_connection {
    char *client, *server;            /* "192.0.2.1:49152", "[2001:db8::1]:445" */
    const char *dialect;              /* "SMB1", "2.0.2" ... "3.1.1", or NULL: not seen. Static */
    enum replay_truth signed_;        /* messages after the session's set-up carry signatures */
    bool encrypted, compressed;       /* at least one transform seen */
    int64_t first_ns, last_ns;        /* first frame; last frame with TCP payload, keep-alives left out */
    int64_t last_frame_ns;            /* last frame of any kind */
    int64_t client_fin_ns;            /* the client's first FIN or RST; -1: none */
    uint64_t first_frame, last_frame; /* numbers of the frames at first_ns and last_ns */
    uint64_t bytes_read, bytes_written;
    uint64_t exchanges;                     /* requests and chains, answered or not */
    uint64_t unanswered;                    /* of them without a response, one-way ones left out */
    uint64_t opaque_messages, opaque_bytes; /* encrypted ones that could not be decrypted */
    uint64_t unpaired_bytes;                /* of them responses that answer no request seen */
    uint64_t compressed_messages;
    uint64_t original_bytes, compressed_bytes; /* of their messages, before and after compression */
    uint64_t opens;                            /* successful creates and opens */
    uint64_t max_pending; /* largest number of exchanges outstanding at once, background ones left out */
    uint32_t session;     /* index into replay.sessions */
    struct channels
        *channels; /* replay/channels.h: what it shares with the session's other connections. Owned */
    uint64_t session_ids[REPLAY_SESSION_IDS]; /* of SMB2 and 3, the first ones */
    unsigned session_id_count;
    bool binds_session; /* it asked to be added to a session of another connection */
    bool client_guid_known;
    uint8_t client_guid[16];
    struct replay_smb2 smb2;
    GArray *subcommands; /* of struct replay_subcommand, in the order of first use; never NULL */
    struct replay_tcp tcp;
    GArray *commands; /* of struct replay_command, in the order of first use */
    struct replay_usage usage;
    uint64_t stream_bytes;  /* holes included */
    uint64_t decoded_bytes; /* of them in decoded messages; see analysis.h, coverage */
    GArray *files;          /* of struct replay_file, in the order of first use; never NULL */
    GArray *exchanges_kept; /* of struct replay_exchange, in the order of the requests, or NULL */
    GArray *segments_kept;  /* of struct replay_segment, or NULL */
    struct study *study;    /* replay/study.h: calibration, breakdown and trace, or NULL: not asked for */
};

/* Connections that carry one SMB3 session (multichannel); mostly just one. */
struct replay_session {
    uint32_t connections;
    uint64_t bytes_read, bytes_written;
    int64_t first_ns, last_ns; /* first frame of the first; last frame with payload of the last to end */
    GArray
        *files; /* of struct replay_file, as a connection's; NULL with one connection, whose own they are */
    bool waits_known;   /* there are several connections, measured, and enough of all was decoded */
    struct waits waits; /* sum to last_ns - first_ns; see replay/session_path.h */
};

static inline int64_t replay_recorded_ns(const struct replay_connection *c)
{
    return c->last_ns - c->first_ns;
}

#endif
