/* What SMB2 and 3 negotiated, credits, create contexts, subcommands and sessions in `copytrial replay --json`. */
#include "cli/replay_output.h"
#include "base/units.h"

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *seconds_or_null(int64_t ns)
{
    return ns < 0 ? json_null() : json_real(units_seconds(ns));
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *subcommands_json(const GArray *subcommands)
{
    json_t *rows = json_array();

    for (guint i = 0; i < subcommands->len; i++) {
        const struct replay_subcommand *s = &g_array_index(subcommands, struct replay_subcommand, i);

        json_array_append_new(rows, json_pack("{s:s, s:i, s:o, s:o}", "command", command_name(s->command),
                                              "code", (int)s->code, "name", text_or_null(s->name), "requests",
                                              count(s->requests)));
    }
    return rows;
}

static json_t *contexts_json(const uint64_t *counts)
{
    static const char *const NAMES[REPLAY_CONTEXTS] = {
        [REPLAY_LEASE_V1] = "lease_v1",     [REPLAY_LEASE_V2] = "lease_v2",
        [REPLAY_DURABLE] = "durable",       [REPLAY_DURABLE_V2] = "durable_v2",
        [REPLAY_RECONNECT] = "reconnect",   [REPLAY_RECONNECT_V2] = "reconnect_v2",
        [REPLAY_MAX_ACCESS] = "max_access", [REPLAY_DISK_ID] = "disk_id"};
    json_t *all = json_object();

    for (unsigned i = 0; i < REPLAY_CONTEXTS; i++)
        json_object_set_new(all, NAMES[i], count(counts[i]));
    return all;
}

static json_t *credits_json(const struct replay_smb2 *s)
{
    bool known = s->credits_known;

    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "requested", count(s->credits_requested),
                     "granted", count(s->credits_granted), "charged", count(s->credits_charged),
                     "multi_credit_requests", count(s->multi_credit_requests), "charge_max",
                     count(s->credit_charge_max), "most", known ? json_integer(s->credits_most) : json_null(),
                     "least", known ? json_integer(s->credits_least) : json_null(), "none_left",
                     known ? count(s->credits_none) : json_null());
}

/* Null on a connection of SMB1. */
static json_t *smb2_json(const struct replay_smb2 *s)
{
    json_t *compression = json_array();

    if (s->credits_charged == 0 && s->credits_granted == 0 && !s->signing) {
        json_decref(compression);
        return json_null();
    }
    for (unsigned i = 0; i < REPLAY_COMPRESSIONS && s->compression[i]; i++)
        json_array_append_new(compression, json_string(s->compression[i]));
    return json_pack("{s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o}", "signing",
                     text_or_null(s->signing), "cipher", text_or_null(s->cipher), "compression", compression,
                     "multichannel", s->multichannel, "credits", credits_json(s), "contexts_asked",
                     contexts_json(s->contexts), "contexts_granted",
                     contexts_json(s->contexts + REPLAY_CONTEXTS), "oplock_breaks", count(s->oplock_breaks),
                     "lease_breaks", count(s->lease_breaks), "copied_bytes", count(s->copied_bytes));
}

static json_t *session_json(const struct replay_session *s)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "connections", count(s->connections),
                     "bytes_read", count(s->bytes_read), "bytes_written", count(s->bytes_written), "first_s",
                     seconds_or_null(s->first_ns), "elapsed_s", seconds_or_null(s->last_ns - s->first_ns),
                     "breakdown_s", s->waits_known ? breakdown_json(&s->waits) : json_null(), "bottleneck",
                     s->waits_known ? json_string(waits_largest(&s->waits)) : json_null(), "files",
                     s->files ? files_json(s->files) : json_null());
}

json_t *sessions_json(const GArray *sessions)
{
    json_t *rows = json_array();

    for (guint i = 0; i < sessions->len; i++) {
        const struct replay_session *s = &g_array_index(sessions, struct replay_session, i);

        json_array_append_new(rows, session_json(s));
    }
    return rows;
}

json_t *smb2_facts_json(const struct replay_connection *c)
{
    return json_pack("{s:o, s:o, s:o}", "session", count(c->session), "smb2", smb2_json(&c->smb2),
                     "subcommands", subcommands_json(c->subcommands));
}
