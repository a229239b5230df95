#include "replay/encode_parts.h"

struct encoder *encoder_new(const struct encode_setup *setup)
{
    struct encoder *e = g_new0(struct encoder, 1);

    e->setup = *setup;
    e->session = e;
    e->pending = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free);
    e->opens = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    e->credit_total = 1; /* [MS-SMB2] 3.2.5.1: enough for NEGOTIATE */
    return e;
}

void encoder_bind(struct encoder *e, struct encoder *first)
{
    e->session = first;
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

    o->handle = ++e->session->handles;
    g_hash_table_replace(e->session->opens, GUINT_TO_POINTER(file), o);
    return o;
}

struct encode_open *encode_open_of(struct encoder *e, uint32_t file)
{
    struct encode_open *o = g_hash_table_lookup(e->session->opens, GUINT_TO_POINTER(file));

    return o ? o : encode_open_new(e, file);
}

void encode_open_close(struct encoder *e, uint32_t file)
{
    g_hash_table_remove(e->session->opens, GUINT_TO_POINTER(file));
}

int64_t encode_file_size(const struct encoder *e, uint32_t file)
{
    return e->setup.file_size ? e->setup.file_size(e->setup.self, file) : 0;
}

uint32_t encode_tree(const struct encoder *e)
{
    const struct encoder *s = e->session;

    return s->tree_count ? s->trees[s->tree_count - 1] : 0;
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
