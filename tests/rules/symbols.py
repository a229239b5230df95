#!/usr/bin/env python3
"""No function of ours stands in for one of a shared library. The linker exports a function of the program when a library it
links has one of the same name, and then the library calls ours: that is how a yaml_free() of ours once crashed libyaml.

usage: symbols.py NM PROGRAM LIBRARY...       the program and the static libraries that it is made of
"""
import subprocess
import sys

from sources import report

nm, program, *libraries = sys.argv[1:]


def symbols(*arguments):
    output = subprocess.run([nm, "--defined-only", "-P", *arguments], capture_output=True, text=True, check=True).stdout
    return {fields[0]: fields[1] for fields in (line.split() for line in output.splitlines()) if len(fields) > 1}


ours = {name for name, kind in symbols(*libraries).items() if kind in "TDBR"}
if not ours:
    sys.exit("symbols.py: the libraries hold no symbols: was the right nm used?")
exported = symbols("-D", program)
report([f"{program}: exports {name}, which a shared library has too: rename ours" for name in sorted(ours & exported.keys())])
