#include "replay/trace_change.h"
#include "sim/command.h"

/* ---- the frame of all changes ------------------------------------------------------------------------------------- */

/* One connection in change. A run is a stretch of consecutive data exchanges of one command and one file. */
struct change {
    const GArray *from;
    GArray *to;
    guint *place;       /* of each exchange in `from`: its index in `to`, or of what answers for it */
    guint run, run_new; /* the first exchange of the run in progress, in `from` and in `to` */
    unsigned joined;    /* exchanges in the last one of `to` */
    unsigned amount;
    uint32_t most_bytes;
    double ratio;
    int64_t think_ns; /* of exchanges that were dropped: the next one has it */
    guint changed;
};

typedef void change_exchange(struct change *c, guint i);

static const struct exchange *old_at(const struct change *c, guint i)
{
    return &g_array_index(c->from, struct exchange, i);
}

static struct exchange *last_of(const struct change *c)
{
    return &g_array_index(c->to, struct exchange, c->to->len - 1);
}

static bool moves_data(const struct exchange *e)
{
    return e->data_bytes > 0 && (command_is_read(e->command) || command_is_write(e->command));
}

static bool same_stream(const struct exchange *a, const struct exchange *b)
{
    return moves_data(a) && moves_data(b) && a->command == b->command && a->file == b->file;
}

static bool begins_run(const struct change *c, guint i)
{
    return i == 0 || !same_stream(old_at(c, i - 1), old_at(c, i));
}

/* The distance back, in `to`, of what took the place of the exchange that `i` waited for. */
static uint32_t distance(const struct change *c, guint i)
{
    uint32_t after = old_at(c, i)->after;
    guint place;

    if (!after || after > i)
        return 0;
    place = c->place[i - after];
    return c->place[i] > place ? c->place[i] - place : 0;
}

/* Exchange `i` as a new one of its own, with its distance as it stands. */
static void append(struct change *c, guint i)
{
    struct exchange e = *old_at(c, i);

    c->place[i] = c->to->len;
    e.after = distance(c, i);
    e.think_ns += c->think_ns;
    c->think_ns = 0;
    c->joined = 1;
    g_array_append_val(c->to, e);
}

/* Exchange `i` goes along with the last one. */
static void join(struct change *c, guint i)
{
    c->place[i] = c->to->len - 1;
    last_of(c)->think_ns += old_at(c, i)->think_ns;
    c->joined++;
    c->changed++;
}

static struct trace *change_all(const struct trace *t, change_exchange *change, unsigned amount,
                                uint32_t most_bytes, double ratio)
{
    struct trace *out = trace_new();
    guint changed = 0;

    for (guint k = 0; k < t->connections->len; k++) {
        const struct trace_connection *from = &g_array_index(t->connections, struct trace_connection, k);
        struct trace_connection *to = trace_add_connection(out);
        struct change c = {.from = from->exchanges,
                           .to = to->exchanges,
                           .place = g_new0(guint, MAX(from->exchanges->len, 1)),
                           .amount = amount,
                           .most_bytes = most_bytes,
                           .ratio = ratio};

        to->start_ns = from->start_ns;
        to->finish_ns = from->finish_ns;
        for (guint i = 0; i < from->exchanges->len; i++)
            change(&c, i);
        changed += c.changed;
        g_free(c.place);
    }
    if (changed)
        return out;
    trace_free(out);
    return NULL;
}

/* ---- larger blocks ------------------------------------------------------------------------------------------------ */

/* As many back as before, within the run; at its beginning what the first of the run waited for. */
static uint32_t distance_in_run(const struct change *c, guint i, uint32_t after)
{
    guint into_run = c->place[i] - c->run_new;

    if (!old_at(c, i)->after || old_at(c, i)->after > i - c->run)
        return distance(c, i);
    if (after <= into_run)
        return after;
    after = g_array_index(c->to, struct exchange, c->run_new).after;
    return after ? into_run + after : 0;
}

static void larger_block(struct change *c, guint i)
{
    const struct exchange *e = old_at(c, i);

    if (begins_run(c, i)) {
        append(c, i);
        c->run = i;
        c->run_new = c->place[i];
    } else if (c->joined < c->amount && last_of(c)->data_bytes + e->data_bytes <= c->most_bytes) {
        struct exchange *with = last_of(c);

        /* One message's header, and one request's time at the server, are saved. */
        with->service_ns += MAX(e->service_ns - MIN(with->service_ns, e->service_ns), 0);
        with->data_bytes += e->data_bytes;
        if (command_is_read(e->command))
            with->response_bytes += e->data_bytes;
        else
            with->request_bytes += e->data_bytes;
        join(c, i);
    } else {
        append(c, i);
        last_of(c)->after = distance_in_run(c, i, e->after);
    }
}

struct trace *trace_larger_blocks(const struct trace *t, unsigned factor, uint32_t most_bytes)
{
    return change_all(t, larger_block, factor, most_bytes, 0);
}

/* ---- a deeper pipeline ---------------------------------------------------------------------------------------------- */

