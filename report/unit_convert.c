#include "report/unit_convert.h"
#include "base/error.h"

#include <math.h>
#include <string.h>

struct name {
    const char *text;
    double factor;
};

static const struct name TIMES[] = {
    {"ns", 1e-9}, {"us", 1e-6},   {"\xc2\xb5s", 1e-6}, {"\xce\xbcs", 1e-6}, {"ms", 1e-3},   {"s", 1},
    {"sec", 1},   {"second", 1},  {"seconds", 1},      {"min", 60},         {"minute", 60}, {"minutes", 60},
    {"h", 3600},  {"hour", 3600}, {"hours", 3600},     {NULL, 0},
};
static const struct name SIZES[] = {
    {"B", 1},
    {"byte", 1},
    {"bytes", 1},
    {"Byte", 1},
    {"Bytes", 1},
    {"kB", 1e3},
    {"MB", 1e6},
    {"GB", 1e9},
    {"TB", 1e12},
    {"KiB", 1024},
    {"MiB", 1048576},
    {"GiB", 1073741824.0},
    {"TiB", 1099511627776.0},
    {"bit", 0.125},
    {"kbit", 125},
    {"Mbit", 125e3},
    {"Gbit", 125e6},
    {NULL, 0},
};

static bool fail(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);

static bool fail(GError **error, const char *format, ...)
{
    g_autofree char *what = NULL;
    va_list args;

    va_start(args, format);
    what = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error_literal(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT, what);
    return false;
}

static double find(const struct name *names, const char *text)
{
    while (names->text && strcmp(names->text, text) != 0)
        names++;
    return names->factor;
}

/* "MB/min": the factors of both halves, or false. */
static bool parse_rate(const char *text, double *factor)
{
    const char *slash = strchr(text, '/');
    g_autofree char *size = slash ? g_strstrip(g_strndup(text, (gsize)(slash - text))) : NULL;
    g_autofree char *time = slash ? g_strstrip(g_strdup(slash + 1)) : NULL;
    double bytes, seconds;

    if (!slash)
        return false;
    bytes = find(SIZES, size);
    seconds = find(TIMES, time);
    *factor = seconds > 0 ? bytes / seconds : 0;
    return *factor > 0;
}

bool unit_parse(const char *text, struct unit *unit, GError **error)
{
    g_autofree char *name = g_strstrip(g_strdup(text));

    if ((unit->factor = find(TIMES, name)) > 0) {
        unit->quantity = UNIT_TIME;
        return true;
    }
    if ((unit->factor = find(SIZES, name)) > 0) {
        unit->quantity = UNIT_SIZE;
        return true;
    }
    if (parse_rate(name, &unit->factor)) {
        unit->quantity = UNIT_RATE;
        return true;
    }
    if (strchr(name, 'b') && !strstr(name, "bit") && !strstr(name, "byte"))
        return fail(error, "\"%s\" is ambiguous: write Mbit/s and the like for bits, MB/s for bytes", text);
    return fail(error,
                "\"%s\" is none of the units that can be converted (s, ms, min; B, MB, MiB; MB/s, MiB/s, "
                "MB/min, Mbit/s; ...)",
                text);
}

const char *unit_quantity_name(enum unit_quantity quantity)
{
    static const char *const names[] = {"a time", "a size", "a rate"};

    return names[quantity];
}

bool unit_convert(double value, const char *from, const char *to, double size_bytes, double *converted,
                  GError **error)
{
    struct unit a, b;

    if (strcmp(from, to) == 0) {
        *converted = value;
        return true;
    }
    if (!unit_parse(from, &a, error) || !unit_parse(to, &b, error))
        return false;
    if (a.quantity == b.quantity) {
        *converted = value * (a.factor / b.factor);
    } else if (a.quantity != UNIT_SIZE && b.quantity != UNIT_SIZE) {
        if (!(size_bytes > 0))
            return fail(error, "%s is %s and %s is %s: they convert only when the size of the copy is given",
                        from, unit_quantity_name(a.quantity), to, unit_quantity_name(b.quantity));
        if (!(value > 0))
            return fail(error, "%g %s can't be turned into %s", value, from, to);
        *converted = size_bytes / (value * a.factor) / b.factor;
    } else {
        return fail(error, "%s is %s and %s is %s: these don't convert", from, unit_quantity_name(a.quantity),
                    to, unit_quantity_name(b.quantity));
    }
    return isfinite(*converted) || fail(error, "%g %s is too large for %s", value, from, to);
}
