#include "base/error.h"

G_DEFINE_QUARK(copytrial - error, copytrial_error)
