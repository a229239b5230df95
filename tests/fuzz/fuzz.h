/* What a fuzz target offers: libFuzzer calls it with made-up inputs, seeds_main.c with the files of its seed folders. It must
 * never crash, leak, hang or read outside the input. Returns 0. */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
