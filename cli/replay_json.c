#include "cli/replay_output.h"
#include "base/units.h"
#include "replay/findings.h"

/* Counts that JSON's integers hold for certain: jansson's are signed 64-bit. */
static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

/* Unknown is null, never 0. */
static json_t *seconds_or_null(int64_t ns)
{
    return ns < 0 ? json_null() : json_real(units_seconds(ns));
}

static json_t *count_or_null(int64_t n)
{
    return n < 0 ? json_null() : json_integer(n);
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *truth(enum replay_truth t)
{
    return t == REPLAY_UNKNOWN ? json_null() : json_boolean(t == REPLAY_YES);
}

static json_t *interfaces_json(const struct replay *r)
{
    json_t *rows = json_array();

    for (guint i = 0; i < r->interfaces->len; i++) {
        const struct replay_interface *one = g_ptr_array_index(r->interfaces, i);

        json_array_append_new(rows, json_pack("{s:s?, s:s, s:o, s:o}", "name", one->name, "link_type",
                                              one->link_type, "packets", count(one->packets), "dropped",
                                              one->dropped < 0 ? json_null() : json_integer(one->dropped)));
    }
    return rows;
}

static json_t *capture_json(const struct replay *r)
{
    json_t *files = json_array(), *warnings = json_array(), *secrets = json_array();

    for (guint i = 0; i < r->files->len; i++)
        json_array_append_new(files, json_string(g_ptr_array_index(r->files, i)));
    for (guint i = 0; i < r->warnings->len; i++)
        json_array_append_new(warnings, json_string(g_ptr_array_index(r->warnings, i)));
    for (guint i = 0; i < r->secrets->len; i++)
        json_array_append_new(secrets, json_string(g_ptr_array_index(r->secrets, i)));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:f, s:o, s:o, s:o}", "file",
                     g_ptr_array_index(r->files, 0), "files", files, "packets", count(r->packets),
                     "tcp_packets", count(r->tcp_packets), "bytes", count(r->bytes), "captured_bytes",
                     count(r->captured_bytes), "link_type", r->link_type, "duration_s",
                     seconds_or_null(r->duration_ns), "coverage", r->coverage, "interfaces",
                     interfaces_json(r), "decryption_secrets", secrets, "warnings", warnings);
}

static json_t *ledger_json(const struct tally *t)
{
    json_t *rows = json_array();

    for (guint i = 0; i < t->rows->len; i++) {
        const struct tally_row *row = &g_array_index(t->rows, struct tally_row, i);

        json_array_append_new(rows, json_pack("{s:s, s:o, s:o}", "reason", row->name, "count",
                                              count(row->count), "bytes", count(row->bytes)));
    }
    return rows;
}

static json_t *service_json(const struct replay_command *c)
{
    bool known = c->service_samples > 0;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "median",
                     seconds_or_null(known ? c->service_median_ns : -1), "p90",
                     seconds_or_null(known ? c->service_p90_ns : -1), "p95",
                     seconds_or_null(known ? c->service_p95_ns : -1), "p99",
                     seconds_or_null(known ? c->service_p99_ns : -1), "max",
                     seconds_or_null(known ? c->service_max_ns : -1), "total",
                     seconds_or_null(known ? c->service_total_ns : -1), "samples", count(c->service_samples),
                     "slowest_request_frame", count_or_null(known ? (int64_t)c->slowest_request : -1),
                     "slowest_response_frame", count_or_null(known ? (int64_t)c->slowest_response : -1));
}

static json_t *commands_json(const GArray *commands)
{
    json_t *all = json_object();

    for (guint i = 0; i < commands->len; i++) {
        const struct replay_command *c = &g_array_index(commands, struct replay_command, i);

        json_object_set_new(all, command_name(c->command),
                            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "requests",
                                      count(c->requests), "responses", count(c->responses), "errors",
                                      count(c->errors), "interim", count(c->interim), "andx", count(c->andx),
                                      "bytes", count(c->bytes), "data_bytes", count(c->data_bytes),
                                      "service_s", service_json(c)));
    }
    return all;
}

