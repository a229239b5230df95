/* What messages say besides their exchanges, from captures built here: names, raw data, echoes, contexts, credits, sessions. */
#include "replay/analysis.h"
#include "replay/ledger.h"
#include "replay/match.h"
#include "replay/smb2_context.h"
#include "tests/session.h"

#include <glib/gstdio.h>
#include <string.h>

struct fixture {
    GByteArray *pcap;
    struct session s;
};

static void setup(struct fixture *f)
{
    f->pcap = pcap_new(LINKTYPE_ETHERNET);
    session_init(&f->s, f->pcap);
    session_open(&f->s);
}

static struct replay *finish(struct fixture *f)
{
    static const struct replay_options KEEP = {.keep_exchanges = true};
    g_autofree char *path = temporary_file(f->pcap->data, f->pcap->len);
    const char *paths[] = {path, NULL};
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read(paths, &KEEP, &error);

    g_assert_no_error(error);
    g_unlink(path);
    g_byte_array_unref(f->pcap);
    return r;
}

static const struct replay_connection *only(const struct replay *r)
{
    g_assert_cmpuint(r->connections->len, ==, 1);
    return g_ptr_array_index(r->connections, 0);
}

static const struct replay_file *file(const struct replay_connection *c, guint i)
{
    g_assert_cmpuint(i, <, c->files->len);
    return &g_array_index(c->files, struct replay_file, i);
}

static uint64_t ledger_count(const struct replay *r, enum ledger_reason reason)
{
    return tally_count(&r->ledger, ledger_name(reason));
}

static void send_raw(struct fixture *f, int from, uint32_t length)
{
    g_autoptr(GByteArray) b = g_byte_array_new();

    for (uint32_t i = 0; i < length; i++)
        put_u8(b, i & 0x7f);
    session_message(&f->s, from, b);
}

/* ---- SMB1 ----------------------------------------------------------------------------------------------------------- */

/* A message of SMB1 with `words`, which may begin with an AndX block, and `bytes`. */
static void send_smb1(struct fixture *f, int from, uint8_t code, uint16_t mid, const GByteArray *words,
                      const GByteArray *bytes, bool unicode)
{
    struct smb1_spec header = {.code = code, .response = from == 1, .mid = mid};
    g_autoptr(GByteArray) b = g_byte_array_new();

    put_smb1(b, &header);
    if (!unicode)
        b->data[11] &= 0x7f;
    put_u8(b, words ? words->len / 2 : 0);
    if (words)
        put_array(b, words);
    put_le(b, bytes ? bytes->len : 0, 2);
    if (bytes)
        put_array(b, bytes);
    session_message(&f->s, from, b);
}

/* READ_RAW's data has no header, nor has that of WRITE_RAW, which goes on after an interim answer. */
static void test_raw(void)
{
    struct fixture f;
    g_autoptr(GByteArray) read = g_byte_array_new(), write = g_byte_array_new(), one = g_byte_array_new();
    struct replay *r;
    const struct replay_connection *c;

    setup(&f);
    put_le(read, 7, 2); /* FID */
    put_le(read, 0, 4);
    put_le(read, 5000, 2);
    put_zeros(read, 8);
    send_smb1(&f, 0, 0x1a, 1, read, NULL, false);
    send_raw(&f, 1, 5000);
    put_le(write, 7, 2);
    put_le(write, 3000, 2);
    put_zeros(write, 2);
    put_le(write, 8000, 4); /* offset */
    put_zeros(write, 14);
    put_le(one, 0xffff, 2);
    send_smb1(&f, 0, 0x1d, 2, write, NULL, false);
    send_smb1(&f, 1, 0x1d, 2, one, NULL, false);
    send_raw(&f, 0, 3000);
    send_smb1(&f, 1, 0x20, 2, one, NULL, false);
    r = finish(&f);
    c = only(r);
    g_assert_cmpuint(c->bytes_read, ==, 5000);
    g_assert_cmpuint(c->bytes_written, ==, 3000);
    g_assert_cmpuint(c->exchanges, ==, 2);
    g_assert_cmpuint(c->unanswered, ==, 0);
    g_assert_cmpuint(ledger_count(r, LEDGER_NOT_SMB), ==, 0);
    g_assert_cmpfloat(r->coverage, ==, 1);
    g_assert_cmpuint(file(c, 0)->bytes_read, ==, 5000);
    g_assert_cmpuint(file(c, 0)->bytes_written, ==, 3000);
    replay_free(r);
}

