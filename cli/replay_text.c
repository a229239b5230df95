#include "cli/replay_output.h"
#include "cli/table.h"
#include "base/units.h"
#include "replay/findings.h"

#include <string.h>

enum { BAR = 30, CONNECTIONS_SHOWN = 10 };

static char *size_text(uint64_t bytes)
{
    return units_format_size((int64_t)bytes, 4);
}

/* ---- the capture ---------------------------------------------------------------------------------------------------- */

static void capture_text(const struct replay *r, const struct replay_view *v, GString *to)
{
    g_autofree char *size = size_text(r->bytes);
    g_autofree char *duration = units_format_time(r->duration_ns, 4);
    g_autoptr(GString) line = g_string_new(NULL);

    for (guint i = 0; i < r->files->len; i++)
        g_string_append_printf(line, "%s%s", i > 0 ? ", " : "", (const char *)g_ptr_array_index(r->files, i));
    g_string_append_printf(line, ": %" G_GUINT64_FORMAT " packets, %s, %s", r->packets, size, duration);
    if (strcmp(r->link_type, "EN10MB") != 0)
        g_string_append_printf(line, ", link type %s", r->link_type);
    style_wrap(&v->style, STYLE_PLAIN, line->str, "", to);
    for (guint i = 0; i < r->warnings->len; i++) {
        g_autofree char *warning = g_strconcat("warning: ", g_ptr_array_index(r->warnings, i), NULL);

        style_wrap(&v->style, STYLE_WARNING, warning, "", to);
    }
}

/* ---- the answer ------------------------------------------------------------------------------------------------------ */

static const char *protocol_text(const char *dialect)
{
    if (!dialect)
        return "SMB, dialect not seen";
    return strcmp(dialect, "SMB1") == 0 ? "" : "SMB ";
}

static void protection_text(const struct replay_connection *c, GString *to)
{
    if (c->signed_ == REPLAY_YES)
        g_string_append(to, ", signed");
    if (c->encrypted)
        g_string_append(to, ", encrypted");
    if (c->compressed_bytes > 0)
        g_string_append_printf(to, ", compressed %.2f to 1",
                               (double)c->original_bytes / (double)c->compressed_bytes);
}

static void moved_text(const struct replay_connection *c, GString *to)
{
    g_autofree char *in = units_format_size((int64_t)c->bytes_read, 3);
    g_autofree char *out = units_format_size((int64_t)c->bytes_written, 3);
    g_autofree char *time = units_format_time(replay_recorded_ns(c), 4);
    double seconds = units_seconds(replay_recorded_ns(c));
    double bytes = (double)c->bytes_read + (double)c->bytes_written;

    if (c->bytes_read > 0 || c->bytes_written == 0)
        g_string_append_printf(to, ": %s read", in);
    if (c->bytes_written > 0)
        g_string_append_printf(to, "%s %s written", c->bytes_read > 0 ? "," : ":", out);
    g_string_append_printf(to, " in %s", time);
    if (seconds > 0 && bytes > 0) {
        g_autofree char *rate = units_format_rate((int64_t)(bytes * 8 / seconds), 3);

        g_string_append_printf(to, " (%s)", rate);
    }
    g_string_append_printf(to, "; %" G_GUINT64_FORMAT " exchanges, up to %" G_GUINT64_FORMAT " at once",
                           c->exchanges,
                           c->usage.pending.total_ns > 0 ? c->usage.pending.max : c->max_pending);
    if (c->opaque_messages > 0)
        g_string_append_printf(to,
                               "; %" G_GUINT64_FORMAT " encrypted messages show their sizes and times alone",
                               c->opaque_messages);
}

/* A display filter is not wrapped, for it is there to be copied. */
static void filter_text(const char *filter, const char *indent, const struct replay_view *v, GString *to)
{
    g_string_append(to, indent);
    style_put(&v->style, STYLE_FAINT, filter, to);
    g_string_append_c(to, '\n');
}

static void answer_text(const struct replay_connection *c, const struct breakdown *b, const struct finding *f,
                        const struct replay_view *v, GString *to)
{
    g_autofree char *held = NULL, *advice = NULL;

    if (!b) {
        g_autofree char *why = g_strdup_printf("Where the time went can't be told: only %.1f %% of this "
                                               "connection's bytes belong to messages that "
                                               "could be decoded, and it takes %.0f %%.",
                                               100 * replay_coverage(c), 100 * REPLAY_COVERAGE_LEAST);

        style_wrap(&v->style, STYLE_WARNING, why, "  ", to);
        return;
    }
    held = g_strdup_printf("Held back by %s: %s.", WAIT_NAMES[b->bottleneck], f->text);
    advice = g_strdup_printf("What would help: %s.", f->advice);
    style_wrap(&v->style, STYLE_HEADING, held, "  ", to);
    style_wrap(&v->style, STYLE_HEADING, advice, "  ", to);
    filter_text(f->filter, "  in Wireshark: ", v, to);
}

