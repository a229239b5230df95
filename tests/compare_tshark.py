#!/usr/bin/env python3
"""Compares the counts of `copytrial replay` with tshark's on capture files.

    tests/compare_tshark.py [--program COPYTRIAL] [--only traces] [CAPTURE...]

Compared are requests and responses by command, bytes read and written, and the TCP analysis of the connections that carry SMB. Without
captures it takes those in traces/ and all in COPYTRIAL_DATA (default ../shared): in those without SMB neither may find any. A difference that
golden/tshark_differences.tsv lists with its reason passes; any other is printed and fails, and so does a listed one that
has gone. Exit status: 0 equal, 1 different, 77 tshark is not installed.
"""
import argparse
import collections
import concurrent.futures
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SOURCE = HERE.parent
DATA = pathlib.Path(os.environ.get("COPYTRIAL_DATA") or SOURCE.parent / "shared")

# tshark's field, ours.
TCP = [
    ("tcp.analysis.retransmission", "retransmissions"),
    ("tcp.analysis.fast_retransmission", "fast_retransmissions"),
    ("tcp.analysis.spurious_retransmission", "spurious_retransmissions"),
    ("tcp.analysis.out_of_order", "out_of_order"),
    ("tcp.analysis.keep_alive", "keep_alives"),
    ("tcp.analysis.duplicate_ack", "duplicate_acks"),
    ("tcp.analysis.lost_segment", "lost_segments"),
    ("tcp.analysis.ack_lost_segment", "unseen_acks"),
    ("tcp.analysis.zero_window_probe", "window_probes"),
]
NO_ANDX = 0xFF


def command_names():
    """The protocol's names by code, from the table that the program itself uses."""
    text = (SOURCE / "sim/command.c").read_text()
    return re.findall(r'"(SMB1 [^"]+)"', text), re.findall(r'"(SMB2 [^"]+)"', text)


SMB1, SMB2 = command_names()


def keys_beside(path):
    """The file with the session keys of an encrypted capture, or None."""
    keys = pathlib.Path(path).with_suffix(".keys")
    return keys if keys.exists() else None


# A READ response of SMB2 has its length as that of a buffer, as other messages have theirs.
LENGTHS = ["smb2.olb.length", "smb2.write_length", "smb.data_len_low", "smb.data_len_high"]


def sum_of(values, factor=1):
    return factor * sum(int(v, 0) for v in values.split(",") if v)


UNCLEAR = 1 << 60  # reads in compounds with other commands


def count_bytes(counts, values, is_smb2, codes, responses):
    """Of one frame, whose messages all go one way. Lengths stand in responses of reads and requests of writes, and in other messages too."""
    read, write, low, high = values
    answer = bool(set(responses.split(",")) & {"1", "True"})
    if is_smb2:
        if answer and 8 in codes:
            counts["bytes_read"] += sum_of(read) if set(codes) == {8} else UNCLEAR
        counts["bytes_written"] += 0 if answer else sum_of(write)
    elif (0x2E if answer else 0x2F) in codes:
        counts["bytes_read" if answer else "bytes_written"] += sum_of(low) + sum_of(high, 1 << 16)


def tshark_counts(path):
    fields = ["tcp.stream", "smb2.cmd", "smb2.flags.response", "smb.cmd", "smb.flags.response"] + LENGTHS + [t for t, _ in TCP]
    command = ["tshark", "-n", "-r", str(path), "-o", "tcp.reassemble_out_of_order:TRUE", "-T", "fields", "-E", "separator=|"]
    for field in fields:
        command += ["-e", field]
    for line in keys_beside(path).read_text().splitlines() if keys_beside(path) else []:
        command += ["-o", f"uat:smb2_seskey_list:{line}"]
    lines = subprocess.run(command, capture_output=True, text=True, check=False).stdout.splitlines()
    counts, totals = collections.Counter(), collections.Counter()
    tcp = collections.defaultdict(collections.Counter)
    with_smb = set()
    for line in lines:
        values = line.split("|")
        stream = values[0].split(",")[0]
        if not stream:
            continue
        for codes, responses, names in ((values[1], values[2], SMB2), (values[3], values[4], SMB1)):
            codes = [int(c, 0) for c in codes.split(",") if c]
            if names is SMB1:
                codes = [c for c in codes if c != NO_ANDX]  # tshark also lists where chains end
            count_bytes(totals, values[5:9], names is SMB2, codes, responses)
            for code, response in zip(codes, responses.split(",")):
                with_smb.add(stream)
                counts["responses " if response in ("1", "True") else "requests ", names[code]] += 1
        for value, (_, name) in zip(values[9:], TCP):
            tcp[stream][name] += bool(value)
    result = collections.Counter({kind + name: n for (kind, name), n in counts.items()}) + totals
    for stream in with_smb:
        result.update(tcp[stream])
    return result


