#!/usr/bin/env python3
"""Runs the program as a user would, and looks at what the user would see.

usage: run.py FILE [NAME...]      the cases of a file of cases, all or the named ones
       COPYTRIAL_PROGRAM is the program, COPYTRIAL_SOURCE the project's folder.

A case is one line, its columns parted by " | "; lines that begin with # are comments:

    name | arguments | exit status | expectation | expectation ...

    out: TEXT           standard output holds the text             no-out: TEXT   ... doesn't hold it
    err: TEXT           standard error holds the text
    json: PATH          standard output is JSON, and the value at the path (a.b.0.c) is there and not null
    json: PATH = VALUE  ... and equals this JSON value
    json: PATH ~ X TOL  ... and is within TOL (a share) of X
    file: NAME          the file is there afterwards and not empty
    no-file: NAME       nothing of that name is there
    stdout: NAME        standard output goes to that file or device
    stdin: NAME         standard input is a pipe with the contents of that file of the project; without, it is empty
    many lines          standard error may be more than one sentence (the help on a usage error)

Arguments are split as a shell would split them. {root} is the project's folder, {in} the folder of made-up inputs, {tmp} an
empty folder of the case's own, in which the program also runs, and {head N FILE} a copy of the first N bytes of a file of
the project, and {link NAME TARGET} a link of that name to a file, folder or device. Whatever the case expects:
an exit status of 2, 3 or 4 comes with exactly one sentence that begins with the program's name on standard error and nothing
on standard output; success comes with nothing on standard error unless the case expects it; nothing is left in {tmp} that the case
doesn't name.
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

TIMEOUT_S = 120


def read_cases(path):
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            columns = [column.strip() for column in re.split(r"\s\|\s", line)]
            if len(columns) < 4:
                sys.exit(f"{path}:{number}: a case has a name, arguments, a status and at least one expectation")
            yield columns[0], columns[1], int(columns[2]), columns[3:]


def expand(text, root, tmp, made):
    def cut(match):
        source = root / match.group(2)
        copy = made / source.name
        copy.write_bytes(source.read_bytes()[: int(match.group(1))])
        return shlex.quote(str(copy))

    def link(match):
        path = made / match.group(1)
        path.symlink_to(match.group(2))
        return shlex.quote(str(path))
    text = re.sub(r"\{head (\d+) (\S+?)\}", cut, text)
    text = re.sub(r"\{link (\S+) (\S+?)\}", link, text)
    inputs = pathlib.Path(__file__).parent / "inputs"
    return text.replace("{root}", str(root)).replace("{in}", str(inputs)).replace("{tmp}", str(tmp))


def at_path(value, path):
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def json_fault(out, what):
    path, relation, wanted = (re.split(r"\s+([=~])\s+", what, maxsplit=1) + [None, None])[:3]
    try:
        value = at_path(json.loads(out), path)
    except (ValueError, KeyError, IndexError, TypeError) as fault:
        return f"no {path} in the JSON ({fault!r})"
    if relation == "=" and value != json.loads(wanted):
        return f"{path} is {value!r}, not {wanted}"
    if relation == "~":
        target, tolerance = map(float, wanted.split())
        if not isinstance(value, (int, float)) or abs(value - target) > tolerance * abs(target):
            return f"{path} is {value!r}, not within {tolerance} of {target}"
    return f"{path} is null" if value is None and relation is None else None


def expectation_fault(expectation, out, err, tmp):
    kind, _, what = expectation.partition(":")
    what = what.strip()
    path = tmp / what
    if kind == "out":
        return None if what in out else f'standard output lacks "{what}"'
    if kind == "no-out":
        return f'standard output holds "{what}"' if what in out else None
    if kind == "err":
        return None if what in err else f'standard error lacks "{what}"'
    if kind == "json":
        return json_fault(out, what)
    if kind == "file":
        return None if path.is_file() and path.stat().st_size else f"{what} is missing or empty"
    if kind == "no-file":
        return f"{what} is there" if path.exists() else None
    return None if kind in ("stdout", "stdin", "many lines") else f"no such expectation: {expectation}"


def general_faults(status, expectations, out, err, tmp):
    kinds = {e.partition(":")[0] for e in expectations}
    named = {e.partition(":")[2].strip().split("/")[0] for e in expectations if e.startswith("file:")}
    if status in (2, 3, 4) and "many lines" not in kinds:
        if len(err.splitlines()) != 1 or not err.startswith("copytrial"):
            yield 'standard error isn\'t one sentence that begins with "copytrial"'
        if out:
            yield "a failure comes with something on standard output"
    if status == 0 and err and "err" not in kinds:
        yield "success comes with something on standard error"
    for path in tmp.iterdir():
        if path.name not in named:
            yield f"{path.name} was left behind"


def beginning(text, lines=25):
    shown = text.splitlines(keepends=True)[:lines]
    return "".join(shown) + ("...\n" if len(text.splitlines()) > lines else "")


def run_case(case, root, program):
    name, arguments, status, expectations = case
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as made:
        tmp = pathlib.Path(folder)
        argv = [program] + shlex.split(expand(arguments, root, tmp, pathlib.Path(made)))
        to = [e.partition(":")[2].strip() for e in expectations if e.startswith("stdout:")]
        stdout = open(to[0], "wb") if to else subprocess.PIPE
        of = [(root / e.partition(":")[2].strip()).read_bytes() for e in expectations if e.startswith("stdin:")]
        run = subprocess.run(argv, cwd=tmp, input=of[0] if of else b"", stdout=stdout, stderr=subprocess.PIPE,
                             timeout=TIMEOUT_S, check=False, env=dict(os.environ, LC_ALL="C.UTF-8"))
        out = (run.stdout or b"").decode("utf-8", "replace")
        err = run.stderr.decode("utf-8", "replace")
        faults = [] if run.returncode == status else [f"exit status {run.returncode}, expected {status}"]
        faults += general_faults(status, expectations, out, err, tmp)
        faults += filter(None, (expectation_fault(e, out, err, tmp) for e in expectations))
    if faults:
        print(f"{name}: {shlex.join(argv)}")
        print("\n".join(f"  {fault}" for fault in faults))
        print(f"--- standard output\n{beginning(out)}--- standard error\n{beginning(err)}---")
    return not faults


def main():
    path, wanted = pathlib.Path(sys.argv[1]), sys.argv[2:]
    cases = [case for case in read_cases(path) if not wanted or case[0] in wanted]
    missing = set(wanted) - {case[0] for case in cases}
    if missing or not cases:
        sys.exit(f"{path}: no case {', '.join(sorted(missing)) or 'at all'}")
    root = pathlib.Path(os.environ["COPYTRIAL_SOURCE"]).resolve()
    program = str(pathlib.Path(os.environ["COPYTRIAL_PROGRAM"]).resolve())
    if not os.path.exists(program):
        sys.exit(f"{program}: not built")
    results = [run_case(case, root, program) for case in cases]
    sys.exit(0 if all(results) else 1)


main()
