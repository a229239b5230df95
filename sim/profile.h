/* The three profiles of a simulated run and how their YAML files read. docs/formats.md describes the files.
 *
 * Ownership: a profile owns its strings and arrays; x_clear() frees them. Reading reports errors with file and line. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

#include "sim/workload.h"
#include "base/yaml.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- network ------------------------------------------------------------------------------------------------ */

/* What a link's rate counts of each packet. */
enum network_counts {
    NETWORK_COUNTS_IP,       /* the IP packet */
    NETWORK_COUNTS_ETHERNET, /* + 14: header, no FCS, no padding */
    NETWORK_COUNTS_WIRE,     /* + 38: preamble, header, FCS and gap; at least 84 a packet */
};

/* Losses in bursts: a two-state chain, advanced once a packet. */
struct network_bursts {
    double enter; /* probability of going bad, a packet; 0: no bursts */
    double leave; /* probability of going good again, a packet */
    double loss;  /* of a packet in the bad state */
};

struct network_reordering {
    double share; /* of packets that others overtake */
    int64_t delay_ns;
};

/* Where a measured value lies with 95 % confidence; both 0: it is taken as known. */
struct network_range {
    int64_t low, high;
};

struct network_share_range {
    double low, high;
};

struct network_direction {
    int64_t rate_bps; /* > 0 */
    int64_t
        queue_bytes; /* drop-tail: a frame is dropped when the time until its serialisation could start, times the
                               rate, exceeds this; its own length doesn't count */
    double loss;     /* independent, before the queue; 0..1 */
    int64_t packets_per_ms; /* budget of each whole millisecond; 0: none */
    struct network_bursts bursts;
    struct network_reordering reordering;
    int64_t jitter_ns;    /* largest extra delay, uniform from 0; order is kept */
    double cross_traffic; /* share of the rate that others offer, 0..1 */
    struct network_range rate_range, queue_range;
    struct network_share_range loss_range;
    GArray *
        lost_packets; /* of struct yaml_number: numbers from 1 of packets that are lost, ascending; or NULL */
};

/* A further hop, behind the first as seen from the client. */
struct network_hop {
    int64_t rtt_ns; /* as in struct network_profile */
    int64_t one_way_delay_ns;
    struct network_direction down, up;
    int line;
};

struct network_profile {
    char *name;
    char *description;
    int64_t rtt_ns;           /* propagation there and back, without serialisation; half of it each way */
    int64_t one_way_delay_ns; /* -1, or given instead of rtt_ns */
    struct network_range rtt_range;
    struct network_direction down; /* towards the client */
    struct network_direction up;
    int64_t mtu_bytes; /* IP packet */
    int counts;        /* enum network_counts */
    GArray *beyond;    /* of struct network_hop, towards the server; or NULL */
};

void network_profile_init(struct network_profile *n);
void network_profile_clear(struct network_profile *n);
bool network_profile_bind(struct network_profile *n, struct yaml_doc *doc, GError **error);
/* Propagation delay each way, of all hops. */
int64_t network_one_way_ns(const struct network_profile *n);
/* Hop `i`, 0 being the client's. Views into the profile. */
guint network_hop_count(const struct network_profile *n);
const struct network_direction *network_hop_direction(const struct network_profile *n, guint i, bool down);
int64_t network_hop_delay_ns(const struct network_profile *n, guint i);
/* The profile as run `run` has it: run 0 with its values, any other with values drawn from their ranges, each side of the value as
 * half of a normal distribution; the same draw for both directions of equal range. *out is a view of `n`: it isn't cleared. */
void network_profile_draw(const struct network_profile *n, uint64_t seed, uint64_t run,
                          struct network_profile *out);
/* Whether two runs on it may differ. */
bool network_is_random(const struct network_profile *n);
/* Bytes that the rate counts for an IP packet of that size. */
int64_t network_counted_bytes(int counts, int64_t ip_bytes);

/* ---- TCP by operating system -------------------------------------------------------------------------------- */

enum tcp_congestion { TCP_NEWRENO, TCP_CUBIC, TCP_COMPOUND };

/* What ends slow start before a loss: nothing, Linux's HyStart, RFC 9406. */
enum tcp_slow_start_exit { TCP_EXIT_NONE, TCP_EXIT_HYSTART, TCP_EXIT_HYSTART_PLUS };

/* How the receive window grows: not at all, it is the largest at once; as Linux has it; by Windows' levels, whose window begins with 64
 * KiB. */
enum tcp_autotuning {
    TCP_WINDOW_FIXED,
    TCP_WINDOW_LINUX,
    TCP_WINDOW_DISABLED,
    TCP_WINDOW_HIGHLY_RESTRICTED,
    TCP_WINDOW_RESTRICTED,
    TCP_WINDOW_NORMAL,
    TCP_WINDOW_EXPERIMENTAL,
};

