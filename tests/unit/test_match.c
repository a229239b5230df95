#include "replay/match.h"

struct fixture {
    struct ledger ledger;
    struct commands commands;
    struct match m;
    int64_t now;
    int64_t offset[2];
};

static void setup(struct fixture *f)
{
    *f = (struct fixture){.now = 0};
    match_init(&f->m, true, &f->ledger, &f->commands);
}

static void teardown(struct fixture *f)
{
    match_fini(&f->m);
    commands_fini(&f->commands);
}

/* A message of `length` bytes whose first byte comes at the next millisecond, its last 100 us later. */
static struct nbss_message frame(struct fixture *f, int from, uint32_t length)
{
    struct nbss_message m = {.offset = f->offset[from], .length = length};

    f->now += 1000000;
    m.first_ns = f->now;
    m.last_ns = f->now + 100000;
    m.first_frame = m.last_frame = (uint64_t)f->now / 1000000;
    f->offset[from] += length + 4;
    return m;
}

static struct smb_element element(uint16_t command, uint64_t id)
{
    struct smb_element e;

    smb_element_init(&e);
    e.command = command;
    e.id = id;
    return e;
}

static void send(struct fixture *f, const struct smb_element *elements, unsigned count)
{
    bool response = elements[0].response;
    struct nbss_message m = frame(f, response, 100 * count);
    struct match_message message = {&m, elements, count, 0, false};

    if (response)
        match_response(&f->m, &message);
    else
        match_request(&f->m, &message);
}

static void request(struct fixture *f, uint16_t command, uint64_t id)
{
    struct smb_element e = element(command, id);

    send(f, &e, 1);
}

static void response(struct fixture *f, uint16_t command, uint64_t id, uint32_t status)
{
    struct smb_element e = element(command, id);

    e.response = true;
    e.status = status;
    e.error = smb_status_is_error(status);
    e.interim = status == SMB_STATUS_PENDING;
    send(f, &e, 1);
}

static const struct replay_exchange *kept(const struct fixture *f, guint i)
{
    g_assert_cmpuint(i, <, f->m.kept->len);
    return &g_array_index(f->m.kept, struct replay_exchange, i);
}

/* Answers in another order than the requests, which the list keeps. */
static void test_order(void)
{
    struct fixture f;

    setup(&f);
    request(&f, SMB2_READ, 10);
    request(&f, SMB2_WRITE, 11);
    response(&f, SMB2_WRITE, 11, 0);
    response(&f, SMB2_READ, 10, 0xc0000011);
    match_finish(&f.m);
    g_assert_cmpuint(f.m.exchanges, ==, 2);
    g_assert_cmpuint(f.m.max_waiting, ==, 2);
    g_assert_cmpuint(kept(&f, 0)->command, ==, SMB2_READ);
    g_assert_cmpint(kept(&f, 0)->response_first_ns, ==, 4000000);
    g_assert_cmpuint(kept(&f, 0)->status, ==, 0xc0000011);
    g_assert_cmpuint(kept(&f, 0)->flags, ==, REPLAY_ERROR);
    g_assert_cmpuint(kept(&f, 1)->command, ==, SMB2_WRITE);
    g_assert_cmpint(kept(&f, 1)->response_first_ns, ==, 3000000);
    g_assert_cmpuint(kept(&f, 1)->flags, ==, 0);
    teardown(&f);
}

/* Interim after 1 ms, final after 3: one exchange, with the final one's time. */
static void test_interim(void)
{
    struct fixture f;
    g_autoptr(GArray) rows = NULL;

    setup(&f);
    request(&f, SMB2_READ, 5);
    response(&f, SMB2_READ, 5, SMB_STATUS_PENDING);
    request(&f, SMB2_READ, 6);
    response(&f, SMB2_READ, 5, 0);
    g_assert_cmpint(kept(&f, 0)->request_last_ns, ==, 1100000);
    g_assert_cmpint(kept(&f, 0)->response_first_ns, ==, 4000000);
    g_assert_cmpuint(kept(&f, 0)->response_bytes, ==, 104);
    g_assert_cmpuint(kept(&f, 0)->flags, ==, REPLAY_INTERIM);
    rows = commands_facts(&f.commands);
    g_assert_cmpint(g_array_index(rows, struct replay_command, 0).service_median_ns, ==, 2900000);
    teardown(&f);
}

static struct smb_element compound_part(uint16_t command, uint64_t id, bool is_response)
{
    struct smb_element e = element(command, id);

    e.response = is_response;
    e.length = 100;
    return e;
}

