#include "report/mechanism.h"
#include "report/mechanism_reader.h"
#include "report/number_text.h"
#include "base/error.h"

#include <string.h>

/* In the order in which they are tried. */
static const struct mechanism_format FORMATS[] = {
    {"debugger module list", MECHANISM_MODULES, mechanism_debugger_recognise, mechanism_debugger_read},
    {"tasklist /svc", MECHANISM_SERVICES, mechanism_services_recognise, mechanism_tasklist_read},
    {"tasklist /m", MECHANISM_MODULES, mechanism_tasklist_recognise, mechanism_tasklist_read},
    {"listdlls", MECHANISM_MODULES, mechanism_listdlls_recognise, mechanism_listdlls_read},
    {"/proc/PID/maps", MECHANISM_MODULES, mechanism_maps_recognise, mechanism_maps_read},
    {"lsmod", MECHANISM_MODULES, mechanism_lsmod_recognise, mechanism_lsmod_read},
    {"registry export", MECHANISM_SETTINGS, mechanism_registry_recognise, mechanism_registry_read},
    {"PowerShell table", MECHANISM_SETTINGS, mechanism_table_recognise, mechanism_table_read},
    {"list of settings", MECHANISM_SETTINGS, mechanism_pairs_recognise, mechanism_pairs_read},
};

static const char *const KINDS[] = {"a list of modules", "a list of services", "a list of settings"};

struct mechanism_listing *mechanism_read(const struct text_input *in, enum mechanism_kind kind,
                                         GError **error)
{
    const struct mechanism_format *format = NULL;
    struct mechanism_listing *l;

    for (guint i = 0; !format && i < G_N_ELEMENTS(FORMATS); i++) {
        if (FORMATS[i].recognise(in))
            format = &FORMATS[i];
    }
    if (!format || format->kind != kind) {
        text_input_fail(in, 0, error, "should be %s, and is %s", KINDS[kind],
                        format ? format->name : "none that is known");
        return NULL;
    }
    l = g_new0(struct mechanism_listing, 1);
    l->kind = kind;
    l->format = format->name;
    l->file = g_strdup(in->name);
    l->entries = g_array_new(FALSE, FALSE, sizeof(struct mechanism_entry));
    l->strings = g_string_chunk_new(1024);
    if (format->read(in, l, error))
        return l;
    mechanism_free(l);
    return NULL;
}

struct mechanism_listing *mechanism_load(const char *path, enum mechanism_kind kind, GError **error)
{
    struct text_input *in = text_input_load(path, error);
    struct mechanism_listing *l = in ? mechanism_read(in, kind, error) : NULL;

    text_input_free(in);
    return l;
}

void mechanism_free(struct mechanism_listing *l)
{
    if (!l)
        return;
    g_free(l->file);
    g_array_unref(l->entries);
    g_string_chunk_free(l->strings);
    g_free(l);
}

void mechanism_add(struct mechanism_listing *l, enum mechanism_state state, const char *where,
                   const char *name, const char *value, int line)
{
    struct mechanism_entry entry = {
        .state = state,
        .name = g_string_chunk_insert_const(l->strings, name),
        .value = g_string_chunk_insert_const(l->strings, value),
        .where = g_string_chunk_insert_const(l->strings, where),
        .line = line,
    };

    g_array_append_val(l->entries, entry);
}

void mechanism_set_incomplete(struct mechanism_listing *l, int line, const char *format, ...)
{
    g_autofree char *why = NULL;
    va_list args;

    if (l->why_incomplete)
        return;
    va_start(args, format);
    why = g_strdup_vprintf(format, args);
    va_end(args);
    l->why_incomplete = g_string_chunk_insert_const(l->strings, why);
    l->why_line = line;
}

bool mechanism_is_cut_mark(const char *text)
{
    static const char *const marks[] = {"snip", "-- More", "<...", "[...", "cut...", "truncated"};
    g_autofree char *bare = g_strstrip(g_strdup(text));

    if (strcmp(bare, "...") == 0 || strcmp(bare, "\xe2\x80\xa6") == 0)
        return true;
    for (guint i = 0; i < G_N_ELEMENTS(marks); i++) {
        if (strstr(bare, marks[i]))
            return true;
    }
    return false;
}

