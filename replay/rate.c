#include "replay/rate.h"
#include "base/units.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

static const double BAND = 1.04;      /* a pile-up is this wide */
static const double PILE_SHARE = 0.3; /* and holds at least this share of all stretches */
static const double BAND_APART =
    1.25; /* shorter stretches pile up this much higher when the longer ones span pauses */
static const unsigned LENGTHS[] = {16, 8, 4, 2};
static const int64_t SHORTEST_NS =
    15000; /* time stamps of microseconds say too little about a shorter stretch */
static const guint ENOUGH_STRETCHES = 20;
enum { MANY_STRETCHES = 8192 }; /* of more, every second one, every third ... says as much */

static const struct rate_event *event_at(const GArray *events, guint i)
{
    return &g_array_index(events, struct rate_event, i);
}

static int ascending(gconstpointer a, gconstpointer b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* Rates of all stretches of `length` full events, sorted. Returns owned array of double. */
static GArray *stretch_rates(const GArray *events, unsigned length)
{
    GArray *rates = g_array_new(FALSE, FALSE, sizeof(double));
    guint stride = 1 + events->len / MANY_STRETCHES, skipped = 0;
    int64_t bytes = 0;
    unsigned run = 0;

    for (guint i = 1; i < events->len; i++) {
        const struct rate_event *e = event_at(events, i);

        if (e->first || !e->full) {
            run = 0;
            bytes = 0;
            continue;
        }
        /* A full frame behind a smaller one counts from its own arrival: what it waited for may not be the link. */
        bytes += run++ ? e->bytes : 0;
        if (run > length + 1)
            bytes -= event_at(events, i - length)->bytes;
        if (run > length) {
            int64_t took = e->time_ns - event_at(events, i - length)->time_ns;
            double rate = (double)bytes * 8e9 / (double)MAX(took, SHORTEST_NS);

            if (took >= SHORTEST_NS && skipped++ % stride == 0)
                g_array_append_val(rates, rate);
        }
    }
    g_array_sort(rates, ascending);
    return rates;
}

/* The densest band of sorted rates: [*from, *to). */
static void densest(const GArray *rates, guint *from, guint *to)
{
    guint low = 0;

    *from = *to = 0;
    for (guint high = 0; high < rates->len; high++) {
        while (g_array_index(rates, double, high) > BAND * g_array_index(rates, double, low))
            low++;
        if (high + 1 - low > *to - *from) {
            *from = low;
            *to = high + 1;
        }
    }
}

/* What the fastest twentieth reached: a bound that a late time stamp doesn't set. */
static double fast_ones(const GArray *rates)
{
    return rates->len ? g_array_index(rates, double, (guint)(0.95 * (rates->len - 1))) : 0;
}

static struct calibrated pile_up(const GArray *rates)
{
    const double *sorted;
    guint from, to;

    densest(rates, &from, &to);
    if (rates->len < ENOUGH_STRETCHES || (double)(to - from) < PILE_SHARE * rates->len)
        return calibrated_unknown(fast_ones(rates));
    sorted = &g_array_index(rates, double, 0);
    return calibrated_value(gsl_stats_median_from_sorted_data(sorted + from, 1, to - from),
                            gsl_stats_quantile_from_sorted_data(sorted + from, 1, to - from, 0.025),
                            gsl_stats_quantile_from_sorted_data(sorted + from, 1, to - from, 0.975));
}

struct calibrated rate_estimate(const GArray *events)
{
    struct calibrated best = calibrated_unknown(0);

    for (size_t k = 0; k < G_N_ELEMENTS(LENGTHS); k++) {
        g_autoptr(GArray) rates = stretch_rates(events, LENGTHS[k]);
        struct calibrated found = pile_up(rates);

        if (found.known && (!best.known || found.value > BAND_APART * best.value))
            best = found;
        else if (!best.known)
            best.bound = best.bound > 0 ? best.bound : found.bound;
    }
    return best;
}

/* ---- packet caps ---------------------------------------------------------------------------------------------------- */

enum {
    SLOTS = 40, /* of a millisecond, to find its phase */
    COUNTS = 4096,
    ENOUGH_FULL = 20
};
static const double QUIET = 0.1;       /* of the mean density: a slot in which nothing starts */
static const double QUIET_SHARE = 0.3; /* of the millisecond, when a budget and not the rate is the limit */
static const double EXCESS = 0.02;     /* of the milliseconds may hold more: late timers */

/* The middle of the longest quiet stretch of the circle of a millisecond, in slots; -1 when it is too short. */
static int quiet_middle(const GArray *events)
{
    uint64_t slots[SLOTS] = {0}, total = 0;
    int best = 0, middle = -1, run = 0;

    for (guint i = 0; i < events->len; i++) {
        const struct rate_event *e = event_at(events, i);

        slots[e->time_ns % NS_PER_MS * SLOTS / NS_PER_MS] += e->packets;
        total += e->packets;
    }
    for (int i = 0; i < 2 * SLOTS; i++) {
        run = (double)slots[i % SLOTS] <= QUIET * (double)total / SLOTS ? run + 1 : 0;
        if (run > best && run <= SLOTS) {
            best = run;
            middle = (i - run / 2 + SLOTS) % SLOTS;
        }
    }
    return best >= (int)(QUIET_SHARE * SLOTS) ? middle : -1;
}

/* Histogram of packets in whole milliseconds that have busy neighbours; returns the number of milliseconds. */
static uint64_t count_ms(const GArray *events, int64_t phase_ns, uint64_t *histogram)
{
    int64_t ms = -1, before = -1;
    uint64_t in_ms = 0, total = 0;

    for (guint i = 0; i <= events->len; i++) {
        const struct rate_event *e = i < events->len ? event_at(events, i) : NULL;
        int64_t at = e ? (e->time_ns - phase_ns + NS_PER_MS) / NS_PER_MS : INT64_MAX;

        if (at != ms) {
            if (in_ms && ms == before + 1) {
                histogram[MIN(in_ms, COUNTS - 1)]++;
                total++;
            }
            before = ms;
            ms = at;
            in_ms = 0;
        }
        in_ms += e ? e->packets : 0;
    }
    return total;
}

/* Where little data moves at a time, the whole millisecond is never full and never quiet. There the pauses in the middle of a message
 * tell: they all end at the same phase of a millisecond, and as many packets came in the millisecond before. */
static const int64_t PAUSE_LEAST_NS = 100000;
static const double PAUSES_AGREE = 0.8;

static bool ends_pause(const GArray *events, guint i)
{
    int64_t gap = event_at(events, i)->time_ns - event_at(events, i - 1)->time_ns;

    return event_at(events, i - 1)->full && gap >= PAUSE_LEAST_NS && gap < NS_PER_MS;
}

static int slot_of(int64_t time_ns)
{
    return (int)(time_ns % NS_PER_MS * SLOTS / NS_PER_MS);
}

/* The first of the two neighbouring slots in which most pauses end; -1 when they don't agree. */
static int pause_slot(const GArray *events)
{
    uint64_t slots[SLOTS] = {0}, total = 0;
    int best = 0;

    for (guint i = 1; i < events->len; i++) {
        if (ends_pause(events, i)) {
            slots[slot_of(event_at(events, i)->time_ns)]++;
            total++;
        }
    }
    for (int i = 1; i < SLOTS; i++) {
        if (slots[i] + slots[(i + 1) % SLOTS] > slots[best] + slots[(best + 1) % SLOTS])
            best = i;
    }
    return total >= ENOUGH_FULL &&
                   (double)(slots[best] + slots[(best + 1) % SLOTS]) >= PAUSES_AGREE * (double)total
               ? best
               : -1;
}

/* Packets of the millisecond that the pause before event i ends. */
static uint64_t packets_before(const GArray *events, guint i, int64_t phase_ns)
{
    int64_t ms = (event_at(events, i)->time_ns - phase_ns + NS_PER_MS) / NS_PER_MS;
    uint64_t packets = 0;

    while (i-- > 0 && (event_at(events, i)->time_ns - phase_ns + NS_PER_MS) / NS_PER_MS == ms - 1)
        packets += event_at(events, i)->packets;
    return packets;
}

static struct calibrated cap_by_pauses(const GArray *events, int64_t *phase_ns)
{
    g_autofree uint64_t *histogram = g_new0(uint64_t, COUNTS);
    int slot = pause_slot(events);
    int64_t phase = (slot + SLOTS - 1) % SLOTS * (NS_PER_MS / SLOTS); /* a slot sooner: time stamps scatter */
    uint64_t total = 0;
    unsigned best = 0;

    for (guint i = 1; slot >= 0 && i < events->len; i++) {
        if (!ends_pause(events, i))
            continue;
        histogram[MIN(packets_before(events, i, phase), COUNTS - 1)]++;
        total++;
    }
    for (unsigned i = 1; i < COUNTS; i++)
        best = histogram[i] > histogram[best] ? i : best;
    if (best < 2 || (double)histogram[best] < PAUSES_AGREE * (double)total)
        return calibrated_unknown(0);
    *phase_ns = phase;
    return calibrated_value(best, best, best);
}

static struct calibrated cap_by_counts(const GArray *events, int64_t *phase_ns)
{
    g_autofree uint64_t *histogram = g_new0(uint64_t, COUNTS);
    int middle = quiet_middle(events);
    int64_t phase = MAX(middle, 0) * NS_PER_MS / SLOTS;
    uint64_t total = count_ms(events, phase, histogram), above = 0;
    unsigned cap = COUNTS - 1;

    while (cap > 0 && !histogram[cap])
        cap--;
    if (middle < 0)
        return calibrated_unknown((cap + 1) /
                                  2); /* a millisecond of ours may hold the ends of two of theirs */
    for (unsigned candidate = cap; candidate > 1 && (double)above <= EXCESS * (double)total; candidate--) {
        /* Full milliseconds must outnumber those just below: else the counts only scatter. */
        if (histogram[candidate] >= ENOUGH_FULL && histogram[candidate] > 2 * histogram[candidate - 1]) {
            *phase_ns = phase;
            return calibrated_value(candidate, candidate, candidate);
        }
        above += histogram[candidate];
    }
    return calibrated_unknown((cap + 1) / 2);
}

struct calibrated rate_packet_cap(const GArray *events, int64_t *phase_ns)
{
    struct calibrated by_counts = cap_by_counts(events, phase_ns), by_pauses;

    if (by_counts.known)
        return by_counts;
    by_pauses = cap_by_pauses(events, phase_ns);
    return by_pauses.known ? by_pauses : by_counts;
}

void rate_split(GArray *events, int64_t phase_ns)
{
    int64_t ms = -1;

    for (guint i = 0; i < events->len; i++) {
        struct rate_event *e = &g_array_index(events, struct rate_event, i);
        int64_t at = (e->time_ns - phase_ns + NS_PER_MS) / NS_PER_MS;

        e->first |= at != ms;
        ms = at;
    }
}
