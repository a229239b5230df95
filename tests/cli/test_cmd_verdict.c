/* `copytrial verdict` as a user runs it: verdicts, exit statuses, files, JSON, and the same bytes in any locale. */
#include "tests/data.h"

#include <glib/gstdio.h>
#include <jansson.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

struct outcome {
    int status;
    char *out, *err;
};

/* Runs the program with a NULL-terminated list of arguments; env pairs "NAME=value" are set. */
static struct outcome run(const char *const *arguments, const char *const *env)
{
    g_autoptr(GPtrArray) argv = g_ptr_array_new();
    g_auto(GStrv) environment = g_get_environ();
    g_autoptr(GError) error = NULL;
    struct outcome o;
    int status;

    g_ptr_array_add(argv, (gpointer)g_getenv("COPYTRIAL_PROGRAM"));
    g_ptr_array_add(argv, (gpointer)(uintptr_t) "verdict");
    for (; *arguments; arguments++)
        g_ptr_array_add(argv, (gpointer)(uintptr_t)*arguments);
    g_ptr_array_add(argv, NULL);
    environment = g_environ_unsetenv(environment, "SOURCE_DATE_EPOCH");
    for (; env && *env; env++) {
        g_auto(GStrv) pair = g_strsplit(*env, "=", 2);

        environment = g_environ_setenv(environment, pair[0], pair[1], TRUE);
    }
    g_spawn_sync(NULL, (char **)argv->pdata, environment, G_SPAWN_DEFAULT, NULL, NULL, &o.out, &o.err,
                 &status, &error);
    g_assert_no_error(error);
    g_assert_true(WIFEXITED(status));
    o.status = WEXITSTATUS(status);
    return o;
}

static void outcome_clear(struct outcome *o)
{
    g_free(o->out);
    g_free(o->err);
}

struct folder {
    char *path, *rdc, *rdc10, *report;
};

static void set_up(struct folder *f, gconstpointer data)
{
    (void)data;
    f->path = g_dir_make_tmp("copytrial-XXXXXX", NULL);
    f->rdc = data_source_path("examples/claims/rdc.yaml");
    f->rdc10 = data_source_path("examples/claims/rdc-10.yaml");
    f->report = g_build_filename(f->path, "report.pdf", NULL);
}

static void tear_down(struct folder *f, gconstpointer data)
{
    (void)data;
    g_remove(f->report);
    g_assert_cmpint(g_rmdir(f->path), ==, 0); /* nothing else was left there */
    g_free(f->path);
    g_free(f->rdc);
    g_free(f->rdc10);
    g_free(f->report);
}

