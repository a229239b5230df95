#include "replay/analysis.h"
#include "base/error.h"
#include "base/units.h"
#include "replay/capture_set.h"
#include "replay/flow.h"
#include "replay/sessions.h"

#include <string.h>

struct reading {
    struct replay *result;
    struct connection_shared shared;
    struct flow_table flows;
    int64_t last_ns;
    uint64_t backward; /* frames before their predecessor in time */
    int64_t most_backward_ns;
};

static struct replay *result_new(const char *const *paths)
{
    struct replay *r = g_new0(struct replay, 1);

    r->files = g_ptr_array_new_with_free_func(g_free);
    r->warnings = g_ptr_array_new_with_free_func(g_free);
    tally_init(&r->ledger);
    for (; *paths; paths++)
        g_ptr_array_add(r->files, g_strdup(*paths));
    return r;
}

void replay_free(struct replay *r)
{
    if (!r)
        return;
    g_ptr_array_unref(r->files);
    g_ptr_array_unref(r->warnings);
    g_clear_pointer(&r->connections, g_ptr_array_unref);
    g_clear_pointer(&r->sessions, g_array_unref);
    tally_fini(&r->ledger);
    g_free(r);
}

static enum ledger_reason reason_of(enum frame_outcome outcome)
{
    switch (outcome) {
    case FRAME_NOT_IP:
        return LEDGER_NOT_IP;
    case FRAME_NOT_TCP:
        return LEDGER_NOT_TCP;
    case FRAME_FRAGMENT:
        return LEDGER_FRAGMENT;
    case FRAME_CUT:
        return LEDGER_FRAME_CUT;
    case FRAME_UNREAD:
        return LEDGER_LINK_TYPE;
    default:
        return LEDGER_FRAME_MALFORMED;
    }
}

static void read_frame(struct reading *g, const struct set_frame *f)
{
    struct replay *r = g->result;
    struct frame decoded;
    enum frame_outcome outcome = frame_decode(f->link, f->bytes, f->captured, f->wire, &decoded);

    r->packets++;
    r->bytes += f->wire;
    r->captured_bytes += f->captured;
    if (f->time_ns < g->last_ns) {
        g->backward++;
        g->most_backward_ns = MAX(g->most_backward_ns, g->last_ns - f->time_ns);
    }
    g->last_ns = f->time_ns;
    if (f->time_ns > r->duration_ns)
        r->duration_ns = f->time_ns;
    if (outcome != FRAME_TCP) {
        ledger_add(&g->shared.ledger, reason_of(outcome), 1, f->wire);
        return;
    }
    r->tcp_packets++;
    flow_frame(&g->flows, &decoded, f->number, f->time_ns);
}

/* Several processors that stamp frames disagree by microseconds, which is no news. */
static void warn_backward(struct reading *g)
{
    g_autofree char *by = NULL;

    if (g->most_backward_ns < NS_PER_MS)
        return;
    by = units_format_time(g->most_backward_ns, 3);
    g_ptr_array_add(g->result->warnings,
                    g_strdup_printf("the clock runs back at %" G_GUINT64_FORMAT
                                    " frames, by up to %s: times across them are doubtful",
                                    g->backward, by));
}

static void warn_holes(struct reading *g)
{
    const struct ledger *l = &g->shared.ledger;
    uint64_t holes = l->bytes[LEDGER_HOLE_NOT_CAPTURED] + l->bytes[LEDGER_HOLE_GIVEN_UP];

    if (holes > 0)
        g_ptr_array_add(g->result->warnings,
                        g_strdup_printf("the capture lacks %" G_GUINT64_FORMAT
                                        " bytes of its SMB connections: some exchanges can't be seen",
                                        holes));
}

