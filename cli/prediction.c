#include "cli/prediction.h"
#include "base/outfile.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct baselines baselines_of(const struct network_profile *networks, guint count, bool upload,
                              int64_t data_bytes, int64_t window_bytes, uint64_t exchanges)
{
    double rtt_s = units_seconds(2 * network_one_way_ns(&networks[0])), rate_bps = 0;

    for (guint i = 0; i < count; i++)
        rate_bps += (double)(upload ? networks[i].up : networks[i].down).rate_bps;

    return (struct baselines){
        .size_over_rate = (double)data_bytes * 8 / rate_bps,
        .window_over_rtt = window_bytes > 0 ? (double)data_bytes / (double)window_bytes * rtt_s : NAN,
        .exchanges_times_rtt = (double)exchanges * rtt_s,
    };
}

json_t *number_json(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

const int BREAKDOWN_ORDER[WAIT_KINDS] = {WAIT_ROUND_TRIPS, WAIT_TRANSMISSION,  WAIT_SERVER,     WAIT_CLIENT,
                                         WAIT_TCP_WINDOW,  WAIT_LOSS_RECOVERY, WAIT_PACKET_CAP, WAIT_IDLE};

json_t *breakdown_json(const struct waits *w)
{
    json_t *o = json_object();

    for (int i = 0; i < WAIT_KINDS; i++)
        json_object_set_new(o, WAIT_NAMES[BREAKDOWN_ORDER[i]],
                            json_real(units_seconds(w->ns[BREAKDOWN_ORDER[i]])));
    return o;
}

bool print_json(json_t *object, GError **error)
{
    char *text = json_dumps(object, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
    g_autofree char *line = g_strconcat(text, "\n", NULL);

    free(text);
    json_decref(object);
    return outfile_write("-", line, strlen(line), error);
}

static bool mostly_fails(const struct simulation *s)
{
    return 2 * s->failed >= s->runs;
}

json_t *prediction_json(const struct prediction *p)
{
    const struct simulation *s = &p->simulation;
    const struct sim_result *r = &s->typical;
    bool fails = mostly_fails(s);
    json_t *validity = json_array(), *o = json_object();

    for (guint i = 0; p->validity && i < p->validity->len; i++)
        json_array_append_new(validity, json_string(p->validity->pdata[i]));
    json_object_set_new(o, "network", json_string(p->network));
    if (p->client)
        json_object_set_new(o, "client", json_string(p->client));
    json_object_set_new(o, "seconds", fails ? json_null() : json_real(s->seconds));
    json_object_set_new(o, "low_s", fails ? json_null() : json_real(s->low));
    json_object_set_new(o, "high_s", fails ? json_null() : json_real(s->high));
    json_object_set_new(
        o, "fails",
        fails ? json_pack("{s:f, s:s}", "at_s", units_seconds(r->failed_at_ns), "why", r->fail_reason)
              : json_null());
    json_object_set_new(o, "bottleneck", json_string(waits_largest(&r->waits)));
    json_object_set_new(o, "breakdown_s", breakdown_json(&r->waits));
    json_object_set_new(o, "baselines",
                        json_pack("{s:o, s:o, s:o}", "size_over_rate",
                                  number_json(p->baselines.size_over_rate), "window_over_rtt",
                                  number_json(p->baselines.window_over_rtt), "exchanges_times_rtt",
                                  number_json(p->baselines.exchanges_times_rtt)));
    json_object_set_new(o, "validity", validity);
    json_object_set_new(o, "runs", json_integer(s->runs));
    return o;
}

char *seconds_text(double seconds)
{
    if (seconds >= 3600)
        return g_strdup_printf("%.0f s (%.0f h %02.0f min)", seconds, floor(seconds / 3600),
                               floor(fmod(seconds, 3600) / 60));
    if (seconds >= 120)
        return g_strdup_printf("%.0f s (%.0f min %02.0f s)", seconds, floor(seconds / 60),
                               floor(fmod(seconds, 60)));
    return g_strdup_printf("%.*f s", seconds >= 10 ? 1 : seconds >= 1 ? 2 : 3, seconds);
}

void wrapped_text(const char *text, const char *indent, GString *to)
{
    g_auto(GStrv) words = g_strsplit(text, " ", -1);
    glong column = 0, start = (glong)strlen(indent);

    for (char **w = words; *w; w++) {
        glong width = g_utf8_strlen(*w, -1);

        if (column > 0 && column + 1 + width > 80) {
            g_string_append_printf(to, "\n%s%s", indent, g_str_has_prefix(text, "- ") ? "  " : "");
            column = start + (g_str_has_prefix(text, "- ") ? 2 : 0);
        } else if (column > 0) {
            g_string_append_c(to, ' ');
            column++;
        } else {
            g_string_append(to, indent);
            column = start;
        }
        g_string_append(to, *w);
        column += width;
    }
    g_string_append_c(to, '\n');
}

void breakdown_text(const struct waits *w, GString *to)
{
    int order[WAIT_KINDS];
    double total = 0;

    for (int i = 0; i < WAIT_KINDS; i++) {
        int at = i;

        total += units_seconds(w->ns[i]);
        for (; at > 0 && w->ns[order[at - 1]] < w->ns[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    for (int i = 0; i < WAIT_KINDS; i++) {
        double s = units_seconds(w->ns[order[i]]);

        if (s > 0 && total > 0)
            g_string_append_printf(to, "  %-14s %10.3f s  %5.1f %%\n", WAIT_NAMES[order[i]], s,
                                   100 * s / total);
    }
}

static void baseline_text(const char *name, double seconds, GString *to)
{
    g_autofree char *text = isfinite(seconds) ? seconds_text(seconds) : g_strdup("unknown");

    g_string_append_printf(to, "  %-22s %s\n", name, text);
}

void prediction_text(const struct prediction *p, GString *to)
{
    const struct simulation *s = &p->simulation;
    g_autofree char *seconds = seconds_text(s->seconds);
    g_autofree char *low = seconds_text(s->low), *high = seconds_text(s->high);

    g_string_append_printf(to, "Prediction for \"%s\"", p->network);
    if (p->client)
        g_string_append_printf(to, ", the same files copied by \"%s\"", p->client);
    g_string_append_c(to, '\n');
    if (mostly_fails(s))
        g_string_append_printf(to, "  fails at %.1f s: %s\n", units_seconds(s->typical.failed_at_ns),
                               s->typical.fail_reason);
    else if (s->low < s->high)
        g_string_append_printf(to, "  takes %s; 90 %% of runs between %s and %s\n", seconds, low, high);
    else
        g_string_append_printf(to, "  takes %s\n", seconds);
    if (s->failed && s->failed < s->runs)
        g_string_append_printf(to, "  %u of %u runs fail\n", s->failed, s->runs);
    g_string_append_printf(to, "  bottleneck: %s\n", waits_largest(&s->typical.waits));
    g_string_append(to, "\nWhere the time goes\n");
    breakdown_text(&s->typical.waits, to);
    g_string_append_printf(to, "\nEstimates without a simulator\n");
    baseline_text("size over rate", p->baselines.size_over_rate, to);
    baseline_text("window over RTT", p->baselines.window_over_rtt, to);
    baseline_text("exchanges times RTT", p->baselines.exchanges_times_rtt, to);
    if (p->validity && p->validity->len)
        g_string_append_printf(to, "\nWhat this rests on\n");
    for (guint i = 0; p->validity && i < p->validity->len; i++) {
        g_autofree char *item = g_strconcat("- ", p->validity->pdata[i], NULL);

        wrapped_text(item, "  ", to);
    }
}
