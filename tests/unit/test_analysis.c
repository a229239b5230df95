/* The facade on captures built here: what comes out is known exactly. */
#include "replay/analysis.h"
#include "base/error.h"
#include "replay/ledger.h"
#include "tests/compress.h"
#include "tests/session.h"

static struct replay *read_bytes(const GByteArray *pcap, GError **error)
{
    static const struct replay_options KEEP = {.keep_exchanges = true, .keep_segments = true};
    g_autofree char *path = temporary_file(pcap->data, pcap->len);
    const char *paths[] = {path, NULL};
    struct replay *r = replay_read(paths, &KEEP, error);

    g_unlink(path);
    return r;
}

static struct replay *read_good(const GByteArray *pcap)
{
    g_autoptr(GError) error = NULL;
    struct replay *r = read_bytes(pcap, &error);

    g_assert_no_error(error);
    g_assert_nonnull(r);
    return r;
}

static const struct replay_connection *connection(const struct replay *r, guint i)
{
    g_assert_cmpuint(i, <, r->connections->len);
    return g_ptr_array_index(r->connections, i);
}

static const struct replay_exchange *exchange(const struct replay_connection *c, guint i)
{
    g_assert_cmpuint(i, <, c->exchanges_kept->len);
    return &g_array_index(c->exchanges_kept, struct replay_exchange, i);
}

static const struct replay_command *command(const struct replay_connection *c, uint16_t code)
{
    for (guint i = 0; i < c->commands->len; i++) {
        if (g_array_index(c->commands, struct replay_command, i).command == code)
            return &g_array_index(c->commands, struct replay_command, i);
    }
    g_assert_not_reached();
}

static uint64_t ledger_count(const struct replay *r, enum ledger_reason reason)
{
    return tally_count(&r->ledger, ledger_name(reason));
}

/* Frames 1 ms apart: 3 of the handshake; then, for each read of 4,000 bytes, a request and three segments. */
static void write_reads(struct session *s, unsigned count)
{
    session_open(s);
    for (unsigned i = 0; i < count; i++)
        session_read(s, i + 1, 4000);
}

