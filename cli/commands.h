/* The entry points of the commands: see cli.h for their contract. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <glib.h>
#include <stdbool.h>

bool cmd_replay(int argc, char **argv, int *status, GError **error);
bool cmd_calibrate(int argc, char **argv, int *status, GError **error);
bool cmd_compress(int argc, char **argv, int *status, GError **error);
bool cmd_list(int argc, char **argv, int *status, GError **error);
bool cmd_rdc(int argc, char **argv, int *status, GError **error);
bool cmd_predict(int argc, char **argv, int *status, GError **error);
bool cmd_sweep(int argc, char **argv, int *status, GError **error);
bool cmd_verdict(int argc, char **argv, int *status, GError **error);

#endif
