#include "report/format.h"

#include <glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PLAIN_DIGITS = 10, UNCERTAINTY_DIGITS = 2 };

/* Power of ten of the leading digit. */
static int magnitude(double x)
{
    return x == 0 ? 0 : (int)floor(log10(fabs(x)));
}

/* "1234567.25" to "1 234 567.25". */
static char *group(const char *digits)
{
    size_t whole = strcspn(digits, ".");
    GString *out = g_string_new(NULL);

    for (size_t i = 0; i < whole; i++) {
        if (i > 0 && (whole - i) % 3 == 0)
            g_string_append(out, FORMAT_NARROW);
        g_string_append_c(out, digits[i]);
    }
    g_string_append(out, digits + whole);
    return g_string_free(out, FALSE);
}

/* Rounded to 10^-decimals; trailing zeroes of the fraction go where `trim`. */
static char *fixed(double size, int decimals, bool trim)
{
    double unit = decimals < 0 ? pow(10, -decimals) : 1;
    g_autofree char *format = g_strdup_printf("%%.%df", MAX(decimals, 0));
    char text[64];

    g_ascii_formatd(text, sizeof text, format, decimals < 0 ? round(size / unit) * unit : size);
    if (trim && strchr(text, '.')) {
        size_t end = strlen(text);

        while (text[end - 1] == '0')
            end--;
        text[text[end - 1] == '.' ? end - 1 : end] = '\0';
    }
    return group(text);
}

static char *power_of_ten(double size, int digits)
{
    static const char *const SUPER[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    int exponent = magnitude(size);
    double unit = pow(10, 1 - digits), rounded = round(size / pow(10, exponent) / unit) * unit;

    if (rounded >= 10) {
        rounded /= 10;
        exponent++;
    }
    g_autofree char *mantissa = fixed(rounded, digits - 1, true);
    g_autofree char *plain = g_strdup_printf("%d", abs(exponent));
    GString *out = g_string_new(mantissa);

    g_string_append(out, FORMAT_NARROW "×" FORMAT_NARROW "10");
    if (exponent < 0)
        g_string_append(out, "⁻");
    for (const char *p = plain; *p; p++)
        g_string_append(out, SUPER[*p - '0']);
    return g_string_free(out, FALSE);
}

static char *unsigned_number(double size, double uncertainty)
{
    int digits = PLAIN_DIGITS;

    if (uncertainty > 0)
        digits = MAX(1, magnitude(size) - magnitude(uncertainty) + UNCERTAINTY_DIGITS);
    digits = MIN(digits, 15);
    if (size >= 1e9 || (size != 0 && size < 1e-4 && (uncertainty <= 0 || uncertainty < 1e-4)))
        return power_of_ten(size, digits);
    if (uncertainty > 0)
        return fixed(size, MIN(UNCERTAINTY_DIGITS - 1 - magnitude(uncertainty), 9), false);
    return fixed(size, MIN(PLAIN_DIGITS - 1 - magnitude(size), 12), true);
}

static char *with_sign(double value, double uncertainty, const char *plus)
{
    g_autofree char *text = unsigned_number(fabs(value), uncertainty);

    if (!strpbrk(text, "123456789")) /* rounded to nothing */
        return g_steal_pointer(&text);
    return g_strconcat(value < 0 ? FORMAT_MINUS : plus, text, NULL);
}

double format_doubt(const struct interval *i)
{
    if (i->bounded && i->high > i->low)
        return (i->high - i->low) / 4;
    return fabs(i->value) / 20;
}

char *format_number(double value, double uncertainty)
{
    return with_sign(value, uncertainty, "");
}

char *format_signed(double value, double uncertainty)
{
    return with_sign(value, uncertainty, "+");
}

char *format_plain(double value)
{
    return with_sign(value, 0, "");
}

char *format_percent(double share, double uncertainty, bool sign)
{
    g_autofree char *number = with_sign(100 * share, 100 * uncertainty, sign ? "+" : "");

    return g_strconcat(number, FORMAT_NARROW "%", NULL);
}

char *format_p_value(double p)
{
    if (p < 0.001)
        return g_strdup("<" FORMAT_NO_BREAK "0.001");
    if (p > 0.995)
        return g_strdup(">" FORMAT_NO_BREAK "0.99");
    return fixed(p, p < 0.095 ? 1 - magnitude(p) : 2, false);
}

char *format_p(double p)
{
    g_autofree char *value = format_p_value(p);

    return g_strconcat("p" FORMAT_NO_BREAK, g_ascii_isdigit(*value) ? "=" FORMAT_NO_BREAK : "", value, NULL);
}

void format_to_terminal(char *text)
{
    static const struct {
        const char *fancy;
        char plain;
    } SWAPS[] = {{FORMAT_MINUS, '-'}, {FORMAT_NARROW, ' '}, {FORMAT_NO_BREAK, ' '}};
    char *to = text;

    for (const char *p = text; *p;) {
        guint i = 0;

        while (i < G_N_ELEMENTS(SWAPS) && !g_str_has_prefix(p, SWAPS[i].fancy))
            i++;
        if (i == G_N_ELEMENTS(SWAPS)) {
            *to++ = *p++;
            continue;
        }
        *to++ = SWAPS[i].plain;
        p += strlen(SWAPS[i].fancy);
    }
    *to = '\0';
}
