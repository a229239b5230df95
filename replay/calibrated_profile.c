#include "replay/calibrated_profile.h"
#include "replay/derive_client.h"
#include "replay/study.h"
#include "base/error.h"
#include "base/units.h"
#include "sim/command.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

/* ---- quantities as YAML has them -------------------------------------------------------------------------------------- */

static void put_time(GString *to, double ns)
{
    if (ns >= 1e6)
        g_string_append_printf(to, "%.6g ms", ns / 1e6);
    else
        g_string_append_printf(to, "%.4g us", MAX(ns, 0) / 1e3);
}

/* Never with an exponent, which a profile can't have. */
static void put_rate(GString *to, double bps)
{
    if (bps >= 1e9)
        g_string_append_printf(to, "%.5g Gbit/s", bps / 1e9);
    else if (bps >= 1e6)
        g_string_append_printf(to, "%.5g Mbit/s", bps / 1e6);
    else
        g_string_append_printf(to, "%.0f bit/s", MAX(bps, 1));
}

static void put_size(GString *to, double bytes)
{
    g_string_append_printf(to, "%.0f B", MAX(bytes, 1));
}

static void put_share(GString *to, double share)
{
    g_string_append_printf(to, "%.4f %%", 100 * share);
}

typedef void put_value(GString *to, double value);

static void put_range(GString *to, const char *key, const struct calibrated *c, put_value *put)
{
    if (!c->known || c->high <= c->low)
        return;
    g_string_append_printf(to, ", %s_range: {low: ", key);
    put(to, c->low);
    g_string_append(to, ", high: ");
    put(to, c->high);
    g_string_append_c(to, '}');
}

/* ---- network ------------------------------------------------------------------------------------------------------------ */

static void remark(GString *to, const char *what, const struct calibrated *c, const char *bound,
                   put_value *put)
{
    if (c->known)
        return;
    g_string_append_printf(to, "    # %s: not seen, and assumed", what);
    if (c->bound > 0) {
        g_string_append_printf(to, "; the capture says %s ", bound);
        put(to, c->bound);
    }
    g_string_append_c(to, '\n');
}

/* Losses in bursts as Gilbert's chain has them (calibrate_parts.h), others as independent ones. */
static void put_loss(GString *to, const struct calibration_direction *c)
{
    double leave = 1 / c->loss_burst_packets.value, share = c->loss.value;

    if (!c->loss.known)
        return;
    if (!c->loss_burst_packets.known) {
        g_string_append(to, ", loss: ");
        put_share(to, share);
        put_range(to, "loss", &c->loss, put_share);
        return;
    }
    g_string_append(to, ", burst_loss: {enter: ");
    put_share(to, MIN(share * leave / (1 - share), 1));
    g_string_append(to, ", leave: ");
    put_share(to, leave);
    g_string_append(to, ", loss: 100 %}");
}

static void put_direction(GString *to, const char *name, const struct calibration_direction *c,
                          const struct network_direction *d)
{
    g_string_append_printf(to, "  %s:\n", name);
    remark(to, "rate", &c->rate_bps, "at least", put_rate);
    remark(to, "queue", &c->queue_bytes, "at least", put_size);
    remark(to, "loss", &c->loss, "at most", put_share);
    g_string_append(to, "    {rate: ");
    put_rate(to, (double)d->rate_bps);
    put_range(to, "rate", &c->rate_bps, put_rate);
    g_string_append(to, ", queue: ");
    put_size(to, (double)d->queue_bytes);
    put_range(to, "queue", &c->queue_bytes, put_size);
    put_loss(to, c);
    if (d->packets_per_ms)
        g_string_append_printf(to, ", packets_per_ms: %" G_GINT64_FORMAT, d->packets_per_ms);
    g_string_append(to, "}\n");
}

