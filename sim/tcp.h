/* One TCP endpoint: sender and receiver of one connection.
 *
 * The application writes messages (a size and a cookie); the peer's application is told when the last byte of a
 * message has arrived in order. The stream is cut into full segments regardless of message boundaries; a last partial
 * segment leaves at once unless Nagle holds it.
 *
 * Model: RFC 9293 handshake and sequence space (64-bit offsets, so nothing wraps); RFC 5681/6582 slow start,
 * congestion avoidance, NewReno; RFC 2018/6675 and RFC 8985 (RACK, TLP) loss detection with SACK; RFC 6937
 * proportional rate reduction where the system has it; RFC 6298 retransmission timer with the system's floor; RFC 9438
 * CUBIC with HyStart as Linux has it. Windows count segments, as Linux does. What is left out: ECN, urgent data, pacing, readers that
 * are slower than the network, and the closing handshake, which carries no payload. docs/model.md has the list.
 *
 * tcp_send.c has the sender, tcp_recv.c the receiver, tcp_rtt.c the RTT estimate and RTO, tcp_loss.c the
 * scoreboard. Nothing is allocated for a segment but a doubling of a ring. */
#ifndef SIM_TCP_H
#define SIM_TCP_H

#include "sim/event.h"
#include "sim/packet.h"
#include "sim/profile.h"
#include "sim/ring.h"
#include "sim/run.h"
#include "sim/tcp_cc.h"

enum tcp_state { TCP_CLOSED, TCP_SYN_SENT, TCP_SYN_RECEIVED, TCP_ESTABLISHED };

/* State of loss recovery, RFC 5681 and Linux's terms. */
enum tcp_recovery { TCP_OPEN, TCP_RECOVERY, TCP_LOSS };

enum tcp_segment_flags { TCP_SACKED = 1, TCP_LOST = 2, TCP_RETRANSMITTED = 4, TCP_EVER_RETRANSMITTED = 8 };

/* A segment sent and not yet acknowledged cumulatively. */
struct tcp_segment {
    uint64_t start;
    uint32_t length;
    uint8_t flags;
    int64_t sent_ns; /* last transmission */
};

/* A message written and not yet delivered whole. The receiver reads the sender's ring: one memory, two hosts. */
struct tcp_message {
    uint64_t end; /* stream offset behind its last byte */
    int64_t write_ns;
    uint64_t cookie;
    struct waits at_write; /* where time had gone when it was written */
};

struct tcp_range {
    uint64_t start, end;
};

/* A transmission, for RACK, which goes by the order in which segments were sent. */
struct tcp_transmission {
    uint64_t start; /* of its segment */
    int64_t sent_ns;
};

/* The receive window and what its growth goes by: tcp_window.c. */
struct tcp_window {
    int scale;
    uint32_t largest, clamp, open; /* that it may ever be; that it may be opened to; opened to */
    uint32_t advertised;           /* in whole units of the scale; never shrinks */
    uint32_t most;                 /* bytes that a round trip has brought */
    uint64_t measured;             /* stream offset and instant where the present round trip began */
    int64_t measured_ns;
    int64_t rtt_ns; /* the receiver's; 0: not known */
    int64_t last_echo_ns;
    uint64_t window_end; /* without timestamps: end of the window that is being timed, and its beginning */
    int64_t window_ns;
};

/* What the last reduction of the window was, and what would show that it was needless. */
struct tcp_undo {
    bool armed;
    uint64_t marker; /* una at the time */
    int32_t repairs; /* sent since, less those that a DSACK reported; -1: none sent yet */
    uint32_t cwnd, ssthresh;
    int64_t first_repair_ns; /* 0: none */
};

/* The way to the peer. `send` borrows the packet; what is known of the path serves the account of waits alone. */
struct tcp_path {
    void (*send)(void *owner, const struct packet *p);
    void *owner;
    int64_t propagation_ns;
    int64_t bottleneck_bps;
    int counts; /* enum network_counts of the bottleneck */
};

struct tcp {
    struct event_queue *queue;
    struct tcp_path path; /* towards the peer */
    struct tcp *peer;
    const struct tcp_profile *profile;
    uint16_t connection;
    bool is_client;
    int state;             /* enum tcp_state */
    uint32_t mss;          /* payload bytes of a full segment */
    uint32_t header_bytes; /* IP and TCP of a segment without SACK blocks */
    uint32_t syn_bytes;    /* whole SYN packet */
    bool sack_on, timestamps_on;

