#include "report/simulated.h"
#include "report/contrast.h"

#include <math.h>

static double *values_of(const struct samples *s)
{
    double *x = g_new(double, samples_count(s) + 1);

    for (guint i = 0; i < samples_count(s); i++)
        x[i] = samples_get(s, i);
    return x;
}

static struct interval gain_of(const struct contrast *c, int better)
{
    struct interval i = contrast_interval(c, 0.95);
    double low = i.low;

    if (better == CLAIM_HIGHER)
        return i;
    i.value = -i.value;
    i.low = -i.high;
    i.high = -low;
    return i;
}

void simulated_init(struct simulated *s, const struct claim *claim)
{
    const struct claim_simulated *control = &claim->control.simulated,
                                 *treatment = &claim->treatment.simulated;
    g_autofree double *x = NULL, *y = NULL;
    struct contrast c;

    *s = (struct simulated){.known = control->samples && treatment->samples};
    if (!s->known)
        return;
    x = values_of(control->samples);
    y = values_of(treatment->samples);
    stats_summarise(x, samples_count(control->samples), &s->control);
    stats_summarise(y, samples_count(treatment->samples), &s->treatment);
    c = contrast_welch(y, samples_count(treatment->samples), x, samples_count(control->samples));
    s->gain = gain_of(&c, claim->metric.better);
    s->share = c.known && c.control_mean != 0 ? quantity_of(s->gain.value / fabs(c.control_mean))
                                              : quantity_unknown("no simulated run ended");
    s->random = control->random || treatment->random;
    s->fitted = control->scenario.basis == SCENARIO_FITTED || treatment->scenario.basis == SCENARIO_FITTED;
    s->differences = scenario_differences(&control->scenario, &treatment->scenario);
}

void simulated_fini(struct simulated *s)
{
    g_clear_pointer(&s->differences, g_ptr_array_unref);
}

bool simulated_agrees(const struct simulated *s, const struct interval *measured, double scale)
{
    double share = s->share.value;

    return s->known && s->share.known && measured->bounded && scale > 0 && share >= measured->low / scale &&
           share <= measured->high / scale;
}
