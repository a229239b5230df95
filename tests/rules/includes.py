#!/usr/bin/env python3
"""The dependency rule, as DESIGN states it: which folder may include what.

usage: includes.py ROOT
"""
import re
import sys

from sources import c_files, line_of, report

# A folder sees itself and these. The CMake link lines say the same; this also catches a header that needs no linking.
MAY_SEE = {
    "base": {"base"},
    "sim": {"sim", "base"},
    "replay": {"replay", "sim", "base"},
    "report": {"report", "base"},
    "cli": {"cli", "report", "replay", "sim", "base"},
    "tests": {"tests", "cli", "report", "replay", "sim", "base"},
}
# Libraries that are kept behind one door: header pattern, who may include it (a file or a folder).
ONE_DOOR = (
    (r"pcap[/.].*", ("replay/pcap_file.c", "tests/")),
    (r"zlib\.h", ("replay/byte_source.c", "tests/")),
    (r"zstd(_errors)?\.h", ("replay/byte_source.c", "tests/")),
    (r"(cairo/)?cairo.*", ("report/draw_cairo.c", "tests/")),
    (r"pango/.*", ("report/", "tests/")),
    (r"yaml\.h", ("base/yaml_doc.h",)),
    (r"openssl/.*", ("replay/smb2_encryption.c",)),
    (r"lz4.*", ("replay/lz4_block.c",)),
    (r"jansson\.h", ("report/", "cli/", "tests/")),
)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)


def check(name, quote, header):
    folder = name.split("/")[0]
    if quote == '"':
        target = header.split("/")[0]
        if "/" not in header:
            return f'"{header}" has no folder: write "{folder}/{header}"'
        if target not in MAY_SEE[folder]:
            return f"{folder}/ may not include {header} (it may see {', '.join(sorted(MAY_SEE[folder]))})"
        return None
    for pattern, doors in ONE_DOOR:
        if re.fullmatch(pattern, header) and not any(name == d or (d[-1] == "/" and name.startswith(d)) for d in doors):
            return f"<{header}> may be included by {', '.join(doors)} only"
    return None


findings = []
for name, text in c_files(sys.argv[1]):
    for match in INCLUDE.finditer(text):
        what = check(name, match.group(1), match.group(2))
        if what:
            findings.append(f"{name}:{line_of(text, match.start())}: {what}")
report(findings)