/* Null for a frame that there isn't. */
static json_t *frame_or_null(uint64_t frame)
{
    return frame > 0 ? count(frame) : json_null();
}

static json_t *side_json(const struct replay_tcp_side *s)
{
    json_t *o = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "packets",
        count(s->packets), "data_packets", count(s->data_packets), "payload_bytes", count(s->payload_bytes),
        "ip_bytes", count(s->ip_bytes), "retransmissions", count(s->retransmissions), "fast_retransmissions",
        count(s->fast_retransmissions), "spurious_retransmissions", count(s->spurious_retransmissions),
        "out_of_order", count(s->out_of_order), "duplicate_acks", count(s->duplicate_acks), "keep_alives",
        count(s->keep_alives), "window_probes", count(s->window_probes), "zero_windows",
        count(s->zero_windows), "lost_segments", count(s->lost_segments), "unseen_acks",
        count(s->unseen_acks), "mss_bytes", count_or_null(s->mss_bytes), "window_scale",
        count_or_null(s->window_scale), "window_max_bytes", count_or_null(s->window_max_bytes));
    bool known = s->delayed_acks_known;

    json_object_set_new(o, "resent", count(s->resent));
    json_object_set_new(o, "hole_bytes", count(s->hole_bytes));
    json_object_set_new(o, "largest_segment_bytes", count_or_null(s->largest_segment_bytes));
    json_object_set_new(o, "delayed_acks", count_or_null(known ? (int64_t)s->delayed_acks : -1));
    json_object_set_new(o, "delayed_ack_s", seconds_or_null(known ? s->delayed_ack_ns : -1));
    json_object_set_new(o, "first_retransmission_frame", frame_or_null(s->first_retransmission));
    json_object_set_new(o, "first_zero_window_frame", frame_or_null(s->first_zero_window));
    json_object_set_new(o, "first_delayed_ack_frame", frame_or_null(known ? s->first_delayed_ack : 0));
    return o;
}

static json_t *tcp_json(const struct replay_tcp *t)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:s, s:b, s:b, s:o, s:o}", "rtt_s", seconds_or_null(t->rtt_ns),
                     "handshake_rtt_s", seconds_or_null(t->handshake_rtt_ns), "client_half_s",
                     seconds_or_null(t->client_half_ns), "server_half_s", seconds_or_null(t->server_half_ns),
                     "capture_point", replay_point_name(t->point), "sack", t->sack, "timestamps",
                     t->timestamps, "client", side_json(&t->side[REPLAY_UP]), "server",
                     side_json(&t->side[REPLAY_DOWN]));
}

static json_t *evidence_json(const struct breakdown *b)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "text", text_or_null(b->evidence), "filter",
                     text_or_null(b->filter), "longest_s", seconds_or_null(b->longest_ns), "first_frame",
                     count(b->first_frame), "last_frame", count(b->last_frame));
}

/* Null without compressed messages. */
static json_t *compression_json(const struct replay_connection *c)
{
    if (!c->compressed_bytes)
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "messages", count(c->compressed_messages), "original_bytes",
                     count(c->original_bytes), "wire_bytes", count(c->compressed_bytes), "ratio",
                     json_real((double)c->original_bytes / (double)c->compressed_bytes));
}

json_t *files_json(const GArray *files)
{
    json_t *rows = json_array();

    for (guint i = 0; i < files->len; i++) {
        const struct replay_file *f = &g_array_index(files, struct replay_file, i);

        json_array_append_new(
            rows, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b}", "name",
                            text_or_null(f->name), "size_bytes", count_or_null(f->size_bytes), "bytes_read",
                            count(f->bytes_read), "bytes_written", count(f->bytes_written), "first_s",
                            seconds_or_null(f->first_ns), "last_s", seconds_or_null(f->last_ns), "exchanges",
                            count(f->exchanges), "round_trips", count(f->round_trips), "opens",
                            count(f->opens), "directory", f->directory, "others", f->others));
    }
    return rows;
}

