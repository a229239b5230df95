/* The facade on files of all kinds: the same copy has to come out of each. */
#include "base/units.h"
#include "replay/analysis.h"
#include "replay/ledger.h"
#include "tests/pcapng.h"
#include "tests/session.h"

#include <sys/resource.h>

static struct replay *read_paths(const char *const *paths)
{
    static const struct replay_options KEEP = {.keep_exchanges = true, .keep_segments = true};
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read(paths, &KEEP, &error);

    g_assert_no_error(error);
    return r;
}

static struct replay *read_bytes(const GByteArray *bytes)
{
    g_autofree char *path = temporary_file(bytes->data, bytes->len);
    struct replay *r = read_paths((const char *const[]){path, NULL});

    g_unlink(path);
    return r;
}

static const struct replay_connection *only_connection(const struct replay *r)
{
    g_assert_cmpuint(r->connections->len, ==, 1);
    return g_ptr_array_index(r->connections, 0);
}

static uint64_t ledger_count(const struct replay *r, enum ledger_reason reason)
{
    return tally_count(&r->ledger, ledger_name(reason));
}

static void check_warning(const struct replay *r, const char *wanted)
{
    for (guint i = 0; i < r->warnings->len; i++) {
        if (strstr(g_ptr_array_index(r->warnings, i), wanted))
            return;
    }
    g_error("no warning says \"%s\" (of %u)", wanted, r->warnings->len);
}

/* ---- one copy in many forms ------------------------------------------------------------------------------------------- */

enum { READS = 40, FILE_HEADER = 24, RECORD = 16, IP = RECORD + 14 };

/* Classic pcap: 3 frames of the handshake, and 4 for each read of 4,000 bytes, 1 ms apart; each with an IP id of its own. */
static GByteArray *copy(void)
{
    GByteArray *b = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    uint16_t id = 1;

    session_init(&s, b);
    session_open(&s);
    for (unsigned i = 0; i < READS; i++)
        session_read(&s, i + 1, 4000);
    for (guint at = FILE_HEADER; at < b->len;
         at += RECORD + (guint)(b->data[at + 8] | b->data[at + 9] << 8), id++) {
        b->data[at + IP + 4] = (uint8_t)(id >> 8);
        b->data[at + IP + 5] = (uint8_t)id;
    }
    return b;
}

struct record {
    uint32_t seconds, nanoseconds;
    GByteArray *frame;
    bool from_server;
};

static uint32_t le32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* The record at *at, its frame owned; false behind the last. */
static bool next_record(const GByteArray *pcap, guint *at, struct record *r)
{
    const uint8_t *head = pcap->data + *at;
    uint32_t length;

    if (*at >= pcap->len)
        return false;
    length = le32(head + 8);
    r->seconds = le32(head);
    r->nanoseconds = le32(head + 4);
    r->frame = g_byte_array_new();
    g_byte_array_append(r->frame, head + RECORD, length);
    r->from_server = r->frame->data[14 + 20] == 445 >> 8 && r->frame->data[14 + 21] == (445 & 0xff);
    *at += RECORD + length;
    return true;
}

static void check_copy(const struct replay *r)
{
    const struct replay_connection *c = only_connection(r);

    g_assert_cmpuint(c->bytes_read, ==, READS * 4000);
    g_assert_cmpuint(c->exchanges, ==, READS);
    g_assert_cmpuint(c->unanswered, ==, 0);
    g_assert_cmpint(replay_recorded_ns(c), ==, (3 + READS * 4 - 1) * INT64_C(1000000));
    g_assert_cmpuint(c->tcp.side[REPLAY_DOWN].retransmissions, ==, 0);
    g_assert_cmpuint(c->segments_kept->len, ==, 3 + READS * 4);
    g_assert_cmpfloat(r->coverage, ==, 1);
}

