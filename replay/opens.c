#include "replay/opens.h"

void opens_fini(struct opens *o)
{
    idmap_fini(&o->by_id);
}

/* Either half of an id may be the one that differs between two opens. */
static uint64_t key_of(const struct smb_element *e)
{
    return e->file[0] ^ (e->file[1] << 32 | e->file[1] >> 32);
}

static bool is_inherited(const struct smb_element *e)
{
    return e->file[0] == UINT64_MAX && e->file[1] == UINT64_MAX; /* [MS-SMB2] 3.2.4.1.4 */
}

uint32_t opens_number(struct opens *o, const struct smb_element *e, uint32_t previous)
{
    uint32_t number;

    if (!e->has_file)
        return 0;
    if (is_inherited(e))
        return previous;
    if (e->opens || !idmap_get(&o->by_id, key_of(e), &number)) {
        if (o->by_id.count >= OPENS_MAX)
            idmap_clear(&o->by_id);
        number = ++o->last;
        idmap_put(&o->by_id, key_of(e), number);
    }
    return number;
}

void opens_close(struct opens *o, const struct smb_element *e)
{
    if (e->has_file && !is_inherited(e))
        idmap_remove(&o->by_id, key_of(e));
}
