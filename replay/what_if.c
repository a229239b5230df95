#include "replay/what_if.h"
#include "replay/trace_change.h"
#include "sim/command.h"

enum {
    JUMBO_BYTES = 9000,
    SMB1_BLOCK_MOST = 65535, /* of one READ_ANDX or WRITE_ANDX that every server takes */
    SMB2_BLOCK_MOST = 1 << 20,
    BLOCKS_IN_ONE = 16,
    MORE_OUTSTANDING = 7,
    FILES_AT_ONCE = 4,
    COMPOUND_MOST = 3,
    WINDOW_FACTOR = 4,
};

static struct what_if *variant(GPtrArray *list, const struct replay_model *m, const char *name,
                               const char *what, const char *basis)
{
    struct what_if *w = g_new0(struct what_if, 1);

    w->name = name;
    w->what = what;
    w->basis = g_strdup(basis);
    w->model = *m;
    g_ptr_array_add(list, w);
    return w;
}

/* ---- the network ---------------------------------------------------------------------------------------------------- */

static bool loses(const struct network_direction *d)
{
    return d->loss > 0 || (d->lost_packets && d->lost_packets->len);
}

static void lossless(struct network_direction *d)
{
    d->loss = 0;
    d->lost_packets = NULL;
}

static bool is_capped(const struct network_profile *n)
{
    return n->down.packets_per_ms || n->up.packets_per_ms;
}

static void list_network(GPtrArray *list, const struct replay_model *m)
{
    const struct calibration *k = &m->calibration;
    struct what_if *w = variant(list, m, "half_the_rtt", "half the round-trip time",
                                "the path's delay alone changes and the hosts answer as fast as they did");

    w->model.network.rtt_ns /= 2;
    w = variant(list, m, "twice_the_rate", "twice the link's rate",
                k->side[REPLAY_DOWN].rate_bps.known || k->side[REPLAY_UP].rate_bps.known
                    ? "the hosts keep up with it"
                    : "the link's rate, which the capture never filled, is the fastest stretch seen");
    w->model.network.down.rate_bps *= 2;
    w->model.network.up.rate_bps *= 2;
    if (loses(&m->network.down) || loses(&m->network.up)) {
        w = variant(list, m, "no_loss", "no packet loss", "losses of a full queue stay as they are");
        lossless(&w->model.network.down);
        lossless(&w->model.network.up);
    }
    if (k->side[REPLAY_DOWN].queue_drops + k->side[REPLAY_UP].queue_drops) {
        w = variant(list, m, "longer_queue", "a queue four times as long before the link",
                    "the queue's length is as the losses show it");
        w->model.network.down.queue_bytes *= 4;
        w->model.network.up.queue_bytes *= 4;
    }
    if (is_capped(&m->network)) {
        w = variant(list, m, "no_packet_cap", "no limit of packets a millisecond",
                    "the receiving host can take what the link carries");
        w->model.network.down.packets_per_ms = w->model.network.up.packets_per_ms = 0;
    }
    if (m->network.mtu_bytes < JUMBO_BYTES) {
        w = variant(list, m, "jumbo_frames", "jumbo frames (9,000 bytes)",
                    "every hop passes them; what a packet costs the hosts isn't known and isn't saved");
        w->model.network.mtu_bytes = JUMBO_BYTES;
    }
}

/* ---- the ends --------------------------------------------------------------------------------------------------------- */

static void list_tcp(GPtrArray *list, const struct replay_model *m)
{
    struct what_if *w = variant(list, m, "larger_windows", "TCP receive windows four times as large",
                                "both ends offer window scaling");

    w->model.client_tcp.receive_window_bytes *= WINDOW_FACTOR;
    w->model.server_tcp.receive_window_bytes *= WINDOW_FACTOR;
    w->model.client_tcp.window_scaling = w->model.server_tcp.window_scaling = true;
}

static void add_trace(GPtrArray *list, const struct replay_model *m, struct trace *trace, const char *name,
                      const char *what, const char *basis)
{
    struct what_if *w;

    if (!trace)
        return;
    w = variant(list, m, name, what, basis);
    w->trace = w->model.trace = trace;
}

static bool speaks_smb1(const struct trace *t)
{
    for (guint i = 0; i < t->connections->len; i++) {
        const GArray *exchanges = g_array_index(t->connections, struct trace_connection, i).exchanges;

        if (exchanges->len &&
            COMMAND_PROTOCOL(g_array_index(exchanges, struct exchange, exchanges->len - 1).command) == 1)
            return true;
    }
    return false;
}

static void list_client(GPtrArray *list, const struct replay_model *m)
{
    uint32_t most = speaks_smb1(m->trace) ? SMB1_BLOCK_MOST : SMB2_BLOCK_MOST;

    add_trace(
        list, m, trace_larger_blocks(m->trace, BLOCKS_IN_ONE, most), "larger_blocks",
        most == SMB2_BLOCK_MOST ? "reads and writes of up to 1 MiB" : "reads and writes of up to 64 KiB",
        "the server allows them and needs the same time for a byte, with as many outstanding as before");
    add_trace(list, m, trace_deeper_pipeline(m->trace, MORE_OUTSTANDING), "deeper_pipeline",
              "seven more reads or writes outstanding", "client, server and credits allow it");
    add_trace(list, m, trace_files_at_once(m->trace, FILES_AT_ONCE), "files_at_once", "four files at once",
              "the server and its disks serve four connections as fast as one");
    add_trace(list, m, trace_cached_queries(m->trace), "cached_queries",
              "file and folder queries answered from the client's cache", "the cache holds all of them");
    add_trace(list, m, trace_compounded(m->trace, COMPOUND_MOST), "compounding",
              "up to three requests about a file in one message",
              "nothing in a request depends on the answer before");
}

/* As assumed in examples/clients/robocopy-compress.yaml, for want of a published measurement. */
enum { PACKING_MB_S = 300, UNPACKING_MB_S = 600 };

static void list_compression(GPtrArray *list, const struct replay_model *m)
{
    static const struct host_profile codec = {
        .cpu = {.cores = 2,
                .compression_rate_bps = PACKING_MB_S * INT64_C(8000000),
                .decompression_rate_bps = UNPACKING_MB_S * INT64_C(8000000)},
        .nic = {.adapters = 1, .receive_queues = 1},
        .disk = {.drives = 1},
    };
    g_autofree char *basis = NULL;
    guint before = list->len;

    if (m->payload_ratio <= 0)
        return;
    basis = g_strdup_printf(
        "both ends compress (SMB 3.1.1, plain LZ77) at %d MB/s and decompress at %d, and all data "
        "shrink to %.3g %% as the %.3g %% do that were tried",
        PACKING_MB_S, UNPACKING_MB_S, 100 * m->payload_ratio, 100 * m->payload_share);
    add_trace(list, m, trace_compressed(m->trace, m->payload_ratio), "compression", "SMB compression", basis);
    if (list->len > before)
        ((struct what_if *)g_ptr_array_index(list, before))->model.host = &codec;
}

/* ---- the list --------------------------------------------------------------------------------------------------------- */

GPtrArray *what_if_list(const struct replay_model *m)
{
    GPtrArray *list = g_ptr_array_new();

    list_network(list, m);
    list_tcp(list, m);
    list_client(list, m);
    list_compression(list, m);
    return list;
}

void what_if_list_free(GPtrArray *list)
{
    for (guint i = 0; list && i < list->len; i++) {
        struct what_if *w = g_ptr_array_index(list, i);

        if (w->trace)
            trace_free(w->trace);
        g_free(w->basis);
        g_free(w);
    }
    if (list)
        g_ptr_array_unref(list);
}
