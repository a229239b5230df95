/* The verdict rule's truth table, and its names. */
#include "report/verdict.h"

#include <glib.h>

/* Intervals of the effect in the claimed direction; margin 5. The 90 % interval lies inside the 95 % one. */
static const struct {
    const char *what;
    double low, high, low_90, high_90;
    enum verdict_decision decision;
    enum verdict_reason reason;
} CASES[] = {
    {"a gain beyond the margin", 6, 12, 7, 11, VERDICT_SUPPORTED, REASON_GAIN},
    {"a gain across the margin", 1, 9, 2, 8, VERDICT_SUPPORTED, REASON_GAIN},
    {"a gain, small by 90 % only", 1, 5.2, 1.3, 4.9, VERDICT_SUPPORTED_SMALL, REASON_SMALL_GAIN},
    {"a small gain", 0.5, 2, 0.7, 1.8, VERDICT_SUPPORTED_SMALL, REASON_SMALL_GAIN},
    {"upper end on the margin", 0.5, 5.5, 1, 5, VERDICT_SUPPORTED, REASON_GAIN},
    {"equivalent", -2, 2, -1.5, 1.5, VERDICT_REFUTED, REASON_EQUIVALENT},
    {"lower end at 0", 0, 3, 0.3, 2.7, VERDICT_REFUTED, REASON_EQUIVALENT},
    {"equivalent by 90 % only", -5.5, 5.5, -4.9, 4.9, VERDICT_REFUTED, REASON_EQUIVALENT},
    {"no gain that matters", -9, 3, -8, 2, VERDICT_REFUTED, REASON_NO_GAIN},
    {"lower end on minus the margin", -6, 2, -5, 1, VERDICT_REFUTED, REASON_NO_GAIN},
    {"the opposite", -9, -3, -8, -4, VERDICT_REFUTED, REASON_OPPOSITE},
    {"the opposite, and small", -2, -0.5, -1.8, -0.7, VERDICT_REFUTED, REASON_OPPOSITE},
    {"upper end at 0", -4, 0, -3.5, -0.5, VERDICT_REFUTED, REASON_EQUIVALENT},
    {"too wide", -9, 9, -7, 7, VERDICT_UNDECIDED, REASON_TOO_WIDE},
    {"upper end of 90 % on the margin", -1, 5.5, -0.5, 5, VERDICT_UNDECIDED, REASON_TOO_WIDE},
};

static void test_table(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct verdict_evidence e = {true, CASES[i].low, CASES[i].high, CASES[i].low_90, CASES[i].high_90,
                                     5,    false,        false};
        struct verdict v = verdict_decide(&e);

        g_test_message("%s", CASES[i].what);
        g_assert_cmpstr(verdict_name(v.decision), ==, verdict_name(CASES[i].decision));
        g_assert_cmpstr(verdict_reason_name(v.reason), ==, verdict_reason_name(CASES[i].reason));
    }
}

/* What the claim requires isn't there: the runs can then refute or puzzle, and not support. */
static void test_absent(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        struct verdict_evidence e = {true, CASES[i].low, CASES[i].high, CASES[i].low_90, CASES[i].high_90,
                                     5,    true,         false};
        struct verdict v = verdict_decide(&e);
        bool supported =
            CASES[i].decision == VERDICT_SUPPORTED || CASES[i].decision == VERDICT_SUPPORTED_SMALL;

        g_test_message("%s", CASES[i].what);
        g_assert_cmpint(v.decision, ==, supported ? VERDICT_UNDECIDED : VERDICT_REFUTED);
        g_assert_cmpint(v.reason, ==, supported ? REASON_AT_ODDS : REASON_NOT_THERE);
        g_assert_cmpstr(verdict_basis_name(v.basis), ==, "mechanism");
        e.required_absent = false;
        g_assert_cmpstr(verdict_basis_name(verdict_decide(&e).basis), ==, "samples");
        e.simulated = true;
        g_assert_cmpint(verdict_decide(&e).decision, ==, CASES[i].decision);
        g_assert_cmpstr(verdict_basis_name(verdict_decide(&e).basis), ==, "simulation");
        e.required_absent = true;
        g_assert_cmpstr(verdict_basis_name(verdict_decide(&e).basis), ==, "mechanism");
    }
}

static void test_no_interval(void)
{
    struct verdict_evidence e = {
        .has_intervals = false, .low = 6, .high = 12, .low_90 = 7, .high_90 = 11, .margin = 5};
    struct verdict v = verdict_decide(&e);

    g_assert_cmpint(v.decision, ==, VERDICT_UNDECIDED);
    g_assert_cmpint(v.reason, ==, REASON_NO_INTERVAL);
}

static void test_names(void)
{
    static const char *const NAMES[] = {"supported", "supported_small", "refuted", "undecided"};
    enum verdict_decision decision;

    for (guint i = 0; i < G_N_ELEMENTS(NAMES); i++) {
        g_assert_true(verdict_from_name(NAMES[i], &decision));
        g_assert_cmpstr(verdict_name(decision), ==, NAMES[i]);
    }
    g_assert_false(verdict_from_name("Supported", &decision));
    g_assert_false(verdict_from_name("", &decision));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/verdict/table", test_table);
    g_test_add_func("/verdict/absent", test_absent);
    g_test_add_func("/verdict/no-interval", test_no_interval);
    g_test_add_func("/verdict/names", test_names);
    return g_test_run();
}