static void put_network(GString *to, const struct replay_model *m)
{
    const struct calibration *k = &m->calibration;
    struct calibrated rtt = k->rtt_ns;

    g_string_append(to, "network:\n  name: as captured\n");
    remark(to, "rtt", &rtt, "at most", put_time);
    g_string_append(to, "  rtt: ");
    put_time(to, (double)m->network.rtt_ns);
    if (rtt.known && rtt.high > rtt.low) {
        g_string_append(to, "\n  rtt_range: {low: ");
        put_time(to, rtt.low);
        g_string_append(to, ", high: ");
        put_time(to, rtt.high);
        g_string_append_c(to, '}');
    }
    g_string_append_c(to, '\n');
    put_direction(to, "down", &k->side[REPLAY_DOWN], &m->network.down);
    put_direction(to, "up", &k->side[REPLAY_UP], &m->network.up);
    g_string_append_printf(to, "  mtu: %" G_GINT64_FORMAT " B\n  counts: ethernet\n", m->network.mtu_bytes);
}

/* ---- hosts ---------------------------------------------------------------------------------------------------------------- */

static void put_congestion(GString *to, const struct tcp_profile *t, const struct calibration_cuts *cuts)
{
    struct calibrated cut = calibration_cut(cuts);

    g_string_append_printf(to, "    congestion_control: %s    # ",
                           t->congestion == TCP_NEWRENO ? "newreno" : "cubic");
    if (calibration_family(cuts) >= 0)
        g_string_append_printf(to, "measured: %" G_GUINT64_FORMAT " losses left %.0f %% of the window\n",
                               cuts->count, 100 * cut.value);
    else
        g_string_append_printf(
            to, "not seen: %" G_GUINT64_FORMAT " losses showed what they left of the window\n", cuts->count);
    if (t->congestion == TCP_NEWRENO)
        g_string_append(to, "    slow_start_exit: none\n");
}

static void put_tcp(GString *to, const struct tcp_profile *t, const struct calibration_end *seen)
{
    g_string_append(to, "  system: linux    # not seen: its values, but for those below\n  tcp:\n");
    put_congestion(to, t, &seen->cuts);
    g_string_append_printf(to, "    initial_window_segments: %" G_GINT64_FORMAT "    # %s\n",
                           t->initial_window, seen->initial_window.known ? "measured" : "not seen");
    g_string_append_printf(to, "    receive_window: %" G_GINT64_FORMAT " B    # ", t->receive_window_bytes);
    if (seen->receive_window_bytes.known)
        g_string_append(to, "measured\n");
    else
        g_string_append_printf(to, "assumed: it was %.0f B at least, and never full\n",
                               seen->receive_window_bytes.bound);
    g_string_append(to, "    delayed_ack: ");
    put_time(to, (double)t->delayed_ack_ns);
    g_string_append_printf(to, "    # %s\n", seen->delayed_ack_ns.known ? "measured" : "not seen");
    g_string_append_printf(to, "    timestamps: %s\n    sack: %s\n", t->timestamps ? "true" : "false",
                           t->sack ? "true" : "false");
}

static void put_step(GString *to, const struct derived_step *s)
{
    g_string_append_printf(
        to, "    - {command: %s, request: %" G_GINT64_FORMAT " B, response: %" G_GINT64_FORMAT " B",
        command_name(s->command), MAX(s->request_bytes, 1), MAX(s->response_bytes, 0));
    if (s->think_ns > 0) {
        g_string_append(to, ", think: ");
        put_time(to, (double)s->think_ns);
    }
    if (s->data)
        g_string_append_printf(to, ", data: %s, block: %" G_GINT64_FORMAT " B, depth: %" G_GINT64_FORMAT,
                               s->data == CLIENT_DATA_READ ? "read" : "write", s->block_bytes, s->depth);
    g_string_append_printf(to, ", basis: \"measured: %" G_GUINT64_FORMAT " of it", s->samples);
    if (s->samples > 1 && s->think_most_ns > 0) {
        g_string_append(to, ", think ");
        put_time(to, (double)s->think_least_ns);
        g_string_append(to, " to ");
        put_time(to, (double)s->think_most_ns);
    }
    g_string_append(to, "\"}\n");
}