/* The change that saves most, of those that were simulated, ahead of the list at the end. */
static void best_change_text(const struct replay_outcome *o, const struct replay_view *v, GString *to)
{
    const struct replay_change *c;
    double seconds = units_seconds(o->self_ns);
    g_autofree char *line = NULL;

    if (!o->changes || o->changes->len == 0 || seconds <= 0)
        return;
    c = &g_array_index(o->changes, struct replay_change, 0);
    if (c->fails || c->saved < 0.05 * seconds)
        return;
    line = g_strdup_printf("Simulated, most is saved by %s: %.0f %% of the time (the list is at the end).",
                           c->what, 100 * c->saved / seconds);
    style_wrap(&v->style, STYLE_HEADING, line, "  ", to);
}

static void time_went_text(const struct waits *w, const char *heading, const struct replay_view *v,
                           GString *to)
{
    static const struct table_column columns[] = {
        {"waiting for", true, 0}, {"time", false, 0}, {"share", false, 0}, {"", true, 1}};
    struct table t = table_new(columns, G_N_ELEMENTS(columns));
    bool done[WAIT_KINDS] = {false};
    int64_t total = 0;

    for (int i = 0; i < WAIT_KINDS; i++)
        total += w->ns[i];
    heading_text(heading, v, to);
    for (int rank = 0; rank < WAIT_KINDS; rank++) {
        int most = -1;

        for (int i = 0; i < WAIT_KINDS; i++) {
            if (!done[i] && w->ns[i] > 0 && (most < 0 || w->ns[i] > w->ns[most]))
                most = i;
        }
        if (most < 0)
            break;
        done[most] = true;
        table_add(&t, g_strdup(WAIT_NAMES[most]));
        table_add(&t, g_strdup_printf("%.3f s", units_seconds(w->ns[most])));
        table_add(&t, g_strdup_printf("%.1f %%", 100 * (double)w->ns[most] / (double)total));
        table_add(&t, bar_text((double)w->ns[most] / (double)total, BAR));
    }
    table_print(&t, &v->style, to);
}

/* ---- a connection ------------------------------------------------------------------------------------------------------ */

static void findings_text(const GPtrArray *findings, guint from, const struct replay_view *v, GString *to)
{
    if (findings->len <= from)
        return;
    heading_text("What else stands out", v, to);
    for (guint i = from; i < findings->len; i++) {
        const struct finding *f = g_ptr_array_index(findings, i);
        g_autofree char *text =
            f->advice ? g_strdup_printf("- %s: %s", f->text, f->advice) : g_strconcat("- ", f->text, NULL);

        style_wrap(&v->style, STYLE_PLAIN, text, "  ", to);
        filter_text(f->filter, "    ", v, to);
    }
}

/* What SMB2 and 3 agreed on, in a paragraph: whether it was used is said above. */
static void negotiated_text(const struct replay_smb2 *s, const struct replay_view *v, GString *to)
{
    g_autoptr(GString) line = g_string_new(NULL);

    if (s->credits_granted == 0)
        return;
    g_string_append_printf(line, "Credits: %" G_GUINT64_FORMAT " granted, %" G_GUINT64_FORMAT " charged",
                           s->credits_granted, s->credits_charged);
    if (s->credits_known)
        g_string_append_printf(line, ", %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT " left", s->credits_least,
                               s->credits_most);
    if (s->signing)
        g_string_append_printf(line, "; signing by %s", s->signing);
    if (s->cipher)
        g_string_append_printf(line, "; cipher %s", s->cipher);
    for (unsigned i = 0; i < REPLAY_COMPRESSIONS && s->compression[i]; i++)
        g_string_append_printf(line, "%s%s", i == 0 ? "; compression " : ", ", s->compression[i]);
    if (s->oplock_breaks + s->lease_breaks > 0)
        g_string_append_printf(line, "; %" G_GUINT64_FORMAT " oplock and %" G_GUINT64_FORMAT " lease breaks",
                               s->oplock_breaks, s->lease_breaks);
    g_string_append_c(to, '\n');
    style_wrap(&v->style, STYLE_PLAIN, line->str, "  ", to);
}

