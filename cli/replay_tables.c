/* The tables of `copytrial replay`: commands, block sizes, outstanding requests, errors, files. */
#include "cli/replay_output.h"
#include "cli/table.h"
#include "base/units.h"
#include "replay/pending.h"
#include "replay/status_name.h"

#include <math.h>

enum { BAR = 24, SIZES_SHOWN = 6, ERRORS_SHOWN = 10 };

void heading_text(const char *text, const struct replay_view *v, GString *to)
{
    g_string_append_c(to, '\n');
    style_wrap(&v->style, STYLE_STRONG, text, "  ", to);
}

char *bar_text(double share, int width)
{
    return g_strnfill((gsize)lround(CLAMP(share, 0, 1) * width), '#');
}

static char *count_text(uint64_t n)
{
    return g_strdup_printf("%" G_GUINT64_FORMAT, n);
}

static char *size_text(uint64_t bytes)
{
    return units_format_size((int64_t)bytes, 3);
}

/* No digit is left out: 1460 bytes are an MSS, 1.5 kB are none. */
static char *exact_text(uint64_t bytes)
{
    enum { BYTES_BELOW = 10000, DIGITS = 15 };

    return bytes < BYTES_BELOW && bytes % 1024 != 0 ? g_strdup_printf("%" G_GUINT64_FORMAT " B", bytes)
                                                    : units_format_size((int64_t)bytes, DIGITS);
}

static char *time_text(int64_t ns)
{
    return ns < 0 ? NULL : units_format_time(ns, 3);
}

static char *percent_text(double part, double whole)
{
    return whole > 0 ? g_strdup_printf("%.1f %%", 100 * part / whole) : NULL;
}

/* ---- commands ----------------------------------------------------------------------------------------------------- */

