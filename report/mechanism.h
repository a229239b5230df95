/* Mechanism evidence: is the thing that the claim speaks of there at all?
 *
 * A listing is what another program printed about modules, services or settings: entries with name, value, where (process, section) and
 * line. Presence is proven by one entry. Absence is proven only by a listing that is complete, unfiltered and of the right kind;
 * anything less can't tell, and the answer says what is missing.
 *
 * Kinds: modules (debugger lm and !peb, tasklist /m, listdlls, /proc maps, lsmod), services (tasklist /svc), settings (PowerShell lists and
 * tables, netsh, .reg files, reg query, sysctl and other "name = value" lists).
 * Errors: COPYTRIAL_ERROR_INPUT naming the file: it is none of these. Ownership: all strings belong to the listing. */
#ifndef REPORT_MECHANISM_H
#define REPORT_MECHANISM_H

#include "report/text_input.h"

#include <glib.h>
#include <stdbool.h>

enum mechanism_kind { MECHANISM_MODULES, MECHANISM_SERVICES, MECHANISM_SETTINGS };
enum mechanism_state {
    MECHANISM_LOADED,     /* a module or service that is there; a setting with its value */
    MECHANISM_UNLOADED,   /* was loaded before and isn't now */
    MECHANISM_UNREADABLE, /* something can't be read here: `value` says what */
    MECHANISM_OVERRIDDEN, /* a setting that something else overrides */
};
enum mechanism_answer { MECHANISM_PRESENT, MECHANISM_ABSENT, MECHANISM_CANT_TELL };

struct mechanism_entry {
    enum mechanism_state state;
    const char *name;
    const char *value; /* of a setting, else "" */
    const char *where; /* process, object or registry key, "" when there is one only */
    int line;
};

struct mechanism_listing {
    enum mechanism_kind kind;
    const char *format; /* "debugger module list", for people. Static. */
    char *file;
    GArray *entries;            /* of struct mechanism_entry */
    const char *why_incomplete; /* NULL: complete and unfiltered */
    int why_line;
    const char *why_not_all; /* processes are missing: NULL when all are there, or when there is one only */
    bool intention;          /* a file that changes settings: what it says needn't be in force */
    GStringChunk *strings;
};

struct mechanism_finding {
    enum mechanism_answer answer;
    char *text; /* one sentence that says why; owned by the caller */
    int line;   /* 0: none */
};

/* Return owned, or NULL with an error. */
struct mechanism_listing *mechanism_load(const char *path, enum mechanism_kind kind, GError **error);
struct mechanism_listing *mechanism_read(const struct text_input *in, enum mechanism_kind kind,
                                         GError **error);
void mechanism_free(struct mechanism_listing *l);

/* Looks for `what` in the entries of `process` (NULL: everywhere). Modules: names compare without case, path and extension ("msrdc",
 * "MSRDC.DLL"). Settings: "name", or "name = value", where numbers compare as numbers. */
struct mechanism_finding mechanism_find(const struct mechanism_listing *l, const char *what,
                                        const char *process);
/* "present", "absent", "incomplete": the name in files. Static. */
const char *mechanism_answer_name(enum mechanism_answer answer);

#endif
