#include "report/sorting.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { DIGIT_BITS = 11, DIGITS = 6, BUCKETS = 1 << DIGIT_BITS, MANY = 4096 };

struct keyed {
    uint64_t key;
    size_t place;
};

/* Doubles in the order of their keys as integers. */
static uint64_t key_of(double v)
{
    double plain = v + 0.0; /* no minus zero */
    uint64_t bits;

    memcpy(&bits, &plain, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return (x->place > y->place) - (x->place < y->place);
}

/* How many have a digit's value becomes where they begin. */
static void starts_of(size_t *count)
{
    size_t at = 0;

    for (size_t b = 0; b < BUCKETS; b++) {
        size_t here = count[b];

        count[b] = at;
        at += here;
    }
}

/* One digit, lowest first. False where all keys share it, and nothing moved. */
static bool pass(const struct keyed *from, struct keyed *to, size_t n, int shift)
{
    g_autofree size_t *count = g_new0(size_t, BUCKETS);

    for (size_t i = 0; i < n; i++)
        count[from[i].key >> shift & (BUCKETS - 1)]++;
    if (count[from[0].key >> shift & (BUCKETS - 1)] == n)
        return false;
    starts_of(count);
    for (size_t i = 0; i < n; i++)
        to[count[from[i].key >> shift & (BUCKETS - 1)]++] = from[i];
    return true;
}

/* Returns owned. */
static struct keyed *sorted_keys(const double *x, size_t n)
{
    struct keyed *all = g_new(struct keyed, n + 1), *other;

    for (size_t i = 0; i < n; i++)
        all[i] = (struct keyed){key_of(x[i]), i};
    if (n < MANY) {
        qsort(all, n, sizeof *all, by_key);
        return all;
    }
    other = g_new(struct keyed, n + 1);
    for (int digit = 0; digit < DIGITS; digit++) {
        if (pass(all, other, n, digit * DIGIT_BITS)) {
            struct keyed *done = other;

            other = all;
            all = done;
        }
    }
    g_free(other);
    return all;
}

static double value_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static int ascending(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* pass() for keys alone. */
static bool pass_keys(const uint64_t *from, uint64_t *to, size_t n, int shift)
{
    g_autofree size_t *count = g_new0(size_t, BUCKETS);

    for (size_t i = 0; i < n; i++)
        count[from[i] >> shift & (BUCKETS - 1)]++;
    if (count[from[0] >> shift & (BUCKETS - 1)] == n)
        return false;
    starts_of(count);
    for (size_t i = 0; i < n; i++)
        to[count[from[i] >> shift & (BUCKETS - 1)]++] = from[i];
    return true;
}

void sorting_ascend(double *x, size_t n)
{
    g_autofree uint64_t *all = g_new(uint64_t, n + 1), *other = NULL;

    for (size_t i = 0; i < n; i++)
        all[i] = key_of(x[i]);
    if (n < MANY) {
        qsort(all, n, sizeof *all, ascending);
    } else {
        other = g_new(uint64_t, n + 1);
        for (int digit = 0; digit < DIGITS; digit++) {
            if (pass_keys(all, other, n, digit * DIGIT_BITS)) {
                uint64_t *done = other;

                other = all;
                all = done;
            }
        }
    }
    for (size_t i = 0; i < n; i++)
        x[i] = value_of(all[i]);
}

void sorting_index(size_t *order, const double *x, size_t n)
{
    g_autofree struct keyed *keys = sorted_keys(x, n);

    for (size_t i = 0; i < n; i++)
        order[i] = keys[i].place;
}
