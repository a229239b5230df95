/* Recorded copies cut to a snap length, as tcpdump -s cuts them: what they show must be what the whole captures show. */
#include "replay/analysis.h"
#include "replay/ledger.h"
#include "tests/data.h"

#include <glib/gstdio.h>
#include <zlib.h>

enum { FILE_HEADER = 24, RECORD_HEADER = 16 };

/* Of a file that may be compressed. */
static GByteArray *contents_of(const char *path)
{
    GByteArray *bytes = g_byte_array_new();
    gzFile in = gzopen(path, "rb");
    guint8 block[4096];
    int got;

    g_assert_nonnull(in);
    while ((got = gzread(in, block, sizeof block)) > 0)
        g_byte_array_append(bytes, block, (guint)got);
    g_assert_cmpint(gzclose(in), ==, Z_OK);
    return bytes;
}

/* The recorded captures are little-endian pcap files. */
static uint32_t le32(const guint8 *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static char *cut_capture(const char *path, uint32_t snap)
{
    g_autoptr(GByteArray) bytes = contents_of(path), out = g_byte_array_new();
    char *cut = NULL;
    int fd;

    g_byte_array_append(out, bytes->data, FILE_HEADER);
    for (guint at = FILE_HEADER; at + RECORD_HEADER <= bytes->len;) {
        const guint8 *record = bytes->data + at;
        uint32_t captured = le32(record + 8), kept = MIN(captured, snap);
        const guint8 kept_le[4] = {(guint8)kept, (guint8)(kept >> 8), 0, 0};

        g_byte_array_append(out, record, 8);
        g_byte_array_append(out, kept_le, sizeof kept_le);
        g_byte_array_append(out, record + 12, 4 + kept);
        at += RECORD_HEADER + captured;
    }
    fd = g_file_open_tmp("snap-XXXXXX.pcap", &cut, NULL);
    g_assert_cmpint(fd, >=, 0);
    g_assert_true(g_close(fd, NULL));
    g_assert_true(g_file_set_contents(cut, (const char *)out->data, out->len, NULL));
    return cut;
}

static struct replay *read_one(const char *path)
{
    const char *paths[] = {path, NULL};
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read(paths, NULL, &error);

    g_assert_no_error(error);
    return r;
}

static void assert_near(const char *trace, uint32_t snap, const char *what, uint64_t whole, uint64_t cut,
                        double bound)
{
    double difference = (double)cut - (double)whole;

    if (ABS(difference) > bound * (double)whole)
        g_error("%s cut to %u: %s is %" G_GUINT64_FORMAT ", was %" G_GUINT64_FORMAT, trace, snap, what, cut,
                whole);
}

static void check_tcp(const struct replay_connection *whole, const struct replay_connection *cut)
{
    g_assert_cmpint(replay_recorded_ns(cut), ==, replay_recorded_ns(whole));
    for (int d = 0; d < REPLAY_DIRECTIONS; d++) {
        const struct replay_tcp_side *w = &whole->tcp.side[d], *c = &cut->tcp.side[d];

        g_assert_cmpuint(c->payload_bytes, ==, w->payload_bytes);
        g_assert_cmpuint(c->ip_bytes, ==, w->ip_bytes);
        g_assert_cmpuint(c->retransmissions, ==, w->retransmissions);
        g_assert_cmpuint(c->duplicate_acks, ==, w->duplicate_acks);
        g_assert_cmpuint(c->out_of_order, ==, w->out_of_order);
    }
    g_assert_cmpint(cut->tcp.rtt_ns, ==, whole->tcp.rtt_ns);
}

/* 0.2 % of the bytes: SMB1's padding before data is only known where one answer was seen whole. */
static void check(const char *trace, uint32_t snap, const struct replay *whole, const struct replay *cut)
{
    const struct replay_connection *w = replay_main_connection(whole), *c = replay_main_connection(cut);
    bool ipv6 = w->client[0] == '[';

    check_tcp(w, c);
    if (snap < 96 || (ipv6 && snap < 128)) { /* no header of SMB is in that */
        g_assert_cmpuint(c->exchanges, ==, 0);
        g_assert_cmpfloat(cut->coverage, ==, 0);
        return;
    }
    assert_near(trace, snap, "bytes read", w->bytes_read, c->bytes_read, 0.002);
    assert_near(trace, snap, "bytes written", w->bytes_written, c->bytes_written, 0.002);
    assert_near(trace, snap, "exchanges", w->exchanges, c->exchanges, 0.01);
    assert_near(trace, snap, "opaque messages", w->opaque_messages, c->opaque_messages, 0);
    g_assert_cmpuint(c->max_pending, <=,
                     w->max_pending + w->max_pending / 10); /* requests known late count less */
    g_assert_cmpuint(c->unanswered, <=, w->unanswered + w->exchanges / 50);
    g_assert_cmpfloat(cut->coverage, >, 0.99);
    g_assert_cmpuint(tally_count(&cut->ledger, ledger_name(LEDGER_HOLE_SNAP_LENGTH)), >, 0);
}

static void test_cut(const char *path)
{
    const uint32_t snaps[] = {68, 96, 128, 200};
    struct replay *whole = read_one(path);
    bool ipv6 = replay_main_connection(whole)->client[0] == '[';

    for (unsigned i = ipv6 ? 1 : 0; i < G_N_ELEMENTS(snaps); i++) { /* 68 bytes don't hold TCP over IPv6 */
        g_autofree char *shorter = cut_capture(path, snaps[i]);
        struct replay *cut = read_one(shorter);

        check(path, snaps[i], whole, cut);
        replay_free(cut);
        g_assert_cmpint(g_unlink(shorter), ==, 0);
    }
    replay_free(whole);
}

static void test_trace(gconstpointer name)
{
    g_autofree char *within = g_build_filename("traces", name, NULL);
    g_autofree char *path = data_source_path(within);

    test_cut(path);
}

static void test_base(gconstpointer name)
{
    g_autofree char *within = g_build_filename("truth/bases", name, NULL);
    g_autofree char *path = data_shared_path(within);

    if (path)
        test_cut(path);
}

int main(int argc, char **argv)
{
    static const char *const TRACES[] = {
        "smb1-curl-get.pcap",          "smb1-smbclient-get-lossy.pcap", "smb2-impacket-get.pcap",
        "smb2-smbclient-shallow.pcap", "smb3-smbclient-branch.pcap",    "smb3-smbclient-encrypted.pcap",
        "smb3-smbclient-get.pcap",     "smb3-smbclient-put.pcap",       "smb3-smbclient-small.pcap"};
    static const char *const BASES[] = {"sc1-big-get@lan.pcap.gz",    "sc1-big-get@wan10.pcap.gz",
                                        "sc3-big-put@lan.pcap.gz",    "sc3-big-put@wan10.pcap.gz",
                                        "imp2-mix-put@lan.pcap.gz",   "sc3-small-get@wan10.pcap.gz",
                                        "curl1-big-get@wan10.pcap.gz"};

    g_test_init(&argc, &argv, NULL);
    for (unsigned i = 0; i < G_N_ELEMENTS(TRACES); i++) {
        g_autofree char *path = g_strdup_printf("/snap-length/%s", TRACES[i]);

        g_test_add_data_func(path, TRACES[i], test_trace);
    }
    for (unsigned i = 0; i < G_N_ELEMENTS(BASES); i++) {
        g_autofree char *path = g_strdup_printf("/snap-length/%s", BASES[i]);

        g_test_add_data_func(path, BASES[i], test_base);
    }
    return g_test_run();
}