static void test_raw_unasked(void)
{
    struct fixture f;
    g_autoptr(GByteArray) one = g_byte_array_new();
    struct replay *r;

    setup(&f);
    put_le(one, 1, 2);
    send_smb1(&f, 0, 0x2b, 1, one, NULL, false);
    send_raw(&f, 1, 500);
    send_smb1(&f, 1, 0x2b, 1, one, NULL, false);
    r = finish(&f);
    g_assert_cmpuint(only(r)->bytes_read, ==, 0);
    g_assert_cmpuint(ledger_count(r, LEDGER_NOT_SMB), ==, 1);
    replay_free(r);
}

static void test_echoes(void)
{
    struct fixture f;
    g_autoptr(GByteArray) three = g_byte_array_new();
    struct replay *r;

    setup(&f);
    put_le(three, 3, 2);
    send_smb1(&f, 0, 0x2b, 9, three, NULL, false);
    for (int i = 0; i < 3; i++)
        send_smb1(&f, 1, 0x2b, 9, three, NULL, false);
    r = finish(&f);
    g_assert_cmpuint(only(r)->exchanges, ==, 1);
    g_assert_cmpuint(only(r)->unanswered, ==, 0);
    g_assert_cmpuint(ledger_count(r, LEDGER_NO_REQUEST), ==, 0);
    replay_free(r);
}

/* Core commands with an ASCII name: opened, written and closed in one. */
static void test_core_files(void)
{
    struct fixture f;
    g_autoptr(GByteArray) open = g_byte_array_new(), name = g_byte_array_new(), opened = g_byte_array_new();
    g_autoptr(GByteArray) write = g_byte_array_new(), count = g_byte_array_new();
    g_autoptr(GByteArray) data = g_byte_array_new();
    struct replay *r;

    setup(&f);
    put_le(open, 0, 4);
    put_u8(name, 4);
    g_byte_array_append(name, (const guint8 *)"\\old\\FILE.TXT", 14);
    send_smb1(&f, 0, 0x02, 1, open, name, false);
    put_le(opened, 5, 2); /* FID */
    put_zeros(opened, 6);
    put_le(opened, 1234, 4); /* size */
    put_le(opened, 0, 2);
    send_smb1(&f, 1, 0x02, 1, opened, NULL, false);
    put_le(write, 5, 2);
    put_le(write, 300, 2);
    put_le(write, 1200, 4);
    put_zeros(write, 4);
    put_zeros(data, 1 + 300);
    send_smb1(&f, 0, 0x2c, 2, write, data, false);
    put_le(count, 300, 2);
    send_smb1(&f, 1, 0x2c, 2, count, NULL, false);
    r = finish(&f);
    g_assert_cmpuint(only(r)->files->len, ==, 1);
    g_assert_cmpstr(file(only(r), 0)->name, ==, "old\\FILE.TXT");
    g_assert_cmpint(file(only(r), 0)->size_bytes, ==, 1500);
    g_assert_cmpuint(file(only(r), 0)->bytes_written, ==, 300);
    g_assert_cmpuint(file(only(r), 0)->exchanges, ==, 2);
    replay_free(r);
}

