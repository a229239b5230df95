#include "report/judgement.h"
#include "report/cautions.h"
#include "report/holm.h"
#include "report/mechanism.h"

#include <math.h>

/* Values that all resampling of a verdict may draw: most for the comparisons, the rest for the arms. */
static const uint64_t COMPARISON_DRAWS = 60000000, ARM_DRAWS = 40000000;

/* Returns owned. */
static double *values_of(const struct claim_arm *arm)
{
    guint n = samples_count(arm->samples);
    double *x = g_new(double, n + 1);

    for (guint i = 0; i < n; i++)
        x[i] = samples_get(arm->samples, i);
    return x;
}

static struct interval in_claimed_direction(struct interval i, int better)
{
    if (better == CLAIM_LOWER) {
        double low = i.low;

        i.value = -i.value;
        i.low = -i.high;
        i.high = -low;
    }
    return i;
}

const struct claim_finding *judgement_absence(const struct judgement *j)
{
    const GArray *findings = j->claim->evidence.findings;

    for (guint i = 0; i < findings->len; i++) {
        const struct claim_finding *f = &g_array_index(findings, struct claim_finding, i);

        if (f->answer == MECHANISM_ABSENT)
            return f;
    }
    return NULL;
}

const struct arm *judgement_arm(const struct judgement *j, guint place)
{
    return place < j->n_arms ? &j->arms[place] : NULL;
}

static void decide(struct judgement *j)
{
    struct verdict_evidence e = {.has_intervals = j->gain.bounded && j->gain_90.bounded && j->scale.known,
                                 .low = j->gain.low,
                                 .high = j->gain.high,
                                 .low_90 = j->gain_90.low,
                                 .high_90 = j->gain_90.high,
                                 .margin = j->margin.value,
                                 .required_absent = judgement_absence(j) != NULL,
                                 .simulated = j->claim->simulated_only};

    j->verdict = verdict_decide(&e);
    e.required_absent = false;
    j->by_runs = verdict_decide(&e);
}

static struct compare_options options_of(const struct judgement *j)
{
    return (struct compare_options){.paired = j->design.paired,
                                    .lower_is_better = j->claim->metric.better == CLAIM_LOWER,
                                    .margin_share = j->claim->margin,
                                    .draws = COMPARISON_DRAWS / j->n_treatments};
}

static struct design_arm units_of(const struct claim_arm *arm, const double *x)
{
    return (struct design_arm){
        .x = x,
        .n = samples_count(arm->samples),
        .pair = arm->pair ? (const char *const *)(const void *)arm->pair->pdata : NULL,
        .block = arm->block ? (const char *const *)(const void *)arm->block->pdata : NULL,
    };
}

/* The control against the claim's treatment, as far as the verdict goes. */
static void compare(struct judgement *j)
{
    const struct claim *c = j->claim;
    g_autofree double *control = values_of(&c->control), *treatment = values_of(&c->treatment);
    struct design_arm of_control = units_of(&c->control, control),
                      of_treatment = units_of(&c->treatment, treatment);
    struct compare_options options;

    stats_summarise(control, of_control.n, &j->control);
    stats_summarise(treatment, of_treatment.n, &j->treatment);
    design_init(&j->design, &of_treatment, &of_control, c->order == CLAIM_PAIRED);
    options = options_of(j);
    compare_effect(j->design.treatment, j->design.n_treatment, j->design.control, j->design.n_control,
                   &options, &j->comparison);
    j->margin = j->comparison.equivalence.margin;
    if (!j->comparison.contrast.known)
        j->scale = quantity_unknown("an arm has no runs");
    else if (j->comparison.contrast.control_mean == 0)
        j->scale = quantity_unknown("the control\u2019s mean is 0");
    else
        j->scale = quantity_of(fabs(j->comparison.contrast.control_mean));
}

static struct judgement *judgement_of(const struct claim *claim, struct claim *view, guint n_treatments)
{
    struct judgement *j = g_new0(struct judgement, 1);

    j->claim = view ? view : claim;
    j->view = view;
    j->n_treatments = n_treatments;
    j->cautions = g_array_new(FALSE, FALSE, sizeof(enum caution));
    j->notes = g_array_new(FALSE, FALSE, sizeof(enum caution));
    j->others = g_ptr_array_new_with_free_func((GDestroyNotify)judgement_free);
    compare(j);
    simulated_init(&j->simulated, j->claim);
    return j;
}

static void add_others(struct judgement *j)
{
    const struct claim *c = j->claim;

    for (guint i = 0; i < c->n_more; i++) {
        struct claim *view = g_new(struct claim, 1);

        *view = *c;
        view->treatment = c->more[i];
        view->more = NULL;
        view->n_more = 0;
        view->control_at = c->control_at > 0 ? 1 : 0;
        g_ptr_array_add(j->others, judgement_of(c, view, j->n_treatments));
    }
}

static struct judgement *nth(struct judgement *j, size_t i)
{
    return i == 0 ? j : j->others->pdata[i - 1];
}

