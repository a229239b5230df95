/* Properties of RDC on made-up files: cuts are where the specification's definition has them, chunks are twice the horizon long on average,
 * a change moves only the cuts near it, and the new version comes out of the old one and what travels. */
#include "base/rng.h"
#include "replay/rdc_transfer.h"
#include "tests/bytes.h"

#include <gsl/gsl_rng.h>
#include <string.h>

static uint8_t *noise(gsl_rng *rng, size_t length, unsigned long symbols)
{
    uint8_t *data = g_malloc(length + 1);

    for (size_t i = 0; i < length; i++)
        data[i] = (uint8_t)gsl_rng_uniform_int(rng, symbols);
    return data;
}

static gsl_rng *named(const char *name)
{
    return rng_stream(1, 0, name);
}

/* [MS-RDC] 3.1.5.1.2, word by word. */
static bool begins_chunk(const uint32_t *hashes, size_t length, uint32_t horizon, size_t i, size_t last)
{
    bool largest = i > horizon;

    for (size_t k = i > horizon ? i - horizon : 0; largest && k < length && k <= i + horizon; k++)
        largest = k == i || hashes[i] > hashes[k];
    return largest || i - last == RDC_CHUNK_MOST;
}

static void check_definition(const struct rdc_filter *f, const uint8_t *data, size_t length)
{
    g_autofree uint32_t *hashes = g_new(uint32_t, length + 1);
    g_autoptr(GArray) cuts = rdc_filter_cuts(f, data, length);
    size_t last = 0;
    guint n = 0;

    rdc_filter_hash(f->window, data, length, hashes);
    for (size_t i = 0; i < length; i++) {
        if (i > 0 && !begins_chunk(hashes, length, f->horizon, i, last))
            continue;
        g_assert_cmpuint(n, <, cuts->len);
        g_assert_cmpuint(g_array_index(cuts, uint64_t, n), ==, i);
        last = i;
        n++;
    }
    g_assert_cmpuint(n, ==, cuts->len);
}

static void test_definition(void)
{
    gsl_rng *rng = named("definition");

    for (int round = 0; round < 60; round++) {
        struct rdc_filter f = {2 + (uint32_t)gsl_rng_uniform_int(rng, 95),
                               128 + (uint32_t)gsl_rng_uniform_int(rng, 400)};
        size_t length = round < 40 ? gsl_rng_uniform_int(rng, 6 * f.horizon) : 150000;
        g_autofree uint8_t *data = noise(rng, length, 1 + gsl_rng_uniform_int(rng, round % 2 ? 3 : 256));

        check_definition(&f, data, length);
    }
    gsl_rng_free(rng);
}

/* [MS-RDC] 4.7: twice the horizon; over 4,000 chunks their mean is that within 2 %. */
static void test_mean(void)
{
    static const struct rdc_filter filters[] = {{48, 1024}, {16, 512}, {2, 128}};
    gsl_rng *rng = named("mean");

    for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
        size_t length = (size_t)8000 * filters[i].horizon;
        g_autofree uint8_t *data = noise(rng, length, 256);
        g_autoptr(GArray) cuts = rdc_filter_cuts(&filters[i], data, length);
        double mean = (double)length / cuts->len;

        g_test_message("window %u, horizon %u: mean chunk %.1f B", filters[i].window, filters[i].horizon,
                       mean);
        g_assert_cmpfloat(mean, >, 1.96 * filters[i].horizon);
        g_assert_cmpfloat(mean, <, 2.04 * filters[i].horizon);
    }
    gsl_rng_free(rng);
}

/* The place in `cuts` of the first that isn't before `offset`. */
static guint from(const GArray *cuts, uint64_t offset)
{
    guint i = 0;

    while (i < cuts->len && g_array_index(cuts, uint64_t, i) < offset)
        i++;
    return i;
}

/* Cuts further away than a horizon and a window from an insertion stay with the bytes that they were at. */
static void test_locality(void)
{
    enum { LENGTH = 400000, REACH = 1024 + 48 };
    gsl_rng *rng = named("locality");

    for (int round = 0; round < 20; round++) {
        g_autofree uint8_t *old = noise(rng, LENGTH, 256), *new = g_malloc(LENGTH + 1000);
        size_t at = gsl_rng_uniform_int(rng, LENGTH), more = 1 + gsl_rng_uniform_int(rng, 999);
        g_autofree uint8_t *inserted = noise(rng, more, 256);
        g_autoptr(GArray) before = rdc_filter_cuts(&RDC_FILTER_FILES, old, LENGTH), after = NULL;
        guint i, k;

        memcpy(new, old, at);
        memcpy(new + at, inserted, more);
        memcpy(new + at + more, old + at, LENGTH - at);
        after = rdc_filter_cuts(&RDC_FILTER_FILES, new, LENGTH + more);
        for (i = 0; i < before->len && g_array_index(before, uint64_t, i) + REACH < at; i++)
            g_assert_cmpuint(g_array_index(before, uint64_t, i), ==, g_array_index(after, uint64_t, i));
        i = from(before, at + REACH);
        k = from(after, at + more + REACH);
        g_assert_cmpuint(before->len - i, ==, after->len - k);
        for (; i < before->len; i++, k++)
            g_assert_cmpuint(g_array_index(before, uint64_t, i) + more, ==,
                             g_array_index(after, uint64_t, k));
    }
    gsl_rng_free(rng);
}

