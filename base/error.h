/* The error domain of the whole program.
 *
 * An operation that can't be done returns false or NULL and sets a GError of this domain whose message is one sentence
 * that names the file, line, frame or option. Only cli prints it; the code decides the exit status. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <glib.h>

#define COPYTRIAL_ERROR (copytrial_error_quark())

enum copytrial_error {
    COPYTRIAL_ERROR_USAGE,  /* exit status 2: a wrong option or argument */
    COPYTRIAL_ERROR_INPUT,  /* exit status 3: a file that can't be read or makes no sense */
    COPYTRIAL_ERROR_OUTPUT, /* exit status 4: a result that can't be written */
};

GQuark copytrial_error_quark(void);

#endif
