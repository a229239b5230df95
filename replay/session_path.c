#include "replay/session_path.h"
#include "base/units.h"
#include "replay/study.h"

static const int64_t IDLE_NS = NS_PER_S; /* as in breakdown.c */

void session_path_fini(struct session_path *p)
{
    g_clear_pointer(&p->members, g_ptr_array_unref);
}

void session_path_drop(struct session_path *p)
{
    for (guint i = 0; p->members && i < p->members->len; i++) {
        study_drop_path(g_ptr_array_index(p->members, i));
    }
    session_path_fini(p);
}

void session_path_add(struct session_path *p, struct study *s)
{
    if (!p->members)
        p->members = g_ptr_array_new();
    if (!s->breakdown.path)
        study_keep_path(s);
    g_ptr_array_add(p->members, s);
}

void session_path_move(struct session_path *from, struct session_path *to)
{
    for (guint i = 0; from->members && i < from->members->len; i++)
        session_path_add(to, g_ptr_array_index(from->members, i));
    g_clear_pointer(&from->members, g_ptr_array_unref);
}

bool session_path_begun(const struct session_path *p)
{
    return p->begun;
}

/* ---- what the members say -------------------------------------------------------------------------------------------------- */

struct place {
    guint stretches; /* that don't begin at or after the instant */
    guint answers;   /* that came by then */
};

struct walk {
    struct session_path *path;
    struct place *places; /* of each member */
    int64_t now_ns;
    guint current; /* the member that the path is on */
};

static struct study *member(const struct session_path *p, guint i)
{
    return g_ptr_array_index(p->members, i);
}

static const struct breakdown_stretch *stretch_at(const struct study *s, guint i)
{
    return &g_array_index(s->breakdown.path, struct breakdown_stretch, i);
}

static bool is_busy(const struct breakdown_stretch *s)
{
    return s->kind != WAIT_CLIENT && s->kind != WAIT_IDLE;
}

/* What a member waits for just before an instant that is never later than the one before; NULL: it isn't there then. */
static const struct breakdown_stretch *stretch_before(struct walk *w, guint i, int64_t ns)
{
    const struct study *s = member(w->path, i);
    guint *left = &w->places[i].stretches;

    while (*left > 0 && stretch_at(s, *left - 1)->from_ns >= ns)
        --*left;
    return *left == 0 || stretch_at(s, *left - 1)->until_ns < ns ? NULL : stretch_at(s, *left - 1);
}

/* The last answer of a member until now, INT64_MIN for none. */
static int64_t last_answer(struct walk *w, guint i)
{
    const GArray *answers = member(w->path, i)->answers;
    guint *left = &w->places[i].answers;

    while (*left > 0 && g_array_index(answers, int64_t, *left - 1) > w->now_ns)
        --*left;
    return *left == 0 ? INT64_MIN : g_array_index(answers, int64_t, *left - 1);
}

/* The end of the last stretch before now in which a member waited for something else than its client. */
static int64_t last_busy(struct walk *w, guint i)
{
    const struct study *s = member(w->path, i);

    stretch_before(w, i, w->now_ns);
    for (guint k = w->places[i].stretches; k > 0; k--) {
        if (is_busy(stretch_at(s, k - 1)))
            return MIN(stretch_at(s, k - 1)->until_ns, w->now_ns);
    }
    return INT64_MIN;
}

/* What the client went on from: the last thing that came to it, on whichever connection. That one has the path from there on. */
static int64_t find_cause(struct walk *w)
{
    guint at = w->current;
    int64_t latest = last_busy(w, at);

    for (guint i = 0; i < w->path->members->len; i++) {
        int64_t answer = last_answer(w, i), busy = last_busy(w, i);
        int64_t cause = latest == INT64_MIN ? busy : MIN(answer, busy);

        if (i != w->current && cause > latest) {
            latest = cause;
            at = i;
        }
    }
    w->current = at;
    return MAX(latest, w->path->until_ns);
}

static bool any_with_client(struct walk *w)
{
    for (guint i = 0; i < w->path->members->len; i++) {
        const struct breakdown_stretch *s = stretch_before(w, i, w->now_ns);

        if (s && s->kind == WAIT_CLIENT)
            return true;
    }
    return false;
}