const char *mechanism_basename(const char *path)
{
    const char *slash = strrchr(path, '/'), *backslash = strrchr(path, '\\');
    const char *last = MAX(slash, backslash);

    return last ? last + 1 : path;
}

/* "C:\Windows\MSRDC.DLL" and "msrdc" are "msrdc"; "libc.so.6" is "libc". Returns owned. */
static char *bare_name(const char *name)
{
    char *small = g_ascii_strdown(mechanism_basename(name), -1);
    char *object = strstr(small, ".so"), *dot = strrchr(small, '.');

    if (object && (object[3] == '.' || object[3] == '\0'))
        *object = '\0';
    else if (dot && dot > small && strlen(dot) <= 4)
        *dot = '\0';
    return small;
}

/* "0xa", "10" and "010" are one number. */
static bool same_value(const char *a, const char *b)
{
    g_autofree char *x = g_strstrip(g_strdup(a)), *y = g_strstrip(g_strdup(b));
    guint64 m, n;
    char *end_x, *end_y;

    if (g_ascii_strcasecmp(x, y) == 0)
        return true;
    m = g_ascii_strtoull(x, &end_x, g_str_has_prefix(x, "0x") ? 16 : 10);
    n = g_ascii_strtoull(y, &end_y, g_str_has_prefix(y, "0x") ? 16 : 10);
    return *x && *y && !*end_x && !*end_y && m == n;
}

/* What is looked for, taken apart. */
struct wanted {
    char *name, *value; /* value NULL: any */
    bool is_module;
};

/* Settings: tables write "Server Name" where lists write "ServerName". */
static bool same_setting(const char *a, const char *b)
{
    for (;; a++, b++) {
        while (*a == ' ')
            a++;
        while (*b == ' ')
            b++;
        if (g_ascii_tolower(*a) != g_ascii_tolower(*b))
            return false;
        if (!*a)
            return true;
    }
}

static bool name_fits(const struct wanted *w, const char *name)
{
    g_autofree char *bare = w->is_module ? bare_name(name) : NULL;

    return bare ? strcmp(bare, w->name) == 0 : same_setting(name, w->name);
}

static bool where_fits(const struct mechanism_entry *entry, const char *process)
{
    g_autofree char *start = process ? g_strdup_printf("%s ", process) : NULL; /* "explorer.exe 1234" */

    return !process || g_ascii_strcasecmp(entry->where, process) == 0 ||
           g_ascii_strncasecmp(entry->where, start, strlen(start)) == 0;
}

struct tally_of_entries {
    const struct mechanism_entry *match, *unloaded, *unreadable, *overridden, *other_value;
    guint in_scope;
    bool kernel; /* the kernel itself is listed, so drivers would be */
};

static struct tally_of_entries count(const struct mechanism_listing *l, const struct wanted *w,
                                     const char *process)
{
    struct tally_of_entries t = {0};

    for (guint i = 0; i < l->entries->len; i++) {
        const struct mechanism_entry *e = &g_array_index(l->entries, struct mechanism_entry, i);

        if (!where_fits(e, process))
            continue;
        t.in_scope++;
        t.kernel = t.kernel || g_ascii_strcasecmp(e->name, "nt") == 0 ||
                   g_ascii_strcasecmp(e->name, "ntoskrnl.exe") == 0;
        if (e->state == MECHANISM_UNREADABLE && !t.unreadable)
            t.unreadable = e;
        if (e->state == MECHANISM_UNREADABLE || !name_fits(w, e->name))
            continue;
        if (e->state == MECHANISM_UNLOADED)
            t.unloaded = e;
        else if (w->value && !same_value(e->value, w->value))
            t.other_value = e;
        else if (e->state == MECHANISM_OVERRIDDEN)
            t.overridden = e;
        else if (!t.match)
            t.match = e;
    }
    return t;
}

