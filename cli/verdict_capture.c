#include "cli/verdict_capture.h"
#include "base/units.h"
#include "replay/study.h"
#include "report/evidence_reader.h"

#include <string.h>

/* Sizes of blocks that are told apart, in each direction of a connection. */
enum { MOST_SIZES = 64 };

static void free_frames(void *data)
{
    struct verdict_frames *f = data;

    g_hash_table_unref(f->read);
    g_hash_table_unref(f->write);
    g_free(f);
}

static char *name_of(const struct replay_connection *c)
{
    return g_strconcat(c->client, " ", c->server, NULL);
}

static struct verdict_frames *frames_of(GHashTable *frames, const struct replay_connection *c)
{
    char *name = name_of(c);
    struct verdict_frames *f = g_hash_table_lookup(frames, name);

    if (f) {
        g_free(name);
        return f;
    }
    f = g_new0(struct verdict_frames, 1);
    f->read = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    f->write = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    g_hash_table_insert(frames, name, f);
    return f;
}

static void note_block(GHashTable *sizes, int64_t bytes, uint64_t frame)
{
    if (bytes > 0 && g_hash_table_size(sizes) < MOST_SIZES && !g_hash_table_contains(sizes, &bytes))
        g_hash_table_insert(sizes, g_memdup2(&bytes, sizeof bytes), g_memdup2(&frame, sizeof frame));
}

static void note_exchange(void *self, const struct replay_connection *c, const struct replay_exchange *x,
                          const char *file)
{
    enum { SMB1_NEGOTIATE = COMMAND(1, 0x72) };
    struct verdict_frames *f = frames_of(self, c);

    (void)file;
    if (x->flags & (REPLAY_ERROR | REPLAY_NO_RESPONSE | REPLAY_OPAQUE))
        return;
    if (x->command == SMB2_NEGOTIATE || x->command == SMB1_NEGOTIATE)
        f->negotiate = x->response_last_frame;
    else if (command_is_read(x->command))
        note_block(f->read, x->data_bytes, x->response_last_frame);
    else if (command_is_write(x->command))
        note_block(f->write, x->data_bytes, x->request_last_frame);
}

struct verdict_capture *verdict_capture_read(const char *path, GError **error)
{
    const char *const paths[] = {path, NULL};
    struct verdict_capture *v = g_new0(struct verdict_capture, 1);
    struct replay_options options = {.measure = true, .exchange = note_exchange};

    v->frames = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_frames);
    options.self = v->frames;
    v->replay = replay_read(paths, &options, error);
    if (v->replay)
        return v;
    verdict_capture_free(v);
    return NULL;
}

void verdict_capture_free(struct verdict_capture *v)
{
    if (!v)
        return;
    if (v->replay)
        replay_free(v->replay);
    g_hash_table_unref(v->frames);
    g_free(v);
}

const struct verdict_frames *verdict_capture_frames(const struct verdict_capture *v,
                                                    const struct replay_connection *c)
{
    return frames_of(v->frames, c);
}

/* ---- as a run --------------------------------------------------------------------------------------------------------- */

struct whole {
    int64_t first_ns, last_ns;
    uint64_t first_frame, bytes;
    bool from_the_start; /* every connection's handshake is there */
};

static struct whole add_up(const struct replay *r)
{
    struct whole w = {.from_the_start = true};

    for (guint i = 0; i < r->connections->len; i++) {
        const struct replay_connection *c = g_ptr_array_index(r->connections, i);

        if (i == 0 || c->first_ns < w.first_ns) {
            w.first_ns = c->first_ns;
            w.first_frame = c->first_frame;
        }
        w.last_ns = i == 0 ? c->last_ns : MAX(w.last_ns, c->last_ns);
        w.bytes += c->bytes_read + c->bytes_written;
        w.from_the_start = w.from_the_start && c->tcp.handshake;
    }
    return w;
}

/* Of the connection that moved most. */
static void add_parts(const struct replay *r, struct evidence *e, int frame)
{
    const struct replay_connection *c = replay_main_connection(r);

    for (int i = 0; c->study && replay_is_trusted(c) && i < WAIT_KINDS; i++)
        evidence_add_figure(e, WAIT_NAMES[i], "s", units_seconds(c->study->breakdown.waits.ns[i]), 0, frame);
}

static void add_ledger(const struct tally *ledger, struct evidence *e)
{
    for (guint i = 0; i < ledger->rows->len; i++) {
        const struct tally_row *row = &g_array_index(ledger->rows, struct tally_row, i);
        g_autofree char *count = g_strdup_printf("%" G_GUINT64_FORMAT, row->count);

        evidence_add_fact(e, row->name, count, 0);
    }
}

void verdict_capture_evidence(const struct verdict_capture *v, struct evidence *e)
{
    const struct replay *r = v->replay;
    struct whole w = add_up(r);
    double seconds = units_seconds(w.last_ns - w.first_ns);
    int frame = (int)MIN(w.first_frame, (uint64_t)G_MAXINT);

    evidence_add_run(e, EVIDENCE_RUN, NULL, frame);
    evidence_add_figure(e, "seconds", "s", seconds, 0, frame);
    evidence_add_figure(e, "bytes", "B", (double)w.bytes, 0, frame);
    if (w.bytes == 0)
        evidence_add_note(e, EVIDENCE_REMARK, 0, "moved no file data that could be seen, so it has no rate");
    else if (seconds > 0)
        evidence_add_figure(e, "rate", "B/s", (double)w.bytes / seconds, 0, frame);
    add_parts(r, e, frame);
    add_ledger(&r->ledger, e);
    if (!w.from_the_start)
        evidence_add_note(e, EVIDENCE_REMARK, 0,
                          "begins in the midst of a connection: the copy took longer than was recorded");
    if (r->coverage < 0.99)
        evidence_add_note(e, EVIDENCE_REMARK, 0, "%.1f %% of its bytes could be decoded", 100 * r->coverage);
}