/* CREATE, READ, CLOSE in one message; answered in one, and in two. */
static void test_compound(void)
{
    for (int split = 0; split < 2; split++) {
        struct fixture f;
        struct smb_element asked[3] = {compound_part(SMB2_CREATE, 1, false),
                                       compound_part(SMB2_READ, 2, false),
                                       compound_part(SMB2_CLOSE, 3, false)};
        struct smb_element told[3] = {compound_part(SMB2_CREATE, 1, true), compound_part(SMB2_READ, 2, true),
                                      compound_part(SMB2_CLOSE, 3, true)};

        setup(&f);
        asked[1].has_file = asked[2].has_file = true;
        asked[1].file[0] = asked[1].file[1] = asked[2].file[0] = asked[2].file[1] = UINT64_MAX;
        told[0].opens = told[0].has_file = true;
        told[0].file[0] = 77;
        told[1].data_bytes = 5000;
        send(&f, asked, 3);
        send(&f, told, split ? 2 : 3);
        if (split) {
            g_assert_cmpuint(kept(&f, 0)->flags, ==, REPLAY_NO_RESPONSE | REPLAY_OPEN); /* not complete yet */
            send(&f, told + 2, 1);
        }
        g_assert_cmpuint(f.m.exchanges, ==, 1);
        g_assert_cmpuint(kept(&f, 0)->command, ==, SMB2_CREATE);
        g_assert_cmpuint(kept(&f, 0)->elements, ==, 3);
        g_assert_cmpuint(kept(&f, 0)->request_bytes, ==, 304);
        g_assert_cmpuint(kept(&f, 0)->response_bytes, ==, split ? 204 + 104 : 304);
        g_assert_cmpint(kept(&f, 0)->response_first_ns, ==, 2000000);
        g_assert_cmpint(kept(&f, 0)->response_last_ns, ==, split ? 3100000 : 2100000);
        g_assert_cmpuint(kept(&f, 0)->data_bytes, ==, 5000);
        g_assert_cmpuint(kept(&f, 0)->file, ==, 1);
        g_assert_cmpuint(kept(&f, 0)->flags, ==, 0);
        g_assert_cmpuint(f.m.by_id.count, ==, 0);
        teardown(&f);
    }
}

/* The cancelled request is answered, the CANCEL never. */
static void test_cancel(void)
{
    struct fixture f;
    struct smb_element cancel = element(SMB2_CANCEL, 9);

    setup(&f);
    cancel.one_way = true;
    request(&f, SMB2_CHANGE_NOTIFY, 9);
    send(&f, &cancel, 1);
    response(&f, SMB2_CHANGE_NOTIFY, 9, 0xc0000120);
    match_finish(&f.m);
    g_assert_cmpuint(f.m.unanswered, ==, 0);
    g_assert_cmpuint(kept(&f, 0)->status, ==, 0xc0000120);
    g_assert_cmpuint(kept(&f, 1)->flags, ==, REPLAY_ONE_WAY | REPLAY_NO_RESPONSE);
    teardown(&f);
}

static void test_unmatched(void)
{
    struct fixture f;
    struct smb_element broken = element(SMB2_OPLOCK_BREAK, UINT64_MAX);

    setup(&f);
    broken.response = broken.unasked = true;
    response(&f, SMB2_READ, 1, 0); /* its request wasn't captured */
    send(&f, &broken, 1);
    request(&f, SMB2_READ, 2);
    request(&f, SMB2_READ, 2); /* the first will never be answered */
    response(&f, SMB2_READ, 2, 0);
    request(&f, SMB2_READ, 3);
    match_finish(&f.m);
    g_assert_cmpuint(f.ledger.count[LEDGER_NO_REQUEST], ==, 1);
    g_assert_cmpuint(f.ledger.count[LEDGER_OPLOCK_BREAK], ==, 1);
    g_assert_cmpuint(f.ledger.count[LEDGER_ID_REUSED], ==, 1);
    g_assert_cmpuint(f.ledger.count[LEDGER_NO_RESPONSE], ==, 2);
    g_assert_cmpuint(f.m.unanswered, ==, 2);
    g_assert_cmpuint(kept(&f, 0)->flags, ==, REPLAY_NO_RESPONSE);
    g_assert_cmpint(kept(&f, 0)->response_first_ns, ==, -1);
    g_assert_cmpuint(kept(&f, 1)->flags, ==, 0);
    g_assert_cmpuint(kept(&f, 2)->flags, ==, REPLAY_NO_RESPONSE);
    teardown(&f);
}

/* A multi-protocol NEGOTIATE is asked in SMB1 and answered in SMB2. */
static void test_negotiate_across(void)
{
    struct fixture f;

    setup(&f);
    request(&f, COMMAND(1, 0x72), UINT64_C(1) << 63 | 77);
    response(&f, SMB2_NEGOTIATE, 0, 0);
    match_finish(&f.m);
    g_assert_cmpuint(f.m.exchanges, ==, 1);
    g_assert_cmpuint(f.m.unanswered, ==, 0);
    g_assert_cmpuint(kept(&f, 0)->flags, ==, 0);
    teardown(&f);
}