static void test_reads(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    const struct replay_connection *c;
    const struct replay_exchange *x;
    const struct replay_command *row;

    session_init(&s, pcap);
    write_reads(&s, 2);
    session_close(&s);
    r = read_good(pcap);
    g_assert_cmpuint(r->packets, ==, 3 + 2 * 4 + 3);
    g_assert_cmpuint(r->tcp_packets, ==, r->packets);
    g_assert_cmpstr(r->link_type, ==, "EN10MB");
    g_assert_cmpint(r->duration_ns, ==, 13 * 1000000);
    g_assert_cmpint(r->start_unix_ns, ==, INT64_C(1700000000000000000));
    g_assert_cmpfloat(r->coverage, ==, 1);
    g_assert_cmpuint(r->ledger.rows->len, ==, 0);

    c = connection(r, 0);
    g_assert_cmpstr(c->client, ==, "198.51.100.1:50000");
    g_assert_cmpstr(c->server, ==, "198.51.100.2:445");
    g_assert_cmpint(replay_recorded_ns(c), ==, 10 * 1000000); /* up to the last payload, not to the FINs */
    g_assert_cmpint(c->last_frame_ns, ==, 13 * 1000000);
    g_assert_cmpint(c->client_fin_ns, ==, 11 * 1000000);
    g_assert_cmpuint(c->bytes_read, ==, 8000);
    g_assert_cmpuint(c->bytes_written, ==, 0);
    g_assert_cmpuint(c->exchanges, ==, 2);
    g_assert_cmpuint(c->unanswered, ==, 0);
    g_assert_cmpuint(c->max_pending, ==, 1);
    g_assert_true(c == replay_main_connection(r));

    row = command(c, SMB2_READ);
    g_assert_cmpuint(row->requests, ==, 2);
    g_assert_cmpuint(row->responses, ==, 2);
    g_assert_cmpuint(row->bytes, ==, 2 * (4 + 113 + 4 + 80 + 4000));
    g_assert_cmpuint(row->data_bytes, ==, 8000);
    g_assert_cmpuint(row->service_samples, ==, 2);
    g_assert_cmpint(row->service_median_ns, ==, 1000000);

    x = exchange(c, 1);
    g_assert_cmpuint(x->command, ==, SMB2_READ);
    g_assert_cmpint(x->request_first_ns, ==, 7 * 1000000);
    g_assert_cmpint(x->request_last_ns, ==, 7 * 1000000);
    g_assert_cmpint(x->response_first_ns, ==, 8 * 1000000);
    g_assert_cmpint(x->response_last_ns, ==, 10 * 1000000);
    g_assert_cmpuint(x->request_first_frame, ==, 8);
    g_assert_cmpuint(x->response_last_frame, ==, 11);
    g_assert_cmpint(x->request_offset, ==, 117);
    g_assert_cmpint(x->response_offset, ==, 4084);
    g_assert_cmpuint(x->request_bytes, ==, 117);
    g_assert_cmpuint(x->response_bytes, ==, 4084);
    g_assert_cmpuint(x->data_bytes, ==, 4000);
    g_assert_cmpuint(x->elements, ==, 1);
    g_assert_cmpuint(x->file, ==, 1);
    g_assert_cmpuint(x->flags, ==, 0);

    g_assert_true(c->tcp.handshake && c->tcp.window_scale_known);
    g_assert_cmpint(c->tcp.handshake_rtt_ns, ==, 2000000);
    g_assert_cmpint(c->tcp.server_half_ns, ==, 1000000);
    g_assert_cmpint(c->tcp.client_half_ns, ==, 1000000);
    g_assert_cmpint(c->tcp.rtt_ns, ==, 2000000);
    g_assert_cmpint(c->tcp.point, ==, REPLAY_POINT_MIDDLE);
    g_assert_cmpint(c->tcp.side[REPLAY_UP].mss_bytes, ==, 1460);
    g_assert_cmpint(c->tcp.side[REPLAY_UP].window_max_bytes, ==, 65535 << 7);
    g_assert_cmpuint(c->tcp.side[REPLAY_DOWN].payload_bytes, ==, 2 * 4084);
    g_assert_cmpuint(c->segments_kept->len, ==, r->packets);
    replay_free(r);
}

static void test_segments(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    const struct replay_segment *g;

    session_init(&s, pcap);
    write_reads(&s, 1);
    r = read_good(pcap);
    g = &g_array_index(connection(r, 0)->segments_kept, struct replay_segment, 0);
    g_assert_cmpuint(g[0].flags, ==, REPLAY_SYN);
    g_assert_cmpint(g[0].offset, ==, -1);
    g_assert_cmpuint(g[1].flags, ==, REPLAY_SYN | REPLAY_ACK);
    g_assert_cmpint(g[1].ack, ==, 0);
    g_assert_cmpuint(g[1].direction, ==, REPLAY_DOWN);
    g_assert_cmpuint(g[3].payload_bytes, ==, 117);
    g_assert_cmpuint(g[3].ip_bytes, ==, 157);
    g_assert_cmpint(g[5].offset, ==, 1460);
    g_assert_cmpint(g[5].ack, ==, 117);
    g_assert_cmpuint(g[5].window_bytes, ==, 65535 << 7);
    g_assert_cmpuint(g[5].frame, ==, 6);
    replay_free(r);
}

