#include "base/samples.h"

struct samples *samples_new(const char *name, const char *unit, enum samples_origin origin)
{
    struct samples *s = g_new0(struct samples, 1);

    s->name = g_strdup(name);
    s->unit = g_strdup(unit);
    s->origin = origin;
    s->values = g_array_new(FALSE, FALSE, sizeof(struct sample));
    s->strings = g_string_chunk_new(256);
    return s;
}

void samples_free(struct samples *s)
{
    if (!s)
        return;
    g_free(s->name);
    g_free(s->unit);
    g_array_unref(s->values);
    g_string_chunk_free(s->strings);
    g_free(s);
}

void samples_expect(struct samples *s, guint count)
{
    guint have = s->values->len;

    g_array_set_size(s->values, have + count);
    g_array_set_size(s->values, have);
}

void samples_add(struct samples *s, double value, const char *file, int line)
{
    struct sample v = {value, file ? g_string_chunk_insert_const(s->strings, file) : NULL, line};

    g_array_append_val(s->values, v);
}

guint samples_count(const struct samples *s)
{
    return s->values->len;
}

double samples_get(const struct samples *s, guint index)
{
    g_assert(index < s->values->len);
    return g_array_index(s->values, struct sample, index).value;
}
