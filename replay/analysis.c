#include "replay/analysis.h"
#include "base/error.h"
#include "base/units.h"
#include "replay/capture_set.h"
#include "replay/flow.h"
#include "replay/intake.h"
#include "replay/sessions.h"
#include "replay/study.h"
#include "replay/timeline.h"

#include <string.h>

/* Frames between two reports of progress. */
enum { FRAMES_A_REPORT = 4096 };
static const int64_t CLOCK_SET_BACK_NS = NS_PER_S;
/* 36 years: what a damaged time stamp can claim at most, so that sums of several times fit. */
static const int64_t LATEST_NS = INT64_MAX / 8;

struct reading {
    struct replay *result;
    struct connection_shared shared;
    struct intake intake;
    struct flow_table flows;
    int64_t last_ns;
    int64_t shift_ns;  /* what the clock was set back, in all */
    uint64_t backward; /* frames before their predecessor in time */
    uint64_t late;     /* frames after LATEST_NS */
    int64_t most_backward_ns;
    uint64_t window; /* that may be used before it is worked through */
};

static void interface_free(gpointer data)
{
    struct replay_interface *i = data;

    g_free(i->name);
    g_free(i);
}

static struct replay *result_new(const char *const *paths)
{
    struct replay *r = g_new0(struct replay, 1);

    r->files = g_ptr_array_new_with_free_func(g_free);
    r->warnings = g_ptr_array_new_with_free_func(g_free);
    r->interfaces = g_ptr_array_new_with_free_func(interface_free);
    r->secrets = g_ptr_array_new_with_free_func(g_free);
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
    g_clear_pointer(&r->interfaces, g_ptr_array_unref);
    g_clear_pointer(&r->secrets, g_ptr_array_unref);
    g_clear_pointer(&r->connections, g_ptr_array_unref);
    g_clear_pointer(&r->commands, g_array_unref);
    replay_usage_clear(&r->total);
    g_clear_pointer(&r->sessions, g_array_unref);
    if (r->network)
        calibration_clear(r->network);
    g_free(r->network);
    timeline_free(r->timeline);
    tally_fini(&r->ledger);
    g_free(r);
}

static uint64_t window_size(const struct replay_options *o)
{
    if (o->keep_exchanges)
        return UINT64_MAX; /* a window would let go of them */
    return o->window ? o->window : STUDY_WINDOW;
}

/* What can't be let go of yet must not be worked through again with every frame. */
static void advance(struct reading *g)
{
    flow_advance(&g->flows);
    g->window = MAX(window_size(&g->shared.options), 2 * g->shared.window_used);
}

/* Two wild clocks may lie further apart than 64 bits reach. */
static int64_t since(int64_t later, int64_t earlier)
{
    return earlier < 0 && later > INT64_MAX + earlier ? INT64_MAX : later - earlier;
}

/* Time that never runs back. Frames that several processors or interfaces stamped lie a little out of order: those count as of
 * the frame before. A clock that was set back goes on from where it was. */
static int64_t steady_ns(struct reading *g, int64_t time_ns)
{
    int64_t now;

    if (time_ns > LATEST_NS - g->shift_ns) {
        now = LATEST_NS;
        g->late++;
    } else {
        now = time_ns + g->shift_ns;
    }
    if (now < g->last_ns) {
        int64_t by = since(g->last_ns, now);

        g->backward++;
        g->most_backward_ns = MAX(g->most_backward_ns, by);
        if (by > CLOCK_SET_BACK_NS)
            g->shift_ns = since(g->last_ns, time_ns);
        now = g->last_ns;
    }
    g->last_ns = now;
    return now;
}

