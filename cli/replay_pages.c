#include "cli/replay_pages.h"
#include "base/error.h"
#include "base/file_sum.h"
#include "base/outfile.h"
#include "base/units.h"
#include "report/format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char DASH[] = "\u2013";

/* ---- texts -------------------------------------------------------------------------------------------------------- */

const char *replay_pages_wait(int kind)
{
    static const char *const NAMES[WAIT_KINDS] = {
        [WAIT_LOSS_RECOVERY] = "lost packets",
        [WAIT_PACKET_CAP] = "packet cap",
        [WAIT_TCP_WINDOW] = "TCP window",
        [WAIT_TRANSMISSION] = "transmission",
        [WAIT_SERVER] = "server",
        [WAIT_CLIENT] = "client",
        [WAIT_ROUND_TRIPS] = "round trips",
        [WAIT_IDLE] = "idle time",
    };

    return NAMES[kind];
}

char *replay_pages_time(int64_t ns, int digits)
{
    return ns < 0 ? g_strdup(DASH) : units_format_time(ns, digits);
}

char *replay_pages_size(uint64_t bytes)
{
    return units_format_size((int64_t)bytes, 4);
}

char *replay_pages_count(uint64_t count)
{
    return format_plain((double)count);
}

char *replay_pages_counted(uint64_t count, const char *one, const char *many)
{
    g_autofree char *number = replay_pages_count(count);

    return g_strdup_printf("%s %s", number, count == 1 ? one : many);
}

char *replay_pages_predicted(const struct replay_outcome *o)
{
    const struct prediction *q = &o->prediction;

    if (q->client)
        return g_strdup_printf("The same files copied by \u201c%s\u201d on the network \u201c%s\u201d",
                               q->client, q->network);
    return g_strdup_printf("The same copy on the network \u201c%s\u201d", q->network);
}

/* As people read it, whatever bytes it has. */
static char *file_name(const char *path)
{
    g_autofree char *base = strcmp(path, "-") == 0 ? g_strdup("standard input") : g_path_get_basename(path);

    return g_filename_display_name(base);
}

static char *title_of(const struct replay *r)
{
    g_autofree char *first = file_name(g_ptr_array_index(r->files, 0));

    if (r->files->len == 1)
        return g_steal_pointer(&first);
    return g_strdup_printf("%s and %u more", first, r->files->len - 1);
}

static const char *protection_of(const struct replay_connection *c)
{
    if (c->encrypted)
        return ", encrypted";
    return c->signed_ == REPLAY_YES ? ", signed" : "";
}

/* What was copied, over what, by whom, and where that was seen. */
static char *what_of(const struct replay *r, const struct replay_connection *c)
{
    static const char *const PLACES[] = {
        [REPLAY_POINT_CLIENT] = "at the client",
        [REPLAY_POINT_SERVER] = "at the server",
        [REPLAY_POINT_MIDDLE] = "between the two",
        [REPLAY_POINT_UNKNOWN] = "at an unknown place",
    };
    g_autofree char *read = replay_pages_size(c->bytes_read), *written = replay_pages_size(c->bytes_written);
    g_autofree char *exchanges = replay_pages_counted(c->exchanges, "exchange", "exchanges");
    g_autofree char *others = r->connections->len > 1
                                  ? g_strdup_printf("The largest of %u connections: ", r->connections->len)
                                  : g_strdup("");
    uint64_t holes = c->tcp.side[REPLAY_UP].hole_bytes + c->tcp.side[REPLAY_DOWN].hole_bytes;
    g_autofree char *missing = holes ? replay_pages_size(holes) : g_strdup("nothing");
    bool smb1 = c->dialect && strcmp(c->dialect, "SMB1") == 0;

    return g_strdup_printf(
        "%s%s read and %s written in %s over %s%s%s, by %s from %s. Captured %s, %s missing.", others, read,
        written, exchanges, smb1 ? "" : "SMB ", c->dialect ? c->dialect : "of an unseen dialect",
        protection_of(c), c->client, c->server, PLACES[c->tcp.point], missing);
}

static char *sentence(const char *text)
{
    char *s = g_strconcat(text, ".", NULL);

    s[0] = g_ascii_toupper(s[0]);
    return s;
}

/* ---- inputs ------------------------------------------------------------------------------------------------------- */

/* A name that leaves room for what stands behind it on a line. */
static char *short_name(const char *name)
{
    enum { MOST = 60, HEAD = 34, TAIL = 24 };
    glong length = g_utf8_strlen(name, -1);
    g_autofree char *head = NULL;

    if (length <= MOST)
        return g_strdup(name);
    head = g_utf8_substring(name, 0, HEAD);
    return g_strconcat(head, FORMAT_ELLIPSIS, g_utf8_offset_to_pointer(name, length - TAIL), NULL);
}

static void add_inputs(const struct replay *r, const char *command_line, struct capture_pages *p)
{
    static const struct doc_column COLUMNS[] = {{0.16, DOC_CELL_STRONG}, {0.84, DOC_CELL_TEXT}};
    struct capture_table *t = capture_pages_table(p, "Inputs", NULL, COLUMNS, G_N_ELEMENTS(COLUMNS), false);
    g_autofree char *packets = replay_pages_counted(r->packets, "packet", "packets");
    g_autofree char *bytes = replay_pages_size(r->bytes), *duration = replay_pages_time(r->duration_ns, 4);

    p->inputs_table = t;
    for (guint i = 0; i < r->files->len; i++) {
        const char *path = g_ptr_array_index(r->files, i);
        g_autofree char *sum = file_sum_sha256(path, NULL), *name = file_name(path),
                        *brief = short_name(name);

        capture_table_row(t, g_strdup("Capture"), g_filename_display_name(path), (char *)NULL);
        capture_table_row(t, g_strdup("SHA-256"),
                          g_strdup(sum ? sum : "none: it can\u2019t be read a second time"), (char *)NULL);
        if (i == 0)
            p->inputs = sum ? g_strdup_printf("%s, SHA-256 %.4s" FORMAT_ELLIPSIS "%s", brief, sum, sum + 60)
                            : g_strdup(brief);
    }
    capture_table_row(t, g_strdup("Holds"),
                      g_strdup_printf("%s, %s, %s, link type %s", packets, bytes, duration, r->link_type),
                      (char *)NULL);
    capture_table_row(t, g_strdup("Command line"), g_strdup(command_line), (char *)NULL);
    capture_table_row(t, g_strdup("Program"), g_strdup("copytrial " COPYTRIAL_VERSION), (char *)NULL);
}

