#include "replay/files.h"

static void clear_row(gpointer data)
{
    struct replay_file *row = data;

    g_free(row->name);
}

static void create(struct files *f)
{
    f->rows = g_array_new(FALSE, FALSE, sizeof(struct replay_file));
    g_array_set_clear_func(f->rows, clear_row);
    f->states = g_array_new(FALSE, FALSE, sizeof(struct file_state));
    f->by_name = g_hash_table_new(g_str_hash, g_str_equal);
}

void files_fini(struct files *f)
{
    g_clear_pointer(&f->by_name, g_hash_table_unref);
    g_clear_pointer(&f->rows, g_array_unref);
    g_clear_pointer(&f->states, g_array_unref);
}

static void init_row(struct replay_file *row, char *name)
{
    *row = (struct replay_file){.name = name, .size_bytes = -1, .first_ns = -1, .last_ns = -1};
}

uint16_t files_row(struct files *f, const char *name)
{
    const struct file_state fresh = {INT64_MIN, -1};
    struct replay_file row;
    guint known;

    if (!f->rows)
        create(f);
    known = name ? GPOINTER_TO_UINT(g_hash_table_lookup(f->by_name, name)) : 0;
    if (known)
        return (uint16_t)known;
    if (f->rows->len >= FILES_MAX)
        return FILES_OTHERS;
    init_row(&row, g_strdup(name));
    g_array_append_val(f->rows, row);
    g_array_append_val(f->states, fresh);
    if (name)
        g_hash_table_insert(f->by_name, row.name, GUINT_TO_POINTER(f->rows->len));
    return (uint16_t)f->rows->len;
}

static struct replay_file *row_at(struct files *f, uint16_t row)
{
    return row == FILES_OTHERS ? &f->others : &g_array_index(f->rows, struct replay_file, row - 1);
}

static struct file_state *state_at(struct files *f, uint16_t row)
{
    return row == FILES_OTHERS ? &f->others_state : &g_array_index(f->states, struct file_state, row - 1);
}

void files_note_size(struct files *f, uint16_t row, uint64_t size, bool directory)
{
    struct replay_file *r = row_at(f, row);

    if (row == FILES_OTHERS || size > INT64_MAX)
        return;
    r->size_bytes = (int64_t)size;
    state_at(f, row)->end = r->size_bytes;
    r->directory |= directory;
}

int64_t files_size(const struct files *f, uint16_t row)
{
    return row == 0 || row == FILES_OTHERS ? -1 : g_array_index(f->states, struct file_state, row - 1).end;
}

void files_use(struct files *f, uint16_t row, const struct file_use *use)
{
    struct replay_file *r = row_at(f, row);
    struct file_state *state = state_at(f, row);
    int64_t last = MAX(use->request_ns, use->response_ns);

    if (row == FILES_OTHERS && r->exchanges == 0) {
        init_row(r, NULL);
        r->others = true;
        *state = (struct file_state){INT64_MIN, -1};
    }
    if (r->exchanges++ == 0 || use->request_ns < r->first_ns)
        r->first_ns = use->request_ns;
    r->last_ns = MAX(r->last_ns, last);
    r->opens += use->opened;
    r->bytes_read += use->read;
    r->bytes_written += use->written;
    if (row != FILES_OTHERS && use->end > 0 && use->end <= INT64_MAX && (int64_t)use->end > r->size_bytes)
        r->size_bytes = (int64_t)use->end;
    if (state->end >= 0 && use->written > 0 && (int64_t)MIN(use->end, INT64_MAX) > state->end)
        state->end = (int64_t)use->end;
    if (use->response_ns >= 0 && use->request_ns >= state->free_at_ns) {
        r->round_trips++;
        state->free_at_ns = use->response_ns;
    }
}

void files_copy(const struct files *from, struct files *to)
{
    to->others = from->others;
    to->others_state = from->others_state;
    if (!from->rows)
        return;
    create(to);
    g_array_append_vals(to->rows, from->rows->data, from->rows->len);
    g_array_append_vals(to->states, from->states->data, from->states->len);
    for (guint i = 0; i < to->rows->len; i++)
        g_array_index(to->rows, struct replay_file, i).name = NULL;
}

void files_describe(struct files *f, uint16_t row, const struct files *other, uint16_t other_row)
{
    const struct replay_file *from = &g_array_index(other->rows, struct replay_file, other_row - 1);
    struct replay_file *to = row_at(f, row);

    g_free(to->name);
    to->name = g_strdup(from->name);
    to->size_bytes = from->size_bytes;
    to->directory = from->directory;
}

GArray *files_facts(struct files *f, uint64_t read, uint64_t written)
{
    GArray *rows;
    uint64_t in_rows_read = 0, in_rows_written = 0;

    if (!f->rows)
        create(f);
    rows = g_steal_pointer(&f->rows);
    for (guint i = 0; i < rows->len; i++) {
        in_rows_read += g_array_index(rows, struct replay_file, i).bytes_read;
        in_rows_written += g_array_index(rows, struct replay_file, i).bytes_written;
    }
    if (f->others.exchanges == 0 && in_rows_read >= read && in_rows_written >= written)
        return rows;
    if (f->others.exchanges == 0)
        init_row(&f->others, NULL);
    f->others.others = true;
    f->others.bytes_read = read - MIN(read, in_rows_read);
    f->others.bytes_written = written - MIN(written, in_rows_written);
    g_array_append_val(rows, f->others);
    return rows;
}
