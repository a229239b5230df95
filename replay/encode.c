#include "replay/encode_parts.h"
#include "base/error.h"

static const uint32_t LONGEST = 0xffffff; /* the framing's length has 24 bits: [MS-SMB2] 2.1 */

struct encoder *encoder_new(const struct encode_setup *setup)
{
    struct encoder *e = g_new0(struct encoder, 1);

    e->setup = *setup;
    e->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    e->opens = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    e->credits = 1; /* [MS-SMB2] 3.2.4.1.2: a connection begins with one */
    return e;
}

void encoder_free(struct encoder *e)
{
    if (!e)
        return;
    g_hash_table_unref(e->pending);
    g_hash_table_unref(e->opens);
    g_free(e);
}

/* ---- state that builders share ---------------------------------------------------------------------------------- */

struct encode_open *encode_open_new(struct encoder *e, uint32_t file)
{
    struct encode_open *o = g_new0(struct encode_open, 1);

    o->handle = ++e->handles;
    g_hash_table_replace(e->opens, GUINT_TO_POINTER(file), o);
    return o;
}

struct encode_open *encode_open_of(struct encoder *e, uint32_t file)
{
    struct encode_open *o = g_hash_table_lookup(e->opens, GUINT_TO_POINTER(file));

    return o ? o : encode_open_new(e, file);
}

int64_t encode_file_size(const struct encoder *e, uint32_t file)
{
    return e->setup.file_size ? e->setup.file_size(e->setup.self, file) : 0;
}

uint32_t encode_tree(const struct encoder *e)
{
    return e->tree_count ? e->trees[e->tree_count - 1] : 0;
}

uint32_t encode_tree_connect(struct encoder *e)
{
    if (e->tree_count == ENCODE_TREES)
        e->tree_count--;
    e->trees[e->tree_count++] = ++e->trees_given;
    return e->trees_given;
}

void encode_tree_disconnect(struct encoder *e)
{
    e->tree_count -= e->tree_count > 0;
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Character `i` of `count`: the file's number with leading zeros, cut into folders. */
static char name_character(size_t i, size_t count, uint32_t number)
{
    static const char SUFFIX[] = ".dat";
    size_t suffix = count > 8 ? sizeof SUFFIX - 1 : 0, digits = count - suffix;

    if (i >= digits)
        return SUFFIX[i - digits];
    for (size_t place = digits - 1 - i; place > 0 && number > 0; place--)
        number /= 10;
    if (number == 0 && i > 0 && i + 1 < digits && (i + 1) % ENCODE_COMPONENT == 0 && digits - i > 10)
        return '\\';
    return (char)('0' + number % 10);
}

void encode_name(struct pdu *p, size_t count, uint32_t number, bool wide)
{
    for (size_t i = 0; i < count; i++)
        pdu_le(p, (uint8_t)name_character(i, count, number), wide ? 2 : 1);
}

void encode_share(struct pdu *p, size_t count, bool wide)
{
    static const char PATH[] = "\\\\server\\share";

    for (size_t i = 0; i < count; i++)
        pdu_le(p, (uint8_t)(i < sizeof PATH - 1 ? PATH[i] : 's'), wide ? 2 : 1);
}

/* ---- file data ---------------------------------------------------------------------------------------------------- */

/* A byte depends on file and offset with a prime period, so that no shift by a block goes unseen. */
static void fill_pattern(uint8_t *to, uint32_t count, uint32_t file, uint64_t offset)
{
    enum { PERIOD = 251 };
    uint8_t first = (uint8_t)((offset + (uint64_t)file * 7) % PERIOD);
    uint32_t ready = MIN(count, PERIOD);

    for (uint32_t i = 0; i < ready; i++)
        to[i] = (uint8_t)(first + i < PERIOD ? first + i : first + i - PERIOD);
    while (ready < count) {
        uint32_t step = MIN(ready, count - ready);

        memcpy(to + ready, to, step);
        ready += step;
    }
}

void encoded_copy(const struct encoded *m, uint32_t from, uint8_t *to, uint32_t count)
{
    g_assert(from + count <= m->head_bytes + m->data_bytes);
    if (from < m->head_bytes) {
        uint32_t n = MIN(count, m->head_bytes - from);

        memcpy(to, m->head + from, n);
        to += n;
        from += n;
        count -= n;
    }
    if (count)
        fill_pattern(to, count, m->file, m->data_offset + (from - m->head_bytes));
}

void encoded_clear(struct encoded *m)
{
    g_clear_pointer(&m->head, g_free);
}

/* ---- messages ------------------------------------------------------------------------------------------------------ */

static const struct encode_protocol *protocol_of(uint16_t command)
{
    if (command == COMMAND_OPAQUE)
        return encode_transform();
    return COMMAND_PROTOCOL(command) == 1 ? encode_smb1() : encode_smb2();
}

static const struct encode_row *find_row(const struct encode_protocol *protocol, uint16_t command)
{
    for (size_t i = 0; i < protocol->row_count; i++) {
        if (protocol->rows[i].command == command)
            return &protocol->rows[i];
    }
    return NULL;
}

static bool fail(const struct exchange *x, bool response, uint32_t bytes, const char *why, GError **error)
{
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "%s: a %s of %u B can't be made: %s",
                command_name(x->command), response ? "response" : "request", bytes, why);
    return false;
}

