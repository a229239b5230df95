#include "cli/exchange_csv.h"
#include "base/csv.h"
#include "base/error.h"
#include "replay/status_name.h"

#include <string.h>

static const char HEADER[] =
    "client,server,command,elements,file_number,file,request_frame,request_s,request_end_frame,request_end_s,"
    "response_frame,response_s,response_end_frame,response_end_s,service_s,status,status_name,request_bytes,"
    "response_bytes,data_bytes,flags\r\n";

bool exchange_csv_open(struct exchange_csv *c, const char *path, GError **error)
{
    *c = (struct exchange_csv){0};
    if (strcmp(path, "-") == 0) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE,
                    "--csv needs a file: standard output has the answers");
        return false;
    }
    c->file = outfile_open(path, error);
    if (!c->file)
        return false;
    c->row = g_string_new(NULL);
    return outfile_append(c->file, HEADER, sizeof HEADER - 1, error);
}

static void put_count(struct exchange_csv *c, uint64_t n)
{
    g_string_append_printf(c->row, ",%" G_GUINT64_FORMAT, n);
}

/* A frame and its time, both empty where there is none. */
static void put_frame(struct exchange_csv *c, uint64_t frame, int64_t ns)
{
    if (frame == 0)
        g_string_append(c->row, ",,");
    else
        g_string_append_printf(c->row, ",%" G_GUINT64_FORMAT ",%s%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT,
                               frame, ns < 0 ? "-" : "", ABS(ns) / 1000000000, ABS(ns) % 1000000000);
}

static void put_flags(struct exchange_csv *c, uint16_t flags)
{
    static const struct {
        uint16_t flag;
        const char *name;
    } names[] = {
        {REPLAY_NO_RESPONSE, "no_response"},
        {REPLAY_INTERIM, "interim"},
        {REPLAY_BACKGROUND, "background"},
        {REPLAY_ONE_WAY, "one_way"},
        {REPLAY_OPAQUE, "opaque"},
        {REPLAY_ERROR, "error"},
        {REPLAY_CUT, "cut"},
        {REPLAY_INFERRED, "inferred"},
    };
    bool first = true;

    g_string_append_c(c->row, ',');
    for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
        if (!(flags & names[i].flag))
            continue;
        g_string_append_printf(c->row, "%s%s", first ? "" : " ", names[i].name);
        first = false;
    }
}

static void put_status(struct exchange_csv *c, const struct replay_exchange *x)
{
    g_autofree char *name = status_name(x->status);

    if (x->response_first_frame == 0 || x->flags & REPLAY_OPAQUE)
        g_string_append(c->row, ",,");
    else
        g_string_append_printf(c->row, ",0x%08x,%s", x->status, x->status ? name : "STATUS_SUCCESS");
}

static void put_service(struct exchange_csv *c, const struct replay_exchange *x)
{
    int64_t ns = MAX(x->response_first_ns - x->request_last_ns, 0);

    g_string_append_c(c->row, ',');
    if (x->response_first_frame > 0)
        g_string_append_printf(c->row, "%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT, ns / 1000000000,
                               ns % 1000000000);
}

void exchange_csv_row(struct exchange_csv *c, const struct replay_connection *connection,
                      const struct replay_exchange *x, const char *file)
{
    if (!c->file || c->error)
        return;
    g_string_truncate(c->row, 0);
    csv_put(c->row, connection->client);
    csv_put(c->row, connection->server);
    csv_put(c->row, x->flags & REPLAY_OPAQUE ? "" : command_name(x->command));
    put_count(c, x->elements);
    put_count(c, x->file);
    csv_put(c->row, file ? file : "");
    put_frame(c, x->request_first_frame, x->request_first_ns);
    put_frame(c, x->request_last_frame, x->request_last_ns);
    put_frame(c, x->response_first_frame, x->response_first_ns);
    put_frame(c, x->response_last_frame, x->response_last_ns);
    put_service(c, x);
    put_status(c, x);
    put_count(c, x->request_bytes);
    put_count(c, x->response_bytes);
    put_count(c, x->data_bytes);
    put_flags(c, x->flags);
    g_string_append(c->row, "\r\n");
    outfile_append(c->file, c->row->str, c->row->len, &c->error);
}

bool exchange_csv_commit(struct exchange_csv *c, GError **error)
{
    if (c->error) {
        g_propagate_error(error, g_steal_pointer(&c->error));
        return false;
    }
    return outfile_commit(g_steal_pointer(&c->file), error);
}

void exchange_csv_clear(struct exchange_csv *c)
{
    g_clear_pointer(&c->file, outfile_discard);
    g_clear_error(&c->error);
    if (c->row)
        g_string_free(g_steal_pointer(&c->row), TRUE);
}