static void connection_text(const struct replay_outcome *o, guint at, const struct replay_view *v,
                            GString *to)
{
    const struct replay_connection *c = g_ptr_array_index(o->replay->connections, at);
    const struct breakdown *b =
        replay_is_trusted(c) ? &g_array_index(o->breakdowns, struct breakdown, at) : NULL;
    const struct calibration *k = &g_array_index(o->calibrations, struct calibration, at);
    g_autoptr(GPtrArray) findings = findings_new(c, b, k);
    g_autofree char *ends = g_strdup_printf("%s -> %s", c->client, c->server);
    g_autoptr(GString) summary = g_string_new(protocol_text(c->dialect));

    g_string_append_c(to, '\n');
    style_put(&v->style, STYLE_HEADING, ends, to);
    g_string_append_c(to, '\n');
    g_string_append(summary, c->dialect ? c->dialect : "");
    protection_text(c, summary);
    moved_text(c, summary);
    style_wrap(&v->style, STYLE_PLAIN, summary->str, "  ", to);
    answer_text(c, b, b ? g_ptr_array_index(findings, 0) : NULL, v, to);
    if (o->replay->connections->len == 1)
        best_change_text(o, v, to);
    if (b)
        time_went_text(&b->waits, "Where the time went", v, to);
    findings_text(findings, b ? 1 : 0, v, to);
    negotiated_text(&c->smb2, v, to);
    commands_text(c->commands, v, to);
    usage_text(&c->usage, v, to);
    files_text(c->files, v, to);
    tcp_text(&c->tcp, v, to);
    if (b)
        calibration_text(k, v, to);
}

/* ---- several connections ----------------------------------------------------------------------------------------------- */

static uint64_t moved(const struct replay_connection *c)
{
    return c->bytes_read + c->bytes_written;
}

static gint most_moved_first(gconstpointer a, gconstpointer b, gpointer connections)
{
    guint i = *(const guint *)a, j = *(const guint *)b;
    const struct replay_connection *x = g_ptr_array_index((GPtrArray *)connections, i);
    const struct replay_connection *y = g_ptr_array_index((GPtrArray *)connections, j);

    if (moved(x) != moved(y))
        return moved(x) > moved(y) ? -1 : 1;
    if (x->exchanges != y->exchanges)
        return x->exchanges > y->exchanges ? -1 : 1;
    return i < j ? -1 : i > j;
}

/* Indices of the connections, those that moved most first. Returns owned. */
static GArray *order_of(const struct replay *r)
{
    GArray *order = g_array_new(FALSE, FALSE, sizeof(guint));

    for (guint i = 0; i < r->connections->len; i++)
        g_array_append_val(order, i);
    g_array_sort_with_data(order, most_moved_first, r->connections);
    return order;
}

static void overview_row(const struct replay_outcome *o, guint at, struct table *t)
{
    const struct replay_connection *c = g_ptr_array_index(o->replay->connections, at);
    const struct breakdown *b = &g_array_index(o->breakdowns, struct breakdown, at);

    table_add(t, g_strdup(c->client));
    table_add(t, g_strdup(c->server));
    table_add(t, units_format_size((int64_t)moved(c), 3));
    table_add(t, units_format_time(replay_recorded_ns(c), 3));
    table_add(t, g_strdup(replay_is_trusted(c) ? WAIT_NAMES[b->bottleneck] : "not known"));
}

static void overview_text(const struct replay_outcome *o, const GArray *order, const struct replay_view *v,
                          GString *to)
{
    static const struct table_column columns[] = {{"client", true, 0},
                                                  {"server", true, 2},
                                                  {"data", false, 0},
                                                  {"time", false, 0},
                                                  {"held back by", true, 0}};
    struct table t = table_new(columns, G_N_ELEMENTS(columns));
    g_autofree char *title = g_strdup_printf("%u connections, those that moved most first", order->len);

    heading_text(title, v, to);
    for (guint i = 0; i < order->len && i < CONNECTIONS_SHOWN; i++)
        overview_row(o, g_array_index(order, guint, i), &t);
    table_print(&t, &v->style, to);
    if (order->len > CONNECTIONS_SHOWN)
        g_string_append_printf(to, "  and %u more (--json)\n", order->len - CONNECTIONS_SHOWN);
}

/* What of a session no single connection shows. */
static void session_text(const struct replay_session *s, guint number, const struct replay_view *v,
                         GString *to)
{
    g_autofree char *time = g_strdup_printf("Session %u: where the time went", number);

    if (s->waits_known)
        time_went_text(&s->waits, time, v, to);
    files_text(s->files, v, to);
}