/* The receiver: it has the old version, and what it was sent. */
struct receiver {
    GByteArray *sent, *built;
    uint64_t taken;
};

static const uint8_t *take(void *self, uint64_t offset, uint64_t length)
{
    struct receiver *r = self;
    const uint8_t *bytes = r->sent->data + r->taken;

    (void)offset;
    if (length > r->sent->len - r->taken)
        return NULL;
    r->taken += length;
    return bytes;
}

static void keep(void *self, const uint8_t *bytes, size_t length)
{
    struct receiver *r = self;

    g_byte_array_append(r->built, bytes, (guint)length);
}

static void check_round_trip(const struct rdc_versions *v, guint depth)
{
    struct rdc_transfer *t = rdc_transfer_new(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, depth, v);
    const struct rdc_level *file = &t->levels[0];
    struct receiver r = {g_byte_array_new(), g_byte_array_new(), 0};
    struct rdc_ends ends = {v->before, v->before_bytes, take, keep, &r};

    for (guint i = 0; i < file->pieces->len; i++) {
        const struct rdc_piece *p = &g_array_index(file->pieces, struct rdc_piece, i);

        if (p->travels)
            g_byte_array_append(r.sent, v->after + p->offset, (guint)p->length);
    }
    g_assert_cmpuint(r.sent->len, ==, file->moved_bytes);
    g_assert_true(rdc_transfer_rebuild(file, &ends));
    assert_same_bytes(r.built->data, r.built->len, v->after, v->after_bytes);
    g_assert_cmpuint(rdc_transfer_bytes(t), >=, file->moved_bytes + t->levels[depth].bytes);
    g_byte_array_unref(r.sent);
    g_byte_array_unref(r.built);
    rdc_transfer_free(t);
}

/* An old version, changed in some places: bytes written over, put in, left out, moved. */
static uint8_t *change(gsl_rng *rng, const uint8_t *old, size_t length, size_t *new_length)
{
    GByteArray *new = g_byte_array_new();
    size_t at = 0;

    while (at < length) {
        size_t run = 1 + gsl_rng_uniform_int(rng, 60000), made = gsl_rng_uniform_int(rng, 3000);
        g_autofree uint8_t *bytes = noise(rng, made, 256);

        run = MIN(run, length - at);
        g_byte_array_append(new, old + (gsl_rng_uniform_int(rng, 5) ? at : 0), (guint)run);
        if (gsl_rng_uniform_int(rng, 2))
            g_byte_array_append(new, bytes, (guint)made);
        at += run + (gsl_rng_uniform_int(rng, 3) ? 0 : gsl_rng_uniform_int(rng, 5000));
    }
    *new_length = new->len;
    return g_byte_array_free(new, FALSE);
}

static void test_round_trip(void)
{
    gsl_rng *rng = named("round trip");

    for (guint round = 0; round < 48; round++) {
        size_t length = round < 6 ? gsl_rng_uniform_int(rng, 3) : gsl_rng_uniform_int(rng, 900000), changed;
        g_autofree uint8_t *old = noise(rng, length, round % 3 ? 256 : 2),
                           *new = change(rng, old, length, &changed);

        check_round_trip(&(struct rdc_versions){old, new, length, changed}, 1 + round % RDC_LEVELS_MOST);
    }
    gsl_rng_free(rng);
}

/* Ten bytes put into 4 MB: a few chunks travel, and of the first level's signatures a few chunks' worth. */
static void test_small_edit(void)
{
    enum { LENGTH = 4000000, AT = 1234567, MORE = 10 };
    gsl_rng *rng = named("edit");
    g_autofree uint8_t *old = noise(rng, LENGTH, 256), *new = g_malloc(LENGTH + MORE);
    struct rdc_versions v = {old, new, LENGTH, LENGTH + MORE};
    struct rdc_transfer *flat, *deep;

    memcpy(new, old, AT);
    memcpy(new + AT, "0123456789", MORE);
    memcpy(new + AT + MORE, old + AT, LENGTH - AT);
    flat = rdc_transfer_new(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, 1, &v);
    deep = rdc_transfer_new(&RDC_FILTER_FILES, &RDC_FILTER_SIGNATURES, 2, &v);
    g_assert_cmpuint(flat->levels[0].moved_bytes, <, 20000);
    g_assert_cmpuint(flat->levels[0].moved_bytes, ==, deep->levels[0].moved_bytes);
    g_assert_cmpuint(rdc_transfer_bytes(flat), <, LENGTH / 50);
    g_assert_cmpuint(deep->levels[1].moved_bytes, <, 2500);
    g_assert_cmpuint(rdc_transfer_bytes(deep), <, rdc_transfer_bytes(flat) / 2);
    rdc_transfer_free(flat);
    rdc_transfer_free(deep);
    gsl_rng_free(rng);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/rdc-versions/definition", test_definition);
    g_test_add_func("/rdc-versions/mean", test_mean);
    g_test_add_func("/rdc-versions/locality", test_locality);
    g_test_add_func("/rdc-versions/round-trip", test_round_trip);
    g_test_add_func("/rdc-versions/small-edit", test_small_edit);
    return g_test_run();
}