/* Without the answers, or the requests, there are no service times. */
static void warn_half_duplex(struct reading *g)
{
    const GPtrArray *connections = g->result->connections;
    unsigned halves = 0;

    for (guint i = 0; i < connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(connections, i);

        halves += c->tcp.side[REPLAY_UP].packets == 0 || c->tcp.side[REPLAY_DOWN].packets == 0;
    }
    if (halves > 0)
        g_ptr_array_add(
            g->result->warnings,
            g_strdup_printf("half-duplex capture: of %u of %u SMB connections only one end's frames "
                            "are there, so service times can't be known",
                            halves, connections->len));
}

static void warn_coverage(struct reading *g)
{
    const double enough = 0.95;

    if (g->result->connections->len > 0 && g->result->coverage < enough)
        g_ptr_array_add(
            g->result->warnings,
            g_strdup_printf("only %.1f %% of the SMB connections' bytes belong to messages that could be "
                            "decoded: counts of exchanges and file data are too low",
                            g->result->coverage * 100));
}

static char *packets_text(uint64_t packets)
{
    return g_strdup_printf(packets == 1 ? "%" G_GUINT64_FORMAT " packet" : "%" G_GUINT64_FORMAT " packets",
                           packets);
}

/* Says what was there instead of SMB. */
static bool check_found(const struct replay *r, GError **error)
{
    const char *path = g_ptr_array_index(r->files, 0);
    const char *others = r->files->len > 1 ? " (and the others)" : "";
    g_autofree char *packets = packets_text(r->packets);

    if (r->connections->len > 0)
        return true;
    if (r->packets == 0)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s%s: holds no packets", path, others);
    else if (strcmp(r->link_type, "mixed") != 0 &&
             tally_count(&r->ledger, ledger_name(LEDGER_LINK_TYPE)) == r->packets)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s%s: holds %s of link type %s, which isn't read", path, others, packets, r->link_type);
    else
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s%s: holds %s, %" G_GUINT64_FORMAT " of them TCP, but no SMB message", path, others,
                    packets, r->tcp_packets);
    return false;
}

static void finish(struct reading *g, const struct capture_set *set)
{
    struct replay *r = g->result;

    r->connections = flow_finish(&g->flows);
    r->sessions = sessions_join(r->connections);
    r->link_type = capture_set_link_name(set);
    r->start_unix_ns = capture_set_start_unix_ns(set);
    r->coverage =
        g->shared.stream_bytes == 0 ? 0 : (double)g->shared.decoded_bytes / (double)g->shared.stream_bytes;
    ledger_write(&g->shared.ledger, &r->ledger);
    capture_set_warnings(set, r->warnings);
    warn_backward(g);
    warn_holes(g);
    warn_half_duplex(g);
    warn_coverage(g);
}

struct replay *replay_read(const char *const *paths, const struct replay_options *options, GError **error)
{
    struct capture_set *set = capture_set_open(paths, error);
    struct reading g;
    struct set_frame frame;

    if (!set)
        return NULL;
    memset(&g, 0, sizeof g);
    if (options)
        g.shared.options = *options;
    if (g.shared.options.keys)
        g.shared.sessions = smb2_sessions_new(g.shared.options.keys);
    g.result = result_new(paths);
    flow_init(&g.flows, &g.shared);
    while (capture_set_next(set, &frame))
        read_frame(&g, &frame);
    finish(&g, set);
    flow_fini(&g.flows);
    smb2_sessions_free(g.shared.sessions);
    capture_set_close(set);
    if (check_found(g.result, error))
        return g.result;
    replay_free(g.result);
    return NULL;
}

const struct replay_connection *replay_main_connection(const struct replay *r)
{
    const struct replay_connection *best = NULL;

    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);
        uint64_t data = c->bytes_read + c->bytes_written;
        uint64_t best_data = best ? best->bytes_read + best->bytes_written : 0;

        if (!best || data > best_data || (data == best_data && c->exchanges > best->exchanges))
            best = c;
    }
    return best;
}

const char *replay_point_name(enum replay_capture_point point)
{
    switch (point) {
    case REPLAY_POINT_CLIENT:
        return "client";
    case REPLAY_POINT_SERVER:
        return "server";
    case REPLAY_POINT_MIDDLE:
        return "middle";
    default:
        return "unknown";
    }
}