/* An SMB1 transaction in two messages each way is one exchange. */
static void test_transaction(void)
{
    struct fixture f;
    struct smb_element more = element(COMMAND(1, 0x33), 4), part = element(COMMAND(1, 0x32), 4);

    setup(&f);
    more.secondary = true;
    part.response = part.more = true;
    request(&f, COMMAND(1, 0x32), 4);
    response(&f, COMMAND(1, 0x32), 4, SMB_STATUS_PENDING); /* asks for the rest */
    send(&f, &more, 1);
    send(&f, &part, 1);
    response(&f, COMMAND(1, 0x32), 4, 0);
    match_finish(&f.m);
    g_assert_cmpuint(f.m.exchanges, ==, 1);
    g_assert_cmpuint(kept(&f, 0)->request_bytes, ==, 208);
    g_assert_cmpint(kept(&f, 0)->request_last_ns, ==, 3100000);
    g_assert_cmpuint(kept(&f, 0)->response_bytes, ==, 208);
    g_assert_cmpint(kept(&f, 0)->response_last_ns, ==, 5100000);
    g_assert_cmpuint(kept(&f, 0)->flags, ==, REPLAY_INTERIM);
    teardown(&f);
}

static void test_files(void)
{
    struct fixture f;
    struct smb_element e;

    setup(&f);
    for (int i = 0; i < 2; i++) { /* the same id is given out twice */
        request(&f, SMB2_CREATE, 1);
        e = element(SMB2_CREATE, 1);
        e.response = e.opens = e.has_file = true;
        e.file[0] = 40;
        send(&f, &e, 1);
        e = element(SMB2_READ, 2);
        e.has_file = true;
        e.file[0] = 40;
        send(&f, &e, 1);
        response(&f, SMB2_READ, 2, 0);
        e.command = SMB2_CLOSE;
        send(&f, &e, 1);
        response(&f, SMB2_CLOSE, 2, 0);
    }
    for (guint i = 0; i < 6; i++)
        g_assert_cmpuint(kept(&f, i)->file, ==, i < 3 ? 1 : 2);
    g_assert_cmpuint(f.m.channel.shared->opens.by_id.count, ==, 0);
    teardown(&f);
}

/* Requests that are never answered can't fill the memory. */
static void test_bounded(void)
{
    struct fixture f;

    setup(&f);
    for (uint64_t id = 1; id <= 3 * MATCH_WAITING; id++)
        request(&f, SMB2_READ, id);
    g_assert_cmpuint(f.m.slots->len, <=, MATCH_WAITING);
    g_assert_cmpuint(f.m.by_id.count, <=, MATCH_WAITING);
    g_assert_cmpuint(f.ledger.count[LEDGER_TABLE_FULL], ==, 2 * MATCH_WAITING);
    match_finish(&f.m);
    g_assert_cmpuint(f.m.unanswered, ==, 3 * MATCH_WAITING);
    g_assert_cmpuint(f.m.waiting, ==, 0);
    teardown(&f);
}

/* One message that names the same id twice, as no client does, must not confuse the table. */
static void test_twice_the_same_id(void)
{
    struct fixture f;
    struct smb_element twice[2] = {compound_part(SMB2_READ, 8, false), compound_part(SMB2_READ, 8, false)};
    struct smb_element told[2] = {compound_part(SMB2_READ, 8, true), compound_part(SMB2_READ, 8, true)};

    setup(&f);
    send(&f, twice, 2);
    send(&f, told, 2);
    request(&f, SMB2_READ, 9);
    response(&f, SMB2_READ, 9, 0);
    response(&f, SMB2_READ, 8, 0);
    match_finish(&f.m);
    g_assert_cmpuint(f.m.exchanges, ==, 2);
    g_assert_cmpuint(f.m.waiting, ==, 0);
    teardown(&f);
}

/* ---- encrypted messages without their keys ---------------------------------------------------------------------------- */

enum { OPAQUE_READ = 165, OPAQUE_SHORT = 125, OPAQUE_LONG = 10000 };

static void opaque(struct fixture *f, bool is_response, uint32_t length)
{
    struct smb_element e = element(COMMAND_OPAQUE, 0);
    struct nbss_message m = frame(f, is_response, length);
    struct match_message message = {&m, &e, 1, 0, false};

    e.opaque = true;
    e.response = is_response;
    if (is_response)
        match_response(&f->m, &message);
    else
        match_request(&f->m, &message);
}

