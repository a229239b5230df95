#include "base/error.h"
#include "base/units.h"

#include <string.h>

struct good {
    const char *text;
    int64_t value;
};

struct bad {
    const char *text;
    const char *why; /* a part of the message */
};

static const struct good TIMES[] = {
    {"25 ms", 25 * NS_PER_MS},
    {"25ms", 25 * NS_PER_MS},
    {"  25   ms ", 25 * NS_PER_MS},
    {"0 s", 0},
    {"0.1 s", 100 * NS_PER_MS},
    {".5 us", 500},
    {"1.5 \xc2\xb5s", 1500},
    {"7 ns", 7},
    {"2 min", 120 * NS_PER_S},
    {"1.5 h", 5400 * NS_PER_S},
    {"0.4 ns", 0},
    {"106751 h", INT64_C(384303600) * NS_PER_S},
};
static const struct bad NOT_TIMES[] = {
    {"25", "lacks its unit"},
    {"25 ", "lacks its unit"},
    {"", "is not a time"},
    {"ms", "is not a time"},
    {"-5 ms", "is not a time"},
    {"+5 ms", "is not a time"},
    {"1e3 ms", "is not a time"},
    {"0x10 ms", "is not a time"},
    {"1.2.3 ms", "is not a time"},
    {"nan s", "is not a time"},
    {"inf s", "is not a time"},
    {"2,5 ms", "holds a comma"},
    {"25 mS", "doesn't fit a time"},
    {"25 msec", "doesn't fit a time"},
    {"25 Mbit/s", "doesn't fit a time"},
    {"3000000000 h", "is too large"},
    {"25", "ns, us, \xc2\xb5s, ms, s, min, h"},
};
static const struct good RATES[] = {
    {"2 Mbit/s", 2000000},
    {"56 kbit/s", 56000},
    {"1 Gbit/s", 1000000000},
    {"9600 bit/s", 9600},
    {"1 B/s", 8},
    {"125 MB/s", 1000000000},
    {"1 KiB/s", 8192},
    {"1 MiB/s", 8388608},
    {"1 GiB/s", 8589934592},
    {"1200 MB/min", 160000000},
    {"60 MiB/min", 8388608},
    {"0.5 kbit/s", 500},
    {"0 bit/s", 0},
    {"1.25 GB/s", 10000000000},
    {"3 kB/s", 24000},
};
static const struct bad NOT_RATES[] = {
    {"2", "lacks its unit"},
    {"2", "bit/s, kbit/s, Mbit/s"},
    {"2 Mbps", "ambiguous"},
    {"2 kbps", "ambiguous"},
    {"2 bps", "ambiguous"},
    {"2 Mb/s", "ambiguous"},
    {"2 Mbps", "bit/s for bits, B/s or B for bytes"},
    {"2 MBps", "doesn't fit a rate"},
    {"2 Mbit", "doesn't fit a rate"},
    {"2 MB", "doesn't fit a rate"},
    {"fast", "is not a rate"},
    {"1,000 Mbit/s", "holds a comma"},
    {"10000000000 GB/s", "is too large"},
};
static const struct good SIZES[] = {
    {"61440 B", 61440},      {"60 KiB", 61440},        {"64 kB", 64000},
    {"316 MiB", 331350016},  {"19.75MiB", 20709376},   {"1 GiB", 1073741824},
    {"2 TB", 2000000000000}, {"1 TiB", 1099511627776}, {"0 B", 0},
    {"3 MB", 3000000},       {"4 GB", 4000000000},
};
static const struct bad NOT_SIZES[] = {
    {"61440", "lacks its unit"},
    {"61,440 B", "holds a comma"},
    {"64 kb", "ambiguous"},
    {"64 KB", "doesn't fit"},
    {"64 Kb", "ambiguous"},
    {"1 mb", "ambiguous"},
    {"1 gb", "ambiguous"},
    {"5 b", "ambiguous"},
    {"5 kbit", "doesn't fit a size"},
    {"-1 B", "is not a size"},
    {"10000000 TiB", "is too large"},
    {"64000", "B, kB, MB, GB, TB, KiB, MiB, GiB, TiB"},
};

typedef bool (*parser)(const char *, int64_t *, GError **);

static void check_good(parser parse, const struct good *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_autoptr(GError) error = NULL;
        int64_t value = -1;

        g_test_message("%s", cases[i].text);
        g_assert_true(parse(cases[i].text, &value, &error));
        g_assert_no_error(error);
        g_assert_cmpint(value, ==, cases[i].value);
    }
}

