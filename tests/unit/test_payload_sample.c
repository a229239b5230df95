/* Samples of file data: what they say of data whose ratio is known, how few they are, and when none are asked for. */
#include "replay/payload_sample.h"

#include <glib.h>
#include <math.h>
#include <string.h>

enum { MESSAGE = 100000 };

/* As the reader does with each message. Returns whether it was a sample. */
static bool give(struct payload_sample *s, const uint8_t *data, uint32_t length)
{
    bool wanted = payload_sample_wants(s, length);

    if (wanted)
        payload_sample_take(s, data, length);
    payload_sample_pass(s, length, false);
    return wanted;
}

static uint8_t *noise(void)
{
    uint8_t *bytes = g_malloc(MESSAGE);
    uint64_t state = 1;

    for (int i = 0; i < MESSAGE; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        bytes[i] = (uint8_t)(state >> 56);
    }
    return bytes;
}

static void test_known_ratios(void)
{
    g_autofree uint8_t *zeros = g_malloc0(MESSAGE), *random = noise();
    struct payload_sample s = {.on = true}, r = {.on = true};

    g_assert_true(isnan(payload_sample_ratio(&s)));
    for (int i = 0; i < 50; i++) {
        give(&s, zeros, MESSAGE);
        give(&r, random, MESSAGE);
    }
    g_assert_cmpfloat(payload_sample_ratio(&s), <, 0.01);
    g_assert_cmpfloat(payload_sample_ratio(&r), ==, 1); /* sent as it is */
    g_assert_cmpuint(s.passed_bytes, ==, 50 * MESSAGE);
    g_assert_cmpuint(s.sampled_bytes, ==, r.sampled_bytes);
}

/* Samples grow rarer, but each counts by what it stands for: of a copy whose second half doesn't shrink, half does. */
static void test_weights(void)
{
    g_autofree uint8_t *zeros = g_malloc0(MESSAGE), *random = noise();
    struct payload_sample s = {.on = true};
    unsigned samples = 0;

    for (int i = 0; i < 10000; i++)
        samples += give(&s, i < 5000 ? zeros : random, MESSAGE);
    g_assert_cmpfloat_with_epsilon(payload_sample_ratio(&s), 0.5, 0.1);
    g_assert_cmpuint(samples, <, 100);
    g_assert_cmpuint(s.sampled_bytes, ==, (uint64_t)samples * PAYLOAD_SAMPLE_BYTES);
}

static void test_not_asked_for(void)
{
    struct payload_sample off = {.on = false}, s = {.on = true};
    unsigned asked = 0;

    g_assert_false(payload_sample_wants(&off, MESSAGE));
    g_assert_false(payload_sample_wants(&s, PAYLOAD_SAMPLE_LEAST - 1));
    while (payload_sample_wants(&s, MESSAGE) && asked < 10000) {
        payload_sample_refuse(&s); /* a snap length cuts all of them */
        asked++;
    }
    g_assert_cmpuint(asked, <, 1000);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/payload-sample/known-ratios", test_known_ratios);
    g_test_add_func("/payload-sample/weights", test_weights);
    g_test_add_func("/payload-sample/not-asked-for", test_not_asked_for);
    return g_test_run();
}