    /* sender */
    uint64_t write_end; /* bytes that the application has written */
    uint64_t una, nxt;
    uint64_t peer_edge;                   /* what the peer's window reaches to: it never moves back */
    struct ring messages;                 /* of struct tcp_message, until delivered */
    struct ring segments;                 /* of struct tcp_segment, una..nxt */
    uint32_t sacked, lost, retransmitted; /* segments by state */
    size_t loss_hint;                     /* no segment below is lost and unsent */
    struct ring transmissions; /* of struct tcp_transmission, oldest first; where losses are found by time */
    uint64_t sacked_end;       /* of the highest SACKed segment */
    uint64_t judged_end;       /* no segment below is lost and not marked so, by the count */
    struct tcp_range reported[PACKET_SACK_BLOCKS]; /* the last ACK's blocks: all SACKed */
    struct tcp_cc cc;
    const struct tcp_cc_ops *cc_ops;
    int recovery; /* enum tcp_recovery */
    uint64_t recovery_end;
    uint32_t duplicate_acks;
    uint32_t prr_delivered, prr_out, prior_cwnd;
    int64_t last_data_sent_ns;
    bool cwnd_limited;
    uint32_t max_in_flight;
    uint64_t cwnd_usage_end;
    int64_t newest_sent_ns; /* RACK: transmission time of the newest delivered segment */
    uint64_t newest_end;
    int64_t newest_rtt_ns;

    /* RTT and timers */
    int64_t srtt_ns, rttvar_ns, mdev_ns, mdev_max_ns, min_rtt_ns;
    uint64_t rtt_window_end;
    int64_t rto_ns;
    int backoff;
    int64_t timer_due_ns; /* lazily: the event may be earlier and moves itself */
    bool timer_on, timer_is_probe, probe_sent, probe_was_new;
    uint64_t probe_end;
    struct tcp_undo undo;
    bool frto, frto_probing;  /* RFC 5682: this timeout may have been spurious; new data are out to tell */
    bool original_delivered;  /* this ACK reports a segment that was sent once, of those out at the timeout */
    bool reordering_seen;     /* a segment sent once has arrived after one sent behind it */
    uint32_t reorder_steps;   /* RACK waits that many quarters of the smallest RTT */
    uint32_t reorder_persist; /* recoveries until that is 1 again */
    uint64_t reorder_round_end; /* no step before this is acknowledged */
    struct event timer;
    struct event reorder_timer;
    uint32_t handshake_tries, handshake_timeouts;
    int64_t first_syn_ns; /* own first SYN or SYN-ACK */
    int64_t
        syn_sent_ns; /* own last; at the end of a client's handshake when the way that worked began: what lost ones cost is before */
    int64_t syn_way_ns; /* that the other's last SYN took */

    /* receiver */
    struct tcp_window window;
    uint64_t rcv_nxt;
    struct tcp_range *held; /* out of order, sorted, disjoint */
    size_t held_count, held_capacity;
    uint64_t last_held_start; /* block of the newest out-of-order segment goes first */
    int64_t recent_ns;        /* sent: to be echoed (RFC 7323 4.3) */
    uint64_t acked_by_itself; /* rcv_nxt in the last packet sent: RFC 7323's Last.ACK.sent */
    uint32_t unacked_bytes;
    int64_t unacked_packets;
    uint32_t quick_acks;
    bool ping_pong;
    int64_t last_data_received_ns;
    bool saw_duplicate; /* the next ACK reports data that came twice (RFC 2883) */
    struct tcp_range duplicate;
    int64_t delack_due_ns;
    bool delack_on;
    struct event delack;

    /* attribution of the time until the last data segment arrived */
    struct waits waits;
    int64_t waits_ns; /* instant up to which `waits` accounts */

    /* the application */
    void (*on_established)(void *owner);
    void (*on_message)(void *owner, uint64_t cookie, const struct waits *waits);
    void *owner;
};

struct tcp_setup {
    struct event_queue *queue;
    struct tcp_path path;
    const struct tcp_profile *profile, *peer_profile;
    uint16_t connection;
    int64_t mtu_bytes;
    uint32_t ip_header_bytes; /* 20 or 40 */
    bool initiator;           /* sends the SYN */
};

/* Options that a SYN or a SYN-ACK carries. */
struct tcp_offer {
    bool timestamps, sack, window_scaling;
};