/* What is whole counts, whatever byte the file ends at, and a warning says that it was cut. */
static void test_cut_file(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GArray) ends = g_array_new(FALSE, FALSE, sizeof(guint)); /* file lengths after whole frames */
    struct session s;
    guint frames = 0;

    session_init(&s, pcap);
    g_array_append_val(ends, pcap->len);
    session_open(&s);
    session_read(&s, 1, 20);
    for (guint at = 24; at < pcap->len; at += 16 + (guint)(pcap->data[at + 8] | pcap->data[at + 9] << 8)) {
        if (at > 24)
            g_array_append_val(ends, at);
    }
    for (guint length = 24; length < pcap->len; length++) {
        g_autoptr(GByteArray) cut = g_byte_array_new();
        g_autoptr(GError) error = NULL;
        struct replay *r;

        while (frames + 1 < ends->len && g_array_index(ends, guint, frames + 1) <= length)
            frames++;
        g_byte_array_append(cut, pcap->data, length);
        r = read_bytes(cut, &error);
        if (frames < 4) { /* no message yet */
            g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
            continue;
        }
        g_assert_no_error(error);
        g_assert_cmpuint(r->packets, ==, frames);
        g_assert_cmpuint(connection(r, 0)->exchanges, ==, 1);
        g_assert_cmpuint(r->warnings->len, ==, g_array_index(ends, guint, frames) == length ? 0 : 1);
        replay_free(r);
    }
    g_assert_cmpuint(frames, ==, 4);
}

static void check_compressed(GByteArray *packed)
{
    struct replay *r = read_good(packed);

    g_assert_cmpuint(connection(r, 0)->bytes_read, ==, 300 * 4000);
    g_assert_cmpuint(r->warnings->len, ==, 0);
    replay_free(r);
    g_byte_array_set_size(packed, packed->len * 9 / 10);
    r = read_good(packed);
    g_assert_cmpuint(connection(r, 0)->bytes_read, <, 300 * 4000);
    g_assert_cmpuint(r->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(r->warnings, 0), "compressed data ends early"));
    replay_free(r);
}

static void test_compressed(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) gzip = NULL, zstd = NULL;
    struct session s;

    session_init(&s, pcap);
    write_reads(&s, 300);
    gzip = compress_gzip(pcap);
    check_compressed(gzip);
    zstd = compress_zstd(pcap);
    check_compressed(zstd);
}

/* A sequence number that wraps in the first megabyte. */
static void test_wrap(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    const struct replay_connection *c;

    session_init(&s, pcap);
    s.seq[0] = 0xffffff00;
    s.seq[1] = 0xffffff00;
    write_reads(&s, 250);
    r = read_good(pcap);
    c = connection(r, 0);
    g_assert_cmpuint(c->bytes_read, ==, 1000000);
    g_assert_cmpuint(c->unanswered, ==, 0);
    g_assert_cmpint(exchange(c, 249)->response_offset, ==, 249 * 4084);
    g_assert_cmpuint(c->tcp.side[REPLAY_DOWN].retransmissions, ==, 0);
    replay_free(r);
}

/* Reads without a handshake, and a capture that starts inside a response. */
static void test_midstream(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) tail = g_byte_array_new();
    struct session s;
    struct replay *r;
    const struct replay_connection *c;

    session_init(&s, pcap);
    put_zeros(tail, 2000); /* the end of a response whose start wasn't captured */
    session_send(&s, 1, tail);
    session_read(&s, 41, 4000);
    session_read(&s, 42, 4000);
    r = read_good(pcap);
    c = connection(r, 0);
    g_assert_cmpstr(c->client, ==, "198.51.100.1:50000");
    g_assert_cmpuint(c->bytes_read, ==, 8000);
    g_assert_cmpuint(c->exchanges, ==, 2);
    g_assert_false(c->tcp.handshake || c->tcp.window_scale_known);
    g_assert_cmpint(c->tcp.handshake_rtt_ns, ==, -1);
    g_assert_cmpint(c->tcp.rtt_ns, ==, 2000000); /* from data and its ACKs */
    g_assert_null(c->dialect);
    replay_free(r);
}

