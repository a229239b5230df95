#include "report/build_parts.h"
#include "report/build_rows.h"
#include "report/format.h"
#include "report/wording.h"

#include <math.h>

static const char *difference_method(const struct judgement *j)
{
    switch (j->design.unit) {
    case DESIGN_PAIRS:
        return "treatment \u2212 control, t interval of the pairs";
    case DESIGN_BLOCKS:
        return "treatment \u2212 control, t interval of the blocks";
    case DESIGN_CLUSTERS:
        return "treatment \u2212 control, of the clusters\u2019 means; t interval with Welch\u2019s df";
    default:
        return "treatment \u2212 control, t interval with Welch\u2019s df";
    }
}

static void gain_rows(struct doc_table *t, const struct judgement *j)
{
    double doubt = format_doubt(&j->gain);

    if (j->n_treatments == 1)
        return;
    build_figure(t, "Gain, corrected",
                 j->gain.known ? format_signed(j->gain.value, doubt) : g_strdup(BUILD_DASH),
                 build_range(j->gain, doubt, true),
                 "in the claimed direction; wider for several treatments, Holm 1979", j->gain.why);
    build_figure(t, "Gain, 90" FORMAT_NARROW "%, corrected", g_strdup(""),
                 build_range(j->gain_90, doubt, true), "what decides against the margin", j->gain_90.why);
}

static void difference_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    double doubt = format_doubt(&c->difference), ratio_doubt = format_doubt(&c->ratio);
    struct interval i = c->difference, shift = c->shift;
    g_autofree char *resamples = format_plain((double)c->resamples);
    g_autofree char *bootstrap = g_strdup_printf("bootstrap BCa, %s resamples, Efron 1987", resamples);

    build_figure(t, "Difference", i.known ? format_signed(i.value, doubt) : g_strdup(BUILD_DASH),
                 build_range(i, doubt, true), difference_method(j), i.why);
    build_figure(t, "Difference, 90" FORMAT_NARROW "%", g_strdup(""),
                 build_range(c->difference_90, doubt, true), "what the equivalence test goes by",
                 c->difference_90.why);
    build_figure(t, "Difference, resampled", g_strdup(""), build_range(c->difference_bca, doubt, true),
                 bootstrap, c->difference_bca.why);
    build_figure(t, "Shift", shift.known ? format_signed(shift.value, doubt) : g_strdup(BUILD_DASH),
                 build_range(shift, doubt, true),
                 c->paired ? "median of the differences\u2019 means by twos, Hodges and Lehmann 1963"
                           : "of all differences, Hodges and Lehmann 1963",
                 shift.why);
    build_figure(
        t, "Ratio", c->ratio.known ? format_number(c->ratio.value, ratio_doubt) : g_strdup(BUILD_DASH),
        build_range(c->ratio, ratio_doubt, false), "treatment over control, Fieller 1954", c->ratio.why);
}

static void test_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    g_autofree char *t_value = build_labelled("t", c->t_test.t, 0.5),
                    *df = build_labelled("df", c->t_test.df, c->paired ? 5 : 0.5);
    g_autofree char *shuffles = format_plain((double)c->permutation.arrangements);

    build_figure(t, c->paired ? "Paired t test" : "Welch\u2019s t test",
                 c->t_test.t.known ? g_strdup_printf("%s, %s", t_value, df) : g_strdup(BUILD_DASH),
                 build_p(c->t_test.p), "two-sided", c->t_test.t.why);
    if (j->n_treatments > 1) {
        g_autofree char *name = g_strdup_printf("the same, of %u treatments", j->n_treatments);

        build_figure(t, name, g_strdup(""), build_p(j->p_holm), "Holm 1979", j->p_holm.why);
    }
    build_figure(t, c->paired ? "Signed ranks" : "Mann-Whitney",
                 build_labelled(c->paired ? "V" : "U", c->ranks.u, 0), build_p(c->ranks.p),
                 c->ranks.exact ? "ranks, exact" : "ranks, normal approximation", c->ranks.u.why);
    build_figure(t, "Permutation", g_strdup_printf("%s shuffles", shuffles), build_p(c->permutation.p),
                 c->permutation.exact ? "all arrangements of the labels, exact"
                                      : "random arrangements of the labels, fixed seed",
                 c->permutation.p.why);
}