static void read_frame(struct reading *g, const struct set_frame *f)
{
    struct set_frame steady = *f;
    struct replay *r = g->result;
    struct frame segment;

    steady.time_ns = steady_ns(g, f->time_ns);
    r->packets++;
    r->bytes += f->wire;
    r->captured_bytes += f->captured;
    r->duration_ns = steady.time_ns;
    if (!intake_segment(&g->intake, &steady, &segment))
        return;
    flow_frame(&g->flows, &segment, f->number, steady.time_ns);
    if (g->shared.window_used >= g->window)
        advance(g);
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

static void warn_late(struct reading *g)
{
    if (g->late > 0)
        g_ptr_array_add(g->result->warnings,
                        g_strdup_printf("the clock leaps by more than 36 years: %" G_GUINT64_FORMAT
                                        " frames count as of 36 years after the first",
                                        g->late));
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

static void take_facts(struct replay *r, const struct capture_facts *facts)
{
    r->link_type = capture_facts_link_name(facts);
    for (guint i = 0; i < facts->warnings->len; i++)
        g_ptr_array_add(r->warnings, g_strdup(g_ptr_array_index(facts->warnings, i)));
    for (guint i = 0; i < facts->interfaces->len; i++) {
        const struct capture_interface *one = g_ptr_array_index(facts->interfaces, i);
        struct replay_interface *mine = g_new0(struct replay_interface, 1);

        *mine = (struct replay_interface){g_strdup(one->name), one->link_name, one->frames, one->dropped};
        g_ptr_array_add(r->interfaces, mine);
    }
    for (guint i = 0; i < facts->secrets->len; i++) {
        const struct pcapng_secrets *s = &g_array_index(facts->secrets, struct pcapng_secrets, i);
        const char *name = pcapng_secrets_name(s->kind);

        g_ptr_array_add(r->secrets, name ? g_strdup(name) : g_strdup_printf("kind 0x%08x", s->kind));
    }
}

static void warn_duplicates(struct reading *g)
{
    uint64_t count = g->shared.ledger.count[LEDGER_DUPLICATE];

    if (count > 0)
        g_ptr_array_add(g->result->warnings,
                        g_strdup_printf("%" G_GUINT64_FORMAT
                                        " frames show a packet a second time: only the first copies count",
                                        count));
}

static void finish(struct reading *g, const struct capture_set *set)
{
    struct replay *r = g->result;

    r->connections = flow_finish(&g->flows, &r->network);
    r->sessions = sessions_join(r->connections);
    r->tcp_packets = g->intake.tcp_packets;
    intake_fini(&g->intake);
    take_facts(r, capture_set_facts(set));
    r->start_unix_ns = capture_set_start_unix_ns(set);
    r->coverage =
        g->shared.stream_bytes == 0 ? 0 : (double)g->shared.decoded_bytes / (double)g->shared.stream_bytes;
    r->commands = commands_facts(&g->shared.total.commands);
    r->payload = g->shared.payload;
    r->total = usage_facts(&g->shared.total, &g->shared.pending);
    usage_fini(&g->shared.total);
    ledger_write(&g->shared.ledger, &r->ledger);
    warn_backward(g);
    warn_late(g);
    warn_duplicates(g);
    warn_holes(g);
    warn_half_duplex(g);
    warn_coverage(g);
}

static void report_progress(const struct reading *g, const struct capture_set *set)
{
    const struct replay_options *o = &g->shared.options;
    uint64_t read, of;

    if (!o->progress)
        return;
    capture_set_position(set, &read, &of);
    o->progress(o->self, read, of);
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
    g.window = window_size(&g.shared.options);
    g.shared.payload.on = g.shared.options.trace;
    if (g.shared.options.keys)
        g.shared.sessions = smb2_sessions_new(g.shared.options.keys);
    g.result = result_new(paths);
    if (g.shared.options.timeline)
        g.result->timeline = g.shared.timeline = timeline_new();
    intake_init(&g.intake, &g.shared.ledger);
    flow_init(&g.flows, &g.shared);
    while (capture_set_next(set, &frame)) {
        read_frame(&g, &frame);
        if (g.result->packets % FRAMES_A_REPORT == 0)
            report_progress(&g, set);
    }
    report_progress(&g, set);
    finish(&g, set);
    flow_fini(&g.flows);
    smb2_sessions_free(g.shared.sessions);
    channels_table_fini(&g.shared.channels);
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

double replay_coverage(const struct replay_connection *c)
{
    return c->stream_bytes == 0 ? 0 : (double)c->decoded_bytes / (double)c->stream_bytes;
}

bool replay_is_trusted(const struct replay_connection *c)
{
    return replay_coverage(c) >= REPLAY_COVERAGE_LEAST;
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
