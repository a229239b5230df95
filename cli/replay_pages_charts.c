#include "cli/replay_pages.h"
#include "base/units.h"
#include "replay/timeline.h"
#include "report/format.h"
#include "report/hatch.h"

#include <math.h>
#include <string.h>

/* ---- where the time went -------------------------------------------------------------------------------------------- */

static struct chart_parts *parts_chart(const struct breakdown *b, double recorded_s)
{
    static const struct {
        int kind;
        enum hatch hatch;
    } ORDER[] = {{WAIT_ROUND_TRIPS, HATCH_BLUE},   {WAIT_TRANSMISSION, HATCH_RISING},
                 {WAIT_SERVER, HATCH_ORANGE},      {WAIT_CLIENT, HATCH_FALLING},
                 {WAIT_TCP_WINDOW, HATCH_CROSSED}, {WAIT_LOSS_RECOVERY, HATCH_UPRIGHT},
                 {WAIT_PACKET_CAP, HATCH_LEVEL},   {WAIT_IDLE, HATCH_EMPTY}};
    struct chart_parts *chart = chart_parts_new();

    for (guint i = 0; i < G_N_ELEMENTS(ORDER); i++) {
        int64_t ns = b->waits.ns[ORDER[i].kind];
        g_autofree char *time = replay_pages_time(ns, 3);
        struct chart_part part = {replay_pages_wait(ORDER[i].kind), NULL, units_seconds(ns),
                                  (int)ORDER[i].hatch};

        if (ns <= 0)
            continue;
        part.value = g_strdup_printf("%s (%.1f" FORMAT_NARROW "%%)", time, 100 * part.seconds / recorded_s);
        g_array_append_val(chart->parts, part);
    }
    if (chart->parts->len > 0)
        return chart;
    chart_free(&chart->base);
    return NULL;
}

/* ---- a stretch ---------------------------------------------------------------------------------------------------- */

static char *row_name(const struct timeline_row *row)
{
    if (row->others)
        return g_strdup("other commands");
    return g_strdup(row->opaque ? "encrypted" : command_name(row->command));
}

static const struct timeline_exchange *exchange_at(const GArray *a, guint i)
{
    return &g_array_index(a, struct timeline_exchange, i);
}

