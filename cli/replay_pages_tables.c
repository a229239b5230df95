#include "cli/prediction.h"
#include "cli/replay_pages.h"
#include "base/units.h"
#include "report/format.h"

#include <math.h>
#include <string.h>

static const char DASH[] = "\u2013";

/* Connections that are shown in full; the table of connections names at most so many more. */
enum { IN_FULL = 6, NAMED = 120 };

static const struct breakdown *breakdown_at(const struct replay_outcome *o, guint i)
{
    return &g_array_index(o->breakdowns, struct breakdown, i);
}

static const struct replay_connection *connection_at(const struct replay_outcome *o, guint i)
{
    return g_ptr_array_index(o->replay->connections, i);
}

/* Which connection a table is about, where there are several. */
static char *heading_of(const struct replay_outcome *o, guint i, const char *what)
{
    const struct replay_connection *c = connection_at(o, i);

    if (o->replay->connections->len == 1)
        return g_strdup(what);
    return g_strdup_printf("%s, %s \u2192 %s", what, c->client, c->server);
}

/* ---- connections ---------------------------------------------------------------------------------------------------- */

static void add_connections(const struct replay_outcome *o, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {
        {0.37, DOC_CELL_TEXT},   {0.1, DOC_CELL_TEXT},    {0.11, DOC_CELL_NUMBER},
        {0.11, DOC_CELL_NUMBER}, {0.11, DOC_CELL_NUMBER}, {0.2, DOC_CELL_NUMBER},
    };
    guint n = o->replay->connections->len;
    struct capture_table *table;

    if (n == 1)
        return;
    table = capture_pages_table(p, "Connections", "in the order of their first frames", COLUMNS,
                                G_N_ELEMENTS(COLUMNS), true);
    capture_table_row(table, g_strdup("client \u2192 server"), g_strdup("protocol"), g_strdup("recorded"),
                      g_strdup("read"), g_strdup("written"), g_strdup("held back by"), (char *)NULL);
    for (guint i = 0; i < MIN(n, NAMED); i++) {
        const struct replay_connection *c = connection_at(o, i);

        capture_table_row(table, g_strdup_printf("%s \u2192 %s", c->client, c->server),
                          g_strdup(c->dialect ? c->dialect : "unknown"),
                          replay_pages_time(replay_recorded_ns(c), 4), replay_pages_size(c->bytes_read),
                          replay_pages_size(c->bytes_written),
                          g_strdup(replay_pages_wait(breakdown_at(o, i)->bottleneck)), (char *)NULL);
    }
    if (n > NAMED)
        table->note = g_strdup_printf("The first %d of %u; the JSON has all.", NAMED, n);
    else if (n > IN_FULL)
        table->note = g_strdup_printf("The tables below are of the first %d; the JSON has all.", IN_FULL);
}

/* ---- commands ------------------------------------------------------------------------------------------------------- */

