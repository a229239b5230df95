/* The windows of one connection, one calibration. */
#include "replay/calibrate_parts.h"

#include <math.h>

/* `weight` is the share of the packets that the window has. */
static void merge_value(struct calibrated *into, const struct calibrated *window, double weight)
{
    if (into->known && window->known)
        *into = calibrated_value(into->value + weight * (window->value - into->value),
                                 fmin(into->low, window->low), fmax(into->high, window->high));
    else if (window->known)
        *into = *window;
}

/* A bound that says "at least". */
static void merge_least(struct calibrated *into, const struct calibrated *window, double weight)
{
    merge_value(into, window, weight);
    if (!into->known)
        into->bound = fmax(into->bound, window->bound);
}

static void merge_cap(struct calibration_direction *into, const struct calibration_direction *window)
{
    if (window->packets_per_ms.known && !into->packets_per_ms.known)
        into->budget_phase_ns = window->budget_phase_ns;
    if (!into->packets_per_ms.known)
        merge_least(&into->packets_per_ms, &window->packets_per_ms, 0);
}

static void merge_direction(struct calibration_direction *into, const struct calibration_direction *window)
{
    uint64_t packets = into->packets + window->packets;
    double weight = packets ? (double)window->packets / (double)packets : 0;

    merge_least(&into->rate_bps, &window->rate_bps, weight);
    merge_cap(into, window);
    merge_least(&into->queue_bytes, &window->queue_bytes, weight);
    if (window->lost->len)
        g_array_append_vals(into->lost, window->lost->data, window->lost->len);
    into->queue_drops += window->queue_drops;
    into->packets = packets;
    into->loss = calibrate_loss_of(into);
    into->loss_burst_packets = calibrate_burst_of(into);
}

static void merge_end(struct calibration_end *into, const struct calibration_end *window)
{
    const double even = 0.5;

    merge_least(&into->initial_window, &window->initial_window, 0);
    if (calibrated_best(&window->receive_window_bytes) > calibrated_best(&into->receive_window_bytes) ||
        (window->receive_window_bytes.known && !into->receive_window_bytes.known))
        into->receive_window_bytes = window->receive_window_bytes; /* the largest so far */
    merge_value(&into->delayed_ack_ns, &window->delayed_ack_ns, even);
    calibration_cuts_merge(&into->cuts, &window->cuts);
}

void calibration_merge_rates(struct calibration *into, const struct calibration *window)
{
    const double even = 0.5;

    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        merge_least(&into->side[d].rate_bps, &window->side[d].rate_bps, even);
        merge_cap(&into->side[d], &window->side[d]);
    }
}

void calibration_merge(struct calibration *into, struct calibration *window)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        merge_direction(&into->side[d], &window->side[d]);
        merge_end(&into->end[d], &window->end[d]);
    }
    /* calibrate_window() compared it with those before. */
    into->rtt_ns = window->rtt_ns;
    into->rtt_scatter_ns = window->rtt_scatter_ns;
    into->handshake_ns = window->handshake_ns;
    into->point = window->point;
    into->mss_bytes = window->mss_bytes;
    into->mtu_bytes = window->mtu_bytes;
    into->timestamps = window->timestamps;
    into->sack = window->sack;
    g_array_unref(into->services);
    into->services = g_steal_pointer(&window->services);
    calibration_clear(window);
}
