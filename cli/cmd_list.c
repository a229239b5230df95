#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/profiles.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static bool print_networks(char **names, GError **error)
{
    for (char **n = names; *n; n++) {
        struct network_profile p;

        if (!profiles_load_network(*n, &p, error))
            return false;
        printf("%-22s %s\n", *n, p.description ? p.description : p.name);
        network_profile_clear(&p);
    }
    return true;
}

static bool print_clients(char **names, GError **error)
{
    for (char **n = names; *n; n++) {
        struct client_profile p;

        if (!profiles_load_client(*n, &p, error))
            return false;
        printf("%-22s %s%s\n", *n, p.description ? p.description : p.name,
               p.upload ? "" : " (downloads only)");
        client_profile_clear(&p);
    }
    return true;
}

static bool print_servers(char **names, GError **error)
{
    for (char **n = names; *n; n++) {
        struct server_profile p;

        if (!profiles_load_server(*n, &p, error))
            return false;
        printf("%-22s %s\n", *n, p.description ? p.description : p.name);
        server_profile_clear(&p);
    }
    return true;
}

bool cmd_list(int argc, char **argv, int *status, GError **error)
{
    static const struct {
        const char *kind;
        bool (*print)(char **names, GError **error);
    } KINDS[] = {{"networks", print_networks}, {"clients", print_clients}, {"servers", print_servers}};
    GOptionEntry none[] = {G_OPTION_ENTRY_NULL};
    g_autoptr(GOptionContext) context =
        g_option_context_new("networks|clients|servers - list the built-in profiles");

    (void)status;
    g_option_context_add_main_entries(context, none, NULL);
    g_option_context_set_description(
        context, "Each name is a file under examples/ that is compiled into the program. Copy one, change "
                 "it, and give\n"
                 "the copy's path wherever a name is taken.\n\nExample: copytrial list networks\n");
    if (!g_option_context_parse(context, &argc, &argv, error))
        return false;
    for (size_t i = 0; argc == 2 && i < G_N_ELEMENTS(KINDS); i++) {
        if (strcmp(argv[1], KINDS[i].kind) == 0) {
            g_auto(GStrv) names = profiles_names(KINDS[i].kind);

            return KINDS[i].print(names, error);
        }
    }
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_USAGE, "expected one of: networks, clients, servers");
    return false;
}
