#!/usr/bin/env python3
"""Every header compiles alone, twice over, without a warning: it includes what it needs, and its guard works. The guard is
the path, so that two can't collide.

usage: headers.py ROOT COMPILER [FLAG...]
"""
import subprocess
import sys

from sources import c_files, report

root, compiler, *flags = sys.argv[1:]
findings = []
for name, text in c_files(root, ".h"):
    guard = name.upper().replace("/", "_").replace(".", "_").replace("-", "_")
    if f"#ifndef {guard}\n#define {guard}\n" not in text:
        findings.append(f"{name}:1: the guard isn't {guard}")
    source = f'#include "{name}"\n#include "{name}"\n'
    run = subprocess.run([compiler, "-std=c17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", *flags, f"-I{root}", "-x", "c", "-"],
                         input=source, capture_output=True, text=True, check=False)
    if run.returncode:
        findings.append(f"{name}:1: doesn't compile alone:\n{run.stderr}")
report(findings)