/* UTF-16 begins at even places from the header on, ASCII anywhere. */
static void test_nt_create_names(void)
{
    for (int unicode = 0; unicode < 2; unicode++) {
        struct fixture f;
        g_autoptr(GByteArray) words = g_byte_array_new(), name = g_byte_array_new();
        g_autoptr(GByteArray) answer = g_byte_array_new();
        struct replay *r;

        setup(&f);
        put_le(words, 0xff, 4); /* no AndX */
        put_zeros(words, 44);
        if (unicode)
            put_u8(name, 0); /* the pad */
        for (const char *p = "\\a.bin"; *p; p++)
            put_le(name, (uint64_t)*p, unicode ? 2 : 1);
        if (unicode)
            put_le(name, 0xde00d83d, 4); /* a surrogate pair */
        send_smb1(&f, 0, 0xa2, 1, words, name, unicode);
        put_le(answer, 0xff, 4);
        put_u8(answer, 0);
        put_le(answer, 77, 2); /* FID */
        put_zeros(answer, 4 + 32 + 4 + 8);
        put_le(answer, UINT64_C(5) << 32, 8); /* end of file */
        put_zeros(answer, 4);
        put_u8(answer, 0);
        send_smb1(&f, 1, 0xa2, 1, answer, NULL, unicode);
        r = finish(&f);
        g_assert_cmpstr(file(only(r), 0)->name, ==, unicode ? "a.bin\xf0\x9f\x98\x80" : "a.bin");
        g_assert_cmpint(file(only(r), 0)->size_bytes, ==, INT64_C(5) << 32);
        replay_free(r);
    }
}

/* ---- SMB2 ------------------------------------------------------------------------------------------------------------- */

static void put_context(GByteArray *b, const char *name, uint32_t data, bool last)
{
    put_le(b, last ? 0 : 24 + data, 4);
    put_le(b, 16, 2);
    put_le(b, 4, 2);
    put_le(b, 0, 2);
    put_le(b, 24, 2);
    put_le(b, data, 4);
    g_byte_array_append(b, (const guint8 *)name, 4);
    put_zeros(b, 4 + data);
}

static void test_create_contexts(void)
{
    g_autoptr(GByteArray) b = g_byte_array_new();

    put_context(b, "RqLs", 32, false);
    put_context(b, "DH2Q", 32, false);
    put_context(b, "XxXx", 8, false);
    put_context(b, "MxAc", 0, false);
    put_context(b, "RqLs", 56, true);
    g_assert_cmpuint(smb2_create_contexts(cursor_over(b->data, b->len)), ==,
                     1 << REPLAY_LEASE_V1 | 1 << REPLAY_DURABLE_V2 | 1 << REPLAY_MAX_ACCESS |
                         1 << REPLAY_LEASE_V2);
    for (guint n = 0; n < b->len; n++) {
        g_autofree uint8_t *exact = g_memdup2(b->data, n);

        g_assert_cmpuint(smb2_create_contexts(cursor_over(exact, n)) & 1 << REPLAY_DURABLE_V2, ==,
                         n >= 56 + 20 ? 1 << REPLAY_DURABLE_V2 : 0);
    }
}

static void set_credits(GByteArray *b, uint16_t charge, uint16_t credits, uint64_t session)
{
    b->data[6] = (uint8_t)charge;
    b->data[7] = 0;
    b->data[14] = (uint8_t)(credits & 0xff);
    b->data[15] = (uint8_t)(credits >> 8);
    for (unsigned i = 0; i < 8; i++)
        b->data[40 + i] = (uint8_t)(session >> 8 * i);
}

/* NEGOTIATE of 3.1.1 with GMAC, AES-256-GCM and two compressions; the client's GUID is `guid` throughout. */
static void negotiate(struct fixture *f, uint8_t guid)
{
    g_autoptr(GByteArray) request = g_byte_array_new(), response = g_byte_array_new();
    struct smb2_spec asks = {.code = 0, .id = 0}, answers = {.code = 0, .id = 0, .flags = 1};

    put_smb2(request, &asks);
    put_le(request, 36, 2);
    put_le(request, 0, 6);
    put_le(request, 8, 4); /* multichannel */
    for (int i = 0; i < 16; i++)
        put_u8(request, guid);
    put_zeros(request, 10);
    set_credits(request, 0, 10, 0);
    session_message(&f->s, 0, request);
    put_smb2(response, &answers);
    put_le(response, 65, 2);
    put_le(response, 0, 2);
    put_le(response, 0x0311, 2);
    put_le(response, 3, 2); /* contexts */
    put_zeros(response, 16);
    put_le(response, 8, 4);
    put_zeros(response, 32);
    put_le(response, 128, 4);
    put_le(response, 8, 2); /* signing */
    put_le(response, 4, 2);
    put_zeros(response, 4);
    put_le(response, 1, 2);
    put_le(response, 2, 2);
    put_zeros(response, 4);
    put_le(response, 2, 2); /* encryption */
    put_le(response, 4, 2);
    put_zeros(response, 4);
    put_le(response, 1, 2);
    put_le(response, 4, 2);
    put_zeros(response, 4);
    put_le(response, 3, 2); /* compression */
    put_le(response, 12, 2);
    put_zeros(response, 4);
    put_le(response, 2, 2);
    put_zeros(response, 6);
    put_le(response, 4, 2);
    put_le(response, 2, 2);
    put_zeros(response, 4);
    set_credits(response, 0, 5, 0);
    session_message(&f->s, 1, response);
}