/* Without SYN or known ports the sender of the first request is the client, even if a response comes first. */
static void test_roles(void)
{
    for (int response_first = 0; response_first < 2; response_first++) {
        g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
        g_autoptr(GByteArray) early = g_byte_array_new();
        struct session s;
        struct replay *r;
        const struct replay_connection *c;

        session_init(&s, pcap);
        s.client_port = 60000;
        s.server_port = 4445;
        put_smb2_read_response(early, 7, 0, 100);
        if (response_first)
            session_message(&s, 1, early);
        session_read(&s, 8, 4000);
        r = read_good(pcap);
        c = connection(r, 0);
        g_assert_cmpstr(c->server, ==, "198.51.100.2:4445");
        g_assert_cmpuint(c->exchanges, ==, 1);
        g_assert_cmpuint(c->unanswered, ==, 0);
        g_assert_cmpuint(ledger_count(r, LEDGER_NO_REQUEST), ==, (uint64_t)response_first);
        g_assert_cmpuint(c->tcp.side[REPLAY_UP].payload_bytes, ==, 117);
        g_assert_cmpuint(g_array_index(c->segments_kept, struct replay_segment, 0).direction, ==,
                         response_first ? REPLAY_DOWN : REPLAY_UP);
        replay_free(r);
    }
}

static void test_port_reuse(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;

    session_init(&s, pcap);
    write_reads(&s, 1);
    session_close(&s);
    s.seq[0] += 100000;
    s.seq[1] += 5000000;
    write_reads(&s, 2);
    r = read_good(pcap);
    g_assert_cmpuint(r->connections->len, ==, 2);
    g_assert_cmpuint(connection(r, 0)->bytes_read, ==, 4000);
    g_assert_cmpuint(connection(r, 1)->bytes_read, ==, 8000);
    g_assert_cmpint(connection(r, 1)->first_ns, ==, 10 * 1000000);
    replay_free(r);
}

/* More connections than the table holds: those without SMB, and those that are over, make room. */
static void test_many_connections(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;

    session_init(&s, pcap);
    s.gap_ns = 1000;
    for (uint16_t port = 1; port <= 40000; port++) {
        s.client_port = port;
        s.server_port = port % 8 ? 80 : 445;
        session_open(&s);
        if (s.server_port == 445) {
            session_read(&s, 1, 10);
            session_close(&s);
        }
    }
    r = read_good(pcap);
    g_assert_cmpuint(r->connections->len, ==, 5000);
    g_assert_cmpuint(ledger_count(r, LEDGER_CONNECTION_LIMIT), ==, 0);
    g_assert_cmpuint(ledger_count(r, LEDGER_OTHER_TCP), >=, 35000 * 3);
    for (guint i = 0; i < r->connections->len; i++)
        g_assert_cmpuint(connection(r, i)->bytes_read, ==, 10);
    g_assert_cmpstr(connection(r, 4999)->client, ==, "198.51.100.1:40000");
    replay_free(r);
}

/* A frame cut to 96 bytes still says how long it was. */
static void test_snap_length(void)
{
    for (uint32_t snap = 54; snap <= 200; snap += 2) {
        g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
        g_autoptr(GError) error = NULL;
        struct session s;
        struct replay *r;
        const struct replay_connection *c;

        session_init(&s, pcap);
        s.snap = snap;
        write_reads(&s, 5);
        r = read_bytes(pcap, &error);
        g_assert_no_error(error);
        c = connection(r, 0);
        if (snap < 54 + 4 + 20) { /* no command can be seen, but TCP can */
            g_assert_cmpuint(c->exchanges, ==, 0);
            g_assert_cmpuint(c->tcp.side[REPLAY_DOWN].payload_bytes, >=, 5 * 4084);
        } else {
            g_assert_cmpuint(c->exchanges, ==, 5);
            g_assert_cmpuint(c->unanswered, ==, 0);
            g_assert_cmpuint(exchange(c, 4)->response_bytes, ==, 4084);
            g_assert_cmpuint(c->bytes_read, ==, 20000);
            g_assert_cmpuint(ledger_count(r, LEDGER_ID_NOT_CAPTURED), ==, snap < 54 + 4 + 32 ? 10 : 0);
            g_assert_cmpuint(ledger_count(r, LEDGER_SIZE_NOT_CAPTURED), ==, snap < 54 + 4 + 64 + 8 ? 5 : 0);
        }
        g_assert_cmpint(replay_recorded_ns(c), ==, 22 * 1000000);
        g_assert_cmpuint(ledger_count(r, LEDGER_HOLE_SNAP_LENGTH), >, 0);
        replay_free(r);
    }
}

