#include "replay/study.h"
#include "replay/array.h"
#include "replay/build_trace.h"

struct study *study_new(bool trace)
{
    struct study *s = g_new0(struct study, 1);

    s->segments = g_array_new(FALSE, FALSE, sizeof(struct replay_segment));
    s->last_done_ns = -1;
    if (trace)
        s->trace = g_array_new(FALSE, FALSE, sizeof(struct exchange));
    return s;
}

static void release_window(struct study *s)
{
    g_clear_pointer(&s->segments, g_array_unref);
    service_samples_clear(&s->services);
}

void study_keep_path(struct study *s)
{
    s->breakdown.path = g_array_new(FALSE, FALSE, sizeof(struct breakdown_stretch));
    s->answers = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

void study_drop_path(struct study *s)
{
    g_clear_pointer(&s->breakdown.path, g_array_unref);
    g_clear_pointer(&s->answers, g_array_unref);
}

void study_free(struct study *s)
{
    if (!s)
        return;
    release_window(s);
    g_clear_pointer(&s->trace, g_array_unref);
    calibration_clear(&s->calibration);
    study_drop_path(s);
    breakdown_clear(&s->breakdown);
    g_free(s);
}

void study_segment(struct study *s, const struct replay_segment *g)
{
    g_array_append_vals(s->segments, g, 1);
}

static struct replay_segment *segment_at(const struct study *s, guint i)
{
    return &g_array_index(s->segments, struct replay_segment, i);
}

void study_swap(struct study *s)
{
    for (guint i = 0; i < s->segments->len; i++)
        segment_at(s, i)->direction ^= 1;
}

void study_discard(struct study *s)
{
    g_array_set_size(s->segments, 0);
    s->unshared = 0;
    s->window.continues = true;
}

void study_share(struct study *s, GArray *segments)
{
    if (s->segments->len > s->unshared)
        g_array_append_vals(segments, segment_at(s, s->unshared), s->segments->len - s->unshared);
    s->unshared = s->segments->len;
}

/* ---- where the window ends -------------------------------------------------------------------------------------------- */

/* The first segment with a byte of a message that isn't whole, unless that is too far back. */
static guint find_cut(const struct study *s, const struct study_limits *limits)
{
    guint count = s->segments->len, first = s->window.fresh_segment;

    if (limits->end)
        return count;
    for (guint i = first; i < count; i++) {
        const struct replay_segment *g = segment_at(s, i);

        if (g->payload_bytes && g->offset + (int64_t)g->payload_bytes > limits->unfinished[g->direction])
            return i < first + (count - first) / 2 ? count : i;
    }
    return count;
}

/* ---- what is seen of it ----------------------------------------------------------------------------------------------- */

/* The window as a connection of its own: the segments before `cut` and the exchanges that began there. */
struct view {
    struct replay_connection connection;
    GArray segments;
    GArray *exchanges;
};

static void forget_response(struct replay_exchange *e)
{
    e->response_first_ns = e->response_last_ns = -1;
    e->response_first_frame = e->response_last_frame = 0;
    e->response_offset = -1;
    e->response_bytes = 0;
    e->flags |= REPLAY_NO_RESPONSE | REPLAY_OPEN;
}

static bool view_init(struct view *v, const struct study *s, const struct replay_connection *c,
                      const GArray *exchanges, guint cut, bool end)
{
    uint64_t end_frame = cut < s->segments->len ? segment_at(s, cut)->frame : UINT64_MAX;
    guint last = cut;

    while (last > s->window.fresh_segment && !segment_at(s, last - 1)->payload_bytes)
        last--;
    if (last == s->window.fresh_segment && !end)
        return false;
    v->connection = *c;
    v->segments = (GArray){s->segments->data, cut};
    v->exchanges = g_array_new(FALSE, FALSE, sizeof(struct replay_exchange));
    for (guint i = 0; i < exchanges->len; i++) {
        struct replay_exchange e = g_array_index(exchanges, struct replay_exchange, i);

        if (e.request_last_frame >= end_frame)
            break;
        if (e.response_last_frame >= end_frame)
            forget_response(&e);
        g_array_append_val(v->exchanges, e);
    }
    v->connection.segments_kept = &v->segments;
    v->connection.exchanges_kept = v->exchanges;
    if (s->from_frame) {
        v->connection.first_ns = v->connection.last_ns = s->from_ns;
        v->connection.first_frame = v->connection.last_frame = s->from_frame;
    }
    if (last > s->window.fresh_segment) {
        v->connection.last_ns = segment_at(s, last - 1)->time_ns;
        v->connection.last_frame = segment_at(s, last - 1)->frame;
    }
    return true;
}

static const struct replay_exchange *exchange_at(const struct view *v, guint i)
{
    return &g_array_index(v->exchanges, struct replay_exchange, i);
}

/* ---- working through ---------------------------------------------------------------------------------------------------- */

static void take_calibration(struct study *s, struct calibration *k)
{
    if (s->calibration.services)
        calibration_merge(&s->calibration, k);
    else
        s->calibration = *k;
}

/* The first exchange that may yet be answered. */
static guint find_open(const struct study *s, const struct view *v)
{
    guint i = s->window.fresh_exchange;

    while (i < v->exchanges->len &&
           (!(exchange_at(v, i)->flags & REPLAY_OPEN) || exchange_at(v, i)->flags & REPLAY_BACKGROUND))
        i++;
    return i;
}

static gint earlier(gconstpointer a, gconstpointer b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void take_exchanges(struct study *s, const struct view *v, const GArray *timings, guint end)
{
    for (guint i = s->window.fresh_exchange; i < end; i++) {
        const struct timing *t = &g_array_index(timings, struct timing, i);

        s->last_done_ns = MAX(s->last_done_ns, t->done_ns);
        if (s->trace)
            build_trace_exchange(s->trace, exchange_at(v, i), t);
        if (s->answers && t->done_ns >= 0)
            g_array_append_val(s->answers, t->done_ns);
    }
    if (s->answers)
        g_array_sort(s->answers, earlier);
}

/* The first exchange that the one at `open` and those behind it need for their context: the one before, and all that were
 * outstanding when it was issued. */
static guint find_context(const struct view *v, guint open)
{
    guint i = open ? open - 1 : 0;

    if (open == v->exchanges->len)
        return i;
    while (i > 0 && exchange_at(v, i - 1)->response_last_ns >= exchange_at(v, open)->request_first_ns)
        i--;
    return i;
}

/* Segments before `from` leave the window. */
static void drop_segments(struct study *s, const struct wire *w, guint from)
{
    for (guint i = 0; i < from; i++) {
        enum replay_direction d = segment_at(s, i)->direction;

        s->window.sent[d]++;
        s->window.through_ns[d] = w->segments[i].arrived_ns - w->one_way_ns;
    }
    if (from > 0)
        s->segments = array_without_first(s->segments, from);
    s->unshared -= MIN(s->unshared, from);
}

static guint let_go(struct study *s, const struct view *v, const struct wire *w, guint cut, guint open)
{
    /* At least one: a window without segments would have no place in time. */
    guint lead_in = CLAMP((cut - s->window.fresh_segment) / 8, 1, (guint)STUDY_LEAD_IN);
    guint context = find_context(v, open), from = cut - MIN(lead_in, cut);

    for (guint i = 0; context < v->exchanges->len && i < from; i++) {
        if (segment_at(s, i)->frame >= exchange_at(v, context)->request_first_frame)
            from = i;
    }
    drop_segments(s, w, from);
    s->window.fresh_segment = cut - from;
    s->window.fresh_exchange = open - context;
    s->window.continues = true;
    s->from_ns = v->connection.last_ns;
    s->from_frame = v->connection.last_frame;
    return context;
}

/* Too much would stay: what is open is given up. */
static bool stays_long(const struct study *s, const struct view *v, guint cut, guint open)
{
    guint context = find_context(v, open);

    return context < v->exchanges->len && cut > STUDY_WINDOW / 2 &&
           exchange_at(v, context)->request_first_frame < segment_at(s, cut - STUDY_WINDOW / 2)->frame;
}

/* Returns how many exchanges are not needed any more. */
static guint work_through(struct study *s, const struct view *v, guint cut)
{
    bool first = s->calibration.services == NULL;
    g_autoptr(GArray) timings = NULL;
    struct calibration k;
    struct wire wire;
    guint open, done;

    if (!s->services.commands)
        service_samples_init(&s->services);
    calibrate_window(&v->connection, &s->window, first ? NULL : &s->calibration, &s->services, &k);
    wire_init(&wire, &v->connection, &k, &s->window);
    timings = timing_new(&wire, k.services);
    breakdown_add(&s->breakdown, &wire, &k, timings);
    open = s->window.goes_on ? find_open(s, v) : v->exchanges->len;
    while (open < v->exchanges->len && stays_long(s, v, cut, open))
        open++;
    take_exchanges(s, v, timings, open);
    done = s->window.goes_on ? let_go(s, v, &wire, cut, open) : 0;
    wire_fini(&wire);
    take_calibration(s, &k);
    return done;
}

guint study_advance(struct study *s, const struct replay_connection *c, const GArray *exchanges,
                    const struct study_limits *limits)
{
    guint cut = find_cut(s, limits), done;
    struct view v;

    s->window.goes_on = !limits->end;
    if (!view_init(&v, s, c, exchanges, cut, limits->end))
        return 0;
    done = work_through(s, &v, cut);
    g_array_unref(v.exchanges);
    return done;
}

void study_finish(struct study *s, const struct replay_connection *c)
{
    breakdown_conclude(&s->breakdown, c, &s->calibration);
    release_window(s);
}

struct study *study_whole(const struct replay_connection *c)
{
    const struct study_limits limits = {.end = true};
    struct study *s = study_new(true);

    g_array_append_vals(s->segments, c->segments_kept->data, c->segments_kept->len);
    study_advance(s, c, c->exchanges_kept, &limits);
    study_finish(s, c);
    return s;
}
