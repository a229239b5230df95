#!/usr/bin/env python3
"""Names that the linker could confuse.

No function of ours stands in for one of a shared library: the linker exports a function of the program when a library it links has
one of the same name, and then the library calls ours. That is how a yaml_free() of ours once crashed libyaml.
No two of our libraries define the same name: the linker would take either, or neither.

usage: symbols.py NM PROGRAM LIBRARY...       the program and the static libraries that it is made of
"""
import collections
import pathlib
import subprocess
import sys

from sources import report

nm, program, *libraries = sys.argv[1:]


def symbols(*arguments):
    """Names of the functions and variables that are visible outside their source."""
    output = subprocess.run([nm, "--defined-only", "-P", *arguments], capture_output=True, text=True, check=True).stdout
    return {fields[0] for fields in (line.split() for line in output.splitlines()) if len(fields) > 1 and fields[1] in "TDBR"}


owners = collections.defaultdict(list)
for library in libraries:
    for name in symbols(library):
        owners[name].append(pathlib.Path(library).name)
if not owners:
    sys.exit("symbols.py: the libraries hold no symbols: was the right nm used?")
report([f"{name}: defined in {' and '.join(files)}" for name, files in sorted(owners.items()) if len(files) > 1] +
       [f"{name}: exported by the program, as a shared library has it too: rename ours"
        for name in sorted(owners.keys() & symbols("-D", program))])