static void check_bad(parser parse, const struct bad *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *quoted = g_strdup_printf("\"%s\"", cases[i].text);
        int64_t value = -1;

        g_test_message("%s", cases[i].text);
        g_assert_false(parse(cases[i].text, &value, &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        g_assert_nonnull(strstr(error->message, cases[i].why));
        g_assert_true(g_str_has_prefix(error->message, quoted));
        g_assert_cmpint(value, ==, -1);
    }
}

static void test_time(void)
{
    check_good(units_parse_time, TIMES, G_N_ELEMENTS(TIMES));
    check_bad(units_parse_time, NOT_TIMES, G_N_ELEMENTS(NOT_TIMES));
}

static void test_rate(void)
{
    check_good(units_parse_rate, RATES, G_N_ELEMENTS(RATES));
    check_bad(units_parse_rate, NOT_RATES, G_N_ELEMENTS(NOT_RATES));
}

static void test_size(void)
{
    check_good(units_parse_size, SIZES, G_N_ELEMENTS(SIZES));
    check_bad(units_parse_size, NOT_SIZES, G_N_ELEMENTS(NOT_SIZES));
}

static void test_count(void)
{
    static const struct good counts[] = {
        {"10", 10}, {" 10 ", 10}, {"0", 0}, {"9223372036854775807", INT64_MAX}};
    static const struct bad not_counts[] = {
        {"", "whole number"},     {"-1", "whole number"},
        {"+1", "whole number"},   {"1.5", "whole number"},
        {"1e3", "whole number"},  {"10 ms", "whole number"},
        {"0x1f", "whole number"}, {"9223372036854775808", "whole number"},
    };

    check_good(units_parse_count, counts, G_N_ELEMENTS(counts));
    check_bad(units_parse_count, not_counts, G_N_ELEMENTS(not_counts));
}

/* "7 %" is the double 0.07 itself, so that a margin read from a file equals one written in code. */
static void test_percent(void)
{
    static const struct {
        const char *text;
        double ratio;
    } cases[] = {{"5 %", 0.05}, {"7%", 0.07}, {"0.3%", 0.003}, {"0 %", 0}, {"100 %", 1}, {"29 %", 0.29}};
    static const struct bad not_shares[] = {{"0.05", "lacks its unit"},
                                            {"5", "(units that fit: %)"},
                                            {"-5 %", "is not a share"},
                                            {"5 percent", "doesn't fit a share"}};

    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        double ratio = -1;

        g_assert_true(units_parse_percent(cases[i].text, &ratio, NULL));
        g_assert_true(ratio == cases[i].ratio);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(not_shares); i++) {
        g_autoptr(GError) error = NULL;
        double ratio = -1;

        g_assert_false(units_parse_percent(not_shares[i].text, &ratio, &error));
        g_assert_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT);
        g_assert_nonnull(strstr(error->message, not_shares[i].why));
    }
}

struct shown {
    int64_t value;
    int digits;
    const char *text;
};

static void check_format(char *(*print)(int64_t, int), const struct shown *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        g_autofree char *text = print(cases[i].value, cases[i].digits);

        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

static void test_format(void)
{
    static const struct shown times[] = {
        {0, 3, "0 ns"},
        {999, 3, "999 ns"},
        {1000, 3, "1 \xc2\xb5s"},
        {25 * NS_PER_MS, 3, "25 ms"},
        {1234567, 3, "1.23 ms"},
        {1234567, 6, "1.23457 ms"},
        {999999999, 3, "1 s"},
        {999499999, 3, "999 ms"},
        {1500 * NS_PER_S, 3, "1500 s"},
        {1500 * NS_PER_S, 4, "1500 s"},
        {-25 * NS_PER_MS, 3, "-25 ms"},
    };
    static const struct shown rates[] = {{2000000, 3, "2 Mbit/s"},
                                         {0, 3, "0 bit/s"},
                                         {1000000000, 3, "1 Gbit/s"},
                                         {116800000, 4, "116.8 Mbit/s"}};
    static const struct shown sizes[] = {
        {61440, 3, "60 KiB"}, {331350016, 3, "316 MiB"},
        {64000, 3, "64 kB"},  {1460, 4, "1.46 kB"},
        {1500, 3, "1.5 kB"},  {0, 3, "0 B"},
        {999, 3, "999 B"},    {1023 * 1024, 3, "1023 KiB"},
        {1000001, 3, "1 MB"}, {INT64_C(1) << 40, 3, "1024 GiB"},
    };

    check_format(units_format_time, times, G_N_ELEMENTS(times));
    check_format(units_format_rate, rates, G_N_ELEMENTS(rates));
    check_format(units_format_size, sizes, G_N_ELEMENTS(sizes));
    g_assert_true(units_seconds(1500 * NS_PER_MS) == 1.5);
}

/* What is printed with enough digits reads back as the same quantity. */
static void test_round_trip(void)
{
    for (int64_t v = 1; v < INT64_C(1) << 50; v = v * 7 / 3 + 1) {
        g_autofree char *time = units_format_time(v, 17);
        g_autofree char *rate = units_format_rate(v, 17);
        g_autofree char *size = units_format_size(v, 17);
        int64_t back = -1;

        g_assert_true(units_parse_time(time, &back, NULL) && back == v);
        g_assert_true(units_parse_rate(rate, &back, NULL) && back == v);
        g_assert_true(units_parse_size(size, &back, NULL) && back == v);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/units/time", test_time);
    g_test_add_func("/units/rate", test_rate);
    g_test_add_func("/units/size", test_size);
    g_test_add_func("/units/count", test_count);
    g_test_add_func("/units/percent", test_percent);
    g_test_add_func("/units/format", test_format);
    g_test_add_func("/units/round-trip", test_round_trip);
    return g_test_run();
}
