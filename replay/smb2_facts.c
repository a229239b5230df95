#include "replay/smb2_facts.h"

#include <string.h>

/* The first message of a connection is a NEGOTIATE; a response to one of SMB1 counts as its request had. */
static void start_credits(struct smb2_facts *f, const struct smb_element *e)
{
    f->started = true;
    f->facts.credits_known = e->command == SMB2_NEGOTIATE;
    f->credits = e->response ? 0 : 1;
    f->facts.credits_most = f->facts.credits_least = f->credits;
}

static void count_credits(struct smb2_facts *f, const struct smb_element *e, uint64_t frame)
{
    struct replay_smb2 *r = &f->facts;
    uint16_t charge = e->credit_charge ? e->credit_charge : 1;

    if (!f->started)
        start_credits(f, e);
    if (e->response) {
        r->credits_granted += e->credits;
        f->credits += e->credits;
        r->credits_most = MAX(r->credits_most, f->credits);
        return;
    }
    if (e->one_way)
        return;
    r->credits_requested += e->credits;
    r->credits_charged += charge;
    r->multi_credit_requests += charge > 1;
    r->credit_charge_max = MAX(r->credit_charge_max, charge);
    f->credits -= charge;
    if (f->credits == 0) {
        r->credits_none++;
        r->last_credits_none = frame;
        r->first_credits_none = r->first_credits_none ? r->first_credits_none : frame;
    }
    r->credits_least = MIN(r->credits_least, f->credits);
}

static void note_session(struct smb2_facts *f, uint64_t id)
{
    if (id == 0 || id == UINT64_MAX || (f->session_count > 0 && f->sessions[f->session_count - 1] == id))
        return;
    for (unsigned i = 0; i < f->session_count; i++) {
        if (f->sessions[i] == id)
            return;
    }
    if (f->session_count < REPLAY_SESSION_IDS)
        f->sessions[f->session_count++] = id;
}

static void count_contexts(struct replay_smb2 *r, const struct smb_element *e)
{
    unsigned from = e->response ? REPLAY_CONTEXTS : 0;

    for (unsigned i = 0; i < REPLAY_CONTEXTS; i++)
        r->contexts[from + i] += e->contexts >> i & 1;
}

void smb2_facts_element(struct smb2_facts *f, const struct smb_element *e, uint64_t frame)
{
    if (e->unasked) {
        f->facts.lease_breaks += e->lease;
        f->facts.oplock_breaks += !e->lease;
        return;
    }
    if (!e->inferred)
        count_credits(f, e, frame);
    note_session(f, e->session);
    if (e->contexts)
        count_contexts(&f->facts, e);
    f->facts.copied_bytes += e->copied;
    f->binds |= e->binds;
}

void smb2_facts_finish(struct smb2_facts *f, struct replay_connection *out)
{
    smb2_negotiated_names(&f->negotiated, &f->facts);
    out->smb2 = f->facts;
    memcpy(out->session_ids, f->sessions, sizeof out->session_ids);
    out->session_id_count = f->session_count;
    out->binds_session = f->binds;
    out->client_guid_known = f->negotiated.client_guid_known;
    memcpy(out->client_guid, f->negotiated.client_guid, sizeof out->client_guid);
}
