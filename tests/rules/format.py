#!/usr/bin/env python3
"""Every C file stands as clang-format 14 would write it, with the project's .clang-format. Other versions differ in details,
so with none of version 14 the check is skipped (status 77).

usage: format.py ROOT
"""
import pathlib
import re
import shutil
import subprocess
import sys

from sources import c_files


def clang_format_14():
    for name in ("clang-format-14", "clang-format"):
        path = shutil.which(name)
        if path and re.search(r"version 14\.", subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout):
            return path
    return None


tool = clang_format_14()
if not tool:
    print("skipped: clang-format 14 isn't installed (Debian: apt-get install clang-format-14)")
    sys.exit(77)
root = pathlib.Path(sys.argv[1])
files = [str(root / name) for name, _ in c_files(root)]
sys.exit(subprocess.run([tool, "--dry-run", "-Werror", *files], check=False).returncode)
