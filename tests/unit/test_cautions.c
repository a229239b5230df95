/* What the runs themselves show of the experiment: each kind of trouble is found where it is, named, and said what it does; and A/A
 * experiments have none of it more often than promised. */
#include "base/rng.h"
#include "report/cautions.h"
#include "report/judgement.h"
#include "report/wording.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <string.h>

enum { MOST = 40 };

struct experiment {
    double x[MOST], y[MOST];
    guint n;
    int order;
    const char *const *block; /* of both arms, or NULL */
};

static void set_arm(struct claim_arm *arm, const char *label, int role, const double *x,
                    const struct experiment *e)
{
    *arm = (struct claim_arm){
        .label = g_strdup(label), .role = role, .samples = samples_new(label, "s", SAMPLES_MEASURED)};
    for (guint i = 0; i < e->n; i++)
        samples_add(arm->samples, x[i], NULL, 0);
    arm->block = e->block ? g_ptr_array_new_with_free_func(g_free) : NULL;
    for (guint i = 0; e->block && i < e->n; i++)
        g_ptr_array_add(arm->block, g_strdup(e->block[i]));
}

static struct claim *claim_of(const struct experiment *e)
{
    struct claim *c = g_new0(struct claim, 1);

    c->title = g_strdup("t");
    c->statement = g_strdup("s");
    c->metric = (struct claim_metric){g_strdup("time"), g_strdup("s"), CLAIM_LOWER};
    c->margin = 0.05;
    c->order = e->order;
    c->file = g_strdup("claim.yaml");
    c->sha256 = g_strnfill(64, '0');
    claim_evidence_init(&c->evidence, NULL);
    set_arm(&c->control, "A", CLAIM_CONTROL, e->x, e);
    set_arm(&c->treatment, "B", CLAIM_TREATMENT, e->y, e);
    return c;
}

static bool has(const GArray *list, enum caution caution)
{
    for (guint i = 0; i < list->len; i++) {
        if (g_array_index(list, enum caution, i) == caution)
            return true;
    }
    return false;
}

/* Is the caution there, and does its sentence contain the word? */
static void expect(const struct experiment *e, enum caution caution, const char *word)
{
    struct claim *c = claim_of(e);
    struct judgement *j = judgement_new(c);
    g_autofree char *text = wording_caution(j, caution);

    g_assert_true(has(j->cautions, caution));
    if (!strstr(text, word))
        g_error("\"%s\" is not in: %s", word, text);
    judgement_free(j);
    claim_free(c);
}

static void fill(struct experiment *e, guint n, int order)
{
    gsl_rng *rng = rng_stream(9, n, "test/cautions");

    *e = (struct experiment){.n = n, .order = order};
    for (guint i = 0; i < n; i++) {
        e->x[i] = 60 + gsl_ran_gaussian(rng, 1);
        e->y[i] = 60 + gsl_ran_gaussian(rng, 1);
    }
    gsl_rng_free(rng);
}

static void test_drift(void)
{
    struct experiment e;

    fill(&e, 10, CLAIM_INTERLEAVED);
    for (guint i = 0; i < e.n; i++) {
        e.x[i] += 0.8 * i;
        e.y[i] += 0.8 * i;
    }
    expect(&e, CAUTION_DRIFT, "took turns");
    e.order = CLAIM_BLOCKED;
    expect(&e, CAUTION_BLOCKED_ORDER, "mixed with the effect");
    expect(&e, CAUTION_DRIFT, "may be drift alone");
}

/* The effect itself drifts: pairs cancel what both have, and not this. */
static void test_drift_of_pairs(void)
{
    struct experiment e;

    fill(&e, 12, CLAIM_PAIRED);
    for (guint i = 0; i < e.n; i++)
        e.y[i] += 1.5 * i;
    expect(&e, CAUTION_DRIFT, "over the pairs");
}

static void test_change(void)
{
    struct experiment e;

    fill(&e, 12, CLAIM_INTERLEAVED);
    for (guint i = 8; i < e.n; i++) {
        e.x[i] += 9;
        e.y[i] += 9;
    }
    expect(&e, CAUTION_CHANGE, "Something changed after run 1");
}

static void test_neighbours(void)
{
    gsl_rng *rng = rng_stream(4, 0, "test/neighbours");
    struct experiment e;

    fill(&e, 40, CLAIM_INTERLEAVED);
    for (guint i = 0; i < e.n; i += 4) {
        double a = gsl_ran_gaussian(rng, 4), b = gsl_ran_gaussian(rng, 4);

        for (guint k = i; k < i + 4; k++) {
            e.x[k] += a;
            e.y[k] += b;
        }
    }
    gsl_rng_free(rng);
    expect(&e, CAUTION_NEIGHBOURS, "independent runs");
}

