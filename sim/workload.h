/* Workloads: what a simulated client does, exchange by exchange.
 *
 * sim pulls exchanges from sources, one for each of the workers that a client has, in the order in which the worker issues their
 * requests, and holds only those outstanding, so memory doesn't grow with the copy. Two kinds of sources exist: a trace (an array,
 * made by replay from a capture) and a copy (client profile times files, copy.h).
 *
 * Release rule. A worker issues requests in order. Its exchange i is issued at
 *     max(issue time of i-1, completion of what it waits for) + think_ns
 * and it waits for the complete response of exchange i - after (after = 0, or before the first: for nothing but the order), or, with
 * EXCHANGE_BARRIER, for every earlier exchange of this worker. */
#ifndef SIM_WORKLOAD_H
#define SIM_WORKLOAD_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum exchange_flags {
    EXCHANGE_BARRIER = 1, /* waits for all earlier exchanges */
    /* A request that is never answered (CANCEL), or whose answer the capture lacks. */
    EXCHANGE_NO_RESPONSE = 2,
    /* Its service doesn't occupy the server's worker (CHANGE_NOTIFY, a LOCK that waits), and no barrier waits for it. */
    EXCHANGE_BACKGROUND = 4,
    EXCHANGE_SERVER_TIMED = 8, /* service_ns was measured; without it the server profile says */
    EXCHANGE_COMPRESSED = 16,  /* its data travel compressed: both ends pay for it */
    EXCHANGE_SIGNED = 32,      /* both ends pay for signing both messages */
    EXCHANGE_ENCRYPTED = 64,   /* the same for encryption */
    EXCHANGE_PAUSE = 128,      /* its worker asks for the next one when all of its own are done */
};

/* A compound: several requests in one message, related to each other, and their answers in one: [MS-SMB2] 3.2.4.1.4. Sizes are those of
 * the messages that each would be by itself. */
enum { EXCHANGE_ELEMENTS = 8 };

struct exchange_element {
    uint32_t request_bytes, response_bytes;
    uint16_t command;
};

struct exchange_chain {
    uint32_t count;
    struct exchange_element elements[EXCHANGE_ELEMENTS];
};

/* 48 bytes: a trace keeps one for each exchange. */
struct exchange {
    int64_t think_ns; /* client's time from release to request; at least 0 */
    /* Server's time from the request's last byte, or from its previous answer if that is later, to the response's first byte;
     * used with EXCHANGE_SERVER_TIMED. */
    int64_t service_ns;
    uint32_t request_bytes;  /* TCP payload of the request, 4-byte prefix included; at least 1 */
    uint32_t response_bytes; /* the same of the final response; 0 with EXCHANGE_NO_RESPONSE */
    uint32_t data_bytes;     /* file data in either of them, before compression */
    uint32_t after;          /* distance back to the exchange waited for; 0: none */
    uint16_t command;        /* sim/command.h */
    uint16_t flags;
    uint32_t file; /* index of the file that it serves, for per-file seconds */
    const struct exchange_chain
        *chain; /* a compound's elements, the first of which has `command`, borrowed; or NULL */
};

G_STATIC_ASSERT(sizeof(struct exchange) <= 64); /* what a trace may cost an exchange */

/* Bytes of a compound's request or response: in a chain each element but the last begins the next one at a multiple of 8. */
uint32_t exchange_chain_bytes(const struct exchange_chain *c, bool response);

/* `next` fills *out and returns true, or returns false at the end; it is called once for each exchange, in order, when the one before
 * has been issued and its EXCHANGE_PAUSE allows. */
struct exchange_source {
    bool (*next)(void *self, int64_t now_ns, struct exchange *out);
    void *self;
};

/* One TCP connection's exchanges in a trace. */
struct trace_connection {
    int64_t start_ns;  /* its first frame, after the capture's first */
    int64_t finish_ns; /* client's time from the last response to FIN; -1: not seen */
    GArray *exchanges; /* of struct exchange */
};

/* What can be replayed: owned by whoever made it, freed with trace_free(). */
struct trace {
    GArray *connections; /* of struct trace_connection */
};

struct trace *trace_new(void);
void trace_free(struct trace *t);
/* View, valid until the next trace_add_connection() or trace_free(). */
struct trace_connection *trace_add_connection(struct trace *t);

/* A source over one connection of a trace: borrows it. */
struct trace_cursor {
    const struct trace_connection *connection;
    guint next;
    struct exchange_source source;
};
void trace_cursor_init(struct trace_cursor *c, const struct trace_connection *connection);

/* Files to copy: `count` files of `size_bytes` each, which lie in one directory. */
struct file_group {
    int64_t count;
    int64_t size_bytes;
    uint32_t directory; /* another number than the group before has: another directory */
};

/* Parses "16x19.75MiB,370x41KiB": counts are optional, sizes carry their unit. Returns owned GArray of struct
 * file_group, or NULL with COPYTRIAL_ERROR_INPUT. */
GArray *file_groups_parse(const char *spec, GError **error);
/* A list file: "size path" a line, size in bytes or with a unit, # starts a comment. */
GArray *file_groups_read(const char *path, GError **error);

/* The regular files below a folder, in the order of their paths; symbolic links are not followed. */
GArray *file_groups_scan(const char *folder, GError **error);
int64_t file_groups_bytes(const GArray *groups);
int64_t file_groups_count(const GArray *groups);

#endif
