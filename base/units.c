#include "base/units.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

struct unit {
    const char *name;
    double factor;
};

static const struct unit TIME_UNITS[] = {
    {"ns", 1},  {"us", 1e3},   {"\xc2\xb5s", 1e3}, {"ms", 1e6},
    {"s", 1e9}, {"min", 60e9}, {"h", 3600e9},      {NULL, 0},
};
static const struct unit RATE_UNITS[] = {
    {"bit/s", 1},
    {"kbit/s", 1e3},
    {"Mbit/s", 1e6},
    {"Gbit/s", 1e9},
    {"B/s", 8},
    {"kB/s", 8e3},
    {"MB/s", 8e6},
    {"GB/s", 8e9},
    {"KiB/s", 8192},
    {"MiB/s", 8 * 1048576},
    {"GiB/s", 8.0 * (1 << 30)},
    {"MB/min", 8e6 / 60},
    {"MiB/min", 8 * 1048576 / 60.0},
    {NULL, 0},
};
static const struct unit SIZE_UNITS[] = {
    {"B", 1},         {"kB", 1e3},           {"MB", 1e6},
    {"GB", 1e9},      {"TB", 1e12},          {"KiB", 1024},
    {"MiB", 1048576}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
    {NULL, 0},
};
static const struct unit PERCENT_UNITS[] = {{"%", 1}, {NULL, 0}};

static bool fail(GError **error, const char *text, const char *what, const struct unit *units)
{
    g_autoptr(GString) fits = g_string_new(NULL);

    for (const struct unit *u = units; u->name; u++)
        g_string_append_printf(fits, "%s%s", fits->len ? ", " : "", u->name);
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" %s (units that fit: %s)", text, what,
                fits->str);
    return false;
}

/* Parses digits with an optional fraction. Exponents, signs and digit grouping are refused: a config file that holds
 * them is more likely a slip than a wish. Returns the text behind the number, or NULL. */
static const char *parse_number(const char *text, double *value)
{
    const char *p = text;
    char *end;

    if (!g_ascii_isdigit(*p) && !(*p == '.' && g_ascii_isdigit(p[1])))
        return NULL;
    while (g_ascii_isdigit(*p) || *p == '.')
        p++;
    *value = g_ascii_strtod(text, &end);
    return end == p ? p : NULL;
}

static bool parse(const char *text, const char *noun, const struct unit *units, double *value, GError **error)
{
    double number;
    g_autofree char *trimmed = g_strstrip(g_strdup(text));
    const char *rest = parse_number(trimmed, &number);

    if (!rest) {
        g_autofree char *what = g_strdup_printf("is not a %s", noun);
        return fail(error, text, what, units);
    }
    if (*rest == ',')
        return fail(error, text, "holds a comma: digits stand ungrouped, and the decimal point is a dot",
                    units);
    while (*rest == ' ')
        rest++;
    if (!*rest) {
        g_autofree char *what = g_strdup_printf("lacks its unit: a %s needs one", noun);
        return fail(error, text, what, units);
    }
    for (const struct unit *u = units; u->name; u++) {
        if (strcmp(rest, u->name) == 0) {
            *value = number * u->factor;
            if (isfinite(*value) && *value < 9.2e18)
                return true;
            return fail(error, text, "is too large", units);
        }
    }
    if (units != TIME_UNITS && strchr(rest, 'b') && !strstr(rest, "bit"))
        return fail(error, text, "has an ambiguous unit: write bit/s for bits, B/s or B for bytes", units);
    g_autofree char *what = g_strdup_printf("has a unit that doesn't fit a %s", noun);
    return fail(error, text, what, units);
}

bool units_parse_time(const char *text, int64_t *ns, GError **error)
{
    double v;

    if (!parse(text, "time", TIME_UNITS, &v, error))
        return false;
    *ns = (int64_t)llround(v);
    return true;
}

bool units_parse_rate(const char *text, int64_t *bps, GError **error)
{
    double v;

    if (!parse(text, "rate", RATE_UNITS, &v, error))
        return false;
    *bps = (int64_t)llround(v);
    return true;
}

bool units_parse_size(const char *text, int64_t *bytes, GError **error)
{
    double v;

    if (!parse(text, "size", SIZE_UNITS, &v, error))
        return false;
    *bytes = (int64_t)llround(v);
    return true;
}

bool units_parse_percent(const char *text, double *ratio, GError **error)
{
    double v;

    if (!parse(text, "share", PERCENT_UNITS, &v, error))
        return false;
    *ratio = v / 100; /* the double nearest to the decimal fraction, which a product with 0.01 often isn't */
    return true;
}

bool units_parse_count(const char *text, int64_t *count, GError **error)
{
    guint64 v;
    g_autofree char *trimmed = g_strstrip(g_strdup(text));

    if (!g_ascii_string_to_unsigned(trimmed, 10, 0, G_MAXINT64, &v, NULL)) {
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, "\"%s\" is not a whole number", text);
        return false;
    }
    *count = (int64_t)v;
    return true;
}

/* Writes at most `digits` significant digits, but never an exponent. */
static void format_number(char *number, double value, int digits)
{
    char spec[16];

    g_snprintf(spec, sizeof spec, "%%.%dg", digits);
    g_ascii_formatd(number, G_ASCII_DTOSTR_BUF_SIZE, spec, value);
    if (strchr(number, 'e'))
        g_ascii_formatd(number, G_ASCII_DTOSTR_BUF_SIZE, "%.0f", value);
}

/* `units` ascend. */
static char *format(double value, const struct unit *units, int digits)
{
    const struct unit *u = units;
    char number[G_ASCII_DTOSTR_BUF_SIZE];

    while (u[1].name && fabs(value) >= u[1].factor)
        u++;
    format_number(number, value / u->factor, digits);
    if (u[1].name && fabs(g_ascii_strtod(number, NULL)) * u->factor >= u[1].factor) {
        u++; /* rounded up to the next unit: "1 s", not "1000 ms" */
        format_number(number, value / u->factor, digits);
    }
    return g_strdup_printf("%s %s", number, u->name);
}

char *units_format_time(int64_t ns, int digits)
{
    static const struct unit units[] = {{"ns", 1}, {"\xc2\xb5s", 1e3}, {"ms", 1e6}, {"s", 1e9}, {NULL, 0}};

    return format((double)ns, units, digits);
}

char *units_format_rate(int64_t bps, int digits)
{
    static const struct unit units[] = {
        {"bit/s", 1}, {"kbit/s", 1e3}, {"Mbit/s", 1e6}, {"Gbit/s", 1e9}, {NULL, 0}};

    return format((double)bps, units, digits);
}

char *units_format_size(int64_t bytes, int digits)
{
    static const struct unit binary[] = {
        {"B", 1}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", 1073741824.0}, {NULL, 0}};
    static const struct unit decimal[] = {{"B", 1},    {"kB", 1e3},  {"MB", 1e6},
                                          {"GB", 1e9}, {"TB", 1e12}, {NULL, 0}};

    return format((double)bytes, bytes && bytes % 1024 == 0 ? binary : decimal, digits);
}

double units_seconds(int64_t ns)
{
    return (double)ns / 1e9;
}