/* What needs a breakdown and a calibration: all null where too little was decoded for them. */
static void add_judged(json_t *o, const struct replay_connection *c, const struct breakdown *b,
                       const struct calibration *k)
{
    bool trusted = replay_is_trusted(c);
    g_autoptr(GPtrArray) findings = findings_new(c, trusted ? b : NULL, k);

    json_object_set_new(o, "coverage", json_real(replay_coverage(c)));
    json_object_set_new(o, "breakdown_s", trusted ? breakdown_json(&b->waits) : json_null());
    json_object_set_new(o, "bottleneck", trusted ? json_string(WAIT_NAMES[b->bottleneck]) : json_null());
    json_object_set_new(o, "evidence", trusted ? evidence_json(b) : json_null());
    json_object_set_new(o, "findings", findings_json(findings));
    json_object_set_new(o, "calibration", trusted ? calibration_json(k) : json_null());
}

static json_t *connection_json(const struct replay_connection *c, const struct breakdown *b,
                               const struct calibration *k)
{
    json_t *o;
    json_t *opaque =
        json_pack("{s:o, s:o}", "messages", count(c->opaque_messages), "bytes", count(c->opaque_bytes));

    o = json_pack(
        "{s:s, s:s, s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o}",
        "client", c->client, "server", c->server, "dialect", text_or_null(c->dialect), "signed",
        truth(c->signed_), "encrypted", c->encrypted, "compressed", c->compressed, "compression",
        compression_json(c), "start_s", json_real(units_seconds(c->first_ns)), "recorded_s",
        seconds_or_null(replay_recorded_ns(c)), "bytes_read", count(c->bytes_read), "bytes_written",
        count(c->bytes_written), "exchanges", count(c->exchanges), "unanswered", count(c->unanswered),
        "max_pending", count(c->max_pending), "opens", count(c->opens), "commands",
        commands_json(c->commands), "files", files_json(c->files), "opaque", opaque, "tcp",
        tcp_json(&c->tcp));
    json_object_update_new(o, usage_json(&c->usage));
    json_object_update_new(o, smb2_facts_json(c));
    add_judged(o, c, b, k);
    return o;
}

/* Null when nothing was simulated. */
static json_t *self_replay_json(const struct replay_outcome *o)
{
    if (!o->model)
        return json_null();
    return json_pack(
        "{s:o, s:o, s:o, s:o, s:o}", "recorded_s", seconds_or_null(o->model->recorded_ns), "simulated_s",
        seconds_or_null(o->self_ns), "error_pct", number_json(replay_outcome_error_pct(o)), "bottleneck",
        json_string(waits_largest(&o->self.waits)), "breakdown_s", breakdown_json(&o->self.waits));
}

static json_t *payload_json(const struct payload_sample *s)
{
    return s->on ? json_pack("{s:o, s:o, s:o}", "bytes", count(s->passed_bytes), "sampled_bytes",
                             count(s->sampled_bytes), "ratio", number_json(payload_sample_ratio(s)))
                 : json_null();
}

json_t *replay_json(const struct replay_outcome *o)
{
    const struct replay *r = o->replay;
    json_t *connections = json_array(), *total;

    for (guint i = 0; i < r->connections->len; i++)
        json_array_append_new(connections,
                              connection_json(g_ptr_array_index(r->connections, i),
                                              &g_array_index(o->breakdowns, struct breakdown, i),
                                              &g_array_index(o->calibrations, struct calibration, i)));
    total = usage_json(&r->total);
    json_object_set_new(total, "commands", commands_json(r->commands));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "capture", capture_json(r),
                     "connections", connections, "sessions", sessions_json(r->sessions), "total", total,
                     "payload", payload_json(&r->payload), "ledger", ledger_json(&r->ledger), "refused",
                     o->refused ? text_or_null(o->why_not) : json_null(), "self_replay", self_replay_json(o),
                     "what_would_help", o->changes ? replay_changes_json(o->changes) : json_null(),
                     "prediction", o->predicted ? prediction_json(&o->prediction) : json_null());
}
