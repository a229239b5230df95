"""The project's C files, for the rule checks. Every check prints "file:line: what" and fails when there is anything to print."""
import pathlib
import re
import sys

FOLDERS = ("base", "sim", "replay", "report", "cli", "tests")
# Comments and literals: what a rule about code must not look into.
OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)


def c_files(root, *suffixes):
    """(name relative to root, text) of every file with one of the suffixes, in a fixed order."""
    root = pathlib.Path(root)
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (suffixes or (".c", ".h")) and path.is_file():
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def without_comments_and_literals(text):
    """The same text, line for line, with comments gone and literals empty."""
    def blank(match):
        lines = "\n" * match.group().count("\n")
        return '""' + lines if match.group()[0] in "\"'" else " " + lines
    return OPAQUE.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def report(findings):
    for finding in findings:
        print(finding)
    sys.exit(1 if findings else 0)