static bool fail_short(const struct exchange *x, bool response, uint32_t bytes, uint32_t least,
                       GError **error)
{
    g_autofree char *why = g_strdup_printf("the shortest has %u B", least);

    return fail(x, response, bytes, why, error);
}

/* File data that travel in this message, after its head. */
static uint32_t data_of(const struct exchange *x, bool response, uint32_t bytes)
{
    bool here = response ? command_is_read(x->command) : command_is_write(x->command);

    if (x->command == COMMAND_OPAQUE)
        return bytes > ENCODE_TRANSFORM ? bytes - ENCODE_TRANSFORM : 0;
    return here ? MIN(x->data_bytes, bytes) : 0;
}

static struct pdu begin(const struct exchange *x, bool response, struct encoded *out)
{
    uint32_t bytes = response ? x->response_bytes : x->request_bytes;

    *out = (struct encoded){.data_bytes = data_of(x, response, bytes), .file = x->file};
    out->head_bytes = bytes - out->data_bytes;
    out->head = g_malloc0(out->head_bytes);
    return pdu_over(out->head, out->head_bytes);
}

static bool end(struct encode_call *c, bool response, struct encoded *out, GError **error)
{
    uint32_t bytes = out->head_bytes + out->data_bytes, length = bytes - ENCODE_PREFIX;

    if (!c->out->overflow && length <= LONGEST) {
        out->head[1] = (uint8_t)(length >> 16);
        out->head[2] = (uint8_t)(length >> 8);
        out->head[3] = (uint8_t)length;
        out->data_offset = c->p->offset;
        return true;
    }
    encoded_clear(out);
    return fail(c->x, response, bytes,
                length > LONGEST ? "the framing's length ends at 16 MiB" : "its parts don't fit", error);
}

static struct encode_pending *new_pending(struct encoder *e, const struct encode_row *row,
                                          const struct exchange *x, uint64_t index)
{
    struct encode_pending *p = g_new0(struct encode_pending, 1);
    int64_t *key = g_new(int64_t, 1);
    uint32_t head = x->response_bytes - data_of(x, true, x->response_bytes);

    *key = (int64_t)index;
    p->fails = x->response_bytes && head < row->least_response;
    p->status = p->fails ? row->error_status : STATUS_SUCCESS;
    g_hash_table_insert(e->pending, key, p);
    return p;
}

static bool check_lengths(const struct encode_row *row, const struct exchange *x, uint32_t least_error,
                          GError **error)
{
    uint32_t data = data_of(x, true, x->response_bytes);
    uint32_t least = data ? row->least_response : MIN(row->least_response, least_error);

    if (x->request_bytes < row->least_request + data_of(x, false, x->request_bytes))
        return fail_short(x, false, x->request_bytes, row->least_request, error);
    if (x->response_bytes && x->response_bytes - data < least)
        return fail_short(x, true, x->response_bytes, least, error);
    return true;
}