/* Nano- and microseconds in both byte orders, snap lengths of 0 and of all bits. */
static void test_classic(void)
{
    static const uint32_t SNAPS[] = {0, 65535, 262144, UINT32_MAX};
    g_autoptr(GByteArray) plain = copy();

    for (unsigned form = 0; form < 4; form++) {
        struct pcapng_writer w = {g_byte_array_new(), (form & 1) != 0}; /* for its byte order alone */
        bool nano = (form & 2) != 0;
        struct record one;
        struct replay *r;
        guint at = FILE_HEADER;

        ng_put(&w, w.bytes, nano ? 0xa1b23c4d : 0xa1b2c3d4, 4);
        ng_put(&w, w.bytes, 2, 2);
        ng_put(&w, w.bytes, 4, 2);
        put_zeros(w.bytes, 8);
        ng_put(&w, w.bytes, SNAPS[form], 4);
        ng_put(&w, w.bytes, LINKTYPE_ETHERNET, 4);
        while (next_record(plain, &at, &one)) {
            ng_put(&w, w.bytes, one.seconds, 4);
            ng_put(&w, w.bytes, nano ? one.nanoseconds : one.nanoseconds / 1000, 4);
            ng_put(&w, w.bytes, one.frame->len, 4);
            ng_put(&w, w.bytes, one.frame->len, 4);
            put_array(w.bytes, one.frame);
            g_byte_array_unref(one.frame);
        }
        r = read_bytes(w.bytes);
        check_copy(r);
        g_assert_cmpuint(r->warnings->len, ==, 0);
        replay_free(r);
        g_byte_array_unref(w.bytes);
    }
}

/* Frames by turns on two interfaces of other units, and on a third of a link type that isn't read. */
static void test_pcapng(void)
{
    static const struct interface_spec SPECS[] = {
        {1, 262144, "eth0", -1, 0}, {1, 96000, "eth1", 9, 0}, {105, 0, "wlan0", 9, 0}};

    for (int big = 0; big <= 1; big++) {
        g_autoptr(GByteArray) plain = copy();
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        struct pcapng_writer w = {bytes, big};
        struct record one;
        struct replay *r;
        guint at = FILE_HEADER;

        ng_section(&w, big, 1);
        for (size_t i = 0; i < G_N_ELEMENTS(SPECS); i++)
            ng_interface(&w, &SPECS[i]);
        for (unsigned i = 0; next_record(plain, &at, &one); i++) {
            uint64_t ns = (uint64_t)one.seconds * 1000000000 + one.nanoseconds;

            ng_packet(&w, i % 2, i % 2 ? ns : ns / 1000, one.frame, 0, one.from_server ? 1 : 2);
            if (i % 10 == 0)
                ng_packet(&w, 2, ns, one.frame, 0, 0);
            g_byte_array_unref(one.frame);
        }
        ng_statistics(&w, 1, 1, 7);
        ng_secrets(&w, 0x544c534b, "x");
        r = read_bytes(bytes);
        check_copy(r);
        /* The client's frames left here, with a TTL that none has been taken from. */
        g_assert_cmpint(only_connection(r)->tcp.point, ==, REPLAY_POINT_CLIENT);
        g_assert_cmpstr(r->link_type, ==, "mixed");
        g_assert_cmpuint(ledger_count(r, LEDGER_LINK_TYPE), ==, 17);
        check_warning(r, "interface wlan0: 17 frames of link type IEEE802_11, which isn't read");
        check_warning(r, "interface eth1: the capturing machine lost 7 frames");
        g_assert_cmpuint(r->interfaces->len, ==, 3);
        g_assert_cmpint(((const struct replay_interface *)g_ptr_array_index(r->interfaces, 1))->dropped, ==,
                        7);
        g_assert_cmpstr(g_ptr_array_index(r->secrets, 0), ==, "TLS keys");
        replay_free(r);
    }
}

/* ---- where it was taken -------------------------------------------------------------------------------------------------- */

static enum replay_capture_point marked_point(unsigned client, unsigned server, uint8_t ttl)
{
    g_autoptr(GByteArray) plain = copy();
    g_autoptr(GByteArray) bytes = g_byte_array_new();
    static const struct interface_spec ETHERNET = {1, 0, "eth0", 9, 0};
    struct pcapng_writer w = {bytes, false};
    struct record one;
    struct replay *r;
    guint at = FILE_HEADER;
    enum replay_capture_point point;

    ng_section(&w, false, 1);
    ng_interface(&w, &ETHERNET);
    while (next_record(plain, &at, &one)) {
        one.frame->data[14 + 8] = ttl;
        ng_packet(&w, 0, (uint64_t)one.seconds * 1000000000 + one.nanoseconds, one.frame, 0,
                  one.from_server ? server : client);
        g_byte_array_unref(one.frame);
    }
    r = read_bytes(bytes);
    point = only_connection(r)->tcp.point;
    replay_free(r);
    return point;
}

