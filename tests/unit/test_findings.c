/* What stands out in a connection, and what would help against each kind of wait. */
#include "replay/findings.h"
#include "base/units.h"

#include <string.h>

struct fixture {
    struct replay_connection c;
    struct calibration k;
    struct breakdown b;
};

/* A download of 1 MB in 100 exchanges, 64 KiB a block, one at a time over 30 ms. */
static void fixture_init(struct fixture *f)
{
    const struct replay_block block = {65536, 100};

    memset(f, 0, sizeof *f);
    f->c.client = (char *)"192.0.2.2:50000";
    f->c.server = (char *)"192.0.2.1:445";
    f->c.last_ns = 10 * NS_PER_S;
    f->c.first_frame = 1;
    f->c.last_frame = 5000;
    f->c.bytes_read = 100 * 65536;
    f->c.exchanges = 100;
    f->c.commands = g_array_new(FALSE, FALSE, sizeof(struct replay_command));
    f->c.usage.errors = g_array_new(FALSE, FALSE, sizeof(struct replay_error));
    f->c.usage.reads.sizes = g_array_new(FALSE, FALSE, sizeof block);
    f->c.usage.writes.sizes = g_array_new(FALSE, FALSE, sizeof block);
    g_array_append_val(f->c.usage.reads.sizes, block);
    f->c.usage.pending = (struct replay_pending){
        .ns = {NS_PER_S, 9 * NS_PER_S}, .total_ns = 10 * NS_PER_S, .mean = 0.9, .max = 1};
    f->c.tcp.rtt_ns = 30 * NS_PER_MS;
    f->k.rtt_ns = calibrated_value(30e6, 30e6, 30e6);
    f->b.evidence = (char *)"evidence";
    f->b.filter = (char *)"tcp.port == 50000";
}

static void fixture_fini(struct fixture *f)
{
    g_array_unref(f->c.commands);
    g_array_unref(f->c.usage.errors);
    g_array_unref(f->c.usage.reads.sizes);
    g_array_unref(f->c.usage.writes.sizes);
}

static void assert_advice(struct fixture *f, int kind, const char *pattern)
{
    g_autofree char *advice = NULL;

    memset(&f->b.waits, 0, sizeof f->b.waits);
    f->b.waits.ns[kind] = 9 * NS_PER_S;
    f->b.waits.ns[kind == WAIT_SERVER ? WAIT_CLIENT : WAIT_SERVER] = NS_PER_S;
    f->b.bottleneck = kind;
    advice = advice_new(&f->c, &f->b, &f->k);
    if (!g_pattern_match_simple(pattern, advice))
        g_error("\"%s\" doesn't match \"%s\"", advice, pattern);
}

static void test_advice(void)
{
    const struct replay_command read = {.command = SMB2_READ,
                                        .service_samples = 100,
                                        .service_median_ns = 40 * NS_PER_MS,
                                        .service_p95_ns = 90 * NS_PER_MS,
                                        .service_total_ns = 4 * NS_PER_S};
    struct fixture f;

    fixture_init(&f);
    assert_advice(&f, WAIT_ROUND_TRIPS, "100 exchanges went one at a time*30 ms*larger blocks (now 64 KiB)");
    f.c.opens = 25;
    assert_advice(&f, WAIT_ROUND_TRIPS, "4.0 exchanges for each of 25 opens*several files at once*");
    f.c.usage.pending.mean = 4.5;
    assert_advice(&f, WAIT_ROUND_TRIPS, "more requests outstanding (now 5.0 on average)*");
    assert_advice(&f, WAIT_TRANSMISSION, "a faster link*");
    f.k.side[REPLAY_DOWN].rate_bps = calibrated_value(20e6, 19e6, 21e6);
    assert_advice(&f, WAIT_TRANSMISSION, "a link faster than its 20 Mbit/s*");
    f.c.tcp.side[REPLAY_UP].window_max_bytes = 65535; /* 17.5 Mbit/s over 30 ms */
    assert_advice(&f, WAIT_TCP_WINDOW,
                  "a larger receive window at the client: * allow 17.5 Mbit/s over this path");
    f.c.tcp.side[REPLAY_UP].window_max_bytes = 1 << 20;
    assert_advice(&f, WAIT_TCP_WINDOW, "*initial window*the server's window was still growing");
    f.c.tcp.side[REPLAY_DOWN].retransmissions = 7;
    f.c.tcp.side[REPLAY_DOWN].data_packets = 700;
    assert_advice(&f, WAIT_TCP_WINDOW, "fewer losses: 7 packets*server's window");
    assert_advice(&f, WAIT_LOSS_RECOVERY, "*on the way to the client (1 % were sent again)*turn on SACK");
    assert_advice(&f, WAIT_SERVER, "look at the server*");
    g_array_append_val(f.c.commands, read);
    assert_advice(&f, WAIT_SERVER, "*SMB2 READ, half of them up to 40 ms and 95 % up to 90 ms");
    assert_advice(&f, WAIT_CLIENT, "look at the client*");
    assert_advice(&f, WAIT_PACKET_CAP, "*NetworkThrottlingIndex*");
    assert_advice(&f, WAIT_IDLE, "*without the pauses 1 s remain, most of them for server");
    fixture_fini(&f);
}