/* Intervals at the levels that Holm's correction leaves each treatment, and the verdicts by them. */
static void correct_and_decide(struct judgement *j)
{
    size_t k = j->n_treatments;
    g_autofree struct quantity *effect = g_new(struct quantity, k), *too_small = g_new(struct quantity, k);
    g_autofree double *shares = g_new(double, k), *shares_90 = g_new(double, k), *adjusted = g_new(double, k),
                      *unused = g_new(double, k);

    for (size_t i = 0; i < k; i++) {
        const struct comparison *c = &nth(j, i)->comparison;
        double sign = j->claim->metric.better == CLAIM_LOWER ? -1 : 1;

        effect[i] = c->t_test.p;
        too_small[i] = contrast_exceeds(&c->contrast, -sign, -c->equivalence.margin.value);
    }
    holm_adjust(effect, k, 0.05, shares, adjusted);
    holm_adjust(too_small, k, 0.05, shares_90, unused);
    for (size_t i = 0; i < k; i++) {
        struct judgement *own = nth(j, i);
        const struct contrast *c = &own->comparison.contrast;
        int better = own->claim->metric.better;

        own->p_holm = effect[i].known ? quantity_of(adjusted[i]) : effect[i];
        own->holm_share = shares[i];
        own->holm_share_90 = shares_90[i];
        own->gain = in_claimed_direction(contrast_interval(c, 1 - 0.05 / shares[i]), better);
        own->gain_90 = in_claimed_direction(contrast_interval(c, 1 - 0.10 / shares_90[i]), better);
        own->tightest_margin = own->gain_90.bounded
                                   ? quantity_of(fmax(fabs(own->gain_90.low), fabs(own->gain_90.high)))
                                   : quantity_unknown(own->gain_90.why);
        decide(own);
    }
}

static void describe_arms(struct judgement *j)
{
    j->n_arms = claim_arm_count(j->claim);
    j->arms = g_new0(struct arm, j->n_arms);
    for (guint i = 0; i < j->n_arms; i++) {
        const struct claim_arm *arm = claim_arm_at(j->claim, i);
        g_autofree double *x = values_of(arm);

        arm_init(&j->arms[i], x, samples_count(arm->samples));
    }
}

/* Runs of one cluster are a series; without clusters, runs of one arm. Returns the number of series. */
static guint add_series(GArray *runs, const struct claim *c, guint place, guint series, bool clustered)
{
    const struct claim_arm *arm = claim_arm_at(c, place);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

    for (guint i = 0; i < samples_count(arm->samples); i++) {
        char *label = clustered ? arm->block->pdata[i] : arm->label;
        gpointer own;

        if (!g_hash_table_lookup_extended(seen, label, NULL, &own)) {
            own = GUINT_TO_POINTER(series++);
            g_hash_table_insert(seen, label, own);
        }
        struct sequence_run run = {samples_get(arm->samples, i), claim_turn(c, place, i),
                                   GPOINTER_TO_UINT(own)};

        g_array_append_val(runs, run);
    }
    return series;
}

static void look_at_sequence(struct judgement *j)
{
    const struct design *d = &j->design;
    guint series = 0, count = d->paired ? (guint)d->n_treatment : 0;
    g_autoptr(GArray) runs = NULL;

    for (guint i = 0; !d->paired && i < j->n_arms; i++)
        count += samples_count(claim_arm_at(j->claim, i)->samples);
    runs = g_array_sized_new(FALSE, FALSE, sizeof(struct sequence_run), count);

    for (size_t i = 0; d->paired && i < d->n_treatment; i++) {
        struct sequence_run run = {d->treatment[i] - d->control[i], (double)i, 0};

        series = 1;
        g_array_append_val(runs, run);
    }
    for (guint i = 0; !d->paired && i < j->n_arms; i++)
        series = add_series(runs, j->claim, i, series, d->unit == DESIGN_CLUSTERS);
    sequence_check((struct sequence_run *)(void *)runs->data, runs->len, series, &j->sequence);
}

struct judgement *judgement_decide(const struct claim *claim)
{
    struct judgement *j = judgement_of(claim, NULL, claim->n_more + 1);

    add_others(j);
    correct_and_decide(j);
    describe_arms(j);
    look_at_sequence(j);
    cautions_find(j);
    return j;
}

struct judgement *judgement_new(const struct claim *claim)
{
    struct judgement *j = judgement_decide(claim);

    for (size_t i = 0; i < j->n_treatments; i++) {
        struct judgement *own = nth(j, i);
        const struct design *d = &own->design;
        struct compare_options options = options_of(own);

        compare_arms(d->treatment, d->n_treatment, d->control, d->n_control, &options, &own->comparison);
    }
    for (guint i = 0; i < j->n_arms; i++) {
        const struct claim_arm *arm = claim_arm_at(claim, i);
        g_autofree double *x = values_of(arm);

        arm_complete(&j->arms[i], x, samples_count(arm->samples), ARM_DRAWS / j->n_arms);
    }
    cautions_find_notes(j);
    return j;
}

void judgement_free(struct judgement *j)
{
    if (!j)
        return;
    for (guint i = 0; i < j->n_arms; i++)
        arm_fini(&j->arms[i]);
    g_free(j->arms);
    design_fini(&j->design);
    simulated_fini(&j->simulated);
    g_array_unref(j->cautions);
    g_array_unref(j->notes);
    g_ptr_array_unref(j->others);
    g_free(j->view);
    g_free(j);
}

bool judgement_is_exact(const struct judgement *j)
{
    bool exact = j->claim->simulated_only;

    for (guint i = 0; exact && i < claim_arm_count(j->claim); i++)
        exact = !claim_arm_at(j->claim, i)->simulated.random;
    return exact;
}
