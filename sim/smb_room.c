/* Room for exchanges on a session's connections: credits, and SMB1's limit on requests. */
#include "sim/smb.h"
#include "sim/smb_cost.h"

static bool has_room(const struct smb_connection *c, int64_t charge)
{
    const struct smb_session *s = c->session;

    if (s->credits_wanted && c->credits < charge)
        return false;
    return !s->most_outstanding || c->outstanding < s->most_outstanding;
}

/* The one with the fewest requests outstanding, the first of equals. */
static struct smb_connection *choose(const struct smb_session *s, int64_t charge)
{
    struct smb_connection *best = NULL;

    for (size_t i = 0; i < s->connection_count; i++) {
        struct smb_connection *c = &s->connections[i];

        if (c->usable && has_room(c, charge) && (!best || c->outstanding < best->outstanding))
            best = c;
    }
    return best;
}

static bool is_first_in_line(const struct smb_worker *w)
{
    const struct ring *line = &w->session->line;

    return !line->count || *(struct smb_worker **)ring_at(line, 0) == w;
}

static void speak_for(struct smb_worker *w, struct smb_connection *c, int64_t charge)
{
    w->via = c;
    if (w->session->credits_wanted)
        c->credits -= charge;
    if (!(w->next.flags & EXCHANGE_NO_RESPONSE))
        c->outstanding++;
}

bool smb_room_take(struct smb_worker *w)
{
    struct smb_session *s = w->session;
    int64_t charge = smb_credit_charge(&w->next);
    struct smb_connection *c = NULL;

    if (w->own) /* nobody else uses it yet */
        c = has_room(w->own, charge) ? w->own : NULL;
    else if (is_first_in_line(w))
        c = choose(s, charge);
    if (c) {
        speak_for(w, c, charge);
        if (w->in_line)
            ring_pop(&s->line);
        w->in_line = false;
    } else if (!w->own && !w->in_line) {
        *(struct smb_worker **)ring_push(&s->line) = w;
        w->in_line = true;
    }
    return c != NULL;
}

void smb_room_leave(struct smb_connection *c, const struct exchange *e)
{
    const struct smb_session *s = c->session;
    int64_t extra, answers = e->chain ? e->chain->count : 1;

    c->outstanding--;
    if (!s->credits_wanted)
        return;
    /* [MS-SMB2] 3.3.1.2: the server grants what was spent and, in steps, what the client wants more. */
    extra = CLAMP(s->credits_wanted - c->credit_total, 0, s->credit_step * answers);
    c->credits += smb_credit_charge(e) + extra;
    c->credit_total += extra;
}

void smb_room_offer(struct smb_session *s, const struct waits *waits)
{
    while (s->line.count) {
        struct smb_worker *w = *(struct smb_worker **)ring_at(&s->line, 0);

        w->waits = *waits; /* it waited for this */
        smb_worker_advance(w);
        if (w->in_line && is_first_in_line(w))
            return;
    }
}
