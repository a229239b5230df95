/* What the two TCP ends showed of themselves. */
#include "replay/calibrate_parts.h"
#include "base/units.h"

#include <gsl/gsl_statistics_double.h>

enum { ENOUGH_DELAYS = 3 };

/* ---- initial window ------------------------------------------------------------------------------------------------- */

struct span {
    int64_t start, end;
};

static int by_start(gconstpointer a, gconstpointer b)
{
    const struct span *x = a, *y = b;

    return x->start < y->start ? -1 : x->start > y->start;
}

/* Where the messages of one end lie in its stream, in order. Returns owned array of struct span. */
static GArray *list_spans(const struct replay_connection *c, enum replay_direction d)
{
    GArray *spans = g_array_new(FALSE, FALSE, sizeof(struct span));

    for (guint i = 0; i < c->exchanges_kept->len; i++) {
        const struct replay_exchange *e = &g_array_index(c->exchanges_kept, struct replay_exchange, i);
        int64_t start = d == REPLAY_UP ? e->request_offset : e->response_offset;
        struct span s = {start, start + (d == REPLAY_UP ? e->request_bytes : e->response_bytes)};

        if (start >= 0)
            g_array_append_val(spans, s);
    }
    g_array_sort(spans, by_start);
    return spans;
}

/* Whether the byte at `offset` continues a message. Calls come with rising offsets; *next is the place reached. */
static bool continues(const GArray *spans, guint *next, int64_t offset)
{
    const struct span *s;

    while (*next < spans->len && g_array_index(spans, struct span, *next).end <= offset)
        (*next)++;
    if (*next == spans->len)
        return false;
    s = &g_array_index(spans, struct span, *next);
    return s->start < offset;
}

/* The flight of one end, in packets. */
struct flight {
    GArray *ends; /* of int64_t: offset behind each packet sent */
    guint acked;  /* packets acknowledged by what has reached the sender */
    guint ack_at; /* the segment from which to go on looking for acknowledgements */
};

/* Takes in the acknowledgements that had reached the sender by `time_ns`; returns when the last of them did. */
static int64_t hear_acks(struct flight *f, const struct wire *w, enum replay_direction d, int64_t time_ns)
{
    int64_t heard_ns = INT64_MIN / 2;

    for (; f->ack_at < w->connection->segments_kept->len; f->ack_at++) {
        const struct replay_segment *s = wire_seen(w, f->ack_at);

        if (s->direction == d || !(s->flags & REPLAY_ACK))
            continue;
        if (w->segments[f->ack_at].arrived_ns > time_ns)
            break;
        heard_ns = w->segments[f->ack_at].arrived_ns;
        while (f->acked < f->ends->len && g_array_index(f->ends, int64_t, f->acked) <= s->ack)
            f->acked++;
    }
    return heard_ns;
}

/* What was in flight when an end, in the middle of a message, first stopped until an acknowledgement came. It is the initial
 * window unless earlier messages can have let it grow, to twice their flight at most; without such a stop the window
 * is at least the largest flight. A pause shorter than a millisecond may be the host's own. */
static struct calibrated initial_window(const struct wire *w, enum replay_direction d, bool at_sender)
{
    g_autoptr(GArray) spans = list_spans(w->connection, d);
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(int64_t));
    struct flight f = {.ends = ends};
    int64_t last_ns = 0, least_ns = MAX(w->one_way_ns / 4, NS_PER_MS);
    guint next = 0, largest = 0, before = 0; /* the largest flight, and that of earlier messages */

    for (guint i = 0; i < w->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(w, i);
        const struct wire_segment *at = &w->segments[i];
        int64_t end = s->offset + (int64_t)s->payload_bytes, heard_ns;

        if (s->direction != d || !s->payload_bytes)
            continue;
        if (s->flags & (REPLAY_RETRANSMISSION | REPLAY_AFTER_GAP))
            break; /* from here on the window is another */
        hear_acks(&f, w, d, last_ns);
        largest = MAX(largest, ends->len - f.acked);
        if (!continues(spans, &next, s->offset)) {
            before = largest;
        } else if ((at_sender || !at->queued) && at->sent_ns - last_ns > least_ns &&
                   ends->len - f.acked > 1) {
            guint in_flight = ends->len - f.acked;

            heard_ns = hear_acks(&f, w, d, at->sent_ns + least_ns / 2);
            if (at->sent_ns - heard_ns < least_ns && in_flight > 2 * before)
                return calibrated_value(in_flight, in_flight, in_flight);
            break;
        }
        g_array_append_val(ends, end);
        last_ns = at->sent_ns;
    }
    return calibrated_unknown(largest);
}

/* ---- delayed acknowledgements --------------------------------------------------------------------------------------- */

static int ascending(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Pure ACKs that an end sent long after the data they cover, seen at that end: its timer. */
static struct calibrated delayed_ack(const struct wire *p, enum replay_direction end)
{
    static const int64_t least_ns = 10 * NS_PER_MS, most_ns = 500 * NS_PER_MS;
    g_autoptr(GArray) delays = g_array_new(FALSE, FALSE, sizeof(double));
    int64_t data_ns = -1;

    for (guint i = 0; i < p->connection->segments_kept->len; i++) {
        const struct replay_segment *s = wire_seen(p, i);

        if (s->direction != end) {
            if (s->payload_bytes && data_ns < 0)
                data_ns = s->time_ns;
            continue;
        }
        if (data_ns >= 0 && !s->payload_bytes && s->flags & REPLAY_ACK) {
            double delay = (double)(s->time_ns - data_ns);

            if (delay >= (double)least_ns && delay <= (double)most_ns)
                g_array_append_val(delays, delay);
        }
        data_ns = -1;
    }
    if (delays->len < ENOUGH_DELAYS)
        return calibrated_unknown(0);
    g_array_sort(delays, ascending);
    return calibrated_value(
        gsl_stats_median_from_sorted_data(&g_array_index(delays, double, 0), 1, delays->len),
        g_array_index(delays, double, 0), g_array_index(delays, double, delays->len - 1));
}

void calibrate_ends(const struct wire *p, struct calibration *k)
{
    const struct replay_tcp *tcp = &p->connection->tcp;

    for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
        struct calibration_end *end = &k->end[d];
        enum replay_capture_point own = d == REPLAY_UP ? REPLAY_POINT_CLIENT : REPLAY_POINT_SERVER;
        double window = (double)tcp->side[d].window_max_bytes;

        end->initial_window = initial_window(p, d, k->point == own);
        if (tcp->window_scale_known)
            end->receive_window_bytes = calibrated_value(window, window, window);
        else
            end->receive_window_bytes = calibrated_unknown(window);
        if (k->point == own)
            end->delayed_ack_ns = delayed_ack(p, d);
    }
}