static void deeper(struct change *c, guint i)
{
    const struct exchange *e = old_at(c, i);

    append(c, i);
    if (begins_run(c, i)) {
        c->run = i;
        c->run_new = c->place[i];
    } else if (moves_data(e) && e->after && e->after <= i - c->run) {
        last_of(c)->after = distance_in_run(c, i, e->after + c->amount);
        last_of(c)->flags &= (uint16_t)~EXCHANGE_BARRIER;
        c->changed++;
    }
}

struct trace *trace_deeper_pipeline(const struct trace *t, unsigned more)
{
    return change_all(t, deeper, more, 0, 0);
}

/* ---- compression ------------------------------------------------------------------------------------------------------ */

static void compressed(struct change *c, guint i)
{
    enum { HEADER_BYTES = 16 };
    struct exchange *e;
    uint32_t packed, *bytes;

    append(c, i);
    e = last_of(c);
    if (!moves_data(e) || COMMAND_PROTOCOL(e->command) != 2)
        return;
    packed = (uint32_t)(c->ratio * e->data_bytes) + HEADER_BYTES;
    e->flags |= EXCHANGE_COMPRESSED;
    c->changed++;
    bytes = command_is_read(e->command) ? &e->response_bytes : &e->request_bytes;
    if (packed < e->data_bytes && *bytes >= e->data_bytes)
        *bytes -= e->data_bytes - packed;
}

struct trace *trace_compressed(const struct trace *t, double ratio)
{
    return change_all(t, compressed, 0, 0, ratio);
}

/* ---- queries from a cache --------------------------------------------------------------------------------------------- */

static bool is_query(uint16_t command)
{
    enum { SMB1_QUERY_INFORMATION = COMMAND(1, 0x08), SMB1_QUERY_INFORMATION2 = COMMAND(1, 0x23) };

    return command == SMB1_QUERY_INFORMATION || command == SMB1_QUERY_INFORMATION2 ||
           command == SMB1_TRANSACTION2 || command == SMB2_QUERY_DIRECTORY || command == SMB2_QUERY_INFO;
}

static void without_queries(struct change *c, guint i)
{
    const struct exchange *e = old_at(c, i);

    if (!is_query(e->command) || moves_data(e) || c->to->len == 0) {
        append(c, i);
        return;
    }
    /* Its answer is there at once; what the client then thinks about it stays. */
    c->place[i] = c->to->len - 1;
    c->think_ns += e->think_ns;
    c->changed++;
}

struct trace *trace_cached_queries(const struct trace *t)
{
    return change_all(t, without_queries, 0, 0, 0);
}

/* ---- compounds ---------------------------------------------------------------------------------------------------------- */

static void compound(struct change *c, guint i)
{
    const struct exchange *e = old_at(c, i);
    struct exchange *with = c->to->len ? last_of(c) : NULL;
    const uint16_t alone = EXCHANGE_BACKGROUND | EXCHANGE_NO_RESPONSE;

    if (!with || COMMAND_PROTOCOL(e->command) != 2 || !e->file || e->file != with->file || e->after != 1 ||
        (e->flags | with->flags) & alone || same_stream(with, e) || c->joined >= c->amount) {
        append(c, i);
        return;
    }
    with->request_bytes += e->request_bytes;
    with->response_bytes += e->response_bytes;
    with->service_ns += e->service_ns;
    with->data_bytes += e->data_bytes;
    if (moves_data(e))
        with->command = e->command;
    join(c, i);
}

struct trace *trace_compounded(const struct trace *t, unsigned most)
{
    return change_all(t, compound, most, 0, 0);
}

/* ---- files at once ------------------------------------------------------------------------------------------------------ */

/* Deals one connection out to `n`, of which the first has all that belongs to no file. Returns how many files the others got. */
static guint deal(const struct trace_connection *from, struct trace *out, unsigned n)
{
    guint first = out->connections->len, moved = 0;
    g_autofree guint *place = g_new0(guint, MAX(from->exchanges->len, 1));
    g_autofree guint *lane_of = g_new0(guint, MAX(from->exchanges->len, 1));

    for (unsigned k = 0; k < n; k++) {
        struct trace_connection *to = trace_add_connection(out);

        to->start_ns = from->start_ns;
        to->finish_ns = from->finish_ns;
    }
    for (guint i = 0; i < from->exchanges->len; i++) {
        struct exchange e = g_array_index(from->exchanges, struct exchange, i);
        guint lane = e.file ? (e.file - 1) % n : 0;
        GArray *to = g_array_index(out->connections, struct trace_connection, first + lane).exchanges;

        place[i] = to->len;
        lane_of[i] = lane;
        if (e.after && e.after <= i && lane_of[i - e.after] == lane)
            e.after = to->len - place[i - e.after];
        else if (e.after)
            e.after = to->len > 0; /* what it waited for is another's now: it waits for its own last */
        moved += lane > 0;
        g_array_append_val(to, e);
    }
    return moved;
}

struct trace *trace_files_at_once(const struct trace *t, unsigned n)
{
    struct trace *out = trace_new();
    guint moved = 0;

    for (guint k = 0; k < t->connections->len; k++)
        moved += deal(&g_array_index(t->connections, struct trace_connection, k), out, n);
    if (moved)
        return out;
    trace_free(out);
    return NULL;
}
