/* Comparing bytes in tests; g_assert_cmpmem() takes int lengths. Header only. */
#ifndef TESTS_BYTES_H
#define TESTS_BYTES_H

#include <glib.h>
#include <string.h>

static inline void assert_same_bytes(const void *a, size_t a_length, const void *b, size_t b_length)
{
    const unsigned char *x = a, *y = b;

    g_assert_cmpuint(a_length, ==, b_length);
    for (size_t i = 0; i < a_length; i++) {
        if (x[i] != y[i])
            g_test_message("byte %zu differs", i);
        g_assert_cmphex(x[i], ==, y[i]);
    }
}

#endif
