/* The commands of the program, one file each, and what they share.
 *
 * A command parses its own arguments with GOptionContext (argv[0] is its name), does its work, prints its result to
 * standard output and sets *status, which starts at CLI_DONE. It returns false with an error instead of printing one:
 * main prints it once and maps G_OPTION_ERROR to 2, COPYTRIAL_ERROR by its code to 2, 3 or 4, any other to 70. */
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include <glib.h>
#include <stdbool.h>

enum cli_status {
    CLI_DONE = 0,
    CLI_UNEXPECTED_VERDICT = 1,
    CLI_USAGE = 2,
    CLI_INPUT = 3,
    CLI_OUTPUT = 4,
    CLI_INTERNAL = 70,
};

struct cli_command {
    const char *name;
    const char *summary;
    bool (*run)(int argc, char **argv, int *status, GError **error);
};

#endif