/* Many runs show a likeness too small to matter. */
static void test_slight_likeness(void)
{
    struct experiment e;
    struct claim *c;
    struct judgement *j;

    fill(&e, 40, CLAIM_INTERLEAVED);
    c = claim_of(&e);
    j = judgement_new(c);
    j->sequence.lag_1_p.value = 0.0001;
    j->sequence.lag_1.value = 0.03;
    g_array_set_size(j->cautions, 0);
    cautions_find(j);
    g_assert_false(has(j->cautions, CAUTION_NEIGHBOURS));
    j->sequence.lag_1.value = 0.06;
    cautions_find(j);
    g_assert_true(has(j->cautions, CAUTION_NEIGHBOURS));
    judgement_free(j);
    claim_free(c);
}

static void test_first_run(void)
{
    struct experiment e;

    fill(&e, 8, CLAIM_INTERLEAVED);
    e.y[0] += 30;
    expect(&e, CAUTION_FIRST_RUN, "\u201cB\u201d");
}

static void test_two_groups(void)
{
    struct experiment e;

    fill(&e, 10, CLAIM_INTERLEAVED);
    for (guint i = 0; i < e.n; i++)
        e.x[i] -= i % 5 == 1 || i % 5 == 4 ? 40 : 0;
    expect(&e, CAUTION_TWO_GROUPS, "4 around");
    fill(&e, 10, CLAIM_INTERLEAVED);
    for (guint i = 0; i < e.n; i++)
        e.x[i] = 60 + (i % 2); /* rounded to seconds, and no two groups */
    {
        struct claim *c = claim_of(&e);
        struct judgement *j = judgement_new(c);

        g_assert_false(has(j->cautions, CAUTION_TWO_GROUPS));
        judgement_free(j);
        claim_free(c);
    }
}

/* The same runs, drifting from day to day: as runs they can't tell, within their days they can. */
static void test_blocks_see_more(void)
{
    static const char *const DAYS[] = {"a", "a", "b", "b", "c", "c", "d", "d", "e", "e"};
    struct experiment e;

    fill(&e, 10, CLAIM_INTERLEAVED);
    for (guint i = 0; i < e.n; i++) {
        e.x[i] += 15 * ((i / 2) % 3);
        e.y[i] += 15 * ((i / 2) % 3) - 6.0;
    }
    for (int blocked = 0; blocked < 2; blocked++) {
        struct claim *c;
        struct judgement *j;

        e.block = blocked ? DAYS : NULL;
        c = claim_of(&e);
        j = judgement_new(c);
        g_assert_cmpint(j->verdict.decision, ==, blocked ? VERDICT_SUPPORTED : VERDICT_UNDECIDED);
        g_assert_cmpint(has(j->notes, NOTE_BLOCKS), ==, blocked);
        judgement_free(j);
        claim_free(c);
    }
}

/* One run in an arm, none, or all of them equal: nothing to look at, and nothing breaks. */
static void test_degenerate(void)
{
    for (guint n = 0; n < 6; n++) {
        for (int order = CLAIM_BLOCKED; order <= CLAIM_ORDER_NOT_SAID; order++) {
            struct experiment e = {.n = n, .order = order};
            struct claim *c;
            struct judgement *j;

            for (guint i = 0; i < n; i++)
                e.x[i] = e.y[i] = 115;
            c = claim_of(&e);
            j = judgement_new(c);
            g_assert_false(has(j->cautions, CAUTION_DRIFT) || has(j->cautions, CAUTION_CHANGE));
            g_assert_true(j->sequence.slope.known || j->sequence.slope.why);
            g_assert_false(j->sequence.drift_p.known);
            g_assert_nonnull(j->sequence.lag_1_p.why);
            judgement_free(j);
            claim_free(c);
        }
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    gsl_set_error_handler_off();
    g_test_add_func("/cautions/drift", test_drift);
    g_test_add_func("/cautions/drift-of-pairs", test_drift_of_pairs);
    g_test_add_func("/cautions/change", test_change);
    g_test_add_func("/cautions/neighbours", test_neighbours);
    g_test_add_func("/cautions/slight-likeness", test_slight_likeness);
    g_test_add_func("/cautions/first-run", test_first_run);
    g_test_add_func("/cautions/two-groups", test_two_groups);
    g_test_add_func("/cautions/blocks-see-more", test_blocks_see_more);
    g_test_add_func("/cautions/degenerate", test_degenerate);
    return g_test_run();
}