/* Values of one end. Sources: RFC 5681, 6298, 6582, 6928, 9438 and the table rows in tcp_profile.c. */
struct tcp_profile {
    int congestion;               /* enum tcp_congestion */
    int slow_start_exit;          /* enum tcp_slow_start_exit */
    int64_t initial_window;       /* segments */
    int64_t receive_window_bytes; /* no window that it advertises is larger */
    int autotuning;               /* enum tcp_autotuning */
    int64_t delayed_ack_ns;       /* timer of a held ACK */
    int64_t ack_every;            /* segments to an ACK */
    bool
        ack_counts_bytes; /* Linux: more than (ack_every - 1) full segments of bytes; else packets of any size */
    int64_t quick_acks; /* segments ACKed at once before delaying begins */
    int64_t min_rto_ns;
    int64_t initial_rto_ns;
    int64_t
        forgiven_syns; /* SYNs that may time out before the window starts at 1: 0 (RFC 5681 3.1), 1 (RFC 6928 3) */
    int64_t duplicate_acks; /* that start fast retransmit */
    int64_t growth_limit; /* segments an ACK counts for in slow start at most; 0: all; 1: in avoidance too */
    bool
        rto_floor_on_variance; /* Linux: RTO = srtt + max(min_rto, 4 deviations); else max(min_rto, the sum) */
    bool rack;                 /* RFC 8985: losses found by time, with tail loss probe */
    bool prr;                  /* RFC 6937: proportional rate reduction */
    bool timestamps;           /* 12 bytes of each segment, when both ends have it */
    bool sack;                 /* when both ends have it */
    bool dsack;                /* RFC 2883: reports what came twice */
    bool frto;                 /* RFC 5682: finds out spurious timeouts */
    bool
        undo; /* Linux: takes back reductions that DSACKs or echoed timestamps show needless, and waits longer for what is late */
    bool window_scaling; /* its SYN offers RFC 7323's scale; every system accepts an offer */
    bool nagle;
    bool idle_restart; /* window shrinks after an idle RTO (RFC 2861) */
};

/* Systems: linux, windows-xp, windows-vista, windows-7, windows-8, windows-10, windows-11, windows-server-2008, ... NULL-terminated. */
extern const char *const TCP_SYSTEMS[];
/* `system` is an index into TCP_SYSTEMS. */
const struct tcp_profile *tcp_profile_of(int system);
/* The largest window that it can come to, with scaling. */
int64_t tcp_profile_largest_window(const struct tcp_profile *p);
/* Keys of a `tcp:` section, which changes single values of the system's row. */
extern const struct yaml_field TCP_PROFILE_FIELDS[];

/* ---- hosts ----------------------------------------------------------------------------------------------------- */

/* What work costs. Rates are bytes worked on per time; 0: costs nothing. */
struct cpu_profile {
    int64_t cores;
    int64_t send_packet_ns, receive_packet_ns;
    int64_t byte_rate_bps;     /* copying, of each packet's bytes */
    int64_t checksum_rate_bps; /* the same for checksums */
    int64_t request_ns;        /* of each SMB request, beside its service or think time */
    int64_t signing_rate_bps, encryption_rate_bps, compression_rate_bps, decompression_rate_bps;
};

struct nic_profile {
    int64_t moderation_ns;  /* least time between interrupts; 0: one a frame */
    int64_t packets_per_ms; /* multimedia throttle, of one adapter; 0: off */
    int64_t adapters;
    int64_t ring_frames;    /* received frames that may wait; 0: no limit */
    int64_t receive_queues; /* receive-side scaling: cores that packets are spread over by connection */
    bool checksum_offload;  /* the adapter makes and checks them */
    /* Packets of a connection that are sent at one instant, or received with one interrupt, cost as one up to so many bytes of
     * payload; 0: no such offload. */
    int64_t send_offload_bytes, receive_offload_bytes;
};

/* See sim/disk.h for the model. */
struct disk_profile {
    int64_t rate_bps; /* one drive's, outer tracks; 0: no disk */
    int64_t inner_rate_bps;
    double position;
    int64_t seek_ns;
    int64_t drives;
    int64_t bus_rate_bps; /* 0: no limit */
    int64_t read_ahead_bytes, write_behind_bytes;
};

struct host_profile {
    struct cpu_profile cpu;
    struct nic_profile nic;
    struct disk_profile disk;
};

extern const struct yaml_field HOST_CPU_FIELDS[], HOST_NIC_FIELDS[], HOST_DISK_FIELDS[];
/* Rows of a client's or server's table, whose `host` stands at that offset. */
#define HOST_PROFILE_ROWS(at)                                                                                \
    {.key = "cpu",                                                                                           \
     .type = YAML_MAP,                                                                                       \
     .offset = (at) + offsetof(struct host_profile, cpu),                                                    \
     .fields = HOST_CPU_FIELDS},                                                                             \
        {.key = "nic",                                                                                       \
         .type = YAML_MAP,                                                                                   \
         .offset = (at) + offsetof(struct host_profile, nic),                                                \
         .fields = HOST_NIC_FIELDS},                                                                         \
    {                                                                                                        \
        .key = "disk", .type = YAML_MAP, .offset = (at) + offsetof(struct host_profile, disk),               \
        .fields = HOST_DISK_FIELDS                                                                           \
    }