static gint by_time(gconstpointer a, gconstpointer b)
{
    const struct replay_command *x = a, *y = b;

    if (x->service_total_ns != y->service_total_ns)
        return x->service_total_ns > y->service_total_ns ? -1 : 1;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

static void command_row(const struct replay_command *c, struct table *t)
{
    bool known = c->service_samples > 0;

    table_add(t, g_strdup(command_name(c->command)));
    table_add(t, count_text(c->requests));
    table_add(t, size_text(c->bytes));
    table_add(t, time_text(known ? c->service_median_ns : -1));
    table_add(t, time_text(known ? c->service_p90_ns : -1));
    table_add(t, time_text(known ? c->service_p95_ns : -1));
    table_add(t, time_text(known ? c->service_p99_ns : -1));
    table_add(t, time_text(known ? c->service_max_ns : -1));
}

void commands_text(const GArray *commands, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {
        {"command", true, 0}, {"requests", false, 0}, {"bytes", false, 3}, {"50 %", false, 0},
        {"90 %", false, 4},   {"95 %", false, 0},     {"99 %", false, 5},  {"longest", false, 0},
    };
    g_autoptr(GArray) sorted = g_array_copy((GArray *)commands);
    struct table t;

    if (sorted->len == 0)
        return;
    heading_text("Service times by command, from request's end to answer's beginning", v, to);
    t = table_new(columns, G_N_ELEMENTS(columns));
    g_array_sort(sorted, by_time);
    for (guint i = 0; i < sorted->len; i++) {
        const struct replay_command *c = &g_array_index(sorted, struct replay_command, i);

        if (c->requests + c->responses > 0) /* others only stood in AndX chains */
            command_row(c, &t);
    }
    table_print(&t, &v->style, to);
}

/* ---- block sizes --------------------------------------------------------------------------------------------------- */

static void block_row(const char *what, char *size, uint64_t count, uint64_t bytes,
                      const struct replay_blocks *b, struct table *t)
{
    table_add(t, g_strdup(what));
    table_add(t, size);
    table_add(t, count_text(count));
    table_add(t, size_text(bytes));
    table_add(t, percent_text((double)bytes, (double)b->bytes));
    table_add(t, bar_text(b->bytes > 0 ? (double)bytes / (double)b->bytes : 0, BAR));
}

static void exact_rows(const char *what, const struct replay_blocks *b, struct table *t)
{
    uint64_t count = b->count, bytes = b->bytes;

    for (guint i = 0; i < b->sizes->len && i < SIZES_SHOWN; i++) {
        const struct replay_block *block = &g_array_index(b->sizes, struct replay_block, i);

        block_row(what, exact_text(block->bytes), block->count, block->bytes * block->count, b, t);
        count -= block->count;
        bytes -= block->bytes * block->count;
    }
    if (count > 0)
        block_row(what, g_strdup("others"), count, bytes, b, t);
}

/* The bytes of a class are those of the exact sizes in it. */
static uint64_t octave_bytes(const struct replay_blocks *b, unsigned octave)
{
    uint64_t low = octave == 0 ? 0 : UINT64_C(1) << (octave - 1), high = UINT64_C(1) << octave, sum = 0;

    for (guint i = 0; i < b->sizes->len; i++) {
        const struct replay_block *block = &g_array_index(b->sizes, struct replay_block, i);

        if (block->bytes >= low && block->bytes < high)
            sum += block->bytes * block->count;
    }
    return sum;
}

static void octave_rows(const char *what, const struct replay_blocks *b, struct table *t)
{
    for (unsigned i = 0; i < REPLAY_OCTAVES; i++) {
        g_autofree char *high = size_text(UINT64_C(1) << i);

        if (b->octaves[i] > 0)
            block_row(what, g_strdup_printf("below %s", high), b->octaves[i], octave_bytes(b, i), b, t);
    }
}

/* Exact sizes where few of them moved most of the data, else powers of two. */
static void block_rows(const char *what, const struct replay_blocks *b, struct table *t)
{
    const double most = 0.6;
    uint64_t shown = 0;

    for (guint i = 0; i < b->sizes->len && i < SIZES_SHOWN; i++) {
        const struct replay_block *block = &g_array_index(b->sizes, struct replay_block, i);

        shown += block->bytes * block->count;
    }
    if ((double)shown >= most * (double)b->bytes || b->other_count > 0)
        exact_rows(what, b, t);
    else
        octave_rows(what, b, t);
}

static void blocks_text(const struct replay_usage *u, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {
        {"", true, 0},      {"block size", false, 0},    {"blocks", false, 0},
        {"data", false, 2}, {"share of data", false, 0}, {"", true, 3},
    };
    struct table t = table_new(columns, G_N_ELEMENTS(columns));

    if (u->reads.count + u->writes.count > 0)
        heading_text("Block sizes", v, to);
    block_rows("read", &u->reads, &t);
    block_rows("write", &u->writes, &t);
    table_print(&t, &v->style, to);
}

/* ---- outstanding requests --------------------------------------------------------------------------------------------- */

/* 0, 1, 2, 3 and 4, 5 to 8, 9 to 16, ... */
static void pending_rows(const struct replay_pending *p, struct table *t)
{
    for (unsigned low = 0, high = 0; low < REPLAY_PENDING_LEVELS; low = high + 1) {
        int64_t ns = 0;
        uint64_t last;

        high = low <= 2 ? low : MIN(2 * (low - 1), REPLAY_PENDING_LEVELS - 1);
        if (low >= REPLAY_PENDING_EXACT)
            high = low;
        else
            high = MIN(high, REPLAY_PENDING_EXACT - 1);
        for (unsigned i = low; i <= high; i++)
            ns += p->ns[i];
        if (ns == 0)
            continue;
        last = MIN(pending_level(high + 1) - 1, MAX(p->max, pending_level(low)));
        table_add(
            t, last > pending_level(low)
                   ? g_strdup_printf("%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, pending_level(low), last)
                   : count_text(pending_level(low)));
        table_add(t, time_text(ns));
        table_add(t, percent_text((double)ns, (double)p->total_ns));
        table_add(t, bar_text((double)ns / (double)p->total_ns, BAR));
    }
}

static void pending_text(const struct replay_pending *p, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {
        {"outstanding", false, 0}, {"for", false, 0}, {"share of time", false, 0}, {"", true, 1}};
    g_autofree char *title =
        g_strdup_printf("Requests outstanding: %.2f on average, at most %" G_GUINT64_FORMAT, p->mean, p->max);
    struct table t;

    if (p->total_ns <= 0)
        return;
    t = table_new(columns, G_N_ELEMENTS(columns));
    heading_text(title, v, to);
    pending_rows(p, &t);
    table_print(&t, &v->style, to);
}

/* ---- errors ------------------------------------------------------------------------------------------------------------ */

static void errors_text(const struct replay_usage *u, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {
        {"status", true, 0}, {"command", true, 0}, {"times", false, 0}, {"first frame", false, 0}};
    struct table t = table_new(columns, G_N_ELEMENTS(columns));

    if (u->errors->len > 0)
        heading_text("Errors", v, to);
    for (guint i = 0; i < u->errors->len && i < ERRORS_SHOWN; i++) {
        const struct replay_error *e = &g_array_index(u->errors, struct replay_error, i);

        table_add(&t, status_name(e->status));
        table_add(&t, g_strdup(command_name(e->command)));
        table_add(&t, count_text(e->count));
        table_add(&t, count_text(e->first_frame));
    }
    table_print(&t, &v->style, to);
    if (u->errors->len > ERRORS_SHOWN)
        g_string_append_printf(to, "  and %u more kinds (--json)\n", u->errors->len - ERRORS_SHOWN);
}

void usage_text(const struct replay_usage *u, const struct replay_view *v, GString *to)
{
    blocks_text(u, v, to);
    pending_text(&u->pending, v, to);
    errors_text(u, v, to);
}

/* ---- files ------------------------------------------------------------------------------------------------------------ */

static int64_t file_ns(const struct replay_file *f)
{
    return f->first_ns < 0 || f->last_ns < f->first_ns ? -1 : f->last_ns - f->first_ns;
}

static gint longest_first(gconstpointer a, gconstpointer b)
{
    const struct replay_file *x = a, *y = b;
    uint64_t bytes_x = x->bytes_read + x->bytes_written, bytes_y = y->bytes_read + y->bytes_written;

    if (file_ns(x) != file_ns(y))
        return file_ns(x) > file_ns(y) ? -1 : 1;
    return bytes_x > bytes_y ? -1 : bytes_x < bytes_y;
}

static char *file_name(const struct replay_file *f)
{
    g_autofree char *shown = f->name ? g_utf8_make_valid(f->name, -1) : NULL;

    if (!f->name)
        return g_strdup(f->others ? "(all others)" : "(opened before the capture)");
    for (char *at = shown; *at; at++) {
        if (g_ascii_iscntrl(*at)) /* a captured name must not steer the terminal */
            *at = '?';
    }
    return g_strdup(*shown ? shown : "\\");
}

static void file_row(const struct replay_file *f, struct table *t)
{
    double seconds = units_seconds(file_ns(f));
    uint64_t bytes = f->bytes_read + f->bytes_written;

    table_add(t, file_name(f));
    table_add(t, size_text(f->bytes_read));
    table_add(t, size_text(f->bytes_written));
    table_add(t, time_text(file_ns(f)));
    table_add(t,
              bytes > 0 && seconds > 0 ? units_format_rate((int64_t)((double)bytes * 8 / seconds), 3) : NULL);
    table_add(t, count_text(f->exchanges));
    table_add(t, count_text(f->round_trips));
}

void files_text(const GArray *files, const struct replay_view *v, GString *to)
{
    static const struct table_column columns[] = {
        {"file", true, 0},  {"read", false, 0},      {"written", false, 0},     {"time", false, 0},
        {"rate", false, 3}, {"exchanges", false, 2}, {"round trips", false, 0},
    };
    g_autoptr(GArray) sorted = g_array_sized_new(FALSE, FALSE, sizeof(struct replay_file), files->len);
    g_autofree char *title = NULL;
    struct table t;

    if (files->len == 0 || v->files == 0)
        return;
    g_array_append_vals(sorted, files->data, files->len);
    g_array_sort(sorted, longest_first);
    title = files->len > v->files
                ? g_strdup_printf("Files: the %u that took longest of %u (--files all)", v->files, files->len)
                : g_strdup("Files");
    heading_text(title, v, to);
    t = table_new(columns, G_N_ELEMENTS(columns));
    for (guint i = 0; i < sorted->len && i < v->files; i++)
        file_row(&g_array_index(sorted, struct replay_file, i), &t);
    table_print(&t, &v->style, to);
}
