#include "cli/counters.h"

static json_t *direction_json(const struct sim_direction_counters *c)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "packets", (json_int_t)c->packets, "data_packets",
                     (json_int_t)c->data_packets, "bytes", (json_int_t)c->bytes, "retransmissions",
                     (json_int_t)c->retransmissions, "dropped_queue", (json_int_t)c->dropped_queue,
                     "dropped_loss", (json_int_t)c->dropped_loss, "dropped_ring",
                     (json_int_t)c->dropped_ring);
}

json_t *counters_json(const struct sim_result *r)
{
    return json_pack("{s:I, s:I, s:o, s:o}", "exchanges", (json_int_t)r->exchanges, "data_bytes",
                     (json_int_t)r->data_bytes, "down", direction_json(&r->down), "up",
                     direction_json(&r->up));
}

static void direction_text(const char *name, const struct sim_direction_counters *c, GString *to)
{
    g_string_append_printf(to,
                           "  %-4s %12" G_GUINT64_FORMAT " %12" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT
                           " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT "\n",
                           name, c->packets, c->data_packets, c->retransmissions, c->dropped_queue,
                           c->dropped_loss, c->dropped_ring);
}

void counters_text(const struct sim_result *r, GString *to)
{
    g_string_append_printf(to, "\nWhat was sent, in %" G_GUINT64_FORMAT " exchanges\n", r->exchanges);
    g_string_append_printf(to, "  %-4s %12s %12s %8s %8s %8s %8s\n", "", "packets", "with data", "resent",
                           "queue", "loss", "ring");
    direction_text("down", &r->down, to);
    direction_text("up", &r->up, to);
    g_string_append(to, "  (the last three: dropped by a full queue, by loss, by a full receive ring)\n");
}
