#!/usr/bin/env python3
"""Calls that only cli may make (clocks, environment, printing, leaving the program), calls that nobody may make (a
shared random state, unbounded writes), and variables that would make two simulations in one program disturb each other.

usage: calls.py ROOT
"""
import re
import sys

from sources import c_files, line_of, report, without_comments_and_literals

ONLY_CLI = {
    "the wall clock": r"time|clock|clock_gettime|gettimeofday|localtime(?:_r)?|gmtime(?:_r)?|ctime(?:_r)?|g_get_real_time"
                      r"|g_get_monotonic_time|g_get_current_time|g_date_time_new_now\w*",
    "the environment": r"getenv|secure_getenv|g_getenv|setlocale|gsl_rng_env_setup",
    "printing": r"printf|vprintf|puts|putchar|perror|g_print|g_printerr|g_message|g_warning|g_critical",
    "leaving the program": r"exit|_exit|quick_exit",
    "another program": r"system|popen|fork|execv\w*|execl\w*|g_spawn_\w+",
}
NOBODY = {
    "a random state that all share": r"rand|srand|random|srandom|drand48|rand_r|g_random_\w+",
    "a write without bounds": r"strcpy|strcat|sprintf|vsprintf|gets|stpcpy",
    "hidden state": r"strtok|setenv|putenv|g_setenv",
    "a stack without bounds": r"alloca|g_alloca|g_newa|g_newa0",
}
# Who else may, and why.
EXCEPTIONS = {
    ("base/outfile.c", "stdout"): 'the result of "-o -" goes there',
}
STREAM = re.compile(r"(?<![\w.])(stdout|stderr)\b")
# A static that isn't constant: "static int n;", "static char *names[] = {". Constant pointers end in "*const name".
STATIC = re.compile(r"^[ \t]*static\s+(?!inline\b|_Thread_local\b)([^;={}()]+?)(?=\s*(?:=|;))", re.M)


def calls(names):
    return re.compile(rf"(?<![\w.>])(?:{names})\s*\(")


def is_constant(declaration):
    if "*" in declaration:
        return re.match(r"\s*const\b", declaration[declaration.rindex("*") + 1:]) is not None
    return re.search(r"\bconst\b", declaration) is not None


def check(name, code):
    folder = name.split("/")[0]
    rules = dict(NOBODY) if folder != "tests" else {}
    if folder not in ("cli", "tests"):
        rules.update(ONLY_CLI)
    for what, names in rules.items():
        for match in calls(names).finditer(code):
            yield match.start(), f"{match.group()[:-1].strip()}() is {what}: not here"
    if folder not in ("cli", "tests"):
        for match in STREAM.finditer(code):
            if (name, match.group(1)) not in EXCEPTIONS:
                yield match.start(), f"{match.group(1)}: only cli prints"
    if folder != "tests":
        for match in STATIC.finditer(code):
            if not is_constant(match.group(1)):
                yield match.start(1), f"static {match.group(1).strip()}: a variable that all runs share"


findings = []
for name, text in c_files(sys.argv[1]):
    code = without_comments_and_literals(text)
    for position, what in sorted(check(name, code)):
        findings.append(f"{name}:{line_of(code, position)}: {what}")
report(findings)