static void read_with(struct fixture *f, uint64_t id, uint16_t charge, uint16_t credits, uint64_t session)
{
    g_autoptr(GByteArray) request = g_byte_array_new(), response = g_byte_array_new();

    put_smb2_read(request, id, 100, 3);
    set_credits(request, charge, credits, session);
    session_message(&f->s, 0, request);
    put_smb2_read_response(response, id, 0, 100);
    set_credits(response, charge, credits, session);
    session_message(&f->s, 1, response);
}

static void test_negotiated_and_credits(void)
{
    struct fixture f;
    struct replay *r;
    const struct replay_smb2 *s;

    setup(&f);
    negotiate(&f, 1);            /* 1 - 1 + 5 */
    read_with(&f, 1, 5, 3, 9);   /* 5 - 5 + 3 */
    read_with(&f, 6, 0, 1, 9);   /* 3 - 1 + 1 */
    read_with(&f, 7, 2, 100, 9); /* 3 - 2 + 100 */
    r = finish(&f);
    s = &only(r)->smb2;
    g_assert_cmpstr(s->signing, ==, "AES-128-GMAC");
    g_assert_cmpstr(s->cipher, ==, "AES-256-GCM");
    g_assert_cmpstr(s->compression[0], ==, "Pattern_V1");
    g_assert_cmpstr(s->compression[1], ==, "LZ77");
    g_assert_null(s->compression[2]);
    g_assert_true(s->multichannel && s->credits_known);
    g_assert_cmpuint(s->credits_charged, ==, 1 + 5 + 1 + 2);
    g_assert_cmpuint(s->credits_granted, ==, 5 + 3 + 1 + 100);
    g_assert_cmpuint(s->multi_credit_requests, ==, 2);
    g_assert_cmpuint(s->credit_charge_max, ==, 5);
    g_assert_cmpint(s->credits_most, ==, 101);
    g_assert_cmpint(s->credits_least, ==, 0);
    g_assert_cmpuint(s->credits_none, ==, 2); /* NEGOTIATE's and the first read's */
    replay_free(r);
}

/* Connections of one session id: joined when the client is the same, not when another has the same id by chance. */
static void test_sessions(void)
{
    static const uint8_t GUIDS[] = {1, 1, 2};
    struct fixture f;
    struct replay *r;
    const struct replay_session *joined;

    f.pcap = pcap_new(LINKTYPE_ETHERNET);
    session_init(&f.s, f.pcap);
    for (size_t i = 0; i < G_N_ELEMENTS(GUIDS); i++) {
        f.s.client_port = (uint16_t)(50000 + i);
        session_open(&f.s);
        negotiate(&f, GUIDS[i]);
        read_with(&f, 1, 1, 5, 0x4242);
        session_close(&f.s);
    }
    r = finish(&f);
    g_assert_cmpuint(r->connections->len, ==, 3);
    g_assert_cmpuint(r->sessions->len, ==, 2);
    joined = &g_array_index(r->sessions, struct replay_session, 0);
    g_assert_cmpuint(joined->connections, ==, 2);
    g_assert_cmpuint(joined->bytes_read, ==, 200);
    g_assert_cmpint(joined->first_ns, ==, 0);
    g_assert_cmpint(joined->last_ns, ==,
                    ((const struct replay_connection *)g_ptr_array_index(r->connections, 1))->last_ns);
    g_assert_cmpuint(((const struct replay_connection *)g_ptr_array_index(r->connections, 2))->session, ==,
                     1);
    replay_free(r);
}

