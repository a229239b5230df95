#!/usr/bin/env python3
"""The table of docs/model-statistics.md: how often verdicts are wrong, beside hyperfine's and benchstat's rules on the same runs.

usage: calibration_table.py PROGRAM [EXPERIMENTS]     runs verdict_calibration (default 10000 experiments a cell)
       calibration_table.py RESULTS.tsv                what it printed
"""
import csv
import io
import subprocess
import sys

NAMES = {
    "normal": "normal",
    "quiet": "normal, less than half the spread",
    "unequal": "normal, spreads 0.6 and 1.4",
    "lognormal": "lognormal",
    "heavy": "heavy tails (t, 3 df)",
    "drift": "drift of 2 sd",
    "sessions": "sessions of 3, both arms",
    "clusters": "clusters of 3, `block` labels",
    "hidden": "the same without labels",
}


def results(argument, experiments):
    if argument.endswith(".tsv"):
        with open(argument, encoding="utf-8") as file:
            return file.read()
    # Status 1 says that a rate left its bound: the table shows it all the same.
    done = subprocess.run([argument, experiments], stdout=subprocess.PIPE, encoding="utf-8", check=False)
    if done.returncode not in (0, 1):
        sys.exit(f"{argument} ended with status {done.returncode}")
    return done.stdout


def percent(row, key):
    return "–" if row[key] == "nan" else f"{100 * float(row[key]):.1f}"


def main():
    rows = list(csv.DictReader(io.StringIO(results(sys.argv[1], (sys.argv[2:] or ["10000"])[0])), delimiter="\t"))
    cells = {(r["noise"], r["n"], float(r["margins"])): r for r in rows}

    print("| noise | runs | false at 0 | false at m | covers | covers, 90 % | ratio | shift | BCa | one arm’s BCa | cautions "
          "| hyperfine r − s > 1 | hyperfine apart | benchstat at 0 | benchstat ~ at m |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    for noise, n in dict.fromkeys((r["noise"], r["n"]) for r in rows):
        null, margin = cells[noise, n, 0.0], cells[noise, n, 1.0]
        print(f"| {NAMES[noise]} | {n} | {percent(null, 'false')} | {percent(margin, 'false')} | {percent(null, 'covered')} "
              f"| {percent(null, 'covered_90')} | {percent(null, 'ratio')} | {percent(null, 'shift')} "
              f"| {percent(null, 'bca')} | {percent(null, 'arm_bca')} | {percent(null, 'warned')} "
              f"| {percent(null, 'hyperfine_faster')} | {percent(null, 'hyperfine_apart')} "
              f"| {percent(null, 'benchstat_faster')} | {percent(margin, 'benchstat_same')} |")
    print("\n| noise | runs | supported at m: found, theory | at 1.5 m: found, theory | same within ±m at 0: found, theory |")
    print("|---|--:|--:|--:|--:|")
    for noise, n in ((noise, n) for noise in ("normal", "quiet") for n in dict.fromkeys(r["n"] for r in rows)):
        at = [cells[noise, n, m] for m in (0.0, 1.0, 1.5)]
        print(f"| {NAMES[noise]} | {n} | {percent(at[1], 'supported')}, {percent(at[1], 't_power')} "
              f"| {percent(at[2], 'supported')}, {percent(at[2], 't_power')} "
              f"| {percent(at[0], 'equivalent')}, {percent(at[0], 'tost_power')} |")


main()
