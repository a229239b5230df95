/* Text of every encoding, numbers of every country, units, dates. */
#include "report/date_text.h"
#include "report/number_text.h"
#include "report/text_input.h"
#include "report/unit_convert.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

struct text {
    const char *bytes;
    size_t length;
    const char *encoding;
    guint lines;
    const char *first;
};

#define BYTES(text) text, sizeof(text) - 1

static const struct text TEXTS[] = {
    {BYTES("a\nb\n"), "UTF-8", 2, "a"},
    {BYTES("a\r\nb"), "UTF-8", 2, "a"},
    {BYTES("a\r\n\r\nb"), "UTF-8", 3, "a"},
    {BYTES("  1%\r 50%\r100%\r\nb"), "UTF-8", 4, "  1%"},
    {BYTES("\xef\xbb\xbf\xc3\xa9\n"), "UTF-8", 1, "\xc3\xa9"},
    {BYTES("\xff\xfe\x61\0\x0a\0\x3d\xd8\x00\xde"), "UTF-16LE", 2, "a"},
    {BYTES("\xfe\xff\0\x61\0\x0d\0\x0a\0\x62"), "UTF-16BE", 2, "a"},
    {BYTES("a\0b\0c\0d\0e\0\n\0"), "UTF-16LE", 1, "abcde"},
    {BYTES("D\x82"
           "but\xff: 5"),
     "CP850", 1,
     "D\xc3\xa9"
     "but\xc2\xa0: 5"},
    {BYTES("D\xe9"
           "but 5\xa0"
           "000"),
     "Windows-1252", 1,
     "D\xc3\xa9"
     "but 5\xc2\xa0"
     "000"},
    {BYTES("2021-03-11T14:41:24.06Z a\n2021-03-11T14:41:25Z b\n"), "UTF-8", 2, "a"},
    {BYTES("2021-03-11T14:41:24.06Z a\nb\n"), "UTF-8", 2, "2021-03-11T14:41:24.06Z a"},
    {BYTES("```\na\n```\n"), "UTF-8", 3, ""},
};

static void test_encodings(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(TEXTS); i++) {
        g_autoptr(GError) error = NULL;
        struct text_input *in = text_input_new("t", TEXTS[i].bytes, TEXTS[i].length, &error);

        g_test_message("%u", i);
        g_assert_no_error(error);
        g_assert_cmpstr(in->encoding, ==, TEXTS[i].encoding);
        g_assert_cmpuint(text_input_count(in), ==, TEXTS[i].lines);
        g_assert_cmpstr(text_input_line(in, 0)->text, ==, TEXTS[i].first);
        text_input_free(in);
    }
}

/* Editors count line feeds, so parts of a progress display share a number. */
static void test_line_numbers(void)
{
    struct text_input *in = text_input_new("t", BYTES("a\r b\r c\nd"), NULL);

    g_assert_cmpint(text_input_line(in, 2)->number, ==, 1);
    g_assert_cmpint(text_input_line(in, 3)->number, ==, 2);
    text_input_free(in);
}

static void test_gzip(void)
{
    g_autoptr(GConverter) gzip = G_CONVERTER(g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 9));
    guint8 packed[100];
    gsize read, written;
    g_autoptr(GError) error = NULL;
    struct text_input *in;

    g_assert_cmpint(g_converter_convert(gzip, BYTES("a\nb\n"), packed, sizeof packed,
                                        G_CONVERTER_INPUT_AT_END, &read, &written, NULL),
                    ==, G_CONVERTER_FINISHED);
    in = text_input_new("t", packed, written, NULL);
    g_assert_cmpuint(text_input_count(in), ==, 2);
    text_input_free(in);
    g_assert_null(text_input_new("t", packed, written - 9, &error));
    g_assert_cmpstr(error->message, ==, "t: is a damaged or cut gzip file");
}

static void test_not_text(void)
{
    static const struct {
        const char *name, *bytes;
        size_t length;
        const char *message;
    } CASES[] = {
        {"t", BYTES(""), "t: is empty"},
        {"t", BYTES("a\0b"), "t: is not text: it holds zero bytes"},
        {"t.blg", BYTES("\1\0\0\2x"),
         "t.blg: is Performance Monitor's binary log: turn it into CSV first (relog in.blg -f csv -o "
         "out.csv)"},
        {"t", BYTES("PML_\11\0\0\0"),
         "t: is Process Monitor's binary log: save it as CSV first (File, Save)"},
    };

    for (guint i = 0; i < G_N_ELEMENTS(CASES); i++) {
        g_autoptr(GError) error = NULL;

        g_assert_null(text_input_new(CASES[i].name, CASES[i].bytes, CASES[i].length, &error));
        g_assert_cmpstr(error->message, ==, CASES[i].message);
    }
}

static void test_no_file(void)
{
    g_autoptr(GError) error = NULL;

    g_assert_null(text_input_load("no such file", &error));
    g_assert_cmpstr(error->message, ==, "no such file: can't be read: No such file or directory");
}

