/* Service times by command: base + bytes * per_byte, by least squares over the exchanges whose whole service was seen: the
 * server had answered everything before, and the answer didn't queue. */
#include "replay/calibrate_parts.h"
#include "replay/timing.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

enum { ENOUGH_FOR_SLOPE = 8, SAMPLES_MOST = 8192 };

/* Of one command: every `stride`-th of the `seen` ones, so that their number stays bounded. */
struct observations {
    uint16_t command;
    uint64_t seen, stride;
    GArray *bytes, *ns; /* of double, side by side */
};

static void clear_observations(void *item)
{
    struct observations *o = item;

    g_array_unref(o->bytes);
    g_array_unref(o->ns);
}

static struct observations *of_command(GArray *all, uint16_t command)
{
    struct observations fresh = {.command = command, .stride = 1};

    for (guint i = 0; i < all->len; i++) {
        if (g_array_index(all, struct observations, i).command == command)
            return &g_array_index(all, struct observations, i);
    }
    fresh.bytes = g_array_new(FALSE, FALSE, sizeof(double));
    fresh.ns = g_array_new(FALSE, FALSE, sizeof(double));
    g_array_append_val(all, fresh);
    return &g_array_index(all, struct observations, all->len - 1);
}

/* Leaves every other one. */
static void thin_out(GArray *list)
{
    for (guint i = 0; 2 * i < list->len; i++)
        g_array_index(list, double, i) = g_array_index(list, double, 2 * i);
    g_array_set_size(list, (list->len + 1) / 2);
}

static void observe(struct observations *o, double bytes, double ns)
{
    if (o->seen++ % o->stride)
        return;
    if (o->ns->len == SAMPLES_MOST) {
        thin_out(o->bytes);
        thin_out(o->ns);
        o->stride *= 2;
    }
    g_array_append_val(o->bytes, bytes);
    g_array_append_val(o->ns, ns);
}

static void observe_all(const struct wire *p, GArray *all)
{
    g_autoptr(GArray) timings = timing_new(p, NULL);

    for (guint i = p->window.fresh_exchange; i < timings->len; i++) {
        const struct timing *t = &g_array_index(timings, struct timing, i);
        const struct replay_exchange *e =
            &g_array_index(p->connection->exchanges_kept, struct replay_exchange, i);

        if (t->write_ns >= 0 && !t->hidden && t->alone && !(e->flags & REPLAY_BACKGROUND))
            observe(of_command(all, e->command), e->data_bytes, (double)t->service_ns);
    }
}

void service_samples_init(struct service_samples *s)
{
    s->commands = g_array_new(FALSE, FALSE, sizeof(struct observations));
    g_array_set_clear_func(s->commands, clear_observations);
}

void service_samples_clear(struct service_samples *s)
{
    g_clear_pointer(&s->commands, g_array_unref);
}

static struct calibrated around(double value, double error, double df)
{
    double reach = gsl_cdf_tdist_Pinv(0.975, df) * error;

    return calibrated_value(value, MAX(value - reach, 0), value + reach);
}

static void fit_mean(struct calibration_service *s, const double *ns, size_t n)
{
    double mean = gsl_stats_mean(ns, 1, n);

    s->per_byte_ns = calibrated_unknown(0);
    s->base_ns = calibrated_unknown(mean); /* one of it says how long it took, and nothing of the spread */
    if (n < 2)
        return;
    s->residual_sd_ns = gsl_stats_sd_m(ns, 1, n, mean);
    s->base_ns = around(mean, s->residual_sd_ns / sqrt((double)n), (double)n - 1);
}

static void fit_line(struct calibration_service *s, const double *bytes, const double *ns, size_t n)
{
    double base, slope, cov00, cov01, cov11, sum;
    double df = (double)n - 2;

    if (gsl_fit_linear(bytes, 1, ns, 1, n, &base, &slope, &cov00, &cov01, &cov11, &sum) || slope < 0 ||
        base < 0) {
        fit_mean(s, ns, n);
        return;
    }
    s->base_ns = around(base, sqrt(cov00), df);
    s->per_byte_ns = around(slope, sqrt(cov11), df);
    s->residual_sd_ns = sqrt(sum / df);
}

/* A service is what the round trip leaves of an answer's delay: what is open of the one is open of the other. */
static void widen(struct calibrated *base, const struct calibrated *rtt)
{
    if (!base->known || !rtt->known)
        return;
    base->low = MAX(base->value - hypot(base->value - base->low, rtt->high - rtt->value), 0);
    base->high = base->value + hypot(base->high - base->value, rtt->value - rtt->low);
}

void calibrate_services(const struct wire *p, struct service_samples *samples, struct calibration *k)
{
    observe_all(p, samples->commands);
    for (guint i = 0; i < samples->commands->len; i++) {
        const struct observations *o = &g_array_index(samples->commands, struct observations, i);
        const double *bytes = &g_array_index(o->bytes, double, 0), *ns = &g_array_index(o->ns, double, 0);
        struct calibration_service s = {.command = o->command, .samples = o->seen};
        double least, most;

        gsl_stats_minmax(&least, &most, bytes, 1, o->bytes->len);
        if (o->ns->len >= ENOUGH_FOR_SLOPE && most > least)
            fit_line(&s, bytes, ns, o->ns->len);
        else
            fit_mean(&s, ns, o->ns->len);
        widen(&s.base_ns, &k->rtt_ns);
        g_array_append_val(k->services, s);
    }
}
