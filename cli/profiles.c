#include "cli/profiles.h"
#include "base/error.h"

#include <gio/gio.h>
#include <stdlib.h>
#include <string.h>

static const char *const SECTIONS[] = {"network", "client", "server", NULL};

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

char **profiles_names(const char *kind)
{
    g_autofree char *folder = g_strconcat("/copytrial/", kind, "/", NULL);
    char **names = g_resources_enumerate_children(folder, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    guint count = g_strv_length(names);

    for (char **n = names; *n; n++)
        (*n)[strlen(*n) - strlen(".yaml")] = '\0';
    qsort(names, count, sizeof *names, compare_names);
    return names;
}

bool profiles_is_file(const char *name)
{
    return strchr(name, '/') || g_str_has_suffix(name, ".yaml") || g_str_has_suffix(name, ".yml");
}

char *profiles_beside(const char *folder, const char *name)
{
    return profiles_is_file(name) && !g_path_is_absolute(name) ? g_build_filename(folder, name, NULL)
                                                               : g_strdup(name);
}

static struct yaml_doc *load_named(const char *kind, const char *name, GError **error)
{
    g_autofree char *path = g_strdup_printf("/copytrial/%s/%s.yaml", kind, name);
    g_autoptr(GBytes) data = g_resources_lookup_data(path, G_RESOURCE_LOOKUP_FLAGS_NONE, NULL);
    g_auto(GStrv) names = NULL;
    g_autofree char *list = NULL, *label = NULL;
    const char *nearest;

    if (data) {
        label = g_strconcat(name, ".yaml", NULL);
        return yaml_load_text(label, g_bytes_get_data(data, NULL), g_bytes_get_size(data), error);
    }
    names = profiles_names(kind);
    nearest = yaml_nearest(name, (const char *const *)names);
    list = g_strjoinv(", ", names);
    if (nearest)
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "no %.*s profile \"%s\": did you mean \"%s\"? (known: %s; a file's name holds a / or "
                    "ends in .yaml)",
                    (int)strlen(kind) - 1, kind, name, nearest, list);
    else
        g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_INPUT,
                    "no %.*s profile \"%s\" (known: %s; a file's name holds a / or ends in .yaml)",
                    (int)strlen(kind) - 1, kind, name, list);
    return NULL;
}

static struct yaml_doc *load(const char *kind, const char *name, GError **error)
{
    struct yaml_doc *doc =
        profiles_is_file(name) ? yaml_load_file(name, error) : load_named(kind, name, error);

    if (doc && !yaml_check_sections(doc, SECTIONS, error))
        g_clear_pointer(&doc, yaml_doc_free);
    return doc;
}

bool profiles_load_network(const char *name, struct network_profile *n, GError **error)
{
    struct yaml_doc *doc = load("networks", name, error);
    bool ok;

    network_profile_init(n);
    if (!doc)
        return false;
    ok = network_profile_bind(n, doc, error);
    yaml_doc_free(doc);
    if (!ok)
        network_profile_clear(n);
    return ok;
}

bool profiles_load_client(const char *name, struct client_profile *c, GError **error)
{
    struct yaml_doc *doc = load("clients", name, error);
    bool ok;

    client_profile_init(c);
    if (!doc)
        return false;
    ok = client_profile_bind(c, doc, error);
    yaml_doc_free(doc);
    if (!ok)
        client_profile_clear(c);
    return ok;
}

bool profiles_load_server(const char *name, struct server_profile *s, GError **error)
{
    struct yaml_doc *doc = load("servers", name, error);
    bool ok;

    server_profile_init(s);
    if (!doc)
        return false;
    ok = server_profile_bind(s, doc, error);
    yaml_doc_free(doc);
    if (!ok)
        server_profile_clear(s);
    return ok;
}