/* Back to where somebody waited for something else than the client. */
static void step_over_pause(struct walk *w)
{
    bool idle = !any_with_client(w);
    int64_t from_ns = find_cause(w), ns = w->now_ns - from_ns;

    w->path->waits.ns[idle && ns > IDLE_NS ? WAIT_IDLE : WAIT_CLIENT] += ns;
    w->now_ns = from_ns;
}

static int64_t end_of(const struct study *s)
{
    guint count = s->breakdown.path->len;

    return count > 0 ? stretch_at(s, count - 1)->until_ns : INT64_MIN;
}

static guint last_to_end(const struct session_path *p)
{
    guint last = 0;

    for (guint i = 1; i < p->members->len; i++) {
        if (end_of(member(p, i)) > end_of(member(p, last)))
            last = i;
    }
    return last;
}

/* Accounts for the time up to `until_ns`. */
static void walk_back(struct session_path *p, int64_t until_ns)
{
    struct walk w = {.path = p, .now_ns = until_ns, .current = last_to_end(p)};

    w.places = g_new(struct place, p->members->len);
    for (guint i = 0; i < p->members->len; i++)
        w.places[i] = (struct place){member(p, i)->breakdown.path->len, member(p, i)->answers->len};
    while (w.now_ns > p->until_ns) {
        const struct breakdown_stretch *s = stretch_before(&w, w.current, w.now_ns);

        if (s && is_busy(s)) {
            int64_t from_ns = MAX(s->from_ns, p->until_ns);

            p->waits.ns[s->kind] += w.now_ns - from_ns;
            w.now_ns = from_ns;
        } else {
            step_over_pause(&w);
        }
    }
    g_free(w.places);
    p->until_ns = until_ns;
}

/* ---- windows -------------------------------------------------------------------------------------------------------------- */

/* How far all members are worked through that have more to come. */
static int64_t limit_of(const struct session_path *p)
{
    int64_t limit = INT64_MAX, latest = INT64_MIN;
    guint pending = 0;

    for (guint i = 0; i < p->members->len; i++) {
        const struct study *s = member(p, i);

        pending += s->breakdown.path->len;
        latest = MAX(latest, end_of(s));
        if (s->segments) /* it hasn't ended */
            limit = MIN(limit, end_of(s));
    }
    return pending > PATH_PENDING ? latest : MIN(limit, latest);
}

static void begin(struct session_path *p)
{
    int64_t first = INT64_MAX;

    for (guint i = 0; i < p->members->len; i++) {
        if (member(p, i)->breakdown.path->len > 0)
            first = MIN(first, stretch_at(member(p, i), 0)->from_ns);
    }
    if (p->begun || first == INT64_MAX)
        return;
    p->begun = true;
    p->from_ns = p->until_ns = first;
}

/* What is accounted for isn't needed any more, but for the end of the last stretch. */
static void forget(struct study *s, int64_t until_ns)
{
    GArray *path = s->breakdown.path;
    guint done = 0;

    while (done + 1 < path->len && stretch_at(s, done)->until_ns <= until_ns)
        done++;
    if (done > 0)
        g_array_remove_range(path, 0, done);
    for (done = 0; done < s->answers->len && g_array_index(s->answers, int64_t, done) <= until_ns;)
        done++;
    if (done > 0)
        g_array_remove_range(s->answers, 0, done);
}

void session_path_advance(struct session_path *p)
{
    int64_t until_ns;

    if (!p->members)
        return;
    begin(p);
    until_ns = limit_of(p);
    if (!p->begun || until_ns <= p->until_ns)
        return;
    walk_back(p, until_ns);
    for (guint i = 0; i < p->members->len; i++)
        forget(member(p, i), until_ns);
}

void session_path_finish(struct session_path *p, int64_t first_ns, int64_t last_ns)
{
    if (!p->members)
        return;
    begin(p);
    if (!p->begun) {
        p->begun = true;
        p->from_ns = p->until_ns = first_ns;
    }
    if (last_ns > p->until_ns)
        walk_back(p, last_ns);
    if (p->from_ns > first_ns) /* a connection whose beginning came to light too late */
        p->waits.ns[p->from_ns - first_ns > IDLE_NS ? WAIT_IDLE : WAIT_CLIENT] += p->from_ns - first_ns;
}