static bool has_warning(const struct replay *r, const char *pattern)
{
    for (guint i = 0; i < r->warnings->len; i++) {
        if (g_pattern_match_simple(pattern, g_ptr_array_index(r->warnings, i)))
            return true;
    }
    return false;
}

/* One end's frames weren't captured: nothing waits for them. */
static void test_half_duplex(void)
{
    for (int hidden = 0; hidden < 2; hidden++) {
        g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
        struct session s;
        struct replay *r;
        const struct replay_connection *c;

        session_init(&s, pcap);
        s.hide[hidden] = true;
        write_reads(&s, 10);
        r = read_good(pcap);
        c = connection(r, 0);
        g_assert_cmpuint(c->exchanges, ==, hidden ? 10 : 0);
        g_assert_cmpuint(c->unanswered, ==, hidden ? 10 : 0);
        g_assert_cmpuint(c->bytes_read, ==, hidden ? 0 : 40000);
        g_assert_cmpuint(ledger_count(r, LEDGER_NO_REQUEST), ==, hidden ? 0 : 10);
        g_assert_cmpint(c->tcp.rtt_ns, ==, -1);
        g_assert_cmpint(has_warning(r, "*half-duplex*"), ==, true);
        replay_free(r);
    }
}

/* Frames that the capture lost, but the receiver acknowledged: their exchanges are seen to lack them, the others are whole. */
static void test_lost_in_capture(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    const struct replay_connection *c;

    session_init(&s, pcap);
    write_reads(&s, 3);
    s.hide[0] = s.hide[1] = true;
    session_read(&s, 4, 4000);
    s.hide[0] = s.hide[1] = false;
    session_read(&s, 5, 4000);
    session_read(&s, 6, 4000);
    r = read_good(pcap);
    c = connection(r, 0);
    g_assert_cmpuint(c->exchanges, ==, 5);
    g_assert_cmpuint(c->unanswered, ==, 0);
    g_assert_cmpuint(c->bytes_read, ==, 5 * 4000);
    g_assert_cmpuint(c->tcp.side[REPLAY_UP].hole_bytes, ==, 117);
    g_assert_cmpuint(c->tcp.side[REPLAY_DOWN].hole_bytes, ==, 4084);
    g_assert_cmpuint(r->warnings->len, ==, 2); /* bytes lacking, coverage */
    g_assert_cmpfloat(r->coverage, <, 0.9);
    replay_free(r);
}

/* A response that the end of the capture cuts: no answer for the counts, but its bytes and times are kept. */
static void test_cut_response(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) request = g_byte_array_new();
    g_autoptr(GByteArray) response = g_byte_array_new();
    struct session s;
    struct replay *r;
    const struct replay_connection *c;

    session_init(&s, pcap);
    session_open(&s);
    put_smb2_read(request, 1, 100000, 1);
    session_message(&s, 0, request);
    put_prefix(response, 80 + 100000);
    put_smb2_read_response(response, 1, 0, 100000);
    g_byte_array_set_size(response, 5000);
    session_send(&s, 1, response);
    r = read_good(pcap);
    c = connection(r, 0);
    g_assert_cmpuint(command(c, SMB2_READ)->responses, ==, 0);
    g_assert_cmpuint(c->bytes_read, ==, 0);
    g_assert_cmpuint(exchange(c, 0)->flags, ==, REPLAY_CUT);
    g_assert_cmpuint(exchange(c, 0)->response_bytes, ==, 5000);
    g_assert_cmpint(exchange(c, 0)->response_last_ns, ==, c->last_ns);
    replay_free(r);
}

