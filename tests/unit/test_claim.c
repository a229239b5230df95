/* Claim files: what is read, and the sentence for each thing that is wrong. */
#include "report/claim.h"
#include "base/error.h"
#include "tests/data.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static const char HEAD[] =
    "claim:\n  title: T\n  statement: S\n  metric: {name: time, unit: s, better: lower}\n";
#define ARMS                                                                                                 \
    "arms:\n  - {label: A, role: control, samples: [1, 2]}\n  - {label: B, role: treatment, samples: [3, "   \
    "4]}\n"

static struct claim *load_text(const char *text, GError **error)
{
    g_autofree char *path = NULL;
    struct claim *claim;
    int fd = g_file_open_tmp("claim-XXXXXX.yaml", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    claim = claim_load(path, NULL, error);
    g_unlink(path);
    return claim;
}

static void test_example(void)
{
    g_autofree char *path = data_source_path("examples/claims/rdc.yaml"), *text = NULL, *sum = NULL;
    g_autoptr(GError) error = NULL;
    struct claim *c = claim_load(path, NULL, &error);
    gsize length;

    g_assert_no_error(error);
    g_assert_true(g_file_get_contents(path, &text, &length, NULL));
    sum = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
    g_assert_cmpstr(c->title, ==, "Removing RDC speeds up copies");
    g_assert_cmpstr(c->metric.unit, ==, "MB/min");
    g_assert_cmpint(c->metric.better, ==, CLAIM_HIGHER);
    g_assert_cmpint(c->order, ==, CLAIM_BLOCKED);
    g_assert_cmpfloat(c->margin, ==, 0.05);
    g_assert_cmpuint(c->control_at, ==, 0);
    g_assert_cmpuint(samples_count(c->treatment.samples), ==, 5);
    g_assert_cmpfloat(samples_get(c->treatment.samples, 1), ==, 1330.882);
    g_assert_cmpint(g_array_index(c->treatment.samples->values, struct sample, 0).line, ==, 19);
    g_assert_cmpstr(c->sha256, ==, sum);
    g_assert_cmpstr(c->file, ==, "rdc.yaml");
    claim_free(c);
}

static void test_tidied(void)
{
    g_autoptr(GError) error = NULL;
    struct claim *c = load_text("claim:\n  title: \"a \\x07\\n b\\t\"\n  statement: >\n    one\n    two\n"
                                "  metric: {name: time, unit: s, better: lower}\n  margin: 5 %\n"
                                "arms:\n  - {label: B, role: treatment, samples: []}\n"
                                "  - {label: A, role: control, samples: [1]}\n",
                                &error);

    g_assert_no_error(error);
    g_assert_cmpstr(c->title, ==, "a b");
    g_assert_cmpstr(c->statement, ==, "one two");
    g_assert_cmpint(c->order, ==, CLAIM_ORDER_NOT_SAID);
    g_assert_cmpuint(c->control_at, ==, 1);
    g_assert_cmpuint(samples_count(c->treatment.samples), ==, 0);
    claim_free(c);
}

/* What follows HEAD, and a part of the sentence. */
static const struct {
    const char *rest, *arms, *complaint;
} WRONG[] = {
    {"", ARMS, "margin"},
    {"  margin: 5\n", ARMS, ":5: margin"},
    {"  margin: 0 %\n", ARMS, "over 0 %"},
    {"  margin: 5 %\n  design: {order: random}\n", ARMS, ":6: order"},
    {"  margin: 5 %\n  margn: 4 %\n", ARMS, "did you mean \"margin\""},
    {"  margin: 5 %\n", "", "arms"},
    {"  margin: 5 %\n", "arms: []\n", "has 0, and a verdict compares one control"},
    {"  margin: 5 %\n", "arms:\n  - {label: A, role: control, samples: [1]}\n",
     "has 1, and a verdict compares one control"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1]}\n  - {label: B, role: control, samples: [1]}\n",
     ":8: role: \"B\" is a second control"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1]}\n  - {label: A, role: treatment, samples: [1]}\n",
     "stands twice"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1, 1e200]}\n  - {label: B, role: treatment, samples: "
     "[1]}\n",
     "no measurement"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1, x]}\n  - {label: B, role: treatment, samples: [1]}\n",
     "not a finite number"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, files: {format: csv}}\n  - {label: B, role: treatment, samples: "
     "[1]}\n",
     "key \"paths\" is missing"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control}\n  - {label: B, role: treatment, samples: [1]}\n",
     ":7: \"A\" needs samples, files or a simulation"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1], files: {paths: [a]}}\n"
     "  - {label: B, role: treatment, samples: [1]}\n",
     ":7: \"A\" has samples and files"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, files: {paths: []}}\n  - {label: B, role: treatment, samples: "
     "[1]}\n",
     "paths: names no file"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, files: {paths: [no-such-*.log]}}\n"
     "  - {label: B, role: treatment, samples: [1]}\n",
     ":7: paths: no file matches \"no-such-*.log\""},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, files: {format: robocpy, paths: [a]}}\n"
     "  - {label: B, role: treatment, samples: [1]}\n",
     ":7: format: \"robocpy\" is no format of evidence: did you mean \"robocopy\"?"},
    {"  margin: 5 %\n  design: {order: paired}\n",
     "arms:\n  - {label: A, role: control, samples: [1, 2]}\n  - {label: B, role: treatment, samples: [1]}\n",
     "equally many runs"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: treatment, samples: [1]}\n  - {label: B, role: treatment, samples: [1]}\n",
     ":7: role: every arm is a treatment"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1, 2], pair: [a, b]}\n"
     "  - {label: B, role: treatment, samples: [1]}\n",
     ":8: \"A\" and \"B\": pair and block labels must stand in all arms"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1, 2], block: [a]}\n"
     "  - {label: B, role: treatment, samples: [1], block: [a]}\n",
     ":7: block: has 1 labels, and \"A\" has 2 runs"},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1, 2], pair: [a, a]}\n"
     "  - {label: B, role: treatment, samples: [1], pair: [a]}\n",
     ":7: pair: \"a\" stands twice in \"A\""},
    {"  margin: 5 %\n",
     "arms:\n  - {label: A, role: control, samples: [1], pair: [a], block: [a]}\n"
     "  - {label: B, role: treatment, samples: [1], pair: [a], block: [a]}\n",
     "one says it all"},
    {"  margin: 5 %\n",
     ARMS "mechanism:\n  - {kind: module-list, file: no-such-list.txt, required_by_claim: a}\n",
     "no-such-list.txt: can't be read"},
    {"  margin: 5 %\n", ARMS "mechanism:\n  - {kind: modules, file: a, required_by_claim: a}\n", "kind"},
    {"  margin: 5 %\n", ARMS "figures:\n  - {what: a}\n", ":10: \"a\" is neither measured nor simulated"},
    {"  margin: 5 %\n", ARMS "figures:\n  - {what: a, measured: 3 GB}\n", ":10: measured: "},
    {"  margin: 5 %\n", ARMS "figures:\n  - {what: a, simulation: {client: b, server: s}}\n",
     ":10: simulation: lacks its network"},
    {"  margin: 5 %\n", ARMS "mechanism:\n  - {kind: capture, file: a, process: b, required_by_claim: c}\n",
     ":10: process: a capture knows no processes"},
    {"  margin: 5 %\n", ARMS "reported:\n  - {size: 16.6 GB, time: 91}\n",
     ":10: time: \"91\" lacks its unit"},
    {"  margin: 5 %\n", ARMS "reported:\n  - {size: 91 s}\n",
     ":10: size: \"91 s\" is a time, and should be a size"},
};

static void test_wrong(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(WRONG); i++) {
        g_autofree char *text = g_strconcat(HEAD, WRONG[i].rest, WRONG[i].arms, NULL);
        g_autoptr(GError) error = NULL;

        g_assert_null(load_text(text, &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        if (!strstr(error->message, WRONG[i].complaint))
            g_error("case %u: \"%s\" lacks \"%s\"", i, error->message, WRONG[i].complaint);
    }
}

static void test_absent(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(claim_load("no/such/claim.yaml", NULL, &error));
    g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
    g_assert_true(g_str_has_prefix(error->message, "no/such/claim.yaml: can't be read"));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/claim/example", test_example);
    g_test_add_func("/claim/tidied", test_tidied);
    g_test_add_func("/claim/wrong", test_wrong);
    g_test_add_func("/claim/absent", test_absent);
    return g_test_run();
}
