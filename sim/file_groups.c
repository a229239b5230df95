/* Reading what is to be copied: a specification, a list file, a folder. */
#include "sim/workload.h"
#include "base/error.h"
#include "base/units.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static const int64_t MAX_FILES = 100000000;
static const int64_t MAX_BYTES = INT64_C(1) << 60;

static GArray *new_groups(void)
{
    return g_array_new(FALSE, FALSE, sizeof(struct file_group));
}

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

static bool check_total(const GArray *groups, const char *name, GError **error)
{
    double bytes = 0, files = 0;

    for (guint i = 0; i < groups->len; i++) {
        const struct file_group *g = &g_array_index(groups, struct file_group, i);

        files += (double)g->count;
        bytes += (double)g->count * (double)g->size_bytes;
    }
    if (files < 1)
        return fail(error, "%s: names no file to copy", name);
    if (files > (double)MAX_FILES || bytes > (double)MAX_BYTES)
        return fail(error, "%s: more than 100 million files or 1 EiB", name);
    return true;
}

static bool parse_group(const char *text, struct file_group *g, GError **error)
{
    const char *times = strchr(text, 'x');

    g->count = 1;
    if (times) {
        g_autofree char *count = g_strndup(text, (gsize)(times - text));

        if (!units_parse_count(count, &g->count, error))
            return false;
        if (g->count < 1)
            return fail(error, "\"%s\": a count of 0 files", text);
        text = times + 1;
    }
    return units_parse_size(text, &g->size_bytes, error);
}

GArray *file_groups_parse(const char *spec, GError **error)
{
    g_auto(GStrv) parts = g_strsplit(spec, ",", -1);
    g_autoptr(GArray) groups = new_groups();

    for (char **p = parts; *p; p++) {
        struct file_group g = {0};

        if (!parse_group(g_strstrip(*p), &g, error)) {
            g_prefix_error(error, "files \"%s\": ", spec);
            return NULL;
        }
        g_array_append_val(groups, g);
    }
    if (!check_total(groups, spec, error))
        return NULL;
    return g_steal_pointer(&groups);
}

/* "12345 path" or "12 KiB path": the size is what stands before the path, so a bare number counts bytes here. */
static bool parse_line(char *line, struct file_group *g, const char **path, GError **error)
{
    char *rest = line + strspn(line, "0123456789.");
    char *unit_end = rest + strspn(rest, " \t");

    g->count = 1;
    if (rest == line)
        return fail(error, "expected \"size path\"");
    if (*rest == ' ' || *rest == '\t') {
        g_autofree char *unit = g_strndup(unit_end, strcspn(unit_end, " \t"));
        g_autofree char *number = g_strndup(line, (gsize)(rest - line));
        g_autofree char *both = g_strconcat(number, " ", unit, NULL);

        *path = unit_end + strlen(unit);
        if (units_parse_size(both, &g->size_bytes, NULL) && **path)
            return true;
        *path = unit_end;
        return units_parse_count(number, &g->size_bytes, error);
    }
    rest = line + strcspn(line, " \t");
    if (!*rest)
        return fail(error, "expected \"size path\"");
    *rest = '\0';
    *path = rest + 1;
    return units_parse_size(line, &g->size_bytes, error);
}

/* The number of the folder that the path names, by what stands before its last separator of either kind. */
static uint32_t directory_of(const char *path, GHashTable *known)
{
    const char *name = path + strspn(path, " \t"), *end = name + strlen(name);
    g_autofree char *folder = NULL;
    gpointer number;

    while (end > name && end[-1] != '/' && end[-1] != '\\')
        end--;
    folder = g_strndup(name, (gsize)(end - name));
    number = g_hash_table_lookup(known, folder);
    if (!number) {
        number = GUINT_TO_POINTER(g_hash_table_size(known) + 1);
        g_hash_table_insert(known, g_steal_pointer(&folder), number);
    }
    return GPOINTER_TO_UINT(number);
}

GArray *file_groups_read(const char *path, GError **error)
{
    g_autofree char *text = NULL;
    g_autoptr(GError) why = NULL;
    g_auto(GStrv) lines = NULL;
    g_autoptr(GArray) groups = new_groups();
    g_autoptr(GHashTable) folders = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

    if (!g_file_get_contents(path, &text, NULL, &why)) {
        fail(error, "%s", why->message);
        return NULL;
    }
    lines = g_strsplit(text, "\n", -1);
    for (guint i = 0; lines[i]; i++) {
        struct file_group g;
        char *line = g_strstrip(lines[i]);
        const char *name = "";

        if (!*line || *line == '#')
            continue;
        if (!parse_line(line, &g, &name, error)) {
            g_prefix_error(error, "%s:%u: ", path, i + 1);
            return NULL;
        }
        g.directory = directory_of(name, folders);
        g_array_append_val(groups, g);
    }
    if (!check_total(groups, path, error))
        return NULL;
    return g_steal_pointer(&groups);
}

static bool scan_into(GArray *groups, const char *folder, uint32_t *folders, GError **error);

static bool scan_entry(GArray *groups, const char *path, uint32_t directory, uint32_t *folders,
                       GError **error)
{
    struct stat st;

    if (lstat(path, &st) != 0)
        return fail(error, "%s: %s", path, g_strerror(errno));
    if (S_ISDIR(st.st_mode))
        return scan_into(groups, path, folders, error);
    if (S_ISREG(st.st_mode)) {
        struct file_group g = {1, (int64_t)st.st_size, directory};

        g_array_append_val(groups, g);
    }
    return true;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* `folders` counts those that were begun. */
static bool scan_into(GArray *groups, const char *folder, uint32_t *folders, GError **error)
{
    uint32_t directory = ++*folders;
    g_autoptr(GError) why = NULL;
    g_autoptr(GDir) dir = g_dir_open(folder, 0, &why);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;

    if (!dir)
        return fail(error, "%s: can't be read: %s", folder, why->message);
    while ((name = g_dir_read_name(dir)))
        g_ptr_array_add(names, g_build_filename(folder, name, NULL));
    g_ptr_array_sort(names, compare_names);
    for (guint i = 0; i < names->len; i++) {
        if (!scan_entry(groups, names->pdata[i], directory, folders, error))
            return false;
    }
    return true;
}

GArray *file_groups_scan(const char *folder, GError **error)
{
    g_autoptr(GArray) groups = new_groups();
    uint32_t folders = 0;

    if (!scan_into(groups, folder, &folders, error) || !check_total(groups, folder, error))
        return NULL;
    return g_steal_pointer(&groups);
}

int64_t file_groups_bytes(const GArray *groups)
{
    int64_t sum = 0;

    for (guint i = 0; i < groups->len; i++) {
        const struct file_group *g = &g_array_index(groups, struct file_group, i);

        sum += g->count * g->size_bytes;
    }
    return sum;
}

int64_t file_groups_count(const GArray *groups)
{
    int64_t sum = 0;

    for (guint i = 0; i < groups->len; i++)
        sum += g_array_index(groups, struct file_group, i).count;
    return sum;
}
