/* Published measurements that the model reproduces from shipped profiles, through the program as a user runs it. */
#include <glib.h>
#include <jansson.h>
#include <stdint.h>

static json_t *predict(const char *client, const char *files)
{
    const char *argv[] = {g_getenv("COPYTRIAL_PROGRAM"),
                          "predict",
                          "--network",
                          "branch-office",
                          "--client",
                          client,
                          "--server",
                          "filer-2010",
                          "--files",
                          files,
                          "--json",
                          NULL};
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

static void check(const char *client, const char *files, double measured_s, double tolerance,
                  const char *bottleneck)
{
    json_t *o = predict(client, files), *p = json_object_get(o, "prediction");
    double seconds = json_number_value(json_object_get(p, "seconds"));

    g_test_message("%s %s: %.1f s predicted, %.1f s measured (%+.2f %%)", client, files, seconds, measured_s,
                   100 * (seconds / measured_s - 1));
    g_assert_cmpfloat(seconds, >, measured_s * (1 - tolerance));
    g_assert_cmpfloat(seconds, <, measured_s * (1 + tolerance));
    g_assert_cmpstr(json_string_value(json_object_get(p, "bottleneck")), ==, bottleneck);
    json_decref(o);
}

/* Windows 7 transparent-caching test, first run: 16 files of 316 MiB in all by Windows XP over 2 Mbit/s and 25 ms took 1,500 s. */
static void test_xp_large(void)
{
    check("xp-explorer", "16x19.75MiB", 1500, 0.02, "transmission");
}

/* The same test's 370 files of 14.8 MiB in all: 171 s. */
static void test_xp_small(void)
{
    check("xp-explorer", "370x41944B", 171, 0.02, "round_trips");
}

/* The same test's Windows 7: 1,438 s for the large files. */
static void test_windows_7_large(void)
{
    check("windows-7-explorer", "16x19.75MiB", 1438, 0.02, "transmission");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/published/xp-large", test_xp_large);
    g_test_add_func("/published/xp-small", test_xp_small);
    g_test_add_func("/published/windows-7-large", test_windows_7_large);
    return g_test_run();
}