/* Sessions of SMB3 that several connections carry. */
static void sessions_text(const struct replay *r, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {{"session", true, 0}, {"connections", false, 0},
                                                  {"read", false, 0},   {"written", false, 0},
                                                  {"time", false, 0},   {"rate", false, 1}};
    struct table t = table_new(columns, G_N_ELEMENTS(columns));

    for (guint i = 0; i < r->sessions->len; i++) {
        const struct replay_session *s = &g_array_index(r->sessions, struct replay_session, i);
        double seconds = units_seconds(s->last_ns - s->first_ns);
        double bytes = (double)s->bytes_read + (double)s->bytes_written;

        if (s->connections < 2)
            continue;
        table_add(&t, g_strdup_printf("%u", i));
        table_add(&t, g_strdup_printf("%u", s->connections));
        table_add(&t, size_text(s->bytes_read));
        table_add(&t, size_text(s->bytes_written));
        table_add(&t, units_format_time(s->last_ns - s->first_ns, 3));
        table_add(&t, seconds > 0 ? units_format_rate((int64_t)(bytes * 8 / seconds), 3) : NULL);
    }
    if (t.cells->len > 0)
        heading_text("Sessions over several connections (multichannel)", v, to);
    table_print(&t, &v->style, to);
    for (guint i = 0; i < r->sessions->len; i++) {
        const struct replay_session *s = &g_array_index(r->sessions, struct replay_session, i);

        if (s->connections > 1)
            session_text(s, i, v, to);
    }
}

static void connections_text(const struct replay_outcome *o, const struct replay_view *v, GString *to)
{
    const struct replay *r = o->replay;
    g_autoptr(GArray) order = order_of(r);

    if (order->len > 1)
        overview_text(o, order, v, to);
    sessions_text(r, v, to);
    for (guint i = 0; i < order->len && i < CONNECTIONS_SHOWN; i++)
        connection_text(o, g_array_index(order, guint, i), v, to);
    if (order->len > 1) {
        g_string_append_c(to, '\n');
        style_put(&v->style, STYLE_HEADING, "All connections together", to);
        g_string_append_c(to, '\n');
        commands_text(r->commands, v, to);
        usage_text(&r->total, v, to);
    }
}

/* ---- what wasn't used, and the simulation -------------------------------------------------------------------------------- */

static void ledger_text(const struct replay *r, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {
        {"reason", true, 0}, {"count", false, 0}, {"bytes", false, 0}};
    struct table t = table_new(columns, G_N_ELEMENTS(columns));
    g_autofree char *title = g_strdup_printf(
        "Coverage: %.1f %% of the SMB connections' bytes are in decoded messages", 100 * r->coverage);

    g_string_append_c(to, '\n');
    style_wrap(&v->style, STYLE_HEADING, title, "", to);
    g_string_append(to, r->ledger.rows->len > 0 ? "Not used:\n" : "");
    for (guint i = 0; i < r->ledger.rows->len; i++) {
        const struct tally_row *row = &g_array_index(r->ledger.rows, struct tally_row, i);

        table_add(&t, g_strdup(row->name));
        table_add(&t, g_strdup_printf("%" G_GUINT64_FORMAT, row->count));
        table_add(&t, size_text(row->bytes));
    }
    table_print(&t, &v->style, to);
}

static void self_replay_text(const struct replay_outcome *o, const struct replay_view *v, GString *to)
{
    g_autofree char *recorded = NULL, *simulated = NULL, *line = NULL;

    g_string_append_c(to, '\n');
    if (o->why_not) {
        line = g_strdup_printf("Not %s: %s.", o->refused ? "calibrated" : "replayed", o->why_not);
        style_wrap(&v->style, STYLE_WARNING, line, "", to);
    }
    if (!o->model)
        return;
    recorded = seconds_text(units_seconds(o->model->recorded_ns));
    simulated = seconds_text(units_seconds(o->self_ns));
    line = g_strdup_printf(
        "Self-replay: the same exchanges on the capture's own network take %s in the simulator "
        "and took %s in the capture: %+.2f %%.",
        simulated, recorded, replay_outcome_error_pct(o));
    style_wrap(&v->style, STYLE_PLAIN, line, "", to);
    if (o->self.failed)
        g_string_append_printf(to, "The simulated copy fails: %s.\n", o->self.fail_reason);
}

void replay_text(const struct replay_outcome *o, const struct replay_view *v, GString *to)
{
    capture_text(o->replay, v, to);
    connections_text(o, v, to);
    ledger_text(o->replay, v, to);
    if (o->why_not || o->model)
        self_replay_text(o, v, to);
    if (o->changes)
        replay_changes_text(o->changes, units_seconds(o->self_ns), &v->style, to);
    if (o->predicted) {
        g_string_append_c(to, '\n');
        prediction_text(&o->prediction, to);
    }
}