/* What an end offers: the initiator its own options, the other end those that both have. */
struct tcp_offer tcp_offer_of(const struct tcp_profile *own, const struct tcp_profile *peer, bool initiator);
/* Their bytes, the MSS included: RFC 9293 3.2, 7323 2 and 3, 2018 2, each padded to words but for SACK, which stands beside the
 * timestamps where there are any. */
uint32_t tcp_offer_bytes(const struct tcp_offer *offer);

/* The shift of its windows, where both ends scale them. */
int tcp_window_scale(const struct tcp_profile *p);

void tcp_init(struct tcp *t, const struct tcp_setup *setup);
void tcp_fini(struct tcp *t);
/* The client's end begins the handshake. */
void tcp_connect(struct tcp *t);
/* `waits` accounts for the time until now. `bytes` > 0. */
void tcp_write(struct tcp *t, uint32_t bytes, uint64_t cookie, const struct waits *waits);
/* A packet from the link. */
void tcp_receive(struct tcp *t, const struct packet *p);

/* ---- between the files of this module ---- */

/* Sends what the window allows: lost segments first, then new data. */
void tcp_push(struct tcp *t);
void tcp_on_ack(struct tcp *t, const struct packet *p);
/* The retransmission timer or the probe has run out. */
void tcp_on_timer(struct tcp *t);
void tcp_on_data(struct tcp *t, const struct packet *p);
void tcp_send_ack(struct tcp *t);
/* An ACK, unless data that carry it have left since the last one. */
void tcp_send_ack_unless_sent(struct tcp *t);
/* Fills in acknowledgement, window and SACK blocks, and notes that the ACK is on its way. */
void tcp_recv_stamp(struct tcp *t, struct packet *p);

static inline uint32_t tcp_in_flight(const struct tcp *t)
{
    uint32_t gone = t->sacked + t->lost + (t->sack_on ? 0 : t->duplicate_acks);
    uint32_t out = (uint32_t)t->segments.count + t->retransmitted;

    return out > gone ? out - gone : 0;
}

/* `scaled`: both ends scale windows. `offered_mss`: of its SYN. */
void tcp_window_init(struct tcp *t, bool scaled, uint32_t offered_mss);
uint32_t tcp_window_of_syn(const struct tcp *t);
/* Data have arrived in order: before their ACK; and have been read. Once the window is as large as it may be, neither is needed. */
void tcp_window_opens(struct tcp *t, const struct packet *p);
void tcp_window_read(struct tcp *t);

void tcp_rtt_init(struct tcp *t);
void tcp_rtt_sample(struct tcp *t, int64_t rtt_ns);
/* Arms the retransmission timer or, where the system has it, the tail loss probe. */
void tcp_timer_arm(struct tcp *t);
void tcp_timer_fired(void *owner);

/* Scoreboard. tcp_loss_sack() marks what the packet's blocks report and returns the number of segments newly SACKed. */
uint32_t tcp_loss_sack(struct tcp *t, const struct packet *p);
/* Where losses are found by time: a segment has left, the cumulative ACK has moved. */
void tcp_loss_note_sent(struct tcp *t, const struct tcp_segment *s);
void tcp_loss_forget_acked(struct tcp *t);
/* Marks lost what RACK or the duplicate threshold says; returns the number newly marked. */
uint32_t tcp_loss_detect(struct tcp *t);
void tcp_loss_mark_all(struct tcp *t);
void tcp_loss_note_delivered(struct tcp *t, const struct tcp_segment *s);
/* What its order tells; `reached` is the highest SACKed offset before this ACK. Needed for segments below it, and after a timeout. */
void tcp_loss_note_order(struct tcp *t, const struct tcp_segment *s, uint64_t reached);
void tcp_loss_reorder_timer(void *owner);

/* Needless reductions: tcp_undo.c. Remembers the state before one. */
void tcp_undo_arm(struct tcp *t);
void tcp_undo_note_repair(struct tcp *t);
/* Takes what a DSACK in the ACK says. */
void tcp_undo_dsack(struct tcp *t, const struct packet *p);
/* Takes the last reduction back when the ACK shows that no repair was needed; returns whether it did. */
bool tcp_undo_try(struct tcp *t, const struct packet *p, bool advanced);
/* RFC 5682, after a timeout; whether it was spurious. `sacked`: the ACK reports newly SACKed segments or is a duplicate. */
bool tcp_undo_after_timeout(struct tcp *t, bool advanced, bool sacked);
void tcp_enter_recovery(struct tcp *t);

#endif