enum way { WHOLE, POINT, COMMA, THREE_DECIMALS, FREE };

static const struct {
    enum way way;
    const char *text;
    double value; /* NAN: none; INFINITY: ambiguous */
    double half_step;
} NUMBERS[] = {
    {WHOLE, "257.555.063", 257555063, 0.5},
    {WHOLE, "4,012,408,257", 4012408257, 0.5},
    {WHOLE, "6 621 000", 6621000, 0.5},
    {WHOLE,
     "6\xc2\xa0"
     "621\xc2\xa0"
     "000",
     6621000, 0.5},
    {WHOLE,
     "6\xe2\x80\xaf"
     "621",
     6621, 0.5},
    {WHOLE, "1'234'567", 1234567, 0.5},
    {WHOLE, " 42 ", 42, 0.5},
    {WHOLE, "-5", -5, 0.5},
    {WHOLE, "12,34", NAN, 0},
    {WHOLE, "1234,567", NAN, 0},
    {WHOLE, "1.234,567", NAN, 0},
    {WHOLE, "0,123", NAN, 0},
    {WHOLE, "1e3", NAN, 0},
    {WHOLE, "", NAN, 0},
    {WHOLE, "5x", NAN, 0},
    {POINT, "1.25", 1.25, 0.005},
    {POINT, "1,234.5", 1234.5, 0.05},
    {POINT, "1,234", 1234, 0.5},
    {POINT, ".5", 0.5, 0.05},
    {POINT, "1.5e-3", 0.0015, 0.00005},
    {POINT, "1,5", NAN, 0},
    {POINT, "1.2.3", NAN, 0},
    {POINT, "1e999", NAN, 0},
    {POINT, "inf", NAN, 0},
    {COMMA, "1,84590972222222E-05", 1.84590972222222e-05, 5e-20},
    {COMMA, "1.234,5", 1234.5, 0.05},
    {COMMA, "1.5", NAN, 0},
    {THREE_DECIMALS, "30,799.068", 30799.068, 0.0005},
    {THREE_DECIMALS, "14737,419", 14737.419, 0.0005},
    {THREE_DECIMALS, "378,857", 378.857, 0.0005},
    {THREE_DECIMALS, "7 804,878", 7804.878, 0.0005},
    {THREE_DECIMALS, "9351.48", NAN, 0},
    {THREE_DECIMALS, "9351", NAN, 0},
    {THREE_DECIMALS, "1,234,567", NAN, 0},
    {FREE, "12.5", 12.5, 0.05},
    {FREE, "12,5", 12.5, 0.05},
    {FREE, "1,234,567", 1234567, 0.5},
    {FREE, "1.234,56", 1234.56, 0.005},
    {FREE, "0.123", 0.123, 0.0005},
    {FREE, "1234.567", 1234.567, 0.0005},
    {FREE, "1,234", INFINITY, 0},
    {FREE, "1.234", INFINITY, 0},
    {FREE, "Mar 12", NAN, 0},
};

static enum number_status parse(enum way way, const char *text, struct number *n)
{
    size_t length = strlen(text);

    switch (way) {
    case WHOLE:
        return number_whole(text, length, n) ? NUMBER_OK : NUMBER_NONE;
    case POINT:
        return number_marked(text, length, '.', n) ? NUMBER_OK : NUMBER_NONE;
    case COMMA:
        return number_marked(text, length, ',', n) ? NUMBER_OK : NUMBER_NONE;
    case THREE_DECIMALS:
        return number_decimals(text, length, 3, n) ? NUMBER_OK : NUMBER_NONE;
    default:
        return number_free(text, length, n);
    }
}

static void test_numbers(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(NUMBERS); i++) {
        struct number n = {0, 0};
        enum number_status status = parse(NUMBERS[i].way, NUMBERS[i].text, &n);

        g_test_message("%u: \"%s\"", i, NUMBERS[i].text);
        g_assert_cmpint(status == NUMBER_NONE, ==, isnan(NUMBERS[i].value));
        g_assert_cmpint(status == NUMBER_AMBIGUOUS, ==, isinf(NUMBERS[i].value));
        if (status != NUMBER_OK)
            continue;
        g_assert_cmpfloat(n.value, ==, NUMBERS[i].value);
        g_assert_cmpfloat_with_epsilon(n.half_step, NUMBERS[i].half_step, NUMBERS[i].half_step * 1e-9);
    }
}

static void test_number_length(void)
{
    g_assert_cmpuint(number_length("6 621 000 Octets"), ==, 9);
    g_assert_cmpuint(number_length("16.6 GB"), ==, 4);
    g_assert_cmpuint(number_length("5 10 15"), ==, 1);
    g_assert_cmpuint(number_length("5. Then"), ==, 1);
    g_assert_cmpuint(number_length("none"), ==, 0);
}