/* Exchange `i` was answered by the message of that frame. */
static void answered_by(const struct fixture *f, guint i, uint64_t number)
{
    g_assert_cmpuint(kept(f, i)->response_first_frame, ==, number);
    g_assert_cmpuint(kept(f, i)->flags & (REPLAY_NO_RESPONSE | REPLAY_OPEN), ==, 0);
    g_assert_cmpuint(f->ledger.count[LEDGER_NO_REQUEST] + f->ledger.count[LEDGER_NO_RESPONSE], ==, 0);
}

static void test_opaque_interim(void)
{
    struct fixture f;

    setup(&f);
    opaque(&f, false, OPAQUE_READ);
    opaque(&f, true, OPAQUE_SHORT);
    opaque(&f, true, OPAQUE_LONG);
    opaque(&f, false, OPAQUE_READ);
    opaque(&f, true, OPAQUE_LONG);
    match_finish(&f.m);
    answered_by(&f, 0, 3);
    g_assert_cmpuint(kept(&f, 0)->response_bytes, ==, OPAQUE_LONG + 4);
    g_assert_true(kept(&f, 0)->flags & REPLAY_INTERIM);
    answered_by(&f, 1, 5);
    g_assert_false(kept(&f, 1)->flags & REPLAY_INTERIM);
    teardown(&f);
}

/* The client goes on from an error, and from one after an interim response; the last answer is an error, too. */
static void test_opaque_errors(void)
{
    struct fixture f;

    setup(&f);
    opaque(&f, false, OPAQUE_READ);
    opaque(&f, true, OPAQUE_SHORT);
    opaque(&f, false, OPAQUE_READ);
    opaque(&f, true, OPAQUE_SHORT);
    opaque(&f, true, OPAQUE_SHORT);
    opaque(&f, false, OPAQUE_READ);
    opaque(&f, true, OPAQUE_LONG);
    opaque(&f, false, OPAQUE_READ);
    opaque(&f, true, OPAQUE_SHORT);
    match_finish(&f.m);
    answered_by(&f, 0, 2);
    answered_by(&f, 1, 5);
    answered_by(&f, 2, 7);
    answered_by(&f, 3, 9);
    g_assert_cmpint(kept(&f, 3)->response_last_ns, ==, 9100000);
    teardown(&f);
}

/* Four reads outstanding, all of which the server takes long for, and more as soon as one is answered. */
static void test_opaque_pipeline(void)
{
    struct fixture f;

    setup(&f);
    for (int i = 0; i < 4; i++)
        opaque(&f, false, OPAQUE_READ);
    for (int i = 0; i < 4; i++)
        opaque(&f, true, OPAQUE_SHORT);
    for (int i = 0; i < 4; i++) {
        opaque(&f, true, OPAQUE_LONG);
        opaque(&f, false, OPAQUE_READ);
    }
    for (int i = 0; i < 4; i++)
        opaque(&f, true, OPAQUE_LONG);
    match_finish(&f.m);
    for (guint i = 0; i < 4; i++) {
        answered_by(&f, i, 9 + 2 * i);
        answered_by(&f, 4 + i, 17 + i);
    }
    g_assert_cmpuint(f.m.max_waiting, ==, 4);
    teardown(&f);
}

static void test_opaque_unasked(void)
{
    struct fixture f;

    setup(&f);
    opaque(&f, true, OPAQUE_LONG);
    opaque(&f, true, OPAQUE_SHORT);
    opaque(&f, false, OPAQUE_READ);
    match_finish(&f.m);
    g_assert_cmpuint(f.ledger.count[LEDGER_NO_REQUEST], ==, 2);
    g_assert_cmpuint(f.ledger.count[LEDGER_NO_RESPONSE], ==, 1);
    teardown(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/match/order", test_order);
    g_test_add_func("/match/interim", test_interim);
    g_test_add_func("/match/compound", test_compound);
    g_test_add_func("/match/cancel", test_cancel);
    g_test_add_func("/match/unmatched", test_unmatched);
    g_test_add_func("/match/negotiate-across", test_negotiate_across);
    g_test_add_func("/match/transaction", test_transaction);
    g_test_add_func("/match/files", test_files);
    g_test_add_func("/match/bounded", test_bounded);
    g_test_add_func("/match/twice-the-same-id", test_twice_the_same_id);
    g_test_add_func("/match/opaque/interim", test_opaque_interim);
    g_test_add_func("/match/opaque/errors", test_opaque_errors);
    g_test_add_func("/match/opaque/pipeline", test_opaque_pipeline);
    g_test_add_func("/match/opaque/unasked", test_opaque_unasked);
    return g_test_run();
}