bool encoder_request(struct encoder *e, uint64_t index, const struct exchange *x, struct encoded *out,
                     GError **error)
{
    const struct encode_protocol *protocol = protocol_of(x->command);
    const struct encode_row *row = find_row(protocol, x->command);
    struct encode_call c = {.e = e, .x = x, .bytes = x->request_bytes};
    struct pdu p;

    if (!row)
        return fail(x, false, x->request_bytes, "this command isn't encoded", error);
    if (!check_lengths(row, x, protocol->least_error, error))
        return false;
    p = begin(x, false, out);
    c.out = &p;
    c.p = new_pending(e, row, x, index);
    protocol->request_header(&c);
    row->request(&c);
    if (end(&c, false, out, error)) {
        if (!x->response_bytes)
            g_hash_table_remove(e->pending, &index);
        return true;
    }
    return false;
}

bool encoder_response(struct encoder *e, uint64_t index, const struct exchange *x, struct encoded *out,
                      GError **error)
{
    const struct encode_protocol *protocol = protocol_of(x->command);
    const struct encode_row *row = find_row(protocol, x->command);
    struct encode_pending *pending = g_hash_table_lookup(e->pending, &index);
    struct encode_call c = {.e = e, .x = x, .p = pending, .bytes = x->response_bytes};
    struct pdu p = begin(x, true, out);
    bool ok;

    g_assert(row && pending);
    c.out = &p;
    protocol->response_header(&c);
    if (pending->fails)
        protocol->error_body(&c);
    else
        row->response(&c);
    ok = end(&c, true, out, error);
    g_hash_table_remove(e->pending, &index);
    return ok;
}

/* ---- client profiles ---------------------------------------------------------------------------------------------- */

static enum encode_dialect dialect_of(const char *name)
{
    static const struct {
        const char *name;
        enum encode_dialect dialect;
    } NAMES[] = {
        {"2.0.2", ENCODE_SMB_2_0_2}, {"2.1", ENCODE_SMB_2_1},     {"3.0", ENCODE_SMB_3_0},
        {"3.0.2", ENCODE_SMB_3_0_2}, {"3.1.1", ENCODE_SMB_3_1_1},
    };

    for (size_t i = 0; i < G_N_ELEMENTS(NAMES); i++) {
        if (strcmp(NAMES[i].name, name) == 0)
            return NAMES[i].dialect;
    }
    return ENCODE_SMB1;
}

struct encode_setup encode_setup_of_client(const struct client_profile *client)
{
    struct encode_setup setup = {.dialect = dialect_of(client->dialect)};

    for (guint i = 0; client->connect && i < client->connect->len; i++) {
        const struct client_step *s = &g_array_index(client->connect, struct client_step, i);

        if (s->command == SMB2_SESSION_SETUP || s->command == SMB1_SESSION_SETUP_ANDX)
            setup.session_legs += (unsigned)s->repeat;
    }
    return setup;
}

static bool check_step(const struct client_step *s, GError **error)
{
    const struct encode_protocol *protocol = protocol_of(s->command);
    const struct encode_row *row = find_row(protocol, s->command);
    struct exchange x = {
        .request_bytes = (uint32_t)s->request_bytes,
        .response_bytes = (uint32_t)s->response_bytes,
        .command = s->command,
    };
    bool ok = row ? check_lengths(row, &x, protocol->least_error, error)
                  : fail(&x, false, x.request_bytes, "this command isn't encoded", error);

    if (!ok)
        g_prefix_error(error, "line %d: ", s->line);
    return ok;
}

static bool check_steps(const GArray *steps, GError **error)
{
    for (guint i = 0; steps && i < steps->len; i++) {
        if (!check_step(&g_array_index(steps, struct client_step, i), error))
            return false;
    }
    return true;
}

bool encode_check_client(const struct client_profile *client, bool upload, GError **error)
{
    return check_steps(client->connect, error) &&
           check_steps(upload ? client->upload : client->download, error) &&
           check_steps(client->disconnect, error);
}