/* ---- page 1 ------------------------------------------------------------------------------------------------------- */

static void trust(struct capture_pages *p, const char *format, ...) G_GNUC_PRINTF(2, 3);

static void trust(struct capture_pages *p, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    g_ptr_array_add(p->trust, g_strdup_vprintf(format, args));
    va_end(args);
}

static void trust_simulation(const struct replay_outcome *o, struct capture_pages *p)
{
    g_autofree char *recorded = NULL, *simulated = NULL;
    double error;

    if (o->why_not)
        trust(p, "Not replayed: %s.", o->why_not);
    if (!o->model)
        return;
    error = replay_outcome_error_pct(o);
    recorded = replay_pages_time(o->model->recorded_ns, 4);
    simulated = replay_pages_time(o->self_ns, 4);
    if (o->self.failed)
        trust(p, "Replayed on its own measured network the copy fails: %s.", o->self.fail_reason);
    else
        trust(p,
              "Replayed on its own measured network, the copy takes %s against %s recorded "
              "(%s%.2f" FORMAT_NARROW "%%).",
              simulated, recorded, error < 0 ? FORMAT_MINUS : "+", fabs(error));
}

static void add_trust(const struct replay_outcome *o, struct capture_pages *p)
{
    const struct replay *r = o->replay;
    uint64_t left_out = 0;

    trust_simulation(o, p);
    /* The first line says what the self-replay's did. */
    for (guint i = 1; o->predicted && i < o->prediction.validity->len; i++)
        trust(p, "%s", (const char *)g_ptr_array_index(o->prediction.validity, i));
    for (guint i = 0; i < MIN(r->warnings->len, 8); i++) {
        g_autofree char *warning = sentence(g_ptr_array_index(r->warnings, i));

        trust(p, "%s", warning);
    }
    for (guint i = 0; i < r->ledger.rows->len; i++)
        left_out += g_array_index(r->ledger.rows, struct tally_row, i).count;
    p->left_out = g_strdup_printf(
        "%.1f" FORMAT_NARROW "%% of the connections\u2019 bytes were decoded; %s, p." FORMAT_NO_BREAK,
        100 * r->coverage, left_out ? "what was not used is listed by reason" : "nothing was left out");
}

static void add_answer(const struct replay_outcome *o, struct capture_pages *p)
{
    const struct replay *r = o->replay;
    const struct replay_connection *c = replay_main_connection(r);
    guint i = 0;
    const struct breakdown *b;

    while (g_ptr_array_index(r->connections, i) != c)
        i++;
    b = &g_array_index(o->breakdowns, struct breakdown, i);
    p->file = title_of(r);
    p->what = what_of(r, c);
    p->seconds = replay_pages_time(replay_recorded_ns(c), 3);
    p->held_back = b->evidence ? g_strdup_printf("held back by %s", replay_pages_wait(b->bottleneck))
                               : g_strdup("too short to say what held it back");
    p->evidence = b->evidence ? sentence(b->evidence) : g_strdup("");
    p->filter = g_strdup(b->filter);
}

static void add_prediction(const struct replay_outcome *o, struct capture_pages *p)
{
    const struct simulation *s = &o->prediction.simulation;
    g_autofree char *subject = NULL, *low = NULL, *high = NULL, *seconds = NULL;

    if (!o->predicted)
        return;
    subject = replay_pages_predicted(o);
    low = seconds_text(s->low);
    high = seconds_text(s->high);
    seconds = seconds_text(s->seconds);
    if (2 * s->failed >= s->runs)
        p->no_gains = g_strdup_printf("%s fails: %s.", subject, s->typical.fail_reason);
    else
        p->no_gains = g_strdup_printf("%s takes %s; 90" FORMAT_NARROW "%% of runs take between %s and %s.",
                                      subject, seconds, low, high);
}

struct capture_pages *replay_pages_new(const struct replay_outcome *o, const char *command_line)
{
    struct capture_pages *p = capture_pages_new();

    add_answer(o, p);
    replay_pages_charts(o, p);
    add_prediction(o, p);
    add_trust(o, p);
    replay_pages_tables(o, p);
    add_inputs(o->replay, command_line, p);
    return p;
}

bool replay_pages_write(const struct replay_outcome *o, const char *path, enum draw_format format,
                        const char *command_line, GError **error)
{
    struct report_options options = {.program = "copytrial " COPYTRIAL_VERSION, .format = format};
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    struct capture_pages *p;
    struct report_lack lack;
    bool ok;

    if (!report_file_epoch(&options, error))
        return false;
    p = replay_pages_new(o, command_line);
    ok = report_render_capture(p, &options, bytes, &lack, error) &&
         outfile_write(path, bytes->data, bytes->len, error);
    capture_pages_free(p);
    if (ok)
        report_file_warn("replay", path, &lack);
    return ok;
}
