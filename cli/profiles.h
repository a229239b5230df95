/* Named profiles and profile files.
 *
 * A name is one of the files under examples/, compiled into the program; anything that holds a '/' or ends in .yaml is a
 * file. A file may hold several sections (network:, client:, server:), and each option takes its own. Errors name the
 * file and line, or the nearest known name. */
#ifndef CLI_PROFILES_H
#define CLI_PROFILES_H

#include "sim/profile.h"

/* The profile is initialised by the callee; clear it with x_profile_clear() on success. */
bool profiles_load_network(const char *name, struct network_profile *n, GError **error);
bool profiles_load_client(const char *name, struct client_profile *c, GError **error);
bool profiles_load_server(const char *name, struct server_profile *s, GError **error);

/* Whether a file is meant, not a name. */
bool profiles_is_file(const char *name);
/* A name as it is; a relative file name as one in `folder`. Returns owned. */
char *profiles_beside(const char *folder, const char *name);

/* Names of a kind ("networks", "clients", "servers"), sorted. Returns owned, NULL-terminated. */
char **profiles_names(const char *kind);

#endif
