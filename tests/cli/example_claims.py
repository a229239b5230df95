#!/usr/bin/env python3
"""Every claim under examples/claims/ gets the verdict that example_claims.tsv says, and its figures come out as said there.

usage: example_claims.py PROGRAM [--update] [--sanitized] [NAME...]

A line of the table: the claim's name; its verdict and what that rests on; the gain in per cent of the control's mean. Lines that follow with
an empty first cell are its figures: outcome, simulated value, what. Gains and values may differ in the fourth digit. A claim takes at most 2 s
of processor time without simulation and 15 s with it, in one thread; all together two minutes. Sanitizers may take ten times as long.
"""
import json
import os
import pathlib
import resource
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CLAIMS = HERE.parent.parent / "examples/claims"
TABLE = HERE / "example_claims.tsv"
NEAR = 1e-3
WITHOUT_S, WITH_S, ALL_S, SANITIZED = 2, 15, 120, 10


def judge(program, name):
    """The verdict's JSON, and the processor seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, "verdict", str(CLAIMS / f"{name}.yaml"), "--json"], capture_output=True, text=True,
                          env={**os.environ, "OMP_NUM_THREADS": "1"}, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode or done.stderr:
        sys.exit(f"{name}: {done.stderr.strip() or done.returncode}")
    return json.loads(done.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def number(x):
    return "-" if x is None else f"{x:.6g}"


def rows_of(name, o):
    control = next(arm["mean"] for arm in o["arms"] if arm["role"] == "control")
    gain = o["comparison"]["gain"]["value"]
    yield name, o["verdict"], o["basis"], number(100 * gain / control)
    for f in o["figures"]:
        yield "", f["outcome"], number(f["simulated"]), f["what"]


def same(a, b):
    """Equal, or two numbers that are near."""
    if a == b:
        return True
    try:
        x, y = float(a), float(b)
    except ValueError:
        return False
    return abs(x - y) <= NEAR * max(abs(x), abs(y)) + NEAR


def differences(wanted, found):
    for i in range(max(len(wanted), len(found))):
        w, f = (rows[i] if i < len(rows) else None for rows in (wanted, found))
        if not w or not f or not all(same(a, b) for a, b in zip(w, f)):
            yield f"wanted {w}, found {f}"


def table():
    claims = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            cells = tuple(line.split("\t"))
            if cells[0]:
                rows = claims.setdefault(cells[0], [])
            rows.append(cells)
    return claims


def main():
    program, *names = sys.argv[1:]
    update = "--update" in names
    slower = SANITIZED if "--sanitized" in names else 1
    names = [n for n in names if not n.startswith("--")] or sorted(p.stem for p in CLAIMS.glob("*.yaml"))
    found, seconds, wrong = {}, 0, []
    for name in names:
        o, took = judge(program, name)
        found[name] = list(rows_of(name, o))
        simulates = o["figures"] or o["simulation"] or o["basis"] == "simulation"
        seconds += took
        print(f"{name}: {o['verdict']}, {took:.2f} s")
        if took > slower * (WITH_S if simulates else WITHOUT_S):
            wrong.append(f"{name}: took {took:.1f} s")
    if update:
        head = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if line.startswith("#")] if TABLE.exists() else []
        TABLE.write_text("\n".join([*head, *("\t".join(row) for rows in found.values() for row in rows)]) + "\n", encoding="utf-8")
        return
    wanted = table()
    for name, rows in found.items():
        wrong += [f"{name}: {d}" for d in differences(wanted.get(name, []), rows)]
    if len(found) > len(wanted) - 1 and set(wanted) - set(found):
        wrong += [f"{name}: in the table, and no such claim" for name in sorted(set(wanted) - set(found))]
    if seconds > slower * ALL_S:
        wrong.append(f"all together took {seconds:.0f} s")
    print(f"all: {seconds:.1f} s")
    if wrong:
        sys.exit("\n".join(wrong))


main()