static void test_capture_point(void)
{
    enum { NONE, IN, OUT };
    enum replay_capture_point unmarked = marked_point(NONE, NONE, 64);

    g_assert_cmpint(marked_point(OUT, IN, 64), ==, REPLAY_POINT_CLIENT);
    g_assert_cmpint(marked_point(IN, OUT, 128), ==, REPLAY_POINT_SERVER);
    g_assert_cmpint(marked_point(IN, OUT, 63), ==, unmarked);  /* a router */
    g_assert_cmpint(marked_point(OUT, OUT, 64), ==, unmarked); /* loopback */
    g_assert_cmpint(unmarked, ==, REPLAY_POINT_MIDDLE);
}

/* ---- copies ------------------------------------------------------------------------------------------------------------ */

/* A port that mirrors both sides of a switch: every frame twice, and nothing changes but the ledger. */
static void test_mirrored(void)
{
    for (int routed = 0; routed <= 1; routed++) {
        g_autoptr(GByteArray) plain = copy();
        g_autoptr(GByteArray) twice = pcap_new(LINKTYPE_ETHERNET);
        struct record one;
        struct replay *r;
        guint at = FILE_HEADER;
        uint64_t frames = 0;

        for (; next_record(plain, &at, &one); frames++) {
            pcap_add(twice, (int64_t)frames * 1000000, one.frame, 0);
            one.frame->data[14 + 8] = (uint8_t)(one.frame->data[14 + 8] - routed);
            pcap_add(twice, (int64_t)frames * 1000000 + 3000, one.frame, 0);
            g_byte_array_unref(one.frame);
        }
        r = read_bytes(twice);
        check_copy(r);
        g_assert_cmpuint(r->packets, ==, 2 * frames);
        g_assert_cmpuint(ledger_count(r, LEDGER_DUPLICATE), ==, frames);
        check_warning(r, "show a packet a second time");
        replay_free(r);
    }
}

/* ---- several files --------------------------------------------------------------------------------------------------- */

/* A ring buffer's pieces in any order, more than may be open at once; each says what its interface lost so far. */
static void test_ring(void)
{
    enum { FRAMES = 3 + READS * 4 };
    static const struct interface_spec ETHERNET = {1, 0, "eth0", 9, 0};
    g_autoptr(GByteArray) plain = copy();
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    struct rlimit limit, before;
    struct record one;
    struct replay *r;
    guint at = FILE_HEADER;

    while (at < plain->len) {
        g_autoptr(GByteArray) bytes = g_byte_array_new();
        struct pcapng_writer w = {bytes, false};

        ng_section(&w, false, 1);
        ng_interface(&w, &ETHERNET);
        for (int i = 0; i < 2 && next_record(plain, &at, &one); i++) {
            ng_packet(&w, 0, (uint64_t)one.seconds * 1000000000 + one.nanoseconds, one.frame, 0, 0);
            g_byte_array_unref(one.frame);
        }
        ng_statistics(&w, 0, 123, paths->len);
        g_ptr_array_insert(paths, (gint)(paths->len * 7 % (paths->len + 1)),
                           temporary_file(bytes->data, bytes->len));
    }
    g_assert_cmpuint(paths->len, ==, (FRAMES + 1) / 2);
    g_ptr_array_add(paths, NULL);
    g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
    limit = before;
    limit.rlim_cur = 24;
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
    r = read_paths((const char *const *)paths->pdata);
    setrlimit(RLIMIT_NOFILE, &before);
    check_copy(r);
    g_assert_cmpuint(r->interfaces->len, ==, 1);
    g_assert_cmpint(((const struct replay_interface *)g_ptr_array_index(r->interfaces, 0))->dropped, ==,
                    paths->len - 2);
    replay_free(r);
    for (guint i = 0; i + 1 < paths->len; i++)
        g_unlink(g_ptr_array_index(paths, i));
}

/* ---- clocks and lengths that strangers wrote ---------------------------------------------------------------------------- */

static void set_time(GByteArray *pcap, guint at, uint32_t seconds)
{
    for (guint i = 0; i < 4; i++)
        pcap->data[at + i] = (uint8_t)(seconds >> (8 * i));
}

