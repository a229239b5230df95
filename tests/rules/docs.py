#!/usr/bin/env python3
"""The documents are true to the program: links lead somewhere, and no command, option or key of a file is left out.

usage: docs.py ROOT PROGRAM
"""
import pathlib
import re
import subprocess
import sys

from sources import report

LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
OPTION = re.compile(r"^\s+(?:-\w, )?(--[a-z-]+)", re.M)
KEY = re.compile(r'\.key = "(\w+)"')
KEYS_STAND_IN = ("sim/*_profile.c", "sim/client_step.c", "cli/experiment.c", "report/claim*.c")

root, program = pathlib.Path(sys.argv[1]), sys.argv[2]


def read(name):
    return (root / name).read_text(encoding="utf-8")


def said_by(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, encoding="utf-8", check=True).stdout


def dead_links():
    for folder in (".", "docs", "traces"):
        for page in sorted((root / folder).glob("*.md")):
            for target in LINK.findall(page.read_text(encoding="utf-8")):
                if "://" not in target and not (page.parent / target).exists():
                    yield f"{page.relative_to(root)}: links to {target}, which isn't there"


def missing_commands():
    manual, page = read("docs/manual.md"), read("man/copytrial.1").replace("\\-", "-")
    commands = re.findall(r"^  (\w+)  ", said_by("--help"), re.M)
    if not commands:
        yield "copytrial --help lists no command"
    for command in commands:
        if f"copytrial {command} " not in read("README.md"):
            yield f"README.md: no example of {command}"
        sections = {
            "docs/manual.md": re.search(rf"^## {command}$(.*?)(?=^## |\Z)", manual, re.M | re.S),
            "man/copytrial.1": re.search(rf"^\.SS {command}$(.*?)(?=^\.S[SH] |\Z)", page, re.M | re.S),
        }
        options = set(OPTION.findall(said_by(command, "--help"))) - {"--help"}
        for name, section in sections.items():
            if not section:
                yield f"{name}: no section on {command}"
                continue
            for option in sorted(options):
                if option not in section.group(1):
                    yield f"{name}: nothing about {command} {option}"


def lines_without_basis():
    """A client's exchanges say what they rest on: what is measured, fitted or assumed must be told apart."""
    known = re.compile(r'basis: "?(measured|fitted|inferred|assumed|specified|read in )')
    for profile in sorted((root / "examples/clients").glob("*.yaml")):
        for number, line in enumerate(profile.read_text(encoding="utf-8").splitlines(), 1):
            if "{command:" in line and not known.search(line):
                yield f"{profile.relative_to(root)}:{number}: doesn't say whether it is measured, fitted or assumed"


def missing_keys():
    formats = read("docs/formats.md")
    for pattern in KEYS_STAND_IN:
        for source in sorted(root.glob(pattern)):
            for key in KEY.findall(source.read_text(encoding="utf-8")):
                if not re.search(rf"(?<![\w-]){key}(?![\w-])", formats):
                    yield f"docs/formats.md: nothing about the key {key} ({source.relative_to(root)})"


report([*dead_links(), *missing_commands(), *missing_keys(), *lines_without_basis()])
