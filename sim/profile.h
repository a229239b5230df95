/* The three profiles of a simulated run and how their YAML files read. docs/formats.md describes the files.
 *
 * Ownership: a profile owns its strings and arrays; x_clear() frees them. Reading reports errors with file and line. */
#ifndef SIM_PROFILE_H
#define SIM_PROFILE_H

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

struct network_direction {
    int64_t rate_bps; /* > 0 */
    int64_t
        queue_bytes; /* drop-tail: a frame is dropped when the time until its serialisation could start, times the
                               rate, exceeds this; its own length doesn't count */
    double loss;     /* independent, before the queue; 0..1 */
    int64_t packets_per_ms; /* budget of each whole millisecond; 0: none */
};

struct network_profile {
    char *name;
    char *description;
    int64_t rtt_ns;           /* propagation there and back, without serialisation; half of it each way */
    int64_t one_way_delay_ns; /* -1, or given instead of rtt_ns */
    struct network_direction down; /* towards the client */
    struct network_direction up;
    int64_t mtu_bytes; /* IP packet */
    int counts;        /* enum network_counts */
};

void network_profile_init(struct network_profile *n);
void network_profile_clear(struct network_profile *n);
bool network_profile_bind(struct network_profile *n, struct yaml_doc *doc, GError **error);
int64_t network_one_way_ns(const struct network_profile *n);
/* Bytes that the rate counts for an IP packet of that size. */
int64_t network_counted_bytes(int counts, int64_t ip_bytes);

/* ---- TCP by operating system -------------------------------------------------------------------------------- */

enum tcp_congestion { TCP_NEWRENO, TCP_CUBIC };

/* Values of one end. Sources: RFC 5681, 6298, 6582, 6928, 9438 and the table rows in tcp_profile.c. */
struct tcp_profile {
    int congestion;               /* enum tcp_congestion */
    int64_t initial_window;       /* segments */
    int64_t receive_window_bytes; /* largest window that it advertises */
    int64_t delayed_ack_ns;       /* timer of a held ACK */
    int64_t ack_every;            /* segments to an ACK */
    bool
        ack_counts_bytes; /* Linux: more than (ack_every - 1) full segments of bytes; else packets of any size */
    int64_t quick_acks; /* segments ACKed at once before delaying begins */
    int64_t min_rto_ns;
    int64_t initial_rto_ns;
    int64_t duplicate_acks; /* that start fast retransmit */
    int64_t growth_limit;   /* segments that one ACK may count in slow start; 0: all that it covers */
    bool
        rto_floor_on_variance; /* Linux: RTO = srtt + max(min_rto, 4 deviations); else max(min_rto, the sum) */
    bool rack;                 /* RFC 8985: losses found by time, with tail loss probe */
    bool prr;                  /* RFC 6937: proportional rate reduction */
    bool timestamps;           /* 12 bytes of each segment, when both ends have it */
    bool sack;                 /* when both ends have it */
    bool window_scaling;       /* its SYN offers RFC 7323's scale; every system accepts an offer */
    bool nagle;
    bool idle_restart; /* window shrinks after an idle RTO (RFC 2861) */
};

/* Systems: linux, windows-xp, windows-vista, windows-7, windows-8, windows-10, windows-11, windows-server-2008, ... NULL-terminated. */
extern const char *const TCP_SYSTEMS[];
/* `system` is an index into TCP_SYSTEMS. */
const struct tcp_profile *tcp_profile_of(int system);
/* Keys of a `tcp:` section, which changes single values of the system's row. */
extern const struct yaml_field TCP_PROFILE_FIELDS[];

/* ---- client --------------------------------------------------------------------------------------------------- */

enum client_data { CLIENT_DATA_NONE, CLIENT_DATA_READ, CLIENT_DATA_WRITE };

/* One line of a client's list of exchanges. */
struct client_step {
    char *command_name;
    char *basis;           /* what the line rests on: measured, fitted, assumed, specified, with its source */
    int64_t request_bytes; /* TCP payload without file data */
    int64_t response_bytes;
    int64_t think_ns;
    int64_t repeat;      /* exchanges of this kind, one after the other */
    int data;            /* enum client_data: repeated block by block until the file is through */
    int64_t block_bytes; /* of a data step */
    int64_t depth;       /* data requests outstanding at once */
    int line;
    uint16_t command;
};

struct client_profile {
    char *name;
    char *description;
    char *dialect;
    int system;                 /* index into TCP_SYSTEMS */
    struct tcp_profile tcp;     /* the system's values, with the file's `tcp:` changes */
    int64_t request_timeout_ns; /* gives up on an exchange after this; 0: never */
    GArray *connect;            /* of struct client_step: once */
    GArray *download;           /* for each file; NULL when the profile has none */
    GArray *upload;
    GArray *disconnect; /* once */
};

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
    struct tcp_profile tcp;
    struct server_command other; /* every command without a row */
    GArray *commands;            /* of struct server_command, or NULL */
    int64_t max_block_bytes;     /* largest read or write that it grants; 0: no limit */
};

void server_profile_init(struct server_profile *s);
void server_profile_clear(struct server_profile *s);
bool server_profile_bind(struct server_profile *s, struct yaml_doc *doc, GError **error);
int64_t server_service_ns(const struct server_profile *s, uint16_t command, int64_t data_bytes);

#endif