static gint by_bytes(gconstpointer a, gconstpointer b)
{
    const struct replay_command *x = a, *y = b;

    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static void add_commands(const struct replay_outcome *o, guint i, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {
        {0.28, DOC_CELL_TEXT},   {0.11, DOC_CELL_NUMBER}, {0.11, DOC_CELL_NUMBER}, {0.1, DOC_CELL_NUMBER},
        {0.14, DOC_CELL_NUMBER}, {0.13, DOC_CELL_NUMBER}, {0.13, DOC_CELL_NUMBER},
    };
    g_autofree char *heading = heading_of(o, i, "Commands");
    g_autoptr(GArray) sorted = g_array_copy(connection_at(o, i)->commands);
    struct capture_table *t = capture_pages_table(
        p, heading, "answer: from the request\u2019s last frame to the answer\u2019s first", COLUMNS,
        G_N_ELEMENTS(COLUMNS), true);

    g_array_sort(sorted, by_bytes);
    capture_table_row(t, g_strdup("command"), g_strdup("requests"), g_strdup("answers"), g_strdup("errors"),
                      g_strdup("bytes"), g_strdup("answer, median"), g_strdup("95" FORMAT_NARROW "%"),
                      (char *)NULL);
    for (guint k = 0; k < sorted->len; k++) {
        const struct replay_command *c = &g_array_index(sorted, struct replay_command, k);
        bool known = c->service_samples > 0;

        if (c->requests + c->responses == 0) /* only stood in AndX chains */
            continue;
        capture_table_row(t, g_strdup(command_name(c->command)), replay_pages_count(c->requests),
                          replay_pages_count(c->responses), replay_pages_count(c->errors),
                          replay_pages_size(c->bytes),
                          replay_pages_time(known ? c->service_median_ns : -1, 4),
                          replay_pages_time(known ? c->service_p95_ns : -1, 4), (char *)NULL);
    }
}

/* ---- TCP ------------------------------------------------------------------------------------------------------------ */

static char *known_size(int64_t bytes)
{
    return bytes < 0 ? g_strdup(DASH) : replay_pages_size((uint64_t)bytes);
}

static char *exact_size(int64_t bytes)
{
    g_autofree char *count = bytes < 0 ? NULL : replay_pages_count((uint64_t)bytes);

    return count ? g_strdup_printf("%s B", count) : g_strdup(DASH);
}

static char *scale_text(int scale)
{
    return scale < 0 ? g_strdup(DASH) : g_strdup_printf("%d", scale);
}

static char *resent_text(const struct replay_tcp_side *s)
{
    g_autofree char *all = replay_pages_count(s->retransmissions);

    if (s->retransmissions == 0)
        return g_strdup(all);
    return g_strdup_printf("%s (%" G_GUINT64_FORMAT " fast, %" G_GUINT64_FORMAT " needless)", all,
                           s->fast_retransmissions, s->spurious_retransmissions);
}

static void add_ends(struct capture_table *t, const struct replay_tcp *tcp)
{
    const struct replay_tcp_side *up = &tcp->side[REPLAY_UP], *down = &tcp->side[REPLAY_DOWN];
    const struct {
        const char *what;
        uint64_t up, down;
    } COUNTS[] = {{"Packets", up->packets, down->packets},
                  {"with payload", up->data_packets, down->data_packets},
                  {"Out of order", up->out_of_order, down->out_of_order},
                  {"Repeated acknowledgements", up->duplicate_acks, down->duplicate_acks},
                  {"Receive window closed", up->zero_windows, down->zero_windows},
                  {"Keep-alives", up->keep_alives, down->keep_alives}};

    for (guint i = 0; i < G_N_ELEMENTS(COUNTS); i++) {
        if (COUNTS[i].up + COUNTS[i].down > 0)
            capture_table_row(t, g_strdup(COUNTS[i].what), replay_pages_count(COUNTS[i].up),
                              replay_pages_count(COUNTS[i].down), (char *)NULL);
    }
    capture_table_row(t, g_strdup("Sent again"), resent_text(up), resent_text(down), (char *)NULL);
    capture_table_row(t, g_strdup("Payload"), replay_pages_size(up->payload_bytes),
                      replay_pages_size(down->payload_bytes), (char *)NULL);
    if (up->hole_bytes + down->hole_bytes > 0)
        capture_table_row(t, g_strdup("Bytes that the capture lacks"), replay_pages_size(up->hole_bytes),
                          replay_pages_size(down->hole_bytes), (char *)NULL);
    capture_table_row(t, g_strdup("Largest window advertised"), known_size(up->window_max_bytes),
                      known_size(down->window_max_bytes), (char *)NULL);
    capture_table_row(t, g_strdup("Window scale announced"), scale_text(up->window_scale),
                      scale_text(down->window_scale), (char *)NULL);
    capture_table_row(t, g_strdup("MSS announced"), exact_size(up->mss_bytes), exact_size(down->mss_bytes),
                      (char *)NULL);
}

static void add_tcp(const struct replay_outcome *o, guint i, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {
        {0.4, DOC_CELL_TEXT}, {0.3, DOC_CELL_NUMBER}, {0.3, DOC_CELL_NUMBER}};
    const struct replay_tcp *tcp = &connection_at(o, i)->tcp;
    g_autofree char *heading = heading_of(o, i, "TCP");
    g_autofree char *aside =
        g_strdup_printf("%s, %s; counts that are 0 are left out", tcp->sack ? "SACK" : "no SACK",
                        tcp->timestamps ? "timestamps" : "no timestamps");
    struct capture_table *t = capture_pages_table(p, heading, aside, COLUMNS, G_N_ELEMENTS(COLUMNS), true);

    capture_table_row(t, g_strdup(""), g_strdup("from the client"), g_strdup("from the server"),
                      (char *)NULL);
    add_ends(t, tcp);
    capture_table_row(t, g_strdup("From the capture point there and back"),
                      replay_pages_time(tcp->client_half_ns, 4), replay_pages_time(tcp->server_half_ns, 4),
                      (char *)NULL);
}

/* ---- calibration -------------------------------------------------------------------------------------------------------- */

typedef char *(*value_text)(double value);

static char *value_time(double ns)
{
    return replay_pages_time((int64_t)ns, 4);
}

static char *value_rate(double bps)
{
    return units_format_rate((int64_t)bps, 4);
}

static char *value_size(double bytes)
{
    return units_format_size((int64_t)bytes, 4);
}

static char *value_share(double share)
{
    return g_strdup_printf("%.2g" FORMAT_NARROW "%%", 100 * share);
}

static char *value_plain(double value)
{
    return format_plain(round(value * 100) / 100);
}

/* "9.9 Mbit/s to 10.1 Mbit/s", or that there is no doubt. */
static char *interval_text(const struct calibrated *c, value_text text)
{
    g_autofree char *low = text(c->low), *high = text(c->high);

    return strcmp(low, high) == 0 ? g_strdup("no doubt") : g_strdup_printf("%s to %s", low, high);
}

/* A value with its interval, or the bound that the capture does give. What it says nothing of is named below the heading. */
static void add_value(struct capture_table *t, const char *what, const struct calibrated *c, value_text text,
                      bool at_most)
{
    g_autofree char *bound = text(c->bound), *before = NULL;

    if (c->known) {
        capture_table_row(t, g_strdup(what), text(c->value), interval_text(c, text), (char *)NULL);
    } else if (c->bound > 0 && isfinite(c->bound)) {
        capture_table_row(t, g_strdup(what), g_strdup(DASH),
                          g_strdup_printf("%s %s", at_most ? "at most" : "at least", bound), (char *)NULL);
    } else {
        before = t->note;
        t->note = before ? g_strdup_printf("%s; %s", before, what) : g_strdup_printf("Not seen: %s", what);
    }
}

static void add_direction(struct capture_table *t, const struct calibration_direction *d, const char *where)
{
    const struct {
        const char *what;
        const struct calibrated *value;
        value_text text;
        bool at_most;
    } ROWS[] = {{"rate", &d->rate_bps, value_rate, false},
                {"queue", &d->queue_bytes, value_size, false},
                {"loss", &d->loss, value_share, true},
                {"packets in a millisecond", &d->packets_per_ms, value_plain, false}};

    for (guint i = 0; i < G_N_ELEMENTS(ROWS); i++) {
        g_autofree char *what = g_strdup_printf("%s %s", ROWS[i].what, where);

        add_value(t, what, ROWS[i].value, ROWS[i].text, ROWS[i].at_most);
    }
}

static void add_end(struct capture_table *t, const struct calibration_end *e, const char *whose)
{
    g_autofree char *first = g_strdup_printf("the %s\u2019s first window, segments", whose);
    g_autofree char *window = g_strdup_printf("the %s\u2019s receive window", whose);
    g_autofree char *left = g_strdup_printf("what a loss leaves of the %s\u2019s window", whose);
    struct calibrated cut = calibration_cut(&e->cuts);
    g_autofree char *delayed = g_strdup_printf("the %s\u2019s delayed acknowledgements", whose);

    if (cut.known)
        add_value(t, left, &cut, value_share, false);
    add_value(t, first, &e->initial_window, value_plain, false);
    add_value(t, window, &e->receive_window_bytes, value_size, false);
    add_value(t, delayed, &e->delayed_ack_ns, value_time, true);
}

static void add_services(struct capture_table *t, const GArray *services)
{
    for (guint i = 0; services && i < services->len; i++) {
        const struct calibration_service *s = &g_array_index(services, struct calibration_service, i);
        g_autofree char *what = g_strdup_printf("the server\u2019s time for %s", command_name(s->command));

        add_value(t, what, &s->base_ns, value_time, true);
        if (s->per_byte_ns.known) {
            g_autofree char *more = g_strdup_printf("and for each byte of it, ns");

            add_value(t, more, &s->per_byte_ns, value_plain, true);
        }
    }
}

static void add_calibration(const struct replay_outcome *o, guint i, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {
        {0.46, DOC_CELL_TEXT}, {0.2, DOC_CELL_NUMBER}, {0.34, DOC_CELL_NUMBER}};
    const struct calibration *k = &g_array_index(o->calibrations, struct calibration, i);
    g_autofree char *heading = heading_of(o, i, "Measured network and ends");
    struct capture_table *t = capture_pages_table(
        p, heading, "rates count Ethernet frames; losses leave out what a full queue dropped", COLUMNS,
        G_N_ELEMENTS(COLUMNS), true);

    capture_table_row(t, g_strdup(""), g_strdup("value"), g_strdup("95" FORMAT_NARROW "% interval, or bound"),
                      (char *)NULL);
    add_value(t, "path there and back", &k->rtt_ns, value_time, true);
    add_direction(t, &k->side[REPLAY_DOWN], "to the client");
    add_direction(t, &k->side[REPLAY_UP], "to the server");
    add_end(t, &k->end[REPLAY_UP], "client");
    add_end(t, &k->end[REPLAY_DOWN], "server");
    add_services(t, k->services);
}

/* ---- prediction ------------------------------------------------------------------------------------------------------------ */

static void add_estimate(struct capture_table *t, const char *what, double seconds)
{
    capture_table_row(t, g_strdup(what), isfinite(seconds) ? seconds_text(seconds) : g_strdup(DASH),
                      (char *)NULL);
}

static void add_prediction(const struct replay_outcome *o, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {{0.6, DOC_CELL_TEXT}, {0.4, DOC_CELL_NUMBER}};
    const struct prediction *q = &o->prediction;
    const struct simulation *s = &q->simulation;
    g_autofree char *heading = NULL, *low = NULL, *high = NULL;
    struct capture_table *t;

    if (!o->predicted)
        return;
    heading = replay_pages_predicted(o);
    low = seconds_text(s->low);
    high = seconds_text(s->high);
    t = capture_pages_table(p, heading, "simulated", COLUMNS, G_N_ELEMENTS(COLUMNS), false);
    if (2 * s->failed >= s->runs) {
        t->note = g_strdup_printf("It fails at %.1f s: %s.", units_seconds(s->typical.failed_at_ns),
                                  s->typical.fail_reason);
    } else {
        add_estimate(t, "Seconds, median of the runs", s->seconds);
        capture_table_row(t, g_strdup("90" FORMAT_NARROW "% of runs"), g_strdup_printf("%s to %s", low, high),
                          (char *)NULL);
        for (int k = 0; k < WAIT_KINDS; k++) {
            g_autofree char *what = g_strdup_printf("of it %s", replay_pages_wait(k));

            if (s->typical.waits.ns[k] > 0)
                add_estimate(t, what, units_seconds(s->typical.waits.ns[k]));
        }
    }
    capture_table_row(t, g_strdup("Runs, and how many of them fail"),
                      g_strdup_printf("%u, %u", s->runs, s->failed), (char *)NULL);
    add_estimate(t, "Without a simulator: size over rate", q->baselines.size_over_rate);
    add_estimate(t, "Without a simulator: window over round trip", q->baselines.window_over_rtt);
    add_estimate(t, "Without a simulator: exchanges times round trip", q->baselines.exchanges_times_rtt);
}

/* ---- what was not used ------------------------------------------------------------------------------------------------------ */

static void add_ledger(const struct replay_outcome *o, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {
        {0.6, DOC_CELL_TEXT}, {0.2, DOC_CELL_NUMBER}, {0.2, DOC_CELL_NUMBER}};
    const struct tally *ledger = &o->replay->ledger;
    g_autofree char *aside = g_strdup_printf(
        "%.1f" FORMAT_NARROW "%% of the connections\u2019 bytes were decoded", 100 * o->replay->coverage);
    struct capture_table *t = capture_pages_table(p, "Not used", aside, COLUMNS, G_N_ELEMENTS(COLUMNS), true);

    p->ledger = t;
    if (ledger->rows->len == 0) {
        t->note = g_strdup("Every frame was used.");
        return;
    }
    capture_table_row(t, g_strdup("reason"), g_strdup("count"), g_strdup("bytes"), (char *)NULL);
    for (guint i = 0; i < ledger->rows->len; i++) {
        const struct tally_row *row = &g_array_index(ledger->rows, struct tally_row, i);

        capture_table_row(t, g_strdup(row->name), replay_pages_count(row->count),
                          replay_pages_size(row->bytes), (char *)NULL);
    }
}

/* ---- page 1 --------------------------------------------------------------------------------------------------------- */

/* A value with its interval in brackets, or its bound. */
static char *glance_text(const struct calibrated *c, value_text text, bool at_most)
{
    g_autofree char *value = text(c->value), *interval = interval_text(c, text), *bound = text(c->bound);

    if (c->known)
        return g_str_equal(interval, "no doubt") ? g_strdup(value)
                                                 : g_strdup_printf("%s (%s)", value, interval);
    if (c->bound > 0 && isfinite(c->bound))
        return g_strdup_printf("%s %s", at_most ? "below" : "at least", bound);
    return g_strdup("not seen");
}

static char *resent_both(const struct replay_tcp *tcp)
{
    const struct replay_tcp_side *up = &tcp->side[REPLAY_UP], *down = &tcp->side[REPLAY_DOWN];
    uint64_t resent = up->retransmissions + down->retransmissions;
    g_autofree char *count = replay_pages_count(resent);
    g_autofree char *all = replay_pages_count(up->data_packets + down->data_packets);

    return g_strdup_printf("%s of %s", resent ? count : "none", all);
}

/* What one wants to know of the main connection without turning the page. */
static void add_glance(const struct replay_outcome *o, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {
        {0.16, DOC_CELL_TEXT}, {0.44, DOC_CELL_STRONG}, {0.2, DOC_CELL_TEXT}, {0.2, DOC_CELL_STRONG}};
    const struct replay_connection *c = replay_main_connection(o->replay);
    const struct calibration *k = NULL;
    struct capture_table *t;

    for (guint i = 0; i < o->replay->connections->len; i++) {
        if (connection_at(o, i) == c)
            k = &g_array_index(o->calibrations, struct calibration, i);
    }
    t = capture_pages_table(p, "Measured network", "in brackets the 95" FORMAT_NARROW "% interval", COLUMNS,
                            G_N_ELEMENTS(COLUMNS), false);
    capture_table_row(t, g_strdup("Round trip"), glance_text(&k->rtt_ns, value_time, true),
                      g_strdup("At once, at most"),
                      replay_pages_counted(c->max_pending, "exchange", "exchanges"), (char *)NULL);
    capture_table_row(
        t, g_strdup("Rate to client"), glance_text(&k->side[REPLAY_DOWN].rate_bps, value_rate, false),
        g_strdup("Loss to client"), glance_text(&k->side[REPLAY_DOWN].loss, value_share, true), (char *)NULL);
    capture_table_row(t, g_strdup("Rate to server"),
                      glance_text(&k->side[REPLAY_UP].rate_bps, value_rate, false),
                      g_strdup("Packets sent again"), resent_both(&c->tcp), (char *)NULL);
    p->glance = t;
}

void replay_pages_tables(const struct replay_outcome *o, struct capture_pages *p)
{
    add_glance(o, p);
    add_prediction(o, p);
    add_connections(o, p);
    for (guint i = 0; i < MIN(o->replay->connections->len, IN_FULL); i++) {
        add_commands(o, i, p);
        add_tcp(o, i, p);
        add_calibration(o, i, p);
    }
    add_ledger(o, p);
}