static const struct {
    double value;
    const char *from, *to;
    double size_bytes, expected; /* NAN: an error that says `why` */
    const char *why;
} CONVERSIONS[] = {
    {60, "MB/min", "MB/s", 0, 1, NULL},
    {60, "MB/min", "MiB/s", 0, 1e6 / 1048576, NULL},
    {1, "MiB/s", "B/s", 0, 1048576, NULL},
    {8, "Mbit/s", "MB/s", 0, 1, NULL},
    {1500, "ms", "s", 0, 1.5, NULL},
    {2, "min", "seconds", 0, 120, NULL},
    {3, "GiB", "MiB", 0, 3072, NULL},
    {10, "s", "MB/s", 50e6, 5, NULL},
    {5, "MB/s", "s", 50e6, 10, NULL},
    {7, "points", "points", 0, 7, NULL},
    {10, "s", "MB/s", 0, NAN, "only when the size of the copy is given"},
    {0, "s", "MB/s", 5, NAN, "0 s can't be turned into MB/s"},
    {10, "MB", "s", 5, NAN, "these don't convert"},
    {10, "MB", "MB/s", 5, NAN, "these don't convert"},
    {10, "Mbps", "MB/s", 5, NAN, "\"Mbps\" is ambiguous"},
    {10, "points", "MB/s", 5, NAN, "none of the units"},
    {1e308, "GiB", "bit", 0, NAN, "is too large"},
};

static void test_conversions(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(CONVERSIONS); i++) {
        g_autoptr(GError) error = NULL;
        double got = 0;
        bool ok = unit_convert(CONVERSIONS[i].value, CONVERSIONS[i].from, CONVERSIONS[i].to,
                               CONVERSIONS[i].size_bytes, &got, &error);

        g_test_message("%u", i);
        g_assert_cmpint(ok, ==, !isnan(CONVERSIONS[i].expected));
        if (ok)
            g_assert_cmpfloat_with_epsilon(got, CONVERSIONS[i].expected, CONVERSIONS[i].expected * 1e-14);
        else
            g_assert_nonnull(strstr(error->message, CONVERSIONS[i].why));
    }
}

static const struct {
    const char *text, *expected; /* NULL: none */
} DATES[] = {
    {"Ended : Fri Oct 24 15:13:48 2014", "2014-10-24T15:13:48"},
    {"Gestartet: Montag, 19. November 2018 01:34:16", "2018-11-19T01:34:16"},
    {"Gestartet: Dienstag, 5. M\xef\xbf\xbdrz 2019 01:34:16", "2019-03-05T01:34:16"},
    {"Started : Tuesday, May 9, 2023 8:29:02 PM", "2023-05-09T20:29:02"},
    {"Started : Tuesday, May 9, 2023 12:29:02 AM", "2023-05-09T00:29:02"},
    {"D\xc3\xa9"
     "but\xc2\xa0: dimanche 21 d\xc3\xa9"
     "cembre 2025 19:26:18",
     "2025-12-21T19:26:18"},
    {"Fin : mardi 3 f\xef\xbf\xbdvrier 2026 9:26:18", "2026-02-03T09:26:18"},
    {"Inicio: martes, 18 de agosto de 202522:31:59", "2025-08-18T22:31:59"},
    {"Avviato: domenica 27 settembre 2026 15:19:41", "2026-09-27T15:19:41"},
    {"\xe9\x96\x8b\xe5\xa7\x8b: 2024\xe5\xb9\xb4"
     "4\xe6\x9c\x88"
     "27\xe6\x97\xa5 19:24:37",
     "2024-04-27T19:24:37"},
    {"start at 2023/08/11 04:06:00", "2023-08-11T04:06:00"},
    {"3/4/2020 10:00:00", NULL},
    {"Fri Feb 30 15:13:48 2014", NULL},
    {"Fri Oct 24 2014", NULL},
    {"Fri Oct 24 25:13:48 2014", NULL},
    {"10:00:00", NULL},
};

static void test_dates(void)
{
    for (guint i = 0; i < G_N_ELEMENTS(DATES); i++) {
        int64_t seconds = 0;
        bool ok = date_text_parse(DATES[i].text, &seconds);
        g_autofree char *got = ok ? date_text_format(seconds) : NULL;

        g_test_message("%s", DATES[i].text);
        g_assert_cmpstr(got, ==, DATES[i].expected);
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/text/encodings", test_encodings);
    g_test_add_func("/text/line-numbers", test_line_numbers);
    g_test_add_func("/text/gzip", test_gzip);
    g_test_add_func("/text/not-text", test_not_text);
    g_test_add_func("/text/no-file", test_no_file);
    g_test_add_func("/text/numbers", test_numbers);
    g_test_add_func("/text/number-length", test_number_length);
    g_test_add_func("/text/conversions", test_conversions);
    g_test_add_func("/text/dates", test_dates);
    return g_test_run();
}