def our_counts(program, path):
    keys = ["--keys", str(keys_beside(path))] if keys_beside(path) else []
    run = subprocess.run([program, "replay", "--no-simulation", "--json", *keys, str(path)], capture_output=True, text=True,
                         check=False)
    result = collections.Counter()
    if run.returncode == 3 and not run.stdout:  # no SMB in it, as far as we can see
        return result
    if run.returncode not in (0, 3):  # 3: too little of it can be decoded to trust a simulation; the counts are there
        raise SystemExit(f"{path}: exit status {run.returncode}: {run.stderr}")
    for connection in json.loads(run.stdout)["connections"]:
        for name, command in connection["commands"].items():
            result["requests " + name] += command["requests"]
            result["responses " + name] += command["responses"]
        for kind in ("bytes_read", "bytes_written"):
            result[kind] += connection[kind]
        for side in ("client", "server"):
            for _, name in TCP:
                result[name] += connection["tcp"][side][name]
    return result


def known_differences():
    known = {}
    with open(HERE / "golden/tshark_differences.tsv", newline="") as f:
        for row in csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t"):
            known[row["file"], row["field"]] = int(row["tshark"]), int(row["copytrial"])
    return known


def default_captures(only):
    """(name in the list of differences, path)"""
    for path in sorted((SOURCE / "traces").glob("*.pcap*")):
        yield path.name, path
    if only == "traces":
        return
    for path in sorted((DATA / "truth/bases").glob("*.pcap*")):
        yield path.name, path
    index = DATA / "captures/INDEX.tsv"
    if not index.exists():
        print(f"{index} is absent: public captures aren't compared (COPYTRIAL_DATA says where they are)")
        return
    with open(index, newline="") as f:
        for row in csv.DictReader(f, delimiter="\t"):
            yield row["file"], DATA / "captures" / row["file"]


def name_of(path):
    """As the list of differences spells it."""
    path = pathlib.Path(path).resolve()
    public = (DATA / "captures").resolve()
    return str(path.relative_to(public)) if path.is_relative_to(public) else path.name


def compare(program, known, name, path):
    theirs, ours = tshark_counts(path), our_counts(program, path)
    if theirs["bytes_read"] >= UNCLEAR:  # test_captures has them from the captures' index
        del theirs["bytes_read"], ours["bytes_read"]
    problems = []
    for field in sorted(set(theirs) | set(ours)):
        expected = known.get((name, field), (theirs[field], theirs[field]))
        if expected != (theirs[field], ours[field]):
            problems.append(f"{name}: {field}: tshark {theirs[field]}, copytrial {ours[field]}")
    return problems, sum(n for f, n in theirs.items() if f.startswith("re"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=os.environ.get("COPYTRIAL_PROGRAM", "build/release/cli/copytrial"))
    parser.add_argument("--only", choices=["traces"], help="not the public captures")
    parser.add_argument("captures", nargs="*")
    options = parser.parse_args()
    if not shutil.which("tshark"):
        print("skipped: tshark is not installed")
        return 77
    known = known_differences()
    captures = [(name_of(c), c) for c in options.captures] or list(default_captures(options.only))
    problems, messages = [], 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for found, counted in pool.map(lambda c: compare(options.program, known, *c), captures):
            problems += found
            messages += counted
    print(*problems, sep="\n", end="\n" if problems else "")
    print(f"{len(captures)} captures, {messages} messages, {len(problems)} differences that have no reason in the list")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
