#include "replay/calibrate_parts.h"

#include <string.h>

static const double QUEUE_ASSUMED_BYTES = 256000;
static const double RATE_ASSUMED_BPS = 1e9; /* when not one full frame was seen in either direction */

static void begin(const struct replay_connection *c, struct calibration *k)
{
    int64_t up = c->tcp.side[REPLAY_UP].mss_bytes, down = c->tcp.side[REPLAY_DOWN].mss_bytes;
    int64_t largest =
        MAX(c->tcp.side[REPLAY_UP].largest_segment_bytes, c->tcp.side[REPLAY_DOWN].largest_segment_bytes);
    uint32_t options = c->tcp.timestamps ? 12 : 0;

    *k = (struct calibration){
        .point = c->tcp.point,
        .counts = NETWORK_COUNTS_ETHERNET,
        .ip_header_bytes = c->client[0] == '[' ? 40 : 20,
        .timestamps = c->tcp.timestamps,
        .sack = c->tcp.sack,
        .handshake_ns = -1,
        .mss_bytes = -1,
        .mtu_bytes = 1500,
        .services = g_array_new(FALSE, FALSE, sizeof(struct calibration_service)),
    };
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        k->side[d].lost = g_array_new(FALSE, FALSE, sizeof(uint64_t));
    if (up > 0 && down > 0)
        k->mss_bytes = MIN(up, down);
    else if (largest > 0)
        k->mss_bytes = MAX(largest + options, MAX(up, down));
    if (k->mss_bytes > 0)
        k->mtu_bytes = k->mss_bytes + k->ip_header_bytes + 20;
}

/* What the windows before have shown of the link and this one doesn't. */
static void fill_in(struct calibration *k, const struct calibration *before)
{
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++) {
        const struct calibration_direction *old = &before->side[d];

        if (!k->side[d].rate_bps.known && old->rate_bps.known)
            k->side[d].rate_bps = old->rate_bps;
        if (!k->side[d].packets_per_ms.known && old->packets_per_ms.known) {
            k->side[d].packets_per_ms = old->packets_per_ms;
            k->side[d].budget_phase_ns = old->budget_phase_ns;
        }
    }
}

void calibrate_window(const struct replay_connection *c, const struct window *window,
                      const struct calibration *before, struct service_samples *samples,
                      struct calibration *out)
{
    struct wire wire;

    begin(c, out);
    calibrate_rates(c->segments_kept, out);
    if (before)
        fill_in(out, before);
    calibrate_rtt(c, out);
    if (before && before->rtt_ns.known && (!out->rtt_ns.known || before->rtt_ns.value < out->rtt_ns.value))
        out->rtt_ns = before->rtt_ns;
    wire_init(&wire, c, out, window);
    calibrate_losses(&wire, out);
    calibrate_ends(&wire, out);
    calibrate_services(&wire, samples, out);
    wire_fini(&wire);
}

void calibrate(const struct replay_connection *c, struct calibration *out)
{
    const struct window whole = {0};
    struct service_samples samples;

    service_samples_init(&samples);
    calibrate_window(c, &whole, NULL, &samples, out);
    service_samples_clear(&samples);
}

void calibrate_shared(const GArray *segments, struct calibration *k)
{
    calibrate_rates(segments, k);
}

void calibration_copy(const struct calibration *k, struct calibration *out)
{
    *out = *k;
    out->services = g_array_new(FALSE, FALSE, sizeof(struct calibration_service));
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        out->side[d].lost = g_array_copy(k->side[d].lost);
}

void calibration_clear(struct calibration *k)
{
    g_clear_pointer(&k->services, g_array_unref);
    for (enum replay_direction d = 0; d < REPLAY_DIRECTIONS; d++)
        g_clear_pointer(&k->side[d].lost, g_array_unref);
}

/* ---- for the simulator ---------------------------------------------------------------------------------------------- */

double calibration_rate_bps(const struct calibration *k, enum replay_direction d)
{
    const struct calibrated *own = &k->side[d].rate_bps, *other = &k->side[1 - d].rate_bps;
    double rate = own->known ? own->value : MAX(calibrated_best(other), own->bound);

    return rate >= 1 ? rate : RATE_ASSUMED_BPS;
}

/* A queue's limit is a time at the link's rate. Where a packet budget empties it more slowly, the same bytes need that much more. */
static double slowdown(const struct calibration *k, enum replay_direction d)
{
    const struct calibrated *cap = &k->side[d].packets_per_ms;
    double capped;

    if (!cap->known)
        return 1;
    capped = cap->value * 1000 * 8 * (double)network_counted_bytes(k->counts, k->mtu_bytes);
    return MAX(calibration_rate_bps(k, d) / capped, 1);
}

static void direction(const struct calibration *k, enum replay_direction d, struct network_direction *out)
{
    const struct calibration_direction *side = &k->side[d];
    double queue = side->queue_bytes.known
                       ? side->queue_bytes.value
                       : MAX(side->queue_bytes.bound, QUEUE_ASSUMED_BYTES * slowdown(k, d));

    *out = (struct network_direction){
        .rate_bps = (int64_t)calibration_rate_bps(k, d),
        .queue_bytes = (int64_t)queue,
        .loss = side->loss.known ? side->loss.value : 0,
        .packets_per_ms = side->packets_per_ms.known ? (int64_t)side->packets_per_ms.value : 0,
    };
}

void calibration_network(const struct calibration *k, struct network_profile *out)
{
    network_profile_init(out);
    out->name = g_strdup("as captured");
    out->rtt_ns = (int64_t)calibrated_best(&k->rtt_ns);
    out->mtu_bytes = k->mtu_bytes;
    out->counts = k->counts;
    direction(k, REPLAY_DOWN, &out->down);
    direction(k, REPLAY_UP, &out->up);
}

void calibration_tcp(const struct calibration *k, enum replay_direction end, struct tcp_profile *out)
{
    const struct calibration_end *seen = &k->end[end];

    *out = *tcp_profile_of(0); /* Linux */
    out->timestamps = k->timestamps;
    out->sack = k->sack;
    if (seen->initial_window.known)
        out->initial_window = (int64_t)seen->initial_window.value;
    else
        out->initial_window = MAX(out->initial_window, (int64_t)seen->initial_window.bound);
    if (seen->receive_window_bytes.known)
        out->receive_window_bytes = (int64_t)seen->receive_window_bytes.value;
    else
        out->receive_window_bytes = MAX(out->receive_window_bytes, (int64_t)seen->receive_window_bytes.bound);
    if (seen->delayed_ack_ns.known)
        out->delayed_ack_ns = (int64_t)seen->delayed_ack_ns.value;
    if (calibration_family(&seen->cuts) == TCP_NEWRENO) {
        out->congestion = TCP_NEWRENO;
        out->slow_start_exit = TCP_EXIT_NONE;
    }
}
