/* Every shipped capture, through the program as a user runs it: what it reads equals what the recording wrote down beside it
 * (traces/traces.json), and the simulator takes as long as the copy took. */
#include "tests/data.h"

#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static json_t *replay(const char *path)
{
    const char *argv[] = {g_getenv("COPYTRIAL_PROGRAM"), "replay", "--json", path, NULL};
    g_autofree char *out = NULL, *err = NULL;
    g_autoptr(GError) error = NULL;
    int status;
    json_t *o;

    g_assert_nonnull(argv[0]);
    g_spawn_sync(NULL, (char **)(uintptr_t)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, &out, &err, &status,
                 &error);
    g_assert_no_error(error);
    g_assert_cmpstr(err, ==, "");
    g_assert_cmpint(status, ==, 0);
    o = json_loads(out, 0, NULL);
    g_assert_nonnull(o);
    return o;
}

static double number(json_t *o, const char *key)
{
    json_t *v = json_object_get(o, key);

    g_assert_true(json_is_number(v));
    return json_number_value(v);
}

/* The calibrated value of a path such as "down/rate_bps", NAN when it is unknown. */
static double calibrated(json_t *connection, const char *side, const char *name)
{
    json_t *k = json_object_get(connection, "calibration");
    json_t *v = json_object_get(json_object_get(side ? json_object_get(k, side) : k, name), "value");

    return json_is_number(v) ? json_number_value(v) : NAN;
}

static void check_near(const char *what, double is, double should, double tolerance)
{
    if (!(fabs(is - should) <= tolerance * fabs(should)))
        g_error("%s: %g, should be %g", what, is, should);
}

/* The link's delay and, where the capture shows it, its rate: within 2 %. */
static void check_calibration(json_t *trace, json_t *connection, bool upload)
{
    json_t *link = json_object_get(trace, "link");
    const char *side = upload ? "up" : "down";
    double rate = calibrated(connection, side, "rate_bps");
    /* The handshake's, which holds what the link program itself takes. */
    double rtt_s = 1e-3 * number(json_object_get(trace, "seen"), "rtt_less_serialisation_ms");

    check_near("rtt", calibrated(connection, NULL, "rtt_s"), rtt_s, 0.02);
    if (!isnan(rate))
        check_near("rate", rate, number(json_object_get(link, side), "rate_bps"), 0.02);
}

static void check_trace(json_t *trace)
{
    g_autofree char *name = g_strconcat("traces/", json_string_value(json_object_get(trace, "file")), NULL);
    g_autofree char *path = data_source_path(name);
    bool upload = g_strcmp0(json_string_value(json_object_get(trace, "operation")), "upload") == 0;
    json_t *o = replay(path), *connections = json_object_get(o, "connections");
    json_t *c = json_array_get(connections, 0), *self = json_object_get(o, "self_replay");
    json_t *breakdown = json_object_get(c, "breakdown_s"), *part;
    const char *key;
    double parts = 0;

    g_test_message("%s: %.3f s recorded, %+.2f %% simulated", name, number(self, "recorded_s"),
                   number(self, "error_pct"));
    g_assert_cmpuint(json_array_size(connections), ==, 1);
    g_assert_cmpfloat(number(json_object_get(o, "capture"), "packets"), ==, number(trace, "frames"));
    g_assert_cmpfloat_with_epsilon(number(c, "recorded_s"), number(trace, "recorded_s"), 1e-6);
    g_assert_cmpfloat(number(c, upload ? "bytes_written" : "bytes_read"), ==, number(trace, "payload_bytes"));
    json_object_foreach(breakdown, key, part) parts += json_number_value(part);
    g_assert_cmpfloat_with_epsilon(parts, number(c, "recorded_s"), 1e-6);
    g_assert_cmpfloat(fabs(number(self, "error_pct")), <=, 10);
    check_calibration(trace, c, upload);
    json_decref(o);
}

static void test_traces(void)
{
    g_autofree char *path = data_source_path("traces/traces.json");
    json_error_t error;
    json_t *index = json_load_file(path, 0, &error), *trace;
    size_t i;

    if (!index)
        g_error("%s:%d: %s", path, error.line, error.text);
    g_assert_cmpuint(json_array_size(json_object_get(index, "traces")), >=, 4);
    json_array_foreach(json_object_get(index, "traces"), i, trace) check_trace(trace);
    json_decref(index);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/shipped/traces", test_traces);
    return g_test_run();
}
