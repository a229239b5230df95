#include "replay/rdc_transfer.h"

#include <string.h>

/* A version's files by level: the file, its signature file, that one's, ... */
struct stack {
    const uint8_t *bytes[RDC_LEVELS_MOST + 1];
    size_t lengths[RDC_LEVELS_MOST + 1];
    GByteArray *made[RDC_LEVELS_MOST + 1];
};

static void stack_init(struct stack *s, const struct rdc_filter *files, const struct rdc_filter *signatures,
                       guint depth, const uint8_t *bytes, size_t length)
{
    *s = (struct stack){.bytes = {bytes}, .lengths = {length}};
    for (guint i = 1; i <= depth; i++) {
        s->made[i] = rdc_signature_file(i == 1 ? files : signatures, s->bytes[i - 1], s->lengths[i - 1]);
        s->bytes[i] = s->made[i]->data;
        s->lengths[i] = s->made[i]->len;
    }
}

static void stack_clear(struct stack *s)
{
    for (guint i = 0; i <= RDC_LEVELS_MOST; i++)
        g_clear_pointer(&s->made[i], g_byte_array_unref);
}

static guint chunk_hash(gconstpointer key)
{
    const struct rdc_chunk *c = key;
    guint h;

    memcpy(&h, c->hash, sizeof h);
    return h;
}

static gboolean chunk_equal(gconstpointer a, gconstpointer b)
{
    const struct rdc_chunk *x = a, *y = b;

    return x->length == y->length && memcmp(x->hash, y->hash, MD4_BYTES) == 0;
}

/* The first of equal chunks stands for all. Borrows the array. */
static GHashTable *index_chunks(GArray *chunks)
{
    GHashTable *index = g_hash_table_new(chunk_hash, chunk_equal);

    for (guint i = 0; i < chunks->len; i++) {
        struct rdc_chunk *c = &g_array_index(chunks, struct rdc_chunk, i);

        if (!g_hash_table_contains(index, c))
            g_hash_table_add(index, c);
    }
    return index;
}

static void add_piece(struct rdc_level *level, struct rdc_piece piece)
{
    struct rdc_piece *last =
        level->pieces->len ? &g_array_index(level->pieces, struct rdc_piece, level->pieces->len - 1) : NULL;

    if (piece.travels)
        level->moved_bytes += piece.length;
    if (last && last->travels == piece.travels &&
        (piece.travels || last->old_offset + last->length == piece.old_offset)) {
        last->length += piece.length;
        return;
    }
    level->moved_pieces += piece.travels;
    g_array_append_val(level->pieces, piece);
}

static void compare(struct rdc_level *level, GArray *old_chunks, const GArray *new_chunks)
{
    g_autoptr(GHashTable) index = index_chunks(old_chunks);

    level->chunks = new_chunks->len;
    for (guint i = 0; i < new_chunks->len; i++) {
        const struct rdc_chunk *c = &g_array_index(new_chunks, struct rdc_chunk, i),
                               *have = g_hash_table_lookup(index, c);

        add_piece(level, (struct rdc_piece){.offset = c->offset,
                                            .length = c->length,
                                            .travels = !have,
                                            .old_offset = have ? have->offset : 0});
    }
}

/* The sender's signature file, and the receiver's as it grows. */
struct exchange_of_signatures {
    const uint8_t *sent;
    GByteArray *built;
};

static const uint8_t *send(void *self, uint64_t offset, uint64_t length)
{
    const struct exchange_of_signatures *x = self;

    (void)length;
    return x->sent + offset;
}

static void append(void *self, const uint8_t *bytes, size_t length)
{
    struct exchange_of_signatures *x = self;

    g_byte_array_append(x->built, bytes, (guint)length);
}

/* The chunks of the level below as the receiver learns them: from the signature file that it puts together. */
static GArray *learn(const struct rdc_level *signatures, const struct stack *old, const struct stack *new,
                     guint i)
{
    g_autoptr(GByteArray) built = g_byte_array_new();
    struct exchange_of_signatures x = {new->bytes[i], built};
    bool ok = rdc_transfer_rebuild(signatures,
                                   &(struct rdc_ends){old->bytes[i], old->lengths[i], send, append, &x});
    GArray *chunks;

    g_assert(ok);
    chunks = rdc_signature_read(built->data, built->len);
    g_assert(chunks);
    return chunks;
}

guint rdc_transfer_depth(const struct rdc_filter *files, const struct rdc_filter *signatures,
                         uint64_t file_bytes)
{
    guint depth = 1;
    /* Chunks are about two horizons long, [MS-RDC] 4.7. */
    double bytes = (double)file_bytes * RDC_SIGNATURE_BYTES / (2.0 * files->horizon);

    while (bytes > 64 * 1024 && depth < RDC_LEVELS_MOST) {
        bytes *= RDC_SIGNATURE_BYTES / (2.0 * signatures->horizon);
        depth++;
    }
    return depth;
}

struct rdc_transfer *rdc_transfer_new(const struct rdc_filter *files, const struct rdc_filter *signatures,
                                      guint depth, const struct rdc_versions *v)
{
    struct rdc_transfer *t = g_new0(struct rdc_transfer, 1);
    struct stack old, new;

    g_assert(depth >= 1 && depth <= RDC_LEVELS_MOST);
    stack_init(&old, files, signatures, depth, v->before, v->before_bytes);
    stack_init(&new, files, signatures, depth, v->after, v->after_bytes);
    t->depth = depth;
    for (guint i = 0; i <= depth; i++) {
        t->levels[i].bytes = new.lengths[i];
        t->levels[i].pieces = g_array_new(FALSE, FALSE, sizeof(struct rdc_piece));
    }
    add_piece(&t->levels[depth], (struct rdc_piece){.length = new.lengths[depth], .travels = true});
    for (guint i = depth; i > 0; i--) {
        g_autoptr(GArray) old_chunks = rdc_signature_read(old.bytes[i], old.lengths[i]),
                          new_chunks = learn(&t->levels[i], &old, &new, i);

        compare(&t->levels[i - 1], old_chunks, new_chunks);
    }
    stack_clear(&old);
    stack_clear(&new);
    return t;
}

void rdc_transfer_free(struct rdc_transfer *t)
{
    if (!t)
        return;
    for (guint i = 0; i <= t->depth; i++)
        g_array_unref(t->levels[i].pieces);
    g_free(t);
}

uint64_t rdc_transfer_bytes(const struct rdc_transfer *t)
{
    uint64_t bytes = 0;

    for (guint i = 0; i <= t->depth; i++)
        bytes += t->levels[i].moved_bytes;
    return bytes;
}

bool rdc_transfer_rebuild(const struct rdc_level *level, const struct rdc_ends *ends)
{
    for (guint i = 0; i < level->pieces->len; i++) {
        const struct rdc_piece *p = &g_array_index(level->pieces, struct rdc_piece, i);
        const uint8_t *bytes = NULL;

        if (p->travels)
            bytes = ends->fetch(ends->self, p->offset, p->length);
        else if (p->old_offset <= ends->before_bytes && p->length <= ends->before_bytes - p->old_offset)
            bytes = ends->before + p->old_offset;
        if (!bytes)
            return false;
        ends->put(ends->self, bytes, p->length);
    }
    return true;
}
