#include "cli/replay_output.h"
#include "base/units.h"

#include <math.h>

/* Values leave in the unit of their JSON name: `scale` turns ours into it. */
static json_t *value_json(const struct calibrated *c, double scale)
{
    if (c->known)
        return json_pack("{s:f, s:f, s:f}", "value", c->value * scale, "low", c->low * scale, "high",
                         c->high * scale);
    return json_pack("{s:n, s:o}", "value", "bound", number_json(c->bound * scale));
}

static json_t *direction_json(const struct calibration_direction *d)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "rate_bps", value_json(&d->rate_bps, 1), "queue_bytes",
                     value_json(&d->queue_bytes, 1), "loss", value_json(&d->loss, 1), "loss_burst_packets",
                     value_json(&d->loss_burst_packets, 1), "packets_per_ms",
                     value_json(&d->packets_per_ms, 1));
}

static json_t *end_json(const struct calibration_end *e)
{
    int family = calibration_family(&e->cuts);
    struct calibrated cut = calibration_cut(&e->cuts);

    return json_pack("{s:s?, s:o, s:I, s:o, s:o, s:o}", "congestion_control",
                     family == TCP_CUBIC     ? "cubic"
                     : family == TCP_NEWRENO ? "newreno"
                                             : NULL,
                     "window_after_loss", value_json(&cut, 1), "window_cuts", (json_int_t)e->cuts.count,
                     "initial_window_segments", value_json(&e->initial_window, 1), "receive_window_bytes",
                     value_json(&e->receive_window_bytes, 1), "delayed_ack_s",
                     value_json(&e->delayed_ack_ns, 1e-9));
}

static json_t *services_json(const GArray *services)
{
    json_t *o = json_object();

    for (guint i = 0; services && i < services->len; i++) {
        const struct calibration_service *s = &g_array_index(services, struct calibration_service, i);

        json_object_set_new(o, command_name(s->command),
                            json_pack("{s:I, s:o, s:o, s:f}", "samples", (json_int_t)s->samples, "base_s",
                                      value_json(&s->base_ns, 1e-9), "per_byte_s",
                                      value_json(&s->per_byte_ns, 1e-9), "residual_sd_s",
                                      s->residual_sd_ns * 1e-9));
    }
    return o;
}

json_t *calibration_json(const struct calibration *k)
{
    static const char *const counts[] = {"ip", "ethernet", "wire"};
    struct calibrated mss = {.known = k->mss_bytes > 0,
                             .value = (double)k->mss_bytes,
                             .low = (double)k->mss_bytes,
                             .high = (double)k->mss_bytes,
                             .bound = NAN};

    return json_pack("{s:o, s:o, s:o, s:o, s:I, s:s, s:b, s:b, s:o, s:o, s:o}", "rtt_s",
                     value_json(&k->rtt_ns, 1e-9), "down", direction_json(&k->side[REPLAY_DOWN]), "up",
                     direction_json(&k->side[REPLAY_UP]), "mss_bytes", value_json(&mss, 1), "mtu_bytes",
                     (json_int_t)k->mtu_bytes, "counts", counts[k->counts], "timestamps", k->timestamps,
                     "sack", k->sack, "client", end_json(&k->end[REPLAY_UP]), "server",
                     end_json(&k->end[REPLAY_DOWN]), "service", services_json(k->services));
}

static char *rate_text(const struct calibrated *c)
{
    g_autofree char *value = units_format_rate((int64_t)calibrated_best(c), 4);
    g_autofree char *low = NULL, *high = NULL;

    if (!c->known)
        return c->bound > 0 ? g_strdup_printf("at least %s, never full", value) : g_strdup("unknown");
    low = units_format_rate((int64_t)c->low, 4);
    high = units_format_rate((int64_t)c->high, 4);
    return g_strdup_printf("%s (%s to %s)", value, low, high);
}

static char *loss_text(const struct calibration_direction *d)
{
    g_autoptr(GString) text = g_string_new(NULL);

    if (d->loss.known && d->loss.value > 0)
        g_string_append_printf(text, "%.2g %% (%.2g to %.2g)", 100 * d->loss.value, 100 * d->loss.low,
                               100 * d->loss.high);
    else
        g_string_append_printf(text, "none seen, so below %.2g %%",
                               100 * (d->loss.known ? d->loss.high : d->loss.bound));
    if (d->loss_burst_packets.known)
        g_string_append_printf(text, "; %.2g lost in a row (%.2g to %.2g)", d->loss_burst_packets.value,
                               d->loss_burst_packets.low, d->loss_burst_packets.high);
    if (d->queue_drops)
        g_string_append_printf(text, "; %" G_GUINT64_FORMAT " dropped by a full queue", d->queue_drops);
    return g_string_free(g_steal_pointer(&text), FALSE);
}

/* `what` and `where` make a column of their own. */
static void line_text(const char *what, const char *value, const struct replay_view *v, GString *to)
{
    g_autofree char *line = g_strdup_printf("%-18s %s", what, value);

    style_wrap(&v->style, STYLE_PLAIN, line, "  ", to);
}

static void direction_text(const struct calibration_direction *d, const char *where,
                           const struct replay_view *v, GString *to)
{
    g_autofree char *rate = rate_text(&d->rate_bps), *loss = loss_text(d);
    g_autofree char *queue = units_format_size((int64_t)calibrated_best(&d->queue_bytes), 3);
    g_autofree char *cap = g_strdup_printf("%.0f packets in each millisecond", d->packets_per_ms.value);
    const struct {
        const char *what, *value;
        bool known;
    } lines[] = {{"rate", rate, true},
                 {"loss", loss, true},
                 {"queue", queue, d->queue_bytes.known},
                 {"cap", cap, d->packets_per_ms.known}};

    for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
        g_autofree char *what = g_strdup_printf("%s %s", lines[i].what, where);

        if (lines[i].known)
            line_text(what, lines[i].value, v, to);
    }
}

void calibration_text(const struct calibration *k, const struct replay_view *v, GString *to)
{
    g_autofree char *rtt = units_format_time((int64_t)calibrated_best(&k->rtt_ns), 4);

    heading_text("What the capture shows of the network", v, to);
    if (k->rtt_ns.known)
        line_text("path there and back", rtt, v, to);
    direction_text(&k->side[REPLAY_DOWN], "to client", v, to);
    direction_text(&k->side[REPLAY_UP], "to server", v, to);
}