static void put_part(GByteArray *b, uint16_t code, uint64_t id, bool response, uint32_t next, bool related)
{
    struct smb2_spec s = {
        .code = code, .id = id, .next = next, .flags = (response ? 1U : 0) | (related ? 4U : 0)};

    put_smb2(b, &s);
}

static void put_file_ids(GByteArray *b, uint64_t id)
{
    put_le(b, id, 8);
    put_le(b, id, 8);
}

/* Create, read and close in one message, whose later parts name the file as "the one before", each padded to 8 bytes: three commands,
 * one exchange, and the bytes are the file's. */
static void test_compound_file(void)
{
    struct fixture f;
    g_autoptr(GByteArray) ask = g_byte_array_new(), answer = g_byte_array_new();
    struct replay *r;

    setup(&f);
    put_part(ask, 5, 1, false, 64 + 56 + 8, false);
    put_le(ask, 57, 2);
    put_zeros(ask, 42);
    put_le(ask, 120, 2); /* name */
    put_le(ask, 6, 2);
    put_zeros(ask, 8);
    for (const char *p = "new"; *p; p++)
        put_le(ask, (uint64_t)*p, 2);
    put_zeros(ask, 2);
    put_part(ask, 8, 2, false, 64 + 49 + 7, true);
    put_le(ask, 49, 2);
    put_zeros(ask, 2);
    put_le(ask, 500, 4);
    put_le(ask, 0, 8);
    put_file_ids(ask, UINT64_MAX);
    put_zeros(ask, 17 + 7);
    put_part(ask, 6, 3, false, 0, true);
    put_le(ask, 24, 2);
    put_zeros(ask, 6);
    put_file_ids(ask, UINT64_MAX);
    session_message(&f.s, 0, ask);
    put_part(answer, 5, 1, true, 64 + 88, false);
    put_le(answer, 89, 2);
    put_zeros(answer, 46);
    put_le(answer, 500, 8);
    put_zeros(answer, 8);
    put_file_ids(answer, 44);
    put_zeros(answer, 8);
    put_part(answer, 8, 2, true, 64 + 16 + 500 + 4, true);
    put_le(answer, 17, 2);
    put_le(answer, 80, 2);
    put_le(answer, 500, 4);
    put_zeros(answer, 8 + 500 + 4);
    put_part(answer, 6, 3, true, 0, true);
    put_le(answer, 60, 2);
    put_zeros(answer, 58);
    session_message(&f.s, 1, answer);
    r = finish(&f);
    g_assert_cmpuint(only(r)->commands->len, ==, 3);
    g_assert_cmpuint(only(r)->exchanges, ==, 1);
    g_assert_cmpuint(only(r)->files->len, ==, 1);
    g_assert_cmpstr(file(only(r), 0)->name, ==, "new");
    g_assert_cmpuint(file(only(r), 0)->bytes_read, ==, 500);
    g_assert_cmpint(file(only(r), 0)->size_bytes, ==, 500);
    g_assert_cmpuint(file(only(r), 0)->round_trips, ==, 1);
    g_assert_cmpuint(r->ledger.rows->len, ==, 0);
    replay_free(r);
}

/* A WRITE that claims more data than its message has: no bytes of a file are made up. */
static void test_data_beyond_message(void)
{
    struct fixture f;
    g_autoptr(GByteArray) b = g_byte_array_new();
    struct replay *r;

    setup(&f);
    put_part(b, 9, 1, false, 0, false);
    put_le(b, 49, 2);
    put_le(b, 112, 2);
    put_le(b, 1 << 20, 4);
    put_zeros(b, 8);
    put_file_ids(b, 3);
    put_zeros(b, 16 + 100);
    session_message(&f.s, 0, b);
    read_with(&f, 2, 1, 1, 9);
    r = finish(&f);
    g_assert_cmpuint(only(r)->bytes_written, ==, 0);
    g_assert_cmpuint(only(r)->bytes_read, ==, 100);
    g_assert_cmpuint(ledger_count(r, LEDGER_DATA_BEYOND_MESSAGE), ==, 1);
    replay_free(r);
}