/* Encrypted messages: sizes and times, paired in order. */
static void test_encrypted(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) message = g_byte_array_new();
    struct session s;
    struct replay *r;
    const struct replay_connection *c;

    session_init(&s, pcap);
    session_open(&s);
    put_be(message, 0xfd534d42, 4);
    put_zeros(message, 48 + 100);
    for (int i = 0; i < 4; i++)
        session_message(&s, i % 2, message);
    r = read_good(pcap);
    c = connection(r, 0);
    g_assert_true(c->encrypted);
    g_assert_cmpint(c->signed_, ==, REPLAY_UNKNOWN);
    g_assert_cmpuint(c->opaque_messages, ==, 4);
    g_assert_cmpuint(c->opaque_bytes, ==, 4 * 156);
    g_assert_cmpuint(c->commands->len, ==, 0);
    g_assert_cmpuint(c->exchanges, ==, 2);
    g_assert_cmpuint(exchange(c, 1)->flags, ==, REPLAY_OPAQUE);
    g_assert_cmpuint(exchange(c, 1)->command, ==, COMMAND_OPAQUE);
    g_assert_cmpint(exchange(c, 1)->response_first_ns, ==, 6 * 1000000);
    g_assert_cmpfloat(r->coverage, ==, 1);
    replay_free(r);
}

/* Pieces of one capture, given in the wrong order. */
static void test_several_files(void)
{
    g_autoptr(GByteArray) whole = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) first = g_byte_array_new();
    g_autoptr(GByteArray) second = pcap_new(LINKTYPE_ETHERNET);
    g_autofree char *early = NULL, *late = NULL;
    g_autoptr(GError) error = NULL;
    struct session s;
    struct replay *r;
    guint middle;

    session_init(&s, whole);
    write_reads(&s, 3);
    middle = whole->len;
    session_read(&s, 4, 4000);
    g_byte_array_append(first, whole->data, middle);
    g_byte_array_append(second, whole->data + middle, whole->len - middle);
    early = temporary_file(first->data, first->len);
    late = temporary_file(second->data, second->len);
    r = replay_read((const char *const[]){late, early, NULL}, NULL, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(r->files->len, ==, 2);
    g_assert_cmpuint(r->connections->len, ==, 1);
    g_assert_cmpuint(connection(r, 0)->bytes_read, ==, 16000);
    g_assert_cmpint(r->duration_ns, ==, 18 * 1000000);
    g_assert_null(connection(r, 0)->exchanges_kept);
    g_assert_null(connection(r, 0)->segments_kept);
    replay_free(r);
    g_unlink(early);
    g_unlink(late);
}

