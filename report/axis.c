#include "report/axis.h"
#include "report/format.h"

#include <glib.h>
#include <math.h>

static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));

    for (int i = 0; i < 3; i++) {
        double step = power * (i == 0 ? 1 : i == 1 ? 2 : 5);

        if (step >= least * (1 - 1e-9))
            return step;
    }
    return 10 * power;
}

struct axis axis_of(double low, double high, double from, double to, int most)
{
    g_assert(high > low);
    return (struct axis){low, high, from, to, round_step((high - low) / MAX(most, 2))};
}

double axis_at(const struct axis *a, double value)
{
    return a->from + (value - a->low) / (a->high - a->low) * (a->to - a->from);
}

double axis_tick(const struct axis *a, int index)
{
    return (ceil(a->low / a->step - 1e-9) + index) * a->step;
}

int axis_ticks(const struct axis *a)
{
    return (int)(floor(a->high / a->step + 1e-9) - ceil(a->low / a->step - 1e-9)) + 1;
}

char *axis_label(const struct axis *a, int index, int with_sign)
{
    double tick = axis_tick(a, index);

    /* A number rounded to ten steps' uncertainty shows two digits of that: one step. */
    return with_sign ? format_signed(tick, 10 * a->step) : format_number(tick, 10 * a->step);
}