static const struct finding *finding_of(const GPtrArray *list, const char *kind)
{
    for (guint i = 0; i < list->len; i++) {
        const struct finding *f = g_ptr_array_index(list, i);

        if (strcmp(f->kind, kind) == 0)
            return f;
    }
    return NULL;
}

static void test_findings(void)
{
    const struct replay_error error = {0xc0000022, SMB2_CREATE, 12, 70, 90};
    struct fixture f;
    GPtrArray *list;

    fixture_init(&f);
    list = findings_new(&f.c, &f.b, &f.k);
    g_assert_cmpuint(list->len, ==, 1); /* nothing stands out but what held it back */
    g_assert_cmpstr(finding_of(list, "bottleneck")->text, ==, "evidence");
    g_ptr_array_unref(list);

    f.c.tcp.window_scale_known = true;
    f.c.tcp.side[REPLAY_UP].window_scale = -1;
    f.c.tcp.side[REPLAY_UP].zero_windows = 3;
    f.c.tcp.side[REPLAY_UP].first_zero_window = 33;
    f.c.tcp.side[REPLAY_DOWN].retransmissions = 9;
    f.c.tcp.side[REPLAY_DOWN].fast_retransmissions = 5;
    f.c.tcp.side[REPLAY_DOWN].spurious_retransmissions = 1;
    f.c.tcp.side[REPLAY_DOWN].first_retransmission = 44;
    f.c.tcp.side[REPLAY_UP].delayed_acks = 10;
    f.c.tcp.side[REPLAY_UP].delayed_ack_ns = 400 * NS_PER_MS;
    f.c.unanswered = 1;
    f.c.smb2 = (struct replay_smb2){.credits_known = true,
                                    .credits_none = 40,
                                    .credits_most = 8,
                                    .first_credits_none = 12,
                                    .last_credits_none = 90};
    g_array_append_val(f.c.usage.errors, error);
    list = findings_new(&f.c, NULL, NULL);
    g_assert_null(finding_of(list, "bottleneck"));
    g_assert_null(finding_of(list, "delayed_acks")); /* they can't be told here */
    g_assert_nonnull(strstr(finding_of(list, "window_scaling")->text, "client did not offer it"));
    g_assert_cmpuint(finding_of(list, "closed_window")->first_frame, ==, 33);
    g_assert_nonnull(strstr(finding_of(list, "retransmissions")->text,
                            "5 after duplicate ACKs, 3 late or by timeout, 1 needlessly"));
    g_assert_cmpstr(finding_of(list, "retransmissions")->filter, ==,
                    "tcp.srcport == 445 && tcp.dstport == 50000 && tcp.analysis.retransmission");
    g_assert_nonnull(
        strstr(finding_of(list, "errors")->text, "12 times SMB2 CREATE failed with STATUS_ACCESS_DENIED"));
    g_assert_nonnull(strstr(finding_of(list, "credits")->text,
                            "40 requests used up the client's last credit; it never had more than 8"));
    g_assert_cmpuint(finding_of(list, "credits")->first_frame, ==, 12);
    g_assert_nonnull(strstr(finding_of(list, "credits")->filter, "frame.number >= 12 && frame.number <= 90"));
    g_assert_nonnull(strstr(finding_of(list, "unanswered")->text, "1 request has no answer"));
    g_ptr_array_unref(list);

    f.c.tcp.side[REPLAY_UP].delayed_acks_known = true;
    list = findings_new(&f.c, NULL, NULL);
    g_assert_nonnull(strstr(finding_of(list, "delayed_acks")->text, "by 40 ms on average and 400 ms in all"));
    g_ptr_array_unref(list);
    fixture_fini(&f);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/findings/advice", test_advice);
    g_test_add_func("/findings/list", test_findings);
    return g_test_run();
}