static gint by_length(gconstpointer a, gconstpointer b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double length_of(const struct timeline_exchange *e)
{
    return e->answer_last_ns < 0 ? 0 : units_seconds(e->answer_last_ns - e->request_ns);
}

/* Beyond this an exchange says nothing of the others around it: a notification that waits for hours. */
static double usual_length(const GArray *from, guint first, guint count)
{
    g_autoptr(GArray) lengths = g_array_new(FALSE, FALSE, sizeof(double));

    for (guint i = first; i < first + count; i++) {
        double length = length_of(exchange_at(from, i));

        g_array_append_val(lengths, length);
    }
    g_array_sort(lengths, by_length);
    return 20 * g_array_index(lengths, double, count / 2);
}

static guint lane_for(struct chart_stretch *chart, GArray *rows, const struct timeline *t, guint row)
{
    for (guint i = 0; i < rows->len; i++) {
        if (g_array_index(rows, guint, i) == row)
            return i;
    }
    g_array_append_val(rows, row);
    g_ptr_array_add(chart->lanes, row_name(g_ptr_array_index(t->rows, row)));
    return rows->len - 1;
}

/* Takes in one exchange; bars that reach out of the stretch are cut at its ends. */
static void add_bar(struct chart_stretch *chart, GArray *rows, const struct timeline *t,
                    const struct timeline_exchange *e)
{
    struct chart_stretch_bar bar = {.answer = -1, .end = -1};

    bar.lane = lane_for(chart, rows, t, e->row);
    bar.start = CLAMP(units_seconds(e->request_ns), chart->from, chart->to);
    if (e->answer_last_ns >= 0) {
        bar.answer = CLAMP(units_seconds(e->answer_first_ns), chart->from, chart->to);
        bar.end = CLAMP(units_seconds(e->answer_last_ns), chart->from, chart->to);
    }
    g_array_append_val(chart->bars, bar);
}

static void add_stretch(const struct timeline *t, struct capture_pages *p)
{
    enum { MOST = 28 };
    const GArray *from = t->stretch ? t->stretch : t->beginning;
    guint count = MIN(from->len, MOST),
          first = from->len > 2 * MOST ? from->len / 3 : (from->len - count) / 2;
    double usual = count ? usual_length(from, first, count) : 0;
    uint64_t first_frame = UINT64_MAX, last_frame = 0;
    g_autoptr(GArray) rows = g_array_new(FALSE, FALSE, sizeof(guint));
    struct chart_stretch *chart = chart_stretch_new();

    chart->from = INFINITY;
    chart->to = -INFINITY;
    for (guint i = first; i < first + count; i++) {
        const struct timeline_exchange *e = exchange_at(from, i);

        if (length_of(e) > usual)
            continue;
        chart->from = fmin(chart->from, units_seconds(e->request_ns));
        chart->to = fmax(chart->to, units_seconds(MAX(e->answer_last_ns, e->request_ns)));
        first_frame = MIN(first_frame, e->first_frame);
        last_frame = MAX(last_frame, e->last_frame);
    }
    if (!(chart->to > chart->from)) {
        chart_free(&chart->base);
        return;
    }
    for (guint i = first; i < first + count; i++)
        add_bar(chart, rows, t, exchange_at(from, i));
    chart_stretch_arrange(chart);
    p->stretch = chart;
    p->stretch_note =
        g_strdup_printf("%u of %" G_GUINT64_FORMAT " exchanges, each a bar; frames %" G_GUINT64_FORMAT
                        " to %" G_GUINT64_FORMAT,
                        count, t->exchanges, first_frame, last_frame);
}

/* ---- all of it ---------------------------------------------------------------------------------------------------- */

static int64_t shortest_of(const struct timeline *t, const struct timeline_row *row)
{
    int64_t shortest = row->longest_ns;

    for (guint i = 0; i < t->used_bins; i++) {
        if (row->bins[i].count > 0)
            shortest = MIN(shortest, row->bins[i].shortest_ns);
    }
    return shortest;
}

static struct chart_lane *lane_of(const struct timeline *t, const struct timeline_row *row)
{
    struct chart_lane *lane = g_new0(struct chart_lane, 1);
    g_autofree char *count = replay_pages_count(row->count + row->unanswered);
    g_autofree char *shortest = replay_pages_time(shortest_of(t, row), 3);
    g_autofree char *longest = replay_pages_time(row->longest_ns, 3);

    lane->name = row_name(row);
    if (row->count == 0)
        lane->note = g_strdup_printf("%s, no answer", count);
    else if (strcmp(shortest, longest) == 0)
        lane->note = g_strdup_printf("%s: %s", count, longest);
    else
        lane->note = g_strdup_printf("%s: %s to %s", count, shortest, longest);
    lane->bins = g_array_sized_new(FALSE, FALSE, sizeof(struct chart_bin), t->used_bins);
    for (guint i = 0; i < t->used_bins; i++) {
        const struct timeline_bin *b = &row->bins[i];
        /* The plot's scale is a logarithm's: what takes no time stands at a nanosecond. */
        struct chart_bin bin = {b->count, b->unanswered, units_seconds(MAX(b->shortest_ns, 1)),
                                units_seconds(MAX(b->longest_ns, 1))};

        g_array_append_val(lane->bins, bin);
    }
    return lane;
}

static double end_of(const struct timeline *t)
{
    return units_seconds(t->start_ns + (int64_t)t->used_bins * t->bin_ns);
}

static void add_lanes(const struct timeline *t, struct capture_pages *p)
{
    struct chart_lanes *chart = chart_lanes_new();
    g_autofree char *bin = replay_pages_time(t->bin_ns, 2);

    chart->from = units_seconds(t->start_ns);
    chart->bin_width = units_seconds(t->bin_ns);
    chart->to = end_of(t);
    for (guint i = 0; i < t->rows->len; i++)
        g_ptr_array_add(chart->lanes, lane_of(t, g_ptr_array_index(t->rows, i)));
    p->lanes = chart;
    p->lanes_note =
        g_strdup_printf("a column: shortest to longest that began in %s; each lane has its own scale", bin);
}

/* What moved more of the bytes: the copy's direction. */
static enum replay_direction main_direction(const struct timeline *t)
{
    uint64_t up = 0, down = 0;

    for (guint i = 0; i < t->used_bins; i++) {
        up += t->flow[i].bytes[REPLAY_UP];
        down += t->flow[i].bytes[REPLAY_DOWN];
    }
    return up > down ? REPLAY_UP : REPLAY_DOWN;
}

/* The legend's word on the busiest bin, whose column may be cut. */
static char *peak_text(const struct timeline *t, double bit_s)
{
    g_autofree char *bin = replay_pages_time(t->bin_ns, 2), *rate = units_format_rate((int64_t)bit_s, 3);

    return g_strdup_printf("busiest %s of each column; of all: %s", bin, rate);
}

static void add_rate(const struct timeline *t, struct capture_pages *p)
{
    static const char *const UNITS[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
    static const char *const NAMES[] = {[REPLAY_UP] = "to the server", [REPLAY_DOWN] = "to the client"};
    const enum replay_direction first = main_direction(t);
    const enum replay_direction order[2] = {first, first == REPLAY_UP ? REPLAY_DOWN : REPLAY_UP};
    struct chart_rate *chart = chart_rate_new();
    double most = 0;
    guint unit = 0;

    for (guint i = 0; i < t->used_bins; i++) {
        const struct timeline_flow *f = &t->flow[i];
        double resent = (double)(f->resent[0] + f->resent[1]);

        for (int s = 0; s < 2; s++) {
            double rate = 8 * (double)f->bytes[order[s]] / units_seconds(t->bin_ns);

            g_array_append_val(chart->values[s], rate);
            most = s == 0 ? fmax(most, rate) : most;
        }
        g_array_append_val(chart->resent, resent);
    }
    chart->scale = 1;
    while (unit + 1 < G_N_ELEMENTS(UNITS) && most * chart->scale >= 1000) {
        unit++;
        chart->scale /= 1000;
    }
    chart->unit = g_strconcat(FORMAT_NARROW, UNITS[unit], NULL);
    for (int s = 0; s < 2; s++)
        chart->label[s] = g_strdup(NAMES[order[s]]);
    chart->peak = peak_text(t, most);
    chart->from = units_seconds(t->start_ns);
    chart->bin_width = units_seconds(t->bin_ns);
    chart->to = end_of(t);
    p->rate = chart;
}

static double quantile(const struct timeline_row *row, double share)
{
    /* Sorting is the only change that asking makes. */
    return units_seconds(MAX(durations_quantile((struct durations *)&row->service, share), 1));
}

static void add_spread(const struct timeline *t, struct capture_pages *p)
{
    struct chart_spread *chart = chart_spread_new();

    for (guint i = 0; i < t->rows->len; i++) {
        const struct timeline_row *row = g_ptr_array_index(t->rows, i);
        struct chart_spread_row r = {0};

        if (row->count == 0)
            continue;
        r.q05 = quantile(row, 0.05);
        r.q25 = quantile(row, 0.25);
        r.median = quantile(row, 0.5);
        r.q75 = quantile(row, 0.75);
        r.q95 = quantile(row, 0.95);
        r.longest = quantile(row, 1);
        r.name = row_name(row);
        r.value = replay_pages_time((int64_t)lround(r.median * 1e9), 3);
        g_array_append_val(chart->rows, r);
    }
    p->spread = chart;
    if (chart->rows->len > 0)
        return;
    chart_free(&chart->base);
    p->spread = NULL;
}

/* ---- blocks --------------------------------------------------------------------------------------------------------- */

static bool writes(const struct timeline_row *row)
{
    return row->command == SMB2_WRITE || row->command == SMB1_WRITE_ANDX || row->command == SMB1_WRITE ||
           row->command == SMB1_WRITE_RAW;
}

static char *class_name(guint class)
{
    g_autofree char *to = units_format_size(INT64_C(1) << class, 4);

    return g_strdup_printf("to %s", to);
}

static char *block_note(const struct chart_block *b, uint64_t bytes)
{
    g_autoptr(GString) text = g_string_new(NULL);
    g_autofree char *size = replay_pages_size(bytes);
    g_autofree char *reads = replay_pages_counted(b->count[0], "read", "reads");
    g_autofree char *written = replay_pages_counted(b->count[1], "write", "writes");

    if (b->count[0])
        g_string_append(text, reads);
    if (b->count[1])
        g_string_append_printf(text, "%s%s", text->len ? ", " : "", written);
    g_string_append_printf(text, ", %s", size);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

static void add_blocks(const struct timeline *t, struct capture_pages *p)
{
    struct chart_blocks *chart = chart_blocks_new();

    for (guint class = 0; class < TIMELINE_SIZES; class ++) {
        struct chart_block b = {0};
        uint64_t bytes = 0;

        for (guint i = 0; i < t->rows->len; i++) {
            const struct timeline_row *row = g_ptr_array_index(t->rows, i);

            b.count[writes(row)] += row->blocks[class];
            bytes += row->block_bytes[class];
        }
        if (b.count[0] + b.count[1] == 0)
            continue;
        b.size = class_name(class);
        b.note = block_note(&b, bytes);
        g_array_append_val(chart->rows, b);
    }
    chart->label[0] = g_strdup("read");
    chart->label[1] = g_strdup("written");
    p->blocks_note = g_strdup("file data of a request or its answer, by the power of two that holds it");
    p->blocks = chart;
    if (chart->rows->len > 0)
        return;
    chart_free(&chart->base);
    p->blocks = NULL;
}

/* ---- what would help -------------------------------------------------------------------------------------------------- */

static bool helps(const struct replay_change *c, double now)
{
    static const double WORTH_SHOWING = 0.005; /* of the copy's time */

    return !c->fails && c->saved > WORTH_SHOWING * now;
}

static void capitalise(char *text)
{
    text[0] = g_ascii_toupper(text[0]);
}

static void add_gain(struct chart_gains *chart, const struct replay_change *c)
{
    struct chart_gain row = {.takes = c->seconds, .low = chart->now - c->high, .high = chart->now - c->low};
    g_autofree char *takes = replay_pages_time((int64_t)(c->seconds * 1e9), 3);

    row.what = g_strdup(c->what);
    capitalise(row.what);
    row.seconds =
        g_strdup_printf("%s (%s%.0f" FORMAT_NARROW "%%)", takes, FORMAT_MINUS, 100 * c->saved / chart->now);
    row.basis = g_strconcat("if ", c->basis, NULL);
    g_array_append_val(chart->rows, row);
}

static void add_gains(const struct replay_outcome *o, struct capture_pages *p)
{
    struct chart_gains *chart = chart_gains_new();
    g_autoptr(GString) others = g_string_new(NULL);

    chart->now = units_seconds(o->self_ns);
    for (guint i = 0; i < o->changes->len; i++) {
        const struct replay_change *c = &g_array_index(o->changes, struct replay_change, i);

        if (helps(c, chart->now))
            add_gain(chart, c);
        else
            g_string_append_printf(others, "%s%s%s", others->len ? "; " : "", c->what,
                                   c->fails ? " (the copy then fails)" : "");
    }
    p->gains_note =
        g_strdup("each alone, simulated; frame: the copy as it was; whiskers: 90" FORMAT_NARROW "% of runs");
    if (others->len)
        p->no_gains = g_strdup_printf("No gain: %s.", others->str);
    p->gains = chart;
    if (chart->rows->len > 0)
        return;
    chart_free(&chart->base);
    p->gains = NULL;
}

void replay_pages_charts(const struct replay_outcome *o, struct capture_pages *p)
{
    const struct replay_connection *c = replay_main_connection(o->replay);
    const struct timeline *t = o->replay->timeline;

    for (guint i = 0; i < o->replay->connections->len; i++) {
        if (g_ptr_array_index(o->replay->connections, i) == c)
            p->parts = parts_chart(&g_array_index(o->breakdowns, struct breakdown, i),
                                   units_seconds(replay_recorded_ns(c)));
    }
    if (o->changes)
        add_gains(o, p);
    if (t->start_ns < 0)
        return;
    add_stretch(t, p);
    add_lanes(t, p);
    add_rate(t, p);
    add_spread(t, p);
    add_blocks(t, p);
}