void host_profile_init(struct host_profile *h);
bool host_profile_check(const struct host_profile *h, const struct yaml_doc *doc, const char *section,
                        GError **error);

/* ---- client --------------------------------------------------------------------------------------------------- */

enum client_data { CLIENT_DATA_NONE, CLIENT_DATA_READ, CLIENT_DATA_WRITE };
/* What a data request waits for when `depth` are out: the oldest of them, or all. */
enum client_wait { CLIENT_WAIT_EACH, CLIENT_WAIT_ALL };
/* For what a cache holds a step's answer, so that it isn't asked for again. */
enum client_cached {
    CLIENT_CACHED_NO,
    CLIENT_CACHED_FILE,
    CLIENT_CACHED_DIRECTORY,
    CLIENT_CACHED_CONNECTION
};

/* One line of a client's list of exchanges. */
struct client_step {
    char *command_name;
    char *basis;           /* what the line rests on: measured, fitted, assumed, specified, with its source */
    int64_t request_bytes; /* TCP payload without file data */
    int64_t response_bytes;
    int64_t think_ns;
    int64_t repeat;        /* exchanges of this kind, one after the other */
    int data;              /* enum client_data: repeated block by block until the file is through */
    int64_t block_bytes;   /* of a data step */
    int64_t depth;         /* data requests outstanding at once */
    int wait;              /* enum client_wait */
    int cached;            /* enum client_cached */
    int64_t cached_for_ns; /* 0: as long as the copy */
    bool compound;         /* travels in one message with the step before */
    int line;
    uint16_t command;
    struct exchange_chain chain; /* this step and those that travel with it; count 0: it travels alone */
};

enum client_protection { CLIENT_PROTECTION_NONE, CLIENT_PROTECTION_SIGN, CLIENT_PROTECTION_ENCRYPT };

/* SMB compression of file data. */
struct client_compression {
    double ratio; /* compressed over original size; 0: off */
    /* Windows' first rule: the file's first `sample_bytes` are tried, and the rest only if they shrink by `threshold_bytes`.
     * 0: every block is tried. */
    int64_t sample_bytes, threshold_bytes;
};

/* A cache of file data, as Offline Files has one: in a second copy the steps cached for a file are left out. */
struct client_file_cache {
    int64_t above_ns; /* only where the path's round trip is longer */
    int64_t rate_bps; /* of reading a file from it and writing the copy; 0: takes no time */
    int line;         /* 0: no such cache */
};

struct client_profile {
    char *name;
    char *description;
    char *dialect;
    int system; /* index into TCP_SYSTEMS */
    struct host_profile host;
    int protection;  /* enum client_protection */
    int64_t credits; /* SMB2: credits that it asks for; 0: none are counted */
    int64_t files_at_once;
    int64_t connections;  /* of a session, over each path */
    int64_t max_requests; /* SMB1: outstanding on a connection; 0: no limit */
    struct client_compression compression;
    struct client_file_cache file_cache;
    struct tcp_profile tcp;     /* the system's values, with the file's `tcp:` changes */
    int64_t request_timeout_ns; /* gives up on an exchange after this; 0: never */
    GArray *connect;            /* of struct client_step: once */
    GArray *download;           /* for each file; NULL when the profile has none */
    GArray *upload;
    GArray *disconnect; /* once */
};

extern const struct yaml_field CLIENT_STEP_FIELDS[];
extern const struct client_step CLIENT_STEP_DEFAULT;
/* Fills in the commands of a list that may hold data steps of that kind. COPYTRIAL_ERROR_INPUT names the line. */
bool client_steps_check(const struct client_profile *c, GArray *steps, int allowed_data,
                        const struct yaml_doc *doc, GError **error);

void client_profile_init(struct client_profile *c);
void client_profile_clear(struct client_profile *c);
bool client_profile_bind(struct client_profile *c, struct yaml_doc *doc, GError **error);

/* ---- server --------------------------------------------------------------------------------------------------- */

/* Service time of a command: time + data bytes / rate. */
struct server_command {
    char *command_name; /* key of a YAML_DICT */
    int64_t time_ns;
    int64_t rate_bps; /* 0: bytes cost nothing */
    int line;
    uint16_t command;
};

struct server_profile {
    char *name;
    char *description;
    int system;
    struct host_profile host;
    int64_t max_credits;  /* that it grants to a connection */
    int64_t credit_step;  /* most that one response adds */
    int64_t max_requests; /* SMB1: that it announces as MaxMpxCount; 0: no limit */
    struct tcp_profile tcp;
    struct server_command other; /* every command without a row */
    GArray *commands;            /* of struct server_command, or NULL */
    int64_t max_block_bytes;     /* largest read or write that it grants; 0: no limit */
};

void server_profile_init(struct server_profile *s);
void server_profile_clear(struct server_profile *s);
bool server_profile_bind(struct server_profile *s, struct yaml_doc *doc, GError **error);
/* Requests that may be outstanding on a connection of theirs; 0: no limit but credits. */
int64_t profiles_max_requests(const struct client_profile *client, const struct server_profile *server);
int64_t server_service_ns(const struct server_profile *s, uint16_t command, int64_t data_bytes);

#endif