/* The FIN, and an answer's end, are captured before the middle; data of the other end comes in between: nothing is lost. */
static void test_fin_and_data_early(void)
{
    struct fixture f;
    g_autoptr(GByteArray) ask = g_byte_array_new(), answer = g_byte_array_new(), framed = g_byte_array_new();
    struct replay *r;
    uint32_t base;

    setup(&f);
    put_smb2_read(ask, 1, 3000, 3);
    session_message(&f.s, 0, ask);
    put_smb2_read_response(answer, 1, 0, 3000);
    put_prefix(framed, answer->len);
    put_array(framed, answer);
    base = f.s.seq[1];
    session_frame(&f.s, 1, FRAME_ACK, framed->data, 1000);
    f.s.seq[1] = base + framed->len;
    session_frame(&f.s, 1, FRAME_FIN | FRAME_ACK, NULL, 0);
    f.s.seq[1] = base + 2000;
    session_frame(&f.s, 1, FRAME_ACK, framed->data + 2000, framed->len - 2000);
    f.s.seq[1] = base + 1000; /* what the client has: it acknowledges no more while it sends */
    session_message(&f.s, 0, ask);
    session_frame(&f.s, 1, FRAME_ACK, framed->data + 1000, 1000);
    r = finish(&f);
    g_assert_cmpuint(only(r)->bytes_read, ==, 3000);
    g_assert_cmpuint(ledger_count(r, LEDGER_HOLE_NOT_CAPTURED), ==, 0);
    g_assert_cmpuint(only(r)->tcp.side[REPLAY_DOWN].hole_bytes, ==, 0);
    replay_free(r);
}

/* Opens of which the capture never shows the end: ids, rows and exchanges stay bounded. */
static void test_million_opens(void)
{
    enum { OPENS = 1000000 };
    struct ledger ledger = {0};
    struct commands commands = {0};
    struct match m;
    g_autoptr(GArray) rows = NULL;

    match_init(&m, false, &ledger, &commands);
    for (uint64_t i = 0; i < OPENS; i++) {
        g_autofree char *name = g_strdup_printf("f%" G_GUINT64_FORMAT, i);
        struct nbss_message frame = {.length = 200, .first_ns = (int64_t)i, .last_ns = (int64_t)i};
        struct smb_element e;
        struct match_message message = {&frame, &e, 1, 0, false};

        smb_element_init(&e);
        e.command = SMB2_CREATE;
        e.id = i;
        e.name = (const uint8_t *)name;
        e.name_length = (uint16_t)strlen(name);
        match_request(&m, &message);
        e.name = NULL;
        e.response = e.opens = e.has_file = true;
        e.file[0] = e.file[1] = i + 1;
        match_response(&m, &message);
    }
    g_assert_cmpuint(m.channel.shared->opens.known->len, <=, OPENS_MAX);
    g_assert_cmpuint(m.channel.shared->opens.by_id.size, <=, 2 * OPENS_MAX);
    g_assert_cmpuint(m.slots->len, ==, 1);
    g_assert_cmpuint(m.exchanges, ==, OPENS);
    rows = channel_files(&m.channel, 0, 0);
    g_assert_cmpuint(rows->len, ==, FILES_MAX + 1);
    g_assert_cmpuint(g_array_index(rows, struct replay_file, FILES_MAX).opens, ==, OPENS - FILES_MAX);
    match_finish(&m);
    match_fini(&m);
    commands_fini(&commands);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/protocol/smb1/raw", test_raw);
    g_test_add_func("/protocol/smb1/raw-unasked", test_raw_unasked);
    g_test_add_func("/protocol/smb1/echoes", test_echoes);
    g_test_add_func("/protocol/smb1/core-files", test_core_files);
    g_test_add_func("/protocol/smb1/nt-create-names", test_nt_create_names);
    g_test_add_func("/protocol/smb2/create-contexts", test_create_contexts);
    g_test_add_func("/protocol/smb2/negotiated-and-credits", test_negotiated_and_credits);
    g_test_add_func("/protocol/smb2/compound-file", test_compound_file);
    g_test_add_func("/protocol/smb2/data-beyond-message", test_data_beyond_message);
    g_test_add_func("/protocol/fin-and-data-early", test_fin_and_data_early);
    g_test_add_func("/protocol/sessions", test_sessions);
    g_test_add_func("/protocol/million-opens", test_million_opens);
    return g_test_run();
}
