#include "replay/capture_set.h"

#include <string.h>

struct member {
    struct capture *capture;
    struct capture_frame head; /* its next frame; valid while `has_head` */
    bool has_head;
};

struct capture_set {
    struct member *members;
    size_t count;
    size_t current; /* whose head was handed out and has to be replaced */
    uint64_t frames;
    int64_t start_unix_ns;
};

struct capture_set *capture_set_open(const char *const *paths, GError **error)
{
    struct capture_set *s = g_new0(struct capture_set, 1);
    size_t count = g_strv_length((char **)paths);

    s->members = g_new0(struct member, count);
    for (; s->count < count; s->count++) {
        struct member *m = &s->members[s->count];

        m->capture = capture_open(paths[s->count], error);
        if (!m->capture) {
            capture_set_close(s);
            return NULL;
        }
        m->has_head = capture_next(m->capture, &m->head);
    }
    s->current = count;
    return s;
}

void capture_set_close(struct capture_set *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        capture_close(s->members[i].capture);
    g_free(s->members);
    g_free(s);
}

static struct member *earliest(struct capture_set *s)
{
    struct member *best = NULL;

    for (size_t i = 0; i < s->count; i++) {
        struct member *m = &s->members[i];

        if (m->has_head && (!best || m->head.time_unix_ns < best->head.time_unix_ns))
            best = m;
    }
    return best;
}

/* Two wild clocks may lie further apart than 64 bits reach. */
static int64_t since(int64_t time, int64_t start)
{
    if (start < 0 && time > INT64_MAX + start)
        return INT64_MAX;
    if (start > 0 && time < INT64_MIN + start)
        return INT64_MIN;
    return time - start;
}

bool capture_set_next(struct capture_set *s, struct set_frame *frame)
{
    struct member *m;

    if (s->current < s->count) {
        m = &s->members[s->current];
        m->has_head = capture_next(m->capture, &m->head);
    }
    m = earliest(s);
    if (!m)
        return false;
    s->current = (size_t)(m - s->members);
    if (s->frames++ == 0)
        s->start_unix_ns = m->head.time_unix_ns;
    frame->number = s->frames;
    frame->time_ns = since(m->head.time_unix_ns, s->start_unix_ns);
    frame->bytes = m->head.bytes;
    frame->captured = m->head.captured;
    frame->wire = m->head.wire;
    frame->link = capture_link(m->capture);
    return true;
}

void capture_set_position(const struct capture_set *s, uint64_t *read, uint64_t *of)
{
    bool known = true;

    *read = *of = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint64_t size = capture_size(s->members[i].capture);

        known = known && size > 0;
        *read += capture_position(s->members[i].capture);
        *of += size;
    }
    if (!known)
        *of = 0;
}

int64_t capture_set_start_unix_ns(const struct capture_set *s)
{
    return s->start_unix_ns;
}

const char *capture_set_link_name(const struct capture_set *s)
{
    const char *name = capture_link_name(s->members[0].capture);

    for (size_t i = 1; i < s->count; i++) {
        if (strcmp(name, capture_link_name(s->members[i].capture)) != 0)
            return "mixed";
    }
    return name;
}

void capture_set_warnings(const struct capture_set *s, GPtrArray *to)
{
    for (size_t i = 0; i < s->count; i++) {
        if (capture_warning(s->members[i].capture))
            g_ptr_array_add(to, g_strdup(capture_warning(s->members[i].capture)));
    }
}
