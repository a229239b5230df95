#include "report/holm.h"

#include <glib.h>
#include <math.h>

static double value_of(struct quantity p)
{
    return p.known ? p.value : 1;
}

/* The smallest p that isn't done; the first one in the file of those that are equal. */
static size_t next_of(const struct quantity *p, size_t k, const bool *done)
{
    size_t best = k;

    for (size_t i = 0; i < k; i++) {
        if (!done[i] && (best == k || value_of(p[i]) < value_of(p[best])))
            best = i;
    }
    return best;
}

void holm_adjust(const struct quantity *p, size_t k, double level, double *shares, double *adjusted)
{
    g_autofree bool *done = g_new0(bool, k + 1);
    double failed = 0, largest = 0;

    for (size_t step = 0; step < k; step++) {
        size_t i = next_of(p, k, done);
        double share = failed > 0 ? failed : (double)(k - step);

        done[i] = true;
        largest = fmax(largest, fmin(1, (double)(k - step) * value_of(p[i])));
        adjusted[i] = largest;
        shares[i] = share;
        if (value_of(p[i]) >= level / share)
            failed = share;
    }
}
