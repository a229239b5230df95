/* Real captures, calibrated and replayed on their own network: the project's traces, whose truth is in traces/traces.json,
 * and the recorded copies outside the project where they are present. */
#include "tests/data.h"
#include "replay/model.h"
#include "replay/study.h"
#include "base/units.h"

#include <gsl/gsl_errno.h>
#include <jansson.h>
#include <math.h>

static struct replay *read_capture(const char *path)
{
    const char *paths[] = {path, NULL};
    struct replay_options options = {.measure = true, .trace = true};
    g_autoptr(GError) error = NULL;
    struct replay *r = replay_read(paths, &options, &error);

    g_assert_no_error(error);
    return r;
}

static struct replay_model *make_model(const struct replay *r)
{
    g_autoptr(GError) error = NULL;
    struct replay_model *m = replay_model_new(r, &error);

    g_assert_no_error(error);
    return m;
}

static double self_replay_s(const struct replay_model *m)
{
    struct sim_result result;
    struct replay_run run;

    replay_run_init(&run, m, NULL, 1, 0);
    sim_run(&run.setup, &result);
    replay_run_fini(&run);
    g_assert_false(result.failed);
    return units_seconds(replay_model_seen_ns(m, &result));
}

static void check_self_replay(const char *name, const struct replay_model *m, double recorded_s, double share)
{
    double simulated = self_replay_s(m), error = simulated / recorded_s - 1;

    g_test_message("%s: recorded %.4f s, simulated %.4f s, %+.2f %%", name, recorded_s, simulated,
                   100 * error);
    g_assert_cmpfloat(fabs(error), <, share);
}

static void check_near(const char *name, const char *what, double value, double truth, double share)
{
    g_test_message("%s: %s %.6g, truth %.6g", name, what, value, truth);
    g_assert_cmpfloat(fabs(value - truth), <, share * truth);
}

static void check_breakdown(const struct replay *r, const struct replay_model *m)
{
    for (guint i = 0; i < m->sources->len; i++) {
        const struct replay_connection *c =
            g_ptr_array_index(r->connections, g_array_index(m->sources, guint, i));
        int64_t sum = 0;

        for (int k = 0; k < WAIT_KINDS; k++) {
            g_assert_cmpint(c->study->breakdown.waits.ns[k], >=, 0);
            sum += c->study->breakdown.waits.ns[k];
        }
        g_assert_cmpint(sum, ==, replay_recorded_ns(c));
    }
}

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

/* A copy of fewer bytes may not keep a link busy for long enough to measure it. */
static const double TRAINS_SHOW_A_RATE = 100000;

/* A rate is the truth's, or unknown and said to be at least something that it is. */
static void check_rate(const char *name, const char *what, const struct calibrated *rate, double truth,
                       double share)
{
    if (rate->known)
        check_near(name, what, rate->value, truth, share);
    else
        g_assert_cmpfloat(rate->bound, <=, truth * (1 + share));
}

static void check_trace(const json_t *t)
{
    const char *name = json_string_value(json_object_get(t, "name"));
    const char *file = json_string_value(json_object_get(t, "file"));
    const json_t *link = json_object_get(t, "link");
    g_autofree char *within = g_build_filename("traces", file, NULL);
    g_autofree char *path = data_source_path(within);
    struct replay *r = read_capture(path);
    struct replay_model *m = make_model(r);
    const struct calibration *k = &m->calibration;
    double down = number(json_object_get(link, "down"), "rate_bps");
    double up = number(json_object_get(link, "up"), "rate_bps");
    bool by_ip = g_strcmp0(json_string_value(json_object_get(link, "counts")), "ip") == 0;
    /* Rates are calibrated on Ethernet frames: a link that counts IP packets passes 14 bytes more of each full one. */
    double more = by_ip ? 1514.0 / 1500.0 : 1;

    check_self_replay(name, m, number(t, "recorded_s"), 0.02);
    check_near(name, "RTT ms", k->rtt_ns.value / 1e6, number(link, "rtt_ms"), 0.02);
    check_rate(name, "down bit/s", &k->side[REPLAY_DOWN].rate_bps, down * more, 0.02);
    check_rate(name, "up bit/s", &k->side[REPLAY_UP].rate_bps, up * more, 0.02);
    if (number(t, "payload_bytes") > TRAINS_SHOW_A_RATE)
        g_assert_true(k->side[REPLAY_DOWN].rate_bps.known || k->side[REPLAY_UP].rate_bps.known);
    g_assert_false(k->side[REPLAY_DOWN].packets_per_ms.known);
    check_breakdown(r, m);
    replay_model_free(m);
    replay_free(r);
}

