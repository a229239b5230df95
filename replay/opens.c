#include "replay/opens.h"

void opens_fini(struct opens *o)
{
    idmap_fini(&o->by_id);
    g_clear_pointer(&o->known, g_array_unref);
    g_clear_pointer(&o->free_places, g_array_unref);
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

static struct open *open_at(const struct opens *o, uint32_t place)
{
    return &g_array_index(o->known, struct open, place);
}

static void forget_all(struct opens *o)
{
    idmap_clear(&o->by_id);
    g_array_set_size(o->known, 0);
    g_array_set_size(o->free_places, 0);
}

/* A place in `known` for an id that has none. */
static uint32_t add(struct opens *o, uint64_t key)
{
    uint32_t place;

    if (!o->known) {
        o->known = g_array_new(FALSE, TRUE, sizeof(struct open));
        o->free_places = g_array_new(FALSE, FALSE, sizeof(uint32_t));
    }
    if (o->by_id.count >= OPENS_MAX)
        forget_all(o);
    if (o->free_places->len > 0) {
        place = g_array_index(o->free_places, uint32_t, o->free_places->len - 1);
        g_array_set_size(o->free_places, o->free_places->len - 1);
    } else {
        place = o->known->len;
        g_array_set_size(o->known, place + 1);
    }
    idmap_put(&o->by_id, key, place);
    return place;
}

struct open opens_find(struct opens *o, const struct smb_element *e, struct open previous)
{
    uint32_t place;
    bool known;

    if (!e->has_file)
        return (struct open){0};
    if (is_inherited(e))
        return previous;
    known = idmap_get(&o->by_id, key_of(e), &place);
    if (!known)
        place = add(o, key_of(e));
    if (!known || e->opens)
        *open_at(o, place) = (struct open){.number = ++o->last};
    return *open_at(o, place);
}

void opens_set_row(struct opens *o, const struct smb_element *e, uint16_t row)
{
    uint32_t place;

    if (e->has_file && idmap_get(&o->by_id, key_of(e), &place))
        open_at(o, place)->row = row;
}

void opens_close(struct opens *o, const struct smb_element *e)
{
    uint32_t place;

    if (!e->has_file || is_inherited(e) || !idmap_get(&o->by_id, key_of(e), &place))
        return;
    idmap_remove(&o->by_id, key_of(e));
    g_array_append_val(o->free_places, place);
}
