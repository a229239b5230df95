#include "report/format.h"

#include <glib.h>

static void expect(char *text, const char *expected)
{
    g_assert_cmpstr(text, ==, expected);
    g_free(text);
}

static void test_rounding(void)
{
    expect(format_number(1209.6838, 34), "1\u202f210");
    expect(format_number(1209.6838, 340), "1\u202f210");
    expect(format_number(1209.6838, 3.4), "1\u202f209.7");
    expect(format_number(1234567.891, 0.5), "1\u202f234\u202f567.89");
    expect(format_number(0.0034, 0.0002), "0.00340");
    expect(format_number(-9.98, 0.5), "\u22129.98");
    expect(format_number(0, 0), "0");
    expect(format_number(9.6e18, 9e18), "9.6\u202f×\u202f10¹⁸");
    expect(format_number(9.96e18, 9e18), "1\u202f×\u202f10¹⁹");
    expect(format_number(1.5e-5, 2e-6), "1.5\u202f×\u202f10⁻⁵");
}

static void test_sign(void)
{
    expect(format_signed(8.85, 4.5), "+8.8");
    expect(format_signed(-0.125, 3.9), "\u22120.1");
    expect(format_signed(-0.001, 3.9), "0.0");
    expect(format_percent(0.05, 0, false), "5\u202f%");
    expect(format_percent(-0.0910, 0.045, true), "\u22129.1\u202f%");
    expect(format_percent(123.45, 0.5, true), "+12\u202f345\u202f%");
    expect(format_percent(0.075, 0, false), "7.5\u202f%");
}

static void test_plain(void)
{
    expect(format_plain(1237.939), "1\u202f237.939");
    expect(format_plain(1111.13), "1\u202f111.13");
    expect(format_plain(27), "27");
    expect(format_plain(0.1), "0.1");
}

static void test_p(void)
{
    expect(format_p(0.01744), "p\u00a0=\u00a00.017");
    expect(format_p(0.1228), "p\u00a0=\u00a00.12");
    expect(format_p(0.975), "p\u00a0=\u00a00.97");
    expect(format_p(0.0004), "p\u00a0<\u00a00.001");
    expect(format_p(0.9999), "p\u00a0>\u00a00.99");
    expect(format_p(0.5), "p\u00a0=\u00a00.50");
    expect(format_p(0), "p\u00a0<\u00a00.001");
    expect(format_p(1), "p\u00a0>\u00a00.99");
}

static void test_terminal(void)
{
    char text[] = "\u22129.1\u202f% “p”\u00a0=\u00a00.1";

    format_to_terminal(text);
    g_assert_cmpstr(text, ==, "-9.1 % “p” = 0.1");
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/format/rounding", test_rounding);
    g_test_add_func("/format/sign", test_sign);
    g_test_add_func("/format/plain", test_plain);
    g_test_add_func("/format/p", test_p);
    g_test_add_func("/format/terminal", test_terminal);
    return g_test_run();
}