static void test_traces(void)
{
    g_autofree char *path = data_source_path("traces/traces.json");
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error), *t;
    size_t i;

    g_assert_nonnull(root);
    g_assert_cmpuint(json_array_size(json_object_get(root, "traces")), >=, 4);
    json_array_foreach(json_object_get(root, "traces"), i, t) check_trace(t);
    json_decref(root);
}

/* The recorded copies on 10 Mbit/s: 1 % and the link's values. On the fast network the hosts' processors are the limit: 5 %. */
static void test_recorded(void)
{
    g_autofree char *path = data_shared_path("truth/bases.json");
    const char *key;
    json_t *root, *base;
    json_error_t error;

    if (!path)
        return;
    root = json_load_file(path, 0, &error);
    g_assert_nonnull(root);
    json_object_foreach(root, key, base)
    {
        g_autofree char *name = g_strdup_printf("truth/bases/%s.pcap.gz", key);
        g_autofree char *file = data_shared_path(name);
        bool wan = g_str_has_suffix(key, "@wan10");
        struct replay_model *m;
        struct replay *r;

        g_assert_nonnull(file);
        r = read_capture(file);
        m = make_model(r);
        check_self_replay(key, m, number(base, "seconds"), wan ? 0.01 : 0.05);
        if (wan) {
            int d = g_strrstr(key, "put") ? REPLAY_UP : REPLAY_DOWN;

            check_near(key, "RTT ms", m->calibration.rtt_ns.value / 1e6, number(base, "rtt_ms"), 0.02);
            g_assert_true(m->calibration.side[d].rate_bps.known);
            check_near(key, "bit/s", m->calibration.side[d].rate_bps.value, 10e6, 0.02);
        }
        check_breakdown(r, m);
        replay_model_free(m);
        replay_free(r);
    }
    json_decref(root);
}

/* What the copies on other networks were recorded to be limited by, where that is beyond doubt. */
static void test_planted(void)
{
    g_autofree char *path = data_shared_path("truth/truth.json");
    const char *key;
    json_t *root, *target;
    json_error_t error;
    int checked = 0;

    if (!path)
        return;
    root = json_load_file(path, 0, &error);
    g_assert_nonnull(root);
    json_object_foreach(root, key, target)
    {
        const char *planted = json_string_value(json_object_get(target, "bottleneck"));
        g_autofree char *name = g_strdup_printf("truth/targets/%s.pcap.gz", key);
        g_autofree char *file = NULL;
        const struct breakdown *b;
        struct replay *r;

        if (!planted || g_str_has_suffix(key, "@wan10"))
            continue; /* those are among the bases */
        file = data_shared_path(name);
        g_assert_nonnull(file);
        r = read_capture(file);
        b = &replay_main_connection(r)->study->breakdown;
        g_test_message("%s: %s", key, b->evidence);
        g_assert_cmpstr(WAIT_NAMES[b->bottleneck], ==, planted);
        checked++;
        replay_free(r);
    }
    g_assert_cmpint(checked, >, 0);
    json_decref(root);
}

int main(int argc, char **argv)
{
    gsl_set_error_handler_off();
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/self-replay/traces", test_traces);
    g_test_add_func("/self-replay/recorded-copies", test_recorded);
    g_test_add_func("/self-replay/planted-bottlenecks", test_planted);
    return g_test_run();
}
