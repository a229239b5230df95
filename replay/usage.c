#include "replay/usage.h"

void usage_fini(struct usage *u)
{
    commands_fini(&u->commands);
    blocks_fini(&u->reads);
    blocks_fini(&u->writes);
    errors_fini(&u->errors);
}

void usage_element(struct usage *u, const struct smb_element *e, uint64_t frame)
{
    const struct replay_error error = {e->status, e->command, 1, frame, frame};

    if (e->opaque || e->hidden)
        return;
    if (e->error)
        errors_add(&u->errors, &error);
    else if (e->response && !e->interim && command_is_read(e->command))
        blocks_add(&u->reads, e->data_bytes, 1);
    if (!e->response && command_is_write(e->command))
        blocks_add(&u->writes, e->data_bytes, 1);
}

void usage_merge(struct usage *to, const struct usage *from)
{
    commands_merge(&to->commands, &from->commands);
    blocks_merge(&to->reads, &from->reads);
    blocks_merge(&to->writes, &from->writes);
    errors_merge(&to->errors, &from->errors);
}

struct replay_usage usage_facts(struct usage *u, const struct pending *pending)
{
    struct replay_usage facts = {.pending = pending->facts, .errors_more = u->errors.more};

    facts.reads = blocks_facts(&u->reads);
    facts.writes = blocks_facts(&u->writes);
    facts.errors = errors_facts(&u->errors);
    return facts;
}

void replay_usage_clear(struct replay_usage *u)
{
    replay_blocks_clear(&u->reads);
    replay_blocks_clear(&u->writes);
    g_clear_pointer(&u->errors, g_array_unref);
}
