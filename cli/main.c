#include "cli/cli.h"
#include "cli/commands.h"
#include "base/error.h"

#include <errno.h>
#include <gsl/gsl_errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static const struct cli_command COMMANDS[] = {
    {"replay", "say how captured copies worked, and where their time went", cmd_replay},
    {"calibrate", "turn a captured copy into a profile that predict reads", cmd_calibrate},
    {"predict", "predict how long a copy takes on a network, from profiles", cmd_predict},
    {"sweep", "simulate every combination of networks, clients, servers and files", cmd_sweep},
    {"verdict", "judge a claim by measured runs, and write the verdict as a report", cmd_verdict},
    {"compress", "measure how SMB's compression algorithms do on your own files", cmd_compress},
    {"rdc", "say what Remote Differential Compression would move between two versions of a file", cmd_rdc},
    {"list", "list the built-in networks, clients and servers", cmd_list},
    {NULL, NULL, NULL},
};

static void print_help(FILE *to)
{
    fprintf(
        to,
        "usage: copytrial COMMAND [ARGUMENTS]\n\n"
        "Puts claims about file-copy speed on trial: replays captured SMB copies, predicts how long a copy\n"
        "takes on another network or with another client, and prints a verdict with its statistics.\n\n");
    for (const struct cli_command *c = COMMANDS; c->name; c++)
        fprintf(to, "  %-10s %s\n", c->name, c->summary);
    fprintf(
        to,
        "\n\"copytrial COMMAND --help\" explains a command; \"copytrial --version\" prints the version.\n"
        "Exit status: 0 done, 1 not the expected verdict, 2 usage, 3 input, 4 output, 70 internal error.\n");
}

static int status_of(const GError *error)
{
    if (error->domain == G_OPTION_ERROR)
        return CLI_USAGE;
    if (error->domain != COPYTRIAL_ERROR)
        return CLI_INTERNAL;
    switch (error->code) {
    case COPYTRIAL_ERROR_USAGE:
        return CLI_USAGE;
    case COPYTRIAL_ERROR_OUTPUT:
        return CLI_OUTPUT;
    default:
        return CLI_INPUT;
    }
}

/* A result that didn't reach its reader, a full disk for example, is a failure, too. */
static bool flush_result(GError **error)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    g_set_error(error, COPYTRIAL_ERROR, COPYTRIAL_ERROR_OUTPUT, "standard output: can't be written: %s",
                g_strerror(errno));
    return false;
}

static int run(const struct cli_command *command, int argc, char **argv)
{
    g_autoptr(GError) error = NULL;
    int status = CLI_DONE;

    if (command->run(argc, argv, &status, &error) && flush_result(&error))
        return status;
    fflush(stdout);
    fprintf(stderr, "copytrial %s: %s\n", command->name, error->message);
    return status_of(error);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, ""); /* file names; numbers stay in the C locale */
    gsl_set_error_handler_off();
    if (argc < 2) {
        print_help(stderr);
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        print_help(stdout);
        return CLI_DONE;
    }
    if (strcmp(argv[1], "--version") == 0) {
        printf("copytrial %s\n", COPYTRIAL_VERSION);
        return CLI_DONE;
    }
    for (const struct cli_command *c = COMMANDS; c->name; c++) {
        if (strcmp(argv[1], c->name) == 0)
            return run(c, argc - 1, argv + 1);
    }
    fprintf(stderr, "copytrial: there is no command \"%s\"; \"copytrial --help\" lists them\n", argv[1]);
    return CLI_USAGE;
}