static struct mechanism_finding answer(enum mechanism_answer a, int line, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

static struct mechanism_finding answer(enum mechanism_answer a, int line, const char *format, ...)
{
    struct mechanism_finding f = {a, NULL, line};
    va_list args;

    va_start(args, format);
    f.text = g_strdup_vprintf(format, args);
    va_end(args);
    return f;
}

static struct mechanism_finding find_setting(const struct mechanism_listing *l,
                                             const struct tally_of_entries *t, const char *what)
{
    if (t->overridden)
        return answer(MECHANISM_CANT_TELL, t->overridden->line,
                      "%s is shown as %s, and the listing says that it is overridden", t->overridden->name,
                      t->overridden->value);
    if (t->match && l->intention)
        return answer(MECHANISM_CANT_TELL, t->match->line,
                      "%s stands in a file that changes settings, which needn't be in force", what);
    if (t->match)
        return answer(MECHANISM_PRESENT, t->match->line, "%s is %s", t->match->name, t->match->value);
    if (t->other_value && l->intention)
        return answer(MECHANISM_CANT_TELL, t->other_value->line,
                      "%s is %s in a file that changes settings, which needn't be in force",
                      t->other_value->name, t->other_value->value);
    if (t->other_value)
        return answer(MECHANISM_ABSENT, t->other_value->line, "%s is %s", t->other_value->name,
                      t->other_value->value);
    return answer(MECHANISM_CANT_TELL, 0, "the listing doesn't name it");
}

static struct mechanism_finding find_module(const struct mechanism_listing *l,
                                            const struct tally_of_entries *t, const char *process,
                                            bool is_driver)
{
    const char *in = process ? " in " : "", *where = process ? process : "";

    if (t->match)
        return answer(MECHANISM_PRESENT, t->match->line, "%s is loaded%s%s", t->match->name,
                      *t->match->where ? " in " : "", t->match->where);
    if (t->unloaded)
        return answer(MECHANISM_CANT_TELL, t->unloaded->line,
                      "%s had been loaded before the listing was made", t->unloaded->name);
    if (t->unreadable)
        return answer(MECHANISM_CANT_TELL, t->unreadable->line,
                      "it isn't listed, but the listing is incomplete: %s%s%s", t->unreadable->where,
                      *t->unreadable->where ? ": " : "", t->unreadable->value);
    if (l->why_incomplete)
        return answer(MECHANISM_CANT_TELL, l->why_line, "it isn't listed, but the listing is incomplete: %s",
                      l->why_incomplete);
    if (l->why_not_all && !process)
        return answer(MECHANISM_CANT_TELL, 0, "it isn't listed, but the listing is incomplete: %s",
                      l->why_not_all);
    if (t->in_scope == 0)
        return answer(MECHANISM_CANT_TELL, 0, "the listing names nothing%s%s", in, where);
    if (is_driver && !t->kernel)
        return answer(MECHANISM_CANT_TELL, 0, "it isn't listed, and the listing shows no drivers at all");
    return answer(MECHANISM_ABSENT, 0, "in none of the %u rows of a complete listing%s%s", t->in_scope, in,
                  where);
}

struct mechanism_finding mechanism_find(const struct mechanism_listing *l, const char *what,
                                        const char *process)
{
    const char *equals = l->kind == MECHANISM_SETTINGS ? strchr(what, '=') : NULL;
    g_autofree char *name = equals ? g_strndup(what, (gsize)(equals - what)) : g_strdup(what);
    struct wanted w = {.is_module = l->kind == MECHANISM_MODULES,
                       .value = equals ? g_strstrip(g_strdup(equals + 1)) : NULL};
    struct mechanism_finding f;
    struct tally_of_entries t;

    g_strstrip(name);
    w.name = w.is_module ? bare_name(name) : g_strdup(name);
    t = count(l, &w, process);
    f = l->kind == MECHANISM_SETTINGS
            ? find_setting(l, &t, what)
            : find_module(l, &t, process, g_str_has_suffix(name, ".sys") || g_str_has_suffix(name, ".SYS"));
    g_free(w.name);
    g_free(w.value);
    return f;
}

const char *mechanism_answer_name(enum mechanism_answer a)
{
    static const char *const names[] = {"present", "absent", "incomplete"};

    return names[a];
}
