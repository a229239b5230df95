#include "replay/capture_set.h"
#include "base/error.h"

#include <string.h>
#include <sys/stat.h>

enum { KEPT_OPEN = 8 };

struct member {
    const char *path;          /* borrowed */
    struct capture *capture;   /* NULL: waits for its turn, or is over */
    struct capture_frame head; /* its next frame; when it waits, only the time */
    bool has_head;
    uint64_t read; /* bytes of a file that has ended */
};

struct capture_set {
    char **paths;
    struct member *members;
    size_t count;
    struct member *current; /* whose head was handed out and has to be replaced */
    int64_t others_ns;      /* the earliest head of the others */
    uint64_t frames;
    int64_t start_unix_ns;
    struct capture_facts facts;
    bool concluded;
};

static void advance(struct capture_set *s, struct member *m)
{
    m->has_head = capture_next(m->capture, &m->head);
    if (m->has_head)
        return;
    m->read = capture_position(m->capture);
    capture_collect(m->capture, &s->facts);
    g_clear_pointer(&m->capture, capture_close);
}

static bool open_member(struct capture_set *s, struct member *m, GError **error)
{
    m->capture = capture_open(m->path, error);
    if (!m->capture)
        return false;
    advance(s, m);
    if (m->capture && s->count > KEPT_OPEN && capture_is_file(m->capture))
        g_clear_pointer(&m->capture, capture_close);
    return true;
}

static bool check_standard_input(const char *const *paths, GError **error)
{
    unsigned times = 0;

    for (; *paths; paths++)
        times += strcmp(*paths, "-") == 0;
    if (times > 1)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "standard input: \"-\" can be given once only");
    return times <= 1;
}

struct capture_set *capture_set_open(const char *const *paths, GError **error)
{
    struct capture_set *s;

    if (!check_standard_input(paths, error))
        return NULL;
    s = g_new0(struct capture_set, 1);
    s->paths = g_strdupv((char **)paths);
    s->count = g_strv_length(s->paths);
    s->members = g_new0(struct member, s->count);
    capture_facts_init(&s->facts);
    for (size_t i = 0; i < s->count; i++) {
        s->members[i].path = s->paths[i];
        if (!open_member(s, &s->members[i], error)) {
            capture_set_close(s);
            return NULL;
        }
    }
    return s;
}

void capture_set_close(struct capture_set *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->count; i++)
        capture_close(s->members[i].capture);
    capture_facts_fini(&s->facts);
    g_free(s->members);
    g_strfreev(s->paths);
    g_free(s);
}

static struct member *earliest(struct capture_set *s)
{
    struct member *best = NULL;

    s->others_ns = INT64_MAX;
    for (size_t i = 0; i < s->count; i++) {
        struct member *m = &s->members[i];

        if (!m->has_head)
            continue;
        if (!best || m->head.time_unix_ns < best->head.time_unix_ns) {
            if (best)
                s->others_ns = best->head.time_unix_ns;
            best = m;
        } else {
            s->others_ns = MIN(s->others_ns, m->head.time_unix_ns);
        }
    }
    return best;
}

/* A file that waited is opened again; what could be read once may be gone now. */
static bool wake(struct capture_set *s, struct member *m)
{
    g_autoptr(GError) error = NULL;

    if (m->capture)
        return true;
    m->capture = capture_open(m->path, &error);
    if (m->capture) {
        advance(s, m);
        return m->has_head;
    }
    g_ptr_array_add(s->facts.warnings, g_strdup(error->message));
    m->has_head = false;
    return false;
}

static struct member *next_member(struct capture_set *s)
{
    struct member *m = s->current;

    if (m) {
        advance(s, m);
        if (m->has_head && m->head.time_unix_ns < s->others_ns)
            return m;
    }
    do
        m = earliest(s);
    while (m && !wake(s, m));
    s->current = m;
    return m;
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
    struct member *m = next_member(s);

    if (!m) {
        if (!s->concluded)
            capture_facts_conclude(&s->facts);
        s->concluded = true;
        return false;
    }
    if (s->frames++ == 0)
        s->start_unix_ns = m->head.time_unix_ns;
    frame->number = s->frames;
    frame->time_ns = since(m->head.time_unix_ns, s->start_unix_ns);
    frame->bytes = m->head.bytes;
    frame->captured = m->head.captured;
    frame->wire = m->head.wire;
    frame->link = m->head.link;
    frame->heading = m->head.heading;
    return true;
}

static uint64_t size_of(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
}

void capture_set_position(const struct capture_set *s, uint64_t *read, uint64_t *of)
{
    bool known = true;

    *read = *of = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct member *m = &s->members[i];
        uint64_t size = size_of(m->path);

        known = known && size > 0;
        *read += m->capture ? capture_position(m->capture) : m->read;
        *of += size;
    }
    if (!known)
        *of = 0;
}

int64_t capture_set_start_unix_ns(const struct capture_set *s)
{
    return s->start_unix_ns;
}

const struct capture_facts *capture_set_facts(const struct capture_set *s)
{
    return &s->facts;
}
