#include "replay/blocks.h"

void replay_blocks_clear(struct replay_blocks *b)
{
    g_clear_pointer(&b->sizes, g_array_unref);
}

void blocks_fini(struct blocks *b)
{
    replay_blocks_clear(&b->facts);
    idmap_fini(&b->at);
}

static unsigned octave_of(uint64_t bytes)
{
    unsigned octave = 0;

    for (; bytes > 0 && octave < REPLAY_OCTAVES - 1; bytes >>= 1)
        octave++;
    return octave;
}

/* NULL when there is no more room. */
static struct replay_block *block_of(struct blocks *b, uint64_t bytes)
{
    struct replay_block block = {bytes, 0};
    GArray *sizes = b->facts.sizes;
    uint32_t at;

    if (idmap_get(&b->at, bytes, &at))
        return &g_array_index(sizes, struct replay_block, at);
    if (!sizes)
        sizes = b->facts.sizes = g_array_new(FALSE, FALSE, sizeof block);
    if (sizes->len >= BLOCKS_SIZES)
        return NULL;
    idmap_put(&b->at, bytes, sizes->len);
    g_array_append_val(sizes, block);
    return &g_array_index(sizes, struct replay_block, sizes->len - 1);
}

static void add_size(struct blocks *b, uint64_t bytes, uint64_t count)
{
    struct replay_block *block = block_of(b, bytes);

    if (block) {
        block->count += count;
        return;
    }
    b->facts.other_count += count;
    b->facts.other_bytes += bytes * count;
}

void blocks_add(struct blocks *b, uint64_t bytes, uint64_t count)
{
    b->facts.count += count;
    b->facts.bytes += bytes * count;
    b->facts.octaves[octave_of(bytes)] += count;
    add_size(b, bytes, count);
}

void blocks_merge(struct blocks *to, const struct blocks *from)
{
    to->facts.count += from->facts.count;
    to->facts.bytes += from->facts.bytes;
    to->facts.other_count += from->facts.other_count;
    to->facts.other_bytes += from->facts.other_bytes;
    for (unsigned i = 0; i < REPLAY_OCTAVES; i++)
        to->facts.octaves[i] += from->facts.octaves[i];
    for (guint i = 0; from->facts.sizes && i < from->facts.sizes->len; i++) {
        const struct replay_block *block = &g_array_index(from->facts.sizes, struct replay_block, i);

        add_size(to, block->bytes, block->count);
    }
}

static gint most_moved_first(gconstpointer a, gconstpointer b)
{
    const struct replay_block *x = a, *y = b;
    uint64_t moved_x = x->bytes * x->count, moved_y = y->bytes * y->count;

    if (moved_x != moved_y)
        return moved_x > moved_y ? -1 : 1;
    return x->bytes > y->bytes ? -1 : x->bytes < y->bytes;
}

struct replay_blocks blocks_facts(struct blocks *b)
{
    struct replay_blocks facts = b->facts;

    if (!facts.sizes)
        facts.sizes = g_array_new(FALSE, FALSE, sizeof(struct replay_block));
    g_array_sort(facts.sizes, most_moved_first);
    idmap_fini(&b->at);
    *b = (struct blocks){0};
    return facts;
}