static void put_steps(GString *to, const char *name, const GArray *steps)
{
    if (!steps->len)
        return;
    g_string_append_printf(to, "  %s:\n", name);
    for (guint i = 0; i < steps->len; i++)
        put_step(to, &g_array_index(steps, struct derived_step, i));
}

static void put_client(GString *to, const struct replay_model *m, const struct replay_connection *c,
                       const struct derived_client *d)
{
    g_string_append(to, "client:\n  name: as captured\n");
    g_string_append_printf(to, "  dialect: %s\n", c->dialect ? c->dialect : "3.1.1    # not seen");
    put_tcp(to, &m->client_tcp, &m->calibration.end[REPLAY_UP]);
    put_steps(to, "connect", d->connect);
    g_string_append_printf(to, "  # %u of the %u files were copied with this sequence of commands.\n",
                           d->alike, d->files);
    put_steps(to, d->upload ? "upload" : "download", d->per_file);
    put_steps(to, "disconnect", d->disconnect);
}

static void put_service(GString *to, const struct calibration_service *s)
{
    g_string_append_printf(to, "    %s: {time: ", command_name(s->command));
    put_time(to, calibrated_best(&s->base_ns));
    if (s->per_byte_ns.known && s->per_byte_ns.value > 0) {
        g_string_append(to, ", rate: ");
        put_rate(to, 8e9 / s->per_byte_ns.value);
    }
    g_string_append_printf(to, "}    # %" G_GUINT64_FORMAT " of it", s->samples);
    if (s->base_ns.known) {
        g_string_append(to, ", 95 %: ");
        put_time(to, s->base_ns.low);
        g_string_append(to, " to ");
        put_time(to, s->base_ns.high);
    }
    g_string_append_c(to, '\n');
}

static void put_server(GString *to, const struct replay_model *m, const struct calibration *k)
{
    g_autoptr(GArray) bases = g_array_new(FALSE, FALSE, sizeof(double));
    double usual = 0;

    for (guint i = 0; i < k->services->len; i++) {
        double base = calibrated_best(&g_array_index(k->services, struct calibration_service, i).base_ns);

        g_array_append_val(bases, base);
    }
    if (bases->len)
        usual = gsl_stats_median((double *)(void *)bases->data, 1, bases->len);
    g_string_append(to, "server:\n  name: as captured\n");
    put_tcp(to, &m->server_tcp, &m->calibration.end[REPLAY_DOWN]);
    g_string_append(to, "  service: {time: ");
    put_time(to, usual);
    g_string_append(to,
                    "}    # of a command that the capture doesn't hold: the median of those that it does\n");
    if (k->services->len)
        g_string_append(to, "  commands:\n");
    for (guint i = 0; i < k->services->len; i++)
        put_service(to, &g_array_index(k->services, struct calibration_service, i));
}

char *calibrated_profile(const struct replay *r, const struct replay_model *m, GError **error)
{
    const struct replay_connection *c = replay_main_connection(r);
    GString *text;
    struct derived_client d;

    if (!derive_client(c->study->trace, &d)) {
        derived_client_clear(&d);
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "%s: moves no file data, so it shows no copy to learn from",
                    (const char *)g_ptr_array_index(r->files, 0));
        return NULL;
    }
    text =
        g_string_new("# Calibrated from a capture. Ranges are 95 % intervals; predictions draw from them.\n");
    for (guint i = 0; i < r->files->len; i++)
        g_string_append_printf(text, "# %s\n", (const char *)g_ptr_array_index(r->files, i));
    put_network(text, m);
    put_client(text, m, c, &d);
    put_server(text, m, &c->study->calibration);
    derived_client_clear(&d);
    return g_string_free(text, FALSE);
}