static void expect(const char *const *arguments, int status, const char *out, const char *err)
{
    struct outcome o = run(arguments, NULL);

    if (o.status != status || (out && !strstr(o.out, out)) || (err && !strstr(o.err, err)))
        g_error("%s: status %d, printed \"%s\" and \"%s\"", arguments[0], o.status, o.out, o.err);
    outcome_clear(&o);
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_verdicts(struct folder *f, gconstpointer data)
{
    (void)data;
    expect(ARGS(f->rdc, "--expect", "undecided"), 0, "UNDECIDED", NULL);
    expect(ARGS(f->rdc, "--expect", "undecided"), 0, "27 runs of each kind", NULL);
    expect(ARGS(f->rdc10, "--expect", "refuted"), 0, "p = 0.017", NULL);
    expect(ARGS(f->rdc, "--expect", "refuted"), 1, "UNDECIDED", "is undecided, not refuted");
}

static void test_wrong(struct folder *f, gconstpointer data)
{
    g_autofree char *deep = g_build_filename(f->path, "no", "such", "r.pdf", NULL);

    (void)data;
    expect(ARGS("--json"), 2, NULL, "needs a claim file");
    expect(ARGS(f->rdc, f->rdc10), 2, NULL, "one claim file at a time");
    expect(ARGS(f->rdc, "--expect", "maybe"), 2, NULL, "--expect maybe");
    expect(ARGS(f->rdc, "--frobnicate"), 2, NULL, "frobnicate");
    expect(ARGS(f->rdc, "-o", "report.doc"), 2, NULL, "report.doc");
    expect(ARGS("no-such-claim.yaml"), 3, NULL, "no-such-claim.yaml: can't be read");
    expect(ARGS(f->rdc, "-o", deep), 4, NULL, deep);
    expect(ARGS("--help"), 0, "copytrial verdict examples/claims/rdc.yaml -o verdict.pdf", NULL);
}

static void test_json(struct folder *f, gconstpointer data)
{
    struct outcome o = run(ARGS(f->rdc, "--json"), NULL);
    json_error_t why;
    json_t *json = json_loads(o.out, JSON_REJECT_DUPLICATES, &why);
    const char *verdict, *basis, *label;
    double p, low;
    int runs, n;

    (void)data;
    g_assert_cmpint(o.status, ==, 0);
    g_assert_nonnull(json);
    g_assert_cmpint(json_unpack(json, "{s:s, s:s, s:[{s:s, s:i}, {}], s:{s:{s:F}, s:{s:F}, s:{s:i}}}",
                                "verdict", &verdict, "basis", &basis, "arms", "label", &label, "n", &n,
                                "comparison", "equivalence", "p", &p, "difference", "low", &low,
                                "runs_needed", "power_80", &runs),
                    ==, 0);
    g_assert_cmpstr(verdict, ==, "undecided");
    g_assert_cmpstr(basis, ==, "samples");
    g_assert_cmpstr(label, ==, "With MSRDC.DLL");
    g_assert_cmpint(n, ==, 5);
    g_assert_cmpint(runs, ==, 27);
    g_assert_cmpfloat_with_epsilon(p, 0.12277951874105968, 1e-9);
    g_assert_cmpfloat_with_epsilon(low, -110.08591861537636, 1e-9);
    json_decref(json);
    outcome_clear(&o);
}

static char *write_report(struct folder *f, const char *const *env, gsize *length)
{
    struct outcome o = run(ARGS(f->rdc, "-o", f->report), env);
    char *bytes = NULL;

    g_assert_cmpint(o.status, ==, 0);
    g_assert_true(g_file_get_contents(f->report, &bytes, length, NULL));
    outcome_clear(&o);
    return bytes;
}

static void test_same_bytes(struct folder *f, gconstpointer data)
{
    static const char *const LOCALES[] = {"LC_ALL=C", "LC_ALL=de_DE.UTF-8", "LC_ALL=C.UTF-8",
                                          "LANGUAGE=ja:ar"};
    gsize length, other_length;
    g_autofree char *bytes = write_report(f, NULL, &length);

    (void)data;
    g_assert_true(g_str_has_prefix(bytes, "%PDF-"));
    for (guint i = 0; i < G_N_ELEMENTS(LOCALES); i++) {
        g_autofree char *other =
            write_report(f, (const char *const[]){LOCALES[i], "TZ=Asia/Tokyo", NULL}, &other_length);

        g_assert_true(length == other_length && memcmp(bytes, other, length) == 0);
    }
}

static void test_epoch(struct folder *f, gconstpointer data)
{
    gsize length, other_length;
    g_autofree char *dated =
        write_report(f, (const char *const[]){"SOURCE_DATE_EPOCH=1700000000", NULL}, &length);
    g_autofree char *other =
        write_report(f, (const char *const[]){"SOURCE_DATE_EPOCH=1700000001", NULL}, &other_length);
    struct outcome o;

    (void)data;
    g_assert_true(length != other_length || memcmp(dated, other, length) != 0);
    o = run(ARGS(f->rdc, "-o", f->report), (const char *const[]){"SOURCE_DATE_EPOCH=yesterday", NULL});
    g_assert_cmpint(o.status, ==, 2);
    outcome_clear(&o);
}

static void test_pictures(struct folder *f, gconstpointer data)
{
    static const struct {
        const char *name, *magic;
    } FORMATS[] = {{"page.png", "\x89PNG"}, {"page.svg", "<?xml"}};

    (void)data;
    for (guint i = 0; i < G_N_ELEMENTS(FORMATS); i++) {
        g_autofree char *path = g_build_filename(f->path, FORMATS[i].name, NULL), *bytes = NULL;
        gsize length;

        expect(ARGS(f->rdc, "-o", path), 0, "UNDECIDED", NULL);
        g_assert_true(g_file_get_contents(path, &bytes, &length, NULL));
        g_assert_true(g_str_has_prefix(bytes, FORMATS[i].magic));
        g_assert_cmpuint(length, >, 10000);
        g_remove(path);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*test)(struct folder *, gconstpointer);
    } TESTS[] = {{"verdicts", test_verdicts},     {"wrong", test_wrong}, {"json", test_json},
                 {"same-bytes", test_same_bytes}, {"epoch", test_epoch}, {"pictures", test_pictures}};

    g_test_init(&argc, &argv, NULL);
    for (guint i = 0; i < G_N_ELEMENTS(TESTS); i++) {
        g_autofree char *path = g_strconcat("/cmd-verdict/", TESTS[i].name, NULL);

        g_test_add(path, struct folder, NULL, set_up, TESTS[i].test, tear_down);
    }
    return g_test_run();
}