static void check_error(const void *bytes, size_t length, const char *wanted)
{
    g_autofree char *path = temporary_file(bytes, length);
    g_autoptr(GError) error = NULL;

    g_assert_null(replay_read((const char *const[]){path, NULL}, NULL, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    g_assert_true(g_str_has_prefix(error->message, path));
    if (!strstr(error->message, wanted))
        g_error("\"%s\" doesn't say \"%s\"", error->message, wanted);
    g_unlink(path);
}

static void test_errors(void)
{
    g_autoptr(GByteArray) empty = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) other = pcap_new(LINKTYPE_ETHERNET);
    g_autoptr(GByteArray) radio = pcap_new(105);
    g_autoptr(GByteArray) ping = g_byte_array_new();
    g_autoptr(GError) error = NULL;
    struct session s;

    g_assert_null(replay_read((const char *const[]){"/nonexistent/x.pcap", NULL}, NULL, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    g_assert_nonnull(strstr(error->message, "/nonexistent/x.pcap"));
    check_error("", 0, "is empty");
    check_error("just a line of text that is longer than a header\n", 49, "isn't a pcap");
    check_error(empty->data, 23, "isn't a pcap");
    check_error(empty->data, empty->len, "no packets");
    session_init(&s, other);
    s.server_port = 80;
    session_open(&s);
    check_error(other->data, other->len, "3 packets, 3 of them TCP, but no SMB message");
    put_zeros(ping, 60);
    pcap_add(radio, 0, ping, 0);
    check_error(radio->data, radio->len, "1 packet of link type IEEE802_11, which isn't read");
}

static void test_wild_headers(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    guint at;

    session_init(&s, pcap);
    write_reads(&s, 1);
    at = pcap->len;
    session_read(&s, 2, 100);
    pcap->data[at + 10] = 0x08; /* a captured length of half a megabyte more */
    pcap->data[at + 11] = 0x08;
    r = read_good(pcap);
    g_assert_cmpuint(connection(r, 0)->bytes_read, ==, 4000);
    g_assert_cmpuint(r->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(r->warnings, 0), "after frame 7"));
    replay_free(r);
}

/* A clock that runs back by over a millisecond is told of. */
static void test_backward_clock(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;

    session_init(&s, pcap);
    write_reads(&s, 1);
    s.now_ns -= 4 * 1000000;
    session_read(&s, 2, 4000);
    r = read_good(pcap);
    g_assert_cmpuint(connection(r, 0)->bytes_read, ==, 8000);
    g_assert_cmpuint(r->warnings->len, ==, 1);
    g_assert_nonnull(strstr(g_ptr_array_index(r->warnings, 0), "3 ms"));
    replay_free(r);
}

/* Set back by an hour in the middle of a copy: what lies between the two readings is lost, and nothing else. */
static void test_clock_set_back(void)
{
    g_autoptr(GByteArray) pcap = pcap_new(LINKTYPE_ETHERNET);
    struct session s;
    struct replay *r;
    int64_t begun, set_back;

    session_init(&s, pcap);
    begun = s.now_ns;
    write_reads(&s, 1);
    set_back = s.now_ns;
    s.now_ns -= INT64_C(3600) * 1000000000;
    session_read(&s, 2, 4000);
    r = read_good(pcap);
    g_assert_cmpint(r->duration_ns, >, set_back - begun - 2 * 1000000);
    g_assert_cmpint(r->duration_ns, <, set_back - begun + 20 * 1000000);
    g_assert_cmpint(replay_recorded_ns(connection(r, 0)), >=, 0);
    g_assert_nonnull(strstr(g_ptr_array_index(r->warnings, 0), "by up to 3599 s"));
    replay_free(r);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/analysis/clock-set-back", test_clock_set_back);
    g_test_add_func("/analysis/reads", test_reads);
    g_test_add_func("/analysis/segments", test_segments);
    g_test_add_func("/analysis/cut-file", test_cut_file);
    g_test_add_func("/analysis/compressed", test_compressed);
    g_test_add_func("/analysis/wrap", test_wrap);
    g_test_add_func("/analysis/midstream", test_midstream);
    g_test_add_func("/analysis/roles", test_roles);
    g_test_add_func("/analysis/port-reuse", test_port_reuse);
    g_test_add_func("/analysis/many-connections", test_many_connections);
    g_test_add_func("/analysis/snap-length", test_snap_length);
    g_test_add_func("/analysis/half-duplex", test_half_duplex);
    g_test_add_func("/analysis/lost-in-capture", test_lost_in_capture);
    g_test_add_func("/analysis/cut-response", test_cut_response);
    g_test_add_func("/analysis/encrypted", test_encrypted);
    g_test_add_func("/analysis/several-files", test_several_files);
    g_test_add_func("/analysis/errors", test_errors);
    g_test_add_func("/analysis/wild-headers", test_wild_headers);
    g_test_add_func("/analysis/backward-clock", test_backward_clock);
    return g_test_run();
}
