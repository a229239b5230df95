#!/usr/bin/env python3
"""The rule checks find what they are there to find: each case is a small tree with one fault, or with none.

usage: selftest.py COMPILER
"""
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
COMPILER = sys.argv[1]
GUARDED = "#ifndef SIM_A_H\n#define SIM_A_H\n%s\n#endif\n"

# check, file, its text, what the finding says (None: no finding)
CASES = (
    ("includes", "base/a.c", '#include "base/a.h"\n#include <glib.h>\n', None),
    ("includes", "base/a.c", '#include "sim/run.h"\n', "base/a.c:1: base/ may not include sim/run.h"),
    ("includes", "sim/a.c", '\n#include "replay/frame.h"\n', "sim/a.c:2: sim/ may not include"),
    ("includes", "report/a.c", '#  include "sim/profile.h"\n', "report/ may not include"),
    ("includes", "replay/a.c", '#include "report/doc.h"\n', "replay/ may not include"),
    ("includes", "cli/a.c", '#include "report/doc.h"\n#include "replay/trace.h"\n', None),
    ("includes", "base/a.c", '#include "a.h"\n', 'write "base/a.h"'),
    ("includes", "replay/frame.c", "#include <pcap/pcap.h>\n", "replay/pcap_file.c"),
    ("includes", "replay/pcap_file.c", "#include <pcap/pcap.h>\n", None),
    ("includes", "report/layout.c", "#include <cairo-pdf.h>\n", "report/draw_cairo.c"),
    ("includes", "cli/a.c", "#include <cairo.h>\n", "report/draw_cairo.c"),
    ("includes", "sim/a.c", "#include <yaml.h>\n", "base/yaml_doc.h"),
    ("calls", "sim/a.c", "int f(void)\n{\n    return (int)time(0);\n}\n", "sim/a.c:3: time() is the wall clock"),
    ("calls", "sim/a.c", '/* time(0) */ const char *s = "time(0)"; // rand()\n', None),
    ("calls", "sim/a.c", "x = link_time(l) + e->time(3) + s.time(2);\n", None),
    ("calls", "cli/a.c", "t = time(NULL); g_getenv(\"X\"); printf(\"\");\n", None),
    ("calls", "cli/a.c", "n = rand ();\n", "random state that all share"),
    ("calls", "report/a.c", 'fprintf(stderr, "x");\n', "stderr: only cli prints"),
    ("calls", "base/outfile.c", "fflush(stdout);\n", None),
    ("calls", "replay/a.c", 'printf("%d", 1);\n', "printf() is printing"),
    ("calls", "replay/a.c", 'snprintf(b, sizeof b, "%d", 1);\n', None),
    ("calls", "base/a.c", "exit(1);\n", "leaving the program"),
    ("calls", "sim/a.c", "static int count;\n", "static int count: a variable"),
    ("calls", "sim/a.c", "static struct row rows[] = {{1}};\n", "static struct row rows[]: a variable"),
    ("calls", "sim/a.c", "static const char *names[] = {0};\n", "a variable that all runs share"),
    ("calls", "sim/a.c", "static const char *const names[] = {0};\nstatic const int n = 3;\n", None),
    ("calls", "sim/a.c", "static int f(int a);\nstatic int g(int a)\n{\n    return a;\n}\nstatic inline int h(void);\n", None),
    ("headers", "sim/a.h", GUARDED % "#include <stddef.h>\nsize_t a(void);", None),
    ("headers", "sim/a.h", GUARDED % "size_t a(void);", "doesn't compile alone"),
    ("headers", "sim/a.h", "#ifndef A_H\n#define A_H\n#endif\n", "the guard isn't SIM_A_H"),
    ("headers", "sim/a.h", GUARDED % "struct a {int x;};" + "struct b {int x;};\n", "doesn't compile alone"),
)

failures = 0
for check, name, text, expected in CASES:
    with tempfile.TemporaryDirectory() as root:
        path = pathlib.Path(root) / name
        path.parent.mkdir()
        path.write_text(text, encoding="utf-8")
        arguments = [COMPILER] if check == "headers" else []
        run = subprocess.run([sys.executable, HERE / f"{check}.py", root, *arguments], capture_output=True, text=True, check=False)
    right = run.returncode == 0 and not run.stdout if expected is None else run.returncode == 1 and expected in run.stdout
    if not right:
        failures += 1
        print(f"{check}.py on {name}: {text!r}\n  expected {expected!r}\n  status {run.returncode}, said: {run.stdout}{run.stderr}")
sys.exit(1 if failures else 0)