static void margin_rows(struct doc_table *t, const struct judgement *j)
{
    const struct equivalence *e = &j->comparison.equivalence;
    g_autofree char *margin = wording_margin_value(j), *plain = format_percent(j->claim->margin, 0, false);
    g_autofree char *same = g_strdup_printf("Same within %s", margin);
    g_autofree char *not_worse = g_strdup_printf("No loss over %s", plain);
    g_autofree char *matters = g_strdup_printf("Gain over %s", plain);
    g_autofree char *amount = build_number(e->margin, format_doubt(&j->comparison.difference));
    g_autofree char *lower = build_p_value(e->p_lower), *upper = build_p_value(e->p_upper);
    g_autofree char *method =
        g_strdup_printf("two one-sided tests (%s below, %s above), Schuirmann 1987", lower, upper);

    build_figure(t, same,
                 e->margin.known ? g_strconcat(FORMAT_PLUSMINUS, amount, NULL) : g_strdup(BUILD_DASH),
                 build_p(e->p), method, e->p.why);
    build_figure(t, not_worse, g_strdup(""), build_p(j->comparison.non_inferiority),
                 "non-inferiority, one-sided t", j->comparison.non_inferiority.why);
    build_figure(t, matters, g_strdup(""), build_p(j->comparison.minimal_effect),
                 "minimal effect, one-sided t", j->comparison.minimal_effect.why);
}

char *build_odds(double factor)
{
    double larger = factor >= 1 ? factor : 1 / factor;
    g_autofree char *number = NULL;

    /* Beyond a thousand the prior's shape says more than the runs. */
    if (larger > 1000)
        return g_strdup("over 1" FORMAT_NARROW "000 to 1");
    number = format_number(larger, larger);
    return g_strdup_printf("%s to 1", number);
}

static void size_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    struct quantity b = c->bayes_factor_01, s = c->ranks.superiority;
    const char *side = !b.known ? BUILD_DASH : b.value >= 1 ? "for no effect" : "for an effect";

    build_figure(t, "Hedges\u2019 g", build_signed(c->hedges_g, 0.05), g_strdup(""),
                 "difference in standard deviations", c->hedges_g.why);
    build_figure(t, "Superiority", s.known ? format_percent(s.value, 0.05, false) : g_strdup(BUILD_DASH),
                 g_strdup(""),
                 c->paired ? "share of pairs in which the treatment\u2019s value is the larger"
                           : "common-language effect size: treatment\u2019s run larger",
                 s.why);
    build_figure(t, "Bayes factor", b.known ? build_odds(b.value) : g_strdup(BUILD_DASH), g_strdup(side),
                 "JZS, prior scale 0.707, Rouder and others 2009", b.why);
    build_figure(t, "Equal variances", build_labelled("F", c->equal_spread.f, c->equal_spread.f.value / 10),
                 build_p(c->equal_spread.p), "Brown and Forsythe 1974; reported only", c->equal_spread.p.why);
}

static void runs_row(struct doc_table *t, const struct judgement *j, const char *name, struct quantity n80,
                     struct quantity n90, const char *what)
{
    g_autofree char *few = build_number(n80, 0), *many = build_number(n90, 0);

    build_figure(t, name, g_strdup_printf("%s; %s", few, many), g_strdup(wording_units(j)), what,
                 n80.known ? n90.why : n80.why);
}

static void power_rows(struct doc_table *t, const struct judgement *j)
{
    const struct comparison *c = &j->comparison;
    struct quantity least = c->smallest_detectable;

    build_figure(t, "Smallest detectable",
                 least.known ? format_number(least.value, least.value / 5) : g_strdup(BUILD_DASH),
                 least.known ? wording_share(j, least.value, false) : g_strdup(BUILD_DASH),
                 "by the t test at 5" FORMAT_NARROW "%, power 80" FORMAT_NARROW "%", least.why);
    runs_row(t, j, "Runs needed", c->runs_needed_80, c->runs_needed_90,
             "for equivalence without an effect; power 80; 90" FORMAT_NARROW "%");
    runs_row(t, j, "Runs to find it", c->runs_to_find_80, c->runs_to_find_90,
             "for an effect of the margin; power 80; 90" FORMAT_NARROW "%");
}

/* Of runs that are all equal there is nothing to test. */
static void exact_rows(struct doc_table *t, const struct judgement *j)
{
    const struct interval *difference = &j->comparison.difference, *ratio = &j->comparison.ratio;

    build_figure(t, "Difference",
                 difference->known ? format_signed(difference->value, format_doubt(difference))
                                   : g_strdup(BUILD_DASH),
                 g_strdup(""), "treatment \u2212 control", difference->why);
    build_figure(t, "Ratio",
                 ratio->known ? format_number(ratio->value, format_doubt(ratio)) : g_strdup(BUILD_DASH),
                 g_strdup(""), "treatment over control", ratio->why);
}

void build_comparison(struct doc *doc, const struct judgement *j)
{
    g_autofree char *title = j->n_treatments > 1
                                 ? g_strdup_printf("The comparison: %s", j->claim->treatment.label)
                                 : g_strdup("The comparison");
    struct doc_table *t;

    doc_add_heading(doc, title, j->claim->metric.unit);
    t = build_figure_table(doc);
    gain_rows(t, j);
    if (judgement_is_exact(j)) {
        exact_rows(t, j);
        return;
    }
    difference_rows(t, j);
    test_rows(t, j);
    margin_rows(t, j);
    size_rows(t, j);
    power_rows(t, j);
}
