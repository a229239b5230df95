#include "base/rng.h"

struct xoshiro {
    uint64_t s[4];
};

static uint64_t rotl(uint64_t x, int k)
{
    return (x << k) | (x >> (64 - k));
}

static uint64_t splitmix64(uint64_t *x)
{
    uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void xoshiro_set(void *state, unsigned long seed)
{
    struct xoshiro *x = state;
    uint64_t mix = seed;

    for (int i = 0; i < 4; i++)
        x->s[i] = splitmix64(&mix);
}

static uint64_t next(struct xoshiro *x)
{
    uint64_t *s = x->s;
    uint64_t result = rotl(s[0] + s[3], 23) + s[0];
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

/* GSL draws integers of 32 bits: the upper half, which is the better one. */
static unsigned long xoshiro_get(void *state)
{
    return (unsigned long)(next(state) >> 32);
}

static double xoshiro_get_double(void *state)
{
    return (double)(next(state) >> 11) * 0x1.0p-53;
}

static const gsl_rng_type XOSHIRO = {
    "xoshiro256++", 0xffffffffUL, 0, sizeof(struct xoshiro), xoshiro_set, xoshiro_get, xoshiro_get_double,
};

gsl_rng *rng_stream(uint64_t seed, uint64_t run, const char *name)
{
    gsl_rng *rng = gsl_rng_alloc(&XOSHIRO);
    struct xoshiro *x = rng->state;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a of the name */
    uint64_t mix;

    for (const char *p = name; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    mix = seed;
    mix = splitmix64(&mix) ^ run;
    mix = splitmix64(&mix) ^ hash;
    for (int i = 0; i < 4; i++)
        x->s[i] = splitmix64(&mix);
    return rng;
}
