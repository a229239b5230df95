/* Block sizes, outstanding requests, errors and findings in `copytrial replay --json`. */
#include "cli/replay_output.h"
#include "base/units.h"
#include "replay/findings.h"
#include "replay/pending.h"
#include "replay/status_name.h"

static json_t *count(uint64_t n)
{
    return json_integer((json_int_t)n);
}

static json_t *blocks_json(const struct replay_blocks *b)
{
    json_t *sizes = json_array(), *octaves = json_array();

    for (guint i = 0; i < b->sizes->len; i++) {
        const struct replay_block *block = &g_array_index(b->sizes, struct replay_block, i);

        json_array_append_new(
            sizes, json_pack("{s:o, s:o}", "bytes", count(block->bytes), "count", count(block->count)));
    }
    for (unsigned i = 0; i < REPLAY_OCTAVES; i++) {
        if (b->octaves[i] > 0)
            json_array_append_new(octaves, json_pack("{s:o, s:o}", "below_bytes", count(UINT64_C(1) << i),
                                                     "count", count(b->octaves[i])));
    }
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "count", count(b->count), "bytes", count(b->bytes),
                     "sizes", sizes, "other_count", count(b->other_count), "other_bytes",
                     count(b->other_bytes), "octaves", octaves);
}

static json_t *outstanding_json(const struct replay_pending *p)
{
    json_t *levels = json_array();

    for (unsigned i = 0; i < REPLAY_PENDING_LEVELS; i++) {
        if (p->ns[i] > 0)
            json_array_append_new(levels, json_pack("{s:o, s:f, s:f}", "requests", count(pending_level(i)),
                                                    "time_s", units_seconds(p->ns[i]), "share",
                                                    (double)p->ns[i] / (double)p->total_ns));
    }
    return json_pack("{s:o, s:o, s:f, s:o}", "mean", p->total_ns > 0 ? json_real(p->mean) : json_null(),
                     "max", count(p->max), "time_s", units_seconds(p->total_ns), "levels", levels);
}

static json_t *errors_json(const struct replay_usage *u)
{
    json_t *rows = json_array();

    for (guint i = 0; i < u->errors->len; i++) {
        const struct replay_error *e = &g_array_index(u->errors, struct replay_error, i);
        g_autofree char *name = status_name(e->status);
        g_autofree char *filter = status_filter(e->status, COMMAND_PROTOCOL(e->command));

        json_array_append_new(rows, json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:s}", "name", name, "status",
                                              count(e->status), "command", command_name(e->command), "count",
                                              count(e->count), "first_frame", count(e->first_frame),
                                              "last_frame", count(e->last_frame), "filter", filter));
    }
    return rows;
}

json_t *usage_json(const struct replay_usage *u)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "reads", blocks_json(&u->reads), "writes",
                     blocks_json(&u->writes), "outstanding", outstanding_json(&u->pending), "errors",
                     errors_json(u), "errors_more", count(u->errors_more));
}

json_t *findings_json(const GPtrArray *findings)
{
    json_t *rows = json_array();

    for (guint i = 0; i < findings->len; i++) {
        const struct finding *f = g_ptr_array_index(findings, i);

        json_array_append_new(
            rows, json_pack("{s:s, s:s, s:o, s:s, s:o, s:o}", "kind", f->kind, "text", f->text, "advice",
                            f->advice ? json_string(f->advice) : json_null(), "filter", f->filter,
                            "first_frame", count(f->first_frame), "last_frame", count(f->last_frame)));
    }
    return rows;
}
