#include "report/cautions.h"

static const double LEVEL = 0.01, FIRST_LEVEL = 0.005, DIP_LEVEL = 0.05;
static const double LIKENESS = 0.05; /* of neighbours: a tenth fewer independent runs, 5 % wider intervals */

static void add_if(GArray *list, bool when, enum caution caution)
{
    if (when)
        g_array_append_val(list, caution);
}

static bool below(struct quantity p, double level)
{
    return p.known && p.value < level;
}

bool cautions_two_groups(const struct arm *arm)
{
    /* Few runs look tight by chance: the gap has to be the wider. */
    return below(arm->dip.p, DIP_LEVEL) && arm->dip.apart > 4 + 12 / ((double)arm->summary.n - 2);
}

static bool any_arm(const struct judgement *j, bool (*holds)(const struct arm *arm))
{
    for (guint i = 0; i < j->n_arms; i++) {
        if (holds(&j->arms[i]))
            return true;
    }
    return false;
}

static bool without_spread(const struct arm *arm)
{
    return arm->summary.sd.known && arm->summary.sd.value == 0;
}

static bool with_outliers(const struct arm *arm)
{
    return arm->outliers > 0;
}

/* A step and a slope look alike: the one that explains more is named. */
static bool steps_rather_than_drifts(const struct sequence *s)
{
    return below(s->change_p, LEVEL) && (!below(s->drift_p, LEVEL) || s->by_step > s->by_slope);
}

/* Runs of the simulator have no order, and what is odd about them the profiles made. */
static void find_simulated(struct judgement *j)
{
    GArray *list = j->cautions;

    add_if(list, true, CAUTION_SIMULATED);
    add_if(list, j->design.n_control < 2 || j->design.n_treatment < 2, CAUTION_TOO_FEW_RUNS);
    add_if(list, j->control.mean.known && j->control.mean.value == 0, CAUTION_NO_SCALE);
}

static bool disagrees(const struct judgement *j)
{
    return j->simulated.known && j->simulated.share.known && !j->simulated.fitted && j->gain.bounded &&
           j->scale.known && !simulated_agrees(&j->simulated, &j->gain, j->scale.value);
}

void cautions_find(struct judgement *j)
{
    const struct sequence *s = &j->sequence;
    bool steps = steps_rather_than_drifts(s), drifts = !steps && below(s->drift_p, LEVEL);
    GArray *list = j->cautions;

    if (j->claim->simulated_only) {
        find_simulated(j);
        return;
    }
    add_if(list, disagrees(j), CAUTION_DISAGREES);
    add_if(list, j->design.n_control < 2 || j->design.n_treatment < 2, CAUTION_TOO_FEW_RUNS);
    add_if(list, j->claim->order == CLAIM_BLOCKED, CAUTION_BLOCKED_ORDER);
    add_if(list, j->claim->order == CLAIM_ORDER_NOT_SAID && !j->design.paired, CAUTION_ORDER_NOT_SAID);
    add_if(list, any_arm(j, without_spread), CAUTION_NO_SPREAD);
    add_if(list, j->control.mean.known && j->control.mean.value == 0, CAUTION_NO_SCALE);
    add_if(list, j->design.left_out > 0, CAUTION_LEFT_OUT);
    add_if(list, steps, CAUTION_CHANGE);
    add_if(list, drifts, CAUTION_DRIFT);
    add_if(list, below(s->lag_1_p, LEVEL) && s->lag_1.value >= LIKENESS, CAUTION_NEIGHBOURS);
    add_if(list, below(s->first_p, FIRST_LEVEL), CAUTION_FIRST_RUN);
    /* Pairs, blocks and clusters differ among themselves, and a change of level makes two of one group. */
    add_if(list, j->design.unit == DESIGN_RUNS && !steps && any_arm(j, cautions_two_groups),
           CAUTION_TWO_GROUPS);
}

void cautions_find_notes(struct judgement *j)
{
    GArray *list = j->notes;

    add_if(list, j->design.unit == DESIGN_PAIRS, NOTE_PAIRS);
    add_if(list, j->design.unit == DESIGN_BLOCKS, NOTE_BLOCKS);
    add_if(list, j->design.unit == DESIGN_CLUSTERS, NOTE_CLUSTERS);
    add_if(list, j->n_treatments > 1, NOTE_HOLM);
    add_if(list,
           !j->claim->simulated_only && j->comparison.ranks.p.known && j->comparison.ranks.smallest_p > 0.05,
           NOTE_RANKS_POWERLESS);
    add_if(list, any_arm(j, with_outliers), NOTE_OUTLIERS);
}