/* Clocks at 0, at their end, running back, over three days, and leaping by more than sums of times could hold. */
static void test_clocks(void)
{
    static const struct {
        uint32_t first, last;
        int64_t duration_ns;
    } CASES[] = {{0, 10, 10 * NS_PER_S},
                 {UINT32_MAX - 10, UINT32_MAX, 10 * NS_PER_S},
                 {0, 1100000000, 1100000000 * NS_PER_S},
                 {0, UINT32_MAX, INT64_MAX / 8},
                 {1000, 1000 + 3 * 86400, 3 * 86400 * NS_PER_S},
                 {50, 20, 0}};

    for (size_t i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GByteArray) plain = pcap_new(LINKTYPE_ETHERNET);
        struct session s;
        struct replay *r;
        guint at = FILE_HEADER, first = plain->len;

        session_init(&s, plain);
        s.gap_ns = 0;
        session_open(&s);
        session_read(&s, 1, 100);
        for (; at < plain->len; first = at, at += RECORD + le32(plain->data + at + 8))
            set_time(plain, at, CASES[i].first);
        set_time(plain, first, CASES[i].last);
        r = read_bytes(plain);
        g_assert_cmpint(r->duration_ns, ==, CASES[i].duration_ns);
        g_assert_cmpint(r->start_unix_ns, ==, (int64_t)CASES[i].first * 1000000000);
        g_assert_cmpint(replay_recorded_ns(only_connection(r)), ==, CASES[i].duration_ns);
        if (CASES[i].last < CASES[i].first)
            check_warning(r, "the clock runs back");
        if (CASES[i].duration_ns == INT64_MAX / 8)
            check_warning(r, "the clock leaps by more than 36 years");
        replay_free(r);
    }
}

/* A length of 128 MiB in a record's header ends the file there and nothing else. */
static void test_wild_record(void)
{
    g_autoptr(GByteArray) plain = copy();
    guint end = plain->len;
    struct replay *r;

    put_le(plain, 1700000001, 4);
    put_le(plain, 0, 4);
    put_le(plain, 134217964, 4);
    put_le(plain, 134217964, 4);
    put_zeros(plain, 1000);
    g_assert_cmpuint(end, <, plain->len);
    r = read_bytes(plain);
    check_copy(r);
    g_assert_cmpuint(r->warnings->len, ==, 1);
    check_warning(r, "is cut or damaged after frame 163");
    replay_free(r);
}

/* Frames of 0 and 10 bytes are counted and harm nothing. */
static void test_runts(void)
{
    g_autoptr(GByteArray) plain = copy();
    g_autoptr(GByteArray) runt = g_byte_array_new();
    struct replay *r;

    pcap_add(plain, 0, runt, 0);
    put_zeros(runt, 10);
    pcap_add(plain, 0, runt, 0);
    r = read_bytes(plain);
    g_assert_cmpuint(only_connection(r)->bytes_read, ==, READS * 4000);
    g_assert_cmpuint(ledger_count(r, LEDGER_FRAME_CUT), ==, 2);
    replay_free(r);
}

/* A refused connection, and one whose first frame is a reset, beside one that works. */
static void test_refused(void)
{
    g_autoptr(GByteArray) plain = pcap_new(LINKTYPE_ETHERNET);
    struct session refused, reset, good;
    struct replay *r;

    session_init(&refused, plain);
    refused.client_port = 50001;
    session_frame(&refused, 0, FRAME_SYN, NULL, 0);
    session_frame(&refused, 1, FRAME_RST | FRAME_ACK, NULL, 0);
    session_init(&reset, plain);
    reset.client_port = 50002;
    session_frame(&reset, 1, FRAME_RST, NULL, 0);
    session_init(&good, plain);
    session_open(&good);
    session_read(&good, 1, 100);
    r = read_bytes(plain);
    g_assert_cmpuint(only_connection(r)->bytes_read, ==, 100);
    g_assert_cmpuint(ledger_count(r, LEDGER_OTHER_TCP), ==, 3);
    replay_free(r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/inputs/classic", test_classic);
    g_test_add_func("/inputs/pcapng", test_pcapng);
    g_test_add_func("/inputs/capture-point", test_capture_point);
    g_test_add_func("/inputs/mirrored", test_mirrored);
    g_test_add_func("/inputs/ring", test_ring);
    g_test_add_func("/inputs/clocks", test_clocks);
    g_test_add_func("/inputs/wild-record", test_wild_record);
    g_test_add_func("/inputs/runts", test_runts);
    g_test_add_func("/inputs/refused", test_refused);
    return g_test_run();
}
