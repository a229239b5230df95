/* A linear axis with round tick values: steps of 1, 2 or 5 times a power of ten. */
#ifndef REPORT_AXIS_H
#define REPORT_AXIS_H

struct axis {
    double low, high; /* values at the ends */
    double from, to;  /* their positions in points */
    double step;
};

/* The range must not be empty. At most `most` ticks, at least 2. */
struct axis axis_of(double low, double high, double from, double to, int most);
double axis_at(const struct axis *a, double value);
/* The smallest tick that is not below the low end; the next ones are axis_tick(a, 1), ... */
double axis_tick(const struct axis *a, int index);
int axis_ticks(const struct axis *a);
/* Returns owned: a tick's value with as many digits as the step needs; signed, with a "+" before positive ones. */
char *axis_label(const struct axis *a, int index, int with_sign);

#endif
