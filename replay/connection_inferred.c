/* Messages whose header the snap length cut off. */
#include "replay/connection_parts.h"

uint32_t connection_infer_length(void *self, unsigned ahead)
{
    struct half *h = self;
    struct match_expected expected;

    if (half_sender(h) == REPLAY_UP)
        return infer_request_length(&h->infer);
    if (!match_expects(&h->session->match, ahead, &expected)) {
        /* The server goes on answering, so the requests that were inferred are there. */
        nbss_answered(&half_other(h)->nbss, nbss_inferred(&half_other(h)->nbss));
        if (!match_expects(&h->session->match, ahead, &expected))
            return 0;
    }
    return infer_response_length(&h->infer, &expected);
}

/* Interim responses of SMB2 come unforeseen, and are all alike: a header and [MS-SMB2] 2.2.2. */
uint32_t connection_infer_between(void *self)
{
    enum { HEADER = 64, ERROR_BODY = 9 };
    const struct half *h = self;
    struct match_expected expected;

    if (half_sender(h) == REPLAY_UP || !match_expects(&h->session->match, 0, &expected) ||
        COMMAND_PROTOCOL(expected.command) != 2)
        return 0;
    return HEADER + ERROR_BODY;
}

/* The response to the request that waits longest and lets one expect that length, or else more. */
static bool find_expected(const struct half *h, uint32_t length, struct match_expected *found)
{
    const struct match *match = &h->session->match;
    struct match_expected x;

    for (unsigned i = 0; i < NBSS_INFERRED_MAX && match_expects(match, i, &x); i++) {
        if (infer_response_length(&h->infer, &x) == length) {
            *found = x;
            return true;
        }
    }
    return match_expects(match, 0, found) && infer_response_length(&h->infer, found) > length;
}

bool connection_use_inferred(struct half *h, const struct nbss_message *m, bool sure, bool broken)
{
    struct match_expected expected;
    struct smb_element e;

    if (half_sender(h) == REPLAY_UP && infer_request_length(&h->infer) >= m->length)
        e = infer_request(&h->infer, m->length);
    else if (half_sender(h) == REPLAY_DOWN && find_expected(h, m->length, &expected))
        e = infer_response(&h->infer, &expected, m->length);
    else
        return false;
    e.inferred = true;
    if (!broken)
        ledger_add(&h->session->connection->shared->ledger,
                   sure ? LEDGER_INFERRED : LEDGER_INFERRED_UNCHECKED, 1, (uint64_t)m->length + NBSS_PREFIX);
    half_start_elements(h);
    g_array_append_val(h->elements, e);
    connection_use_message(h, m, broken);
    half_start_elements(h);
    return true;
}

void connection_take_inferred(void *self, const struct nbss_message *m, bool sure, bool broken)
{
    struct half *h = self;

    if (!connection_use_inferred(h, m, sure, broken) && !broken)
        ledger_add(&h->session->connection->shared->ledger, LEDGER_HEADER_NOT_CAPTURED, 1, m->length);
}
