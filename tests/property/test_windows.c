/* A capture that is worked through in windows tells what it tells as a whole: the project's traces, read with windows of a
 * small part of their length. */
#include "tests/data.h"
#include "replay/analysis.h"
#include "replay/study.h"
#include "sim/workload.h"

#include <math.h>

static const char *const TRACES[] = {"smb1-curl-get.pcap",         "smb1-smbclient-get-lossy.pcap",
                                     "smb2-impacket-get.pcap",     "smb2-smbclient-shallow.pcap",
                                     "smb3-smbclient-branch.pcap", "smb3-smbclient-get.pcap",
                                     "smb3-smbclient-put.pcap",    "smb3-smbclient-small.pcap"};

static struct replay *read_trace(const char *name, uint64_t window)
{
    g_autofree char *within = g_build_filename("traces", name, NULL);
    g_autofree char *path = data_source_path(within);
    const char *paths[] = {path, NULL};
    const struct replay_options options = {.measure = true, .trace = true, .window = window};
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read(paths, &options, &error);

    g_assert_no_error(error);
    return r;
}

static void check_waits(const char *name, const struct replay_connection *whole,
                        const struct replay_connection *parts)
{
    int64_t recorded = replay_recorded_ns(whole), sum = 0;

    for (int k = 0; k < WAIT_KINDS; k++) {
        int64_t a = whole->study->breakdown.waits.ns[k], b = parts->study->breakdown.waits.ns[k];

        sum += b;
        if (llabs(a - b) > recorded / 1000)
            g_test_message("%s: kind %d: %.4f s as a whole, %.4f s in windows", name, k, (double)a / 1e9,
                           (double)b / 1e9);
        g_assert_cmpint(llabs(a - b), <, 3 * recorded / 100);
    }
    g_assert_cmpint(sum, ==, recorded);
    g_assert_cmpint(whole->study->breakdown.bottleneck, ==, parts->study->breakdown.bottleneck);
}

static void check_traces(const char *name, const GArray *whole, const GArray *parts)
{
    guint other = 0;

    g_assert_cmpuint(whole->len, ==, parts->len);
    for (guint i = 0; i < whole->len; i++) {
        const struct exchange *a = &g_array_index(whole, struct exchange, i);
        const struct exchange *b = &g_array_index(parts, struct exchange, i);

        g_assert_cmpuint(a->command, ==, b->command);
        g_assert_cmpuint(a->request_bytes, ==, b->request_bytes);
        g_assert_cmpuint(a->response_bytes, ==, b->response_bytes);
        other += a->after != b->after || a->flags != b->flags || llabs(a->think_ns - b->think_ns) > 100000 ||
                 llabs(a->service_ns - b->service_ns) > 100000;
    }
    g_test_message("%s: %u of %u exchanges have other times", name, other, whole->len);
    g_assert_cmpuint(other, <=, 1);
}

static void check_near(const char *name, const struct calibrated *a, const struct calibrated *b)
{
    g_test_message("%s: %.6g as a whole, %.6g in windows", name, a->value, b->value);
    if (a->known && b->known)
        g_assert_cmpfloat(fabs(a->value - b->value), <, 0.02 * a->value);
}

static void test_traces(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(TRACES); i++) {
        struct replay *whole = read_trace(TRACES[i], 0), *parts = read_trace(TRACES[i], 500);
        const struct replay_connection *a = replay_main_connection(whole), *b = replay_main_connection(parts);

        check_near("RTT", &a->study->calibration.rtt_ns, &b->study->calibration.rtt_ns);
        for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
            check_near("rate", &a->study->calibration.side[d].rate_bps,
                       &b->study->calibration.side[d].rate_bps);
            g_assert_cmpuint(a->study->calibration.side[d].packets, ==,
                             b->study->calibration.side[d].packets);
        }
        check_waits(TRACES[i], a, b);
        check_traces(TRACES[i], a->study->trace, b->study->trace);
        replay_free(whole);
        replay_free(parts);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/windows/traces", test_traces);
    return g_test_run();
}
