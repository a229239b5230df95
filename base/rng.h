/* Named random streams.
 *
 * A stream is a gsl_rng (xoshiro256++, Blackman and Vigna 2019, 64-bit seeding through splitmix64), so every GSL
 * distribution works on it. Its state is derived from (seed, run, name) alone: adding a component with a stream of
 * its own never shifts the draws of another. No environment, no clock. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <gsl/gsl_rng.h>
#include <stdint.h>

/* Returns owned: free with gsl_rng_free(). */
gsl_rng *rng_stream(uint64_t seed, uint64_t run, const char *name);

#endif
