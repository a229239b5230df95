/* Simulated arms and figures of a claim, from a simulator that is made up here: what is inherited, what a figure counts as, and what the
 * judgement makes of it. */
#include "report/claim_figures.h"
#include "report/evidence_reader.h"
#include "report/judgement.h"
#include "report/verdict.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* The client "N" takes N seconds; the network "lossy" makes each run a tenth longer than the one before. */
static bool simulate(void *self, const char *claim_path, const struct scenario *s, struct evidence *e,
                     GError **error)
{
    double seconds = g_ascii_strtod(s->client, NULL);
    bool random = strcmp(s->network, "lossy") == 0;

    (void)self;
    (void)claim_path;
    (void)error;
    if (random)
        evidence_add_fact(e, "random", "loss", 0);
    for (int i = 0; i < (random ? (int)s->runs : 2); i++) {
        evidence_add_run(e, EVIDENCE_RUN, NULL, i + 1);
        evidence_add_figure(e, "seconds", "s", seconds + (random ? 0.1 * i : 0), 0, i + 1);
        evidence_add_figure(e, "bytes", "B", 1e6, 0, i + 1);
        evidence_add_figure(e, "rate", "B/s", 1e6 / (seconds + (random ? 0.1 * i : 0)), 0, i + 1);
    }
    return true;
}

static struct claim *load(const char *rest)
{
    const struct claim_sources sources = {.simulate = simulate};
    g_autofree char *path = NULL, *text = NULL;
    g_autoptr(GError) error = NULL;
    struct claim *claim;
    int fd = g_file_open_tmp("claim-XXXXXX.yaml", &path, NULL);

    g_assert_cmpint(fd, >=, 0);
    close(fd);
    text = g_strconcat("claim:\n  title: T\n  statement: S\n  metric: {name: time, unit: s, better: lower}\n"
                       "  margin: 5 %\nsimulation: {network: n, server: s, files: f, runs: 5}\n",
                       rest, NULL);
    g_assert_true(g_file_set_contents(path, text, -1, NULL));
    claim = claim_load(path, &sources, &error);
    g_unlink(path);
    g_assert_no_error(error);
    return claim;
}

static void test_only(void)
{
    struct claim *c = load("arms:\n  - {label: A, role: control, simulation: {client: 10}}\n"
                           "  - {label: B, role: treatment, simulation: {client: 8}}\n");
    struct judgement *j = judgement_new(c);

    g_assert_true(c->simulated_only);
    g_assert_cmpstr(c->control.simulated.scenario.server, ==, "s");
    g_assert_cmpint(c->control.samples->origin, ==, SAMPLES_SIMULATED);
    g_assert_cmpint(j->verdict.decision, ==, VERDICT_SUPPORTED);
    g_assert_cmpint(j->verdict.basis, ==, VERDICT_BY_SIMULATION);
    g_assert_cmpfloat(j->simulated.gain.value, ==, 2);
    g_assert_cmpfloat(j->simulated.gain.low, ==, 2);
    g_assert_cmpfloat(j->simulated.share.value, ==, 0.2);
    g_assert_false(j->simulated.random);
    g_assert_cmpuint(j->simulated.differences->len, ==, 1);
    g_assert_cmpint(g_array_index(j->cautions, enum caution, 0), ==, CAUTION_SIMULATED);
    judgement_free(j);
    claim_free(c);
}

static bool has(const GArray *list, enum caution caution)
{
    for (guint i = 0; i < list->len; i++) {
        if (g_array_index(list, enum caution, i) == caution)
            return true;
    }
    return false;
}

/* The runs decide, whatever the simulation says; a disagreement is a caution, unless the simulation was fitted. */
static void beside(const char *client, const char *basis, bool agrees, bool warned)
{
    g_autofree char *arms = g_strdup_printf(
        "arms:\n  - {label: A, role: control, samples: [10, 10.1, 9.9], simulation: {client: 10}}\n"
        "  - {label: B, role: treatment, samples: [8, 8.1, 7.9], simulation: {client: %s, network: "
        "lossy%s}}\n",
        client, basis);
    struct claim *c = load(arms);
    struct judgement *j = judgement_new(c);

    g_assert_false(c->simulated_only);
    g_assert_cmpint(c->control.samples->origin, ==, SAMPLES_MEASURED);
    g_assert_cmpint(j->verdict.decision, ==, VERDICT_SUPPORTED);
    g_assert_cmpint(j->verdict.basis, ==, VERDICT_BY_SAMPLES);
    g_assert_true(j->simulated.random);
    g_assert_cmpuint(samples_count(c->treatment.simulated.samples), ==, 5);
    g_assert_cmpuint(j->simulated.differences->len, ==, strcmp(client, "10") == 0 ? 1 : 2);
    g_assert_cmpint(simulated_agrees(&j->simulated, &j->gain, j->scale.value), ==, agrees);
    g_assert_cmpint(has(j->cautions, CAUTION_DISAGREES), ==, warned);
    judgement_free(j);
    claim_free(c);
}

static void test_beside(void)
{
    beside("7.8", "", true, false);
    beside("10", "", false, true);
    beside("10", ", basis: fitted", false, false);
}

static void test_figures(void)
{
    static const enum claim_figure_outcome OUTCOMES[] = {
        FIGURE_CONFIRMED, FIGURE_CONFIRMED, FIGURE_OFF, FIGURE_FITTED, FIGURE_UNCONFIRMED, FIGURE_MEASURED};
    struct claim *c =
        load("arms:\n  - {label: A, role: control, samples: [1, 2]}\n"
             "  - {label: B, role: treatment, samples: [1, 2]}\nfigures:\n"
             "  - {what: a, measured: 10 s, within: 2 %, simulation: {client: 10.2}}\n"
             "  - {what: by rounding, measured: 10 s, within: 2 %, simulation: {client: 10.65}}\n"
             "  - {what: b, measured: 10.0 s, within: 2 %, simulation: {client: 10.65}}\n"
             "  - {what: c, measured: 10 s, simulation: {client: 10, basis: fitted}}\n"
             "  - {what: d, simulation: {client: 10}}\n"
             "  - {what: e, measured: 1 MB/s}\n");

    g_assert_cmpuint(c->evidence.figures->len, ==, G_N_ELEMENTS(OUTCOMES));
    for (guint i = 0; i < c->evidence.figures->len; i++)
        g_assert_cmpint(g_array_index(c->evidence.figures, struct claim_figure, i).outcome, ==, OUTCOMES[i]);
    g_assert_cmpfloat(g_array_index(c->evidence.figures, struct claim_figure, 0).within, ==, 0.02);
    g_assert_cmpfloat(g_array_index(c->evidence.figures, struct claim_figure, 3).within, ==, 0.05);
    claim_free(c);
}

/* A rate is simulated as a rate. */
static void test_rate(void)
{
    struct claim *c = load("arms:\n  - {label: A, role: control, samples: [1, 2]}\n"
                           "  - {label: B, role: treatment, samples: [1, 2]}\nfigures:\n"
                           "  - {what: a, measured: 500 kB/s, simulation: {client: 2}}\n");

    g_assert_cmpfloat(g_array_index(c->evidence.figures, struct claim_figure, 0).median, ==, 500);
    claim_free(c);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/claim-simulation/only", test_only);
    g_test_add_func("/claim-simulation/beside", test_beside);
    g_test_add_func("/claim-simulation/figures", test_figures);
    g_test_add_func("/claim-simulation/rate", test_rate);
    return g_test_run();
}
