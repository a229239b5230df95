#!/usr/bin/python3
"""Measures how right copytrial's predictions are: real copies on emulated networks beside what `replay --network` says.

    accuracy.py --copytrial PROGRAM [--long] [--out DIR] [--runs N] [--only TEXT] [--write FILE]
    accuracy.py --copytrial PROGRAM --score --out DIR [--write FILE]

Each application is captured on the base networks, and copied on each target network N times (3). Then copytrial predicts each
target from each base capture. --score leaves the copying out and scores what an earlier call left in DIR; a call that was
broken off goes on from there too. --write puts the table into FILE between its two marks. The quick form has three networks
and three clients, the long form a grid of over 100 targets. Needs what record.py needs.
"""
import argparse
import dataclasses
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import capture
import record
from record import MBIT, Link, Scenario

ANY = Link(10 * MBIT, 0)  # an application's own link is never used
BASES = {
    "lan": Link(1000 * MBIT, 0.1, queue_bytes=512_000),
    "wan10": Link(10 * MBIT, 10, queue_bytes=128_000),
}
TARGETS = {
    "metro": Link(50 * MBIT, 3, queue_bytes=256_000),
    "vpn": Link(20 * MBIT, 20, queue_bytes=256_000),
    "branch": Link(2 * MBIT, 12.5, queue_bytes=64_000, counts="ip"),
    "home": Link(16 * MBIT, 15, queue_bytes=128_000, up_rate_bps=3 * MBIT // 2),
    "jumbo": Link(100 * MBIT, 5, queue_bytes=512_000, mtu_bytes=9000),
    "shallow": Link(20 * MBIT, 25, queue_bytes=24_000),
    "longfat": Link(100 * MBIT, 60, queue_bytes=1_000_000),
    "satellite": Link(8 * MBIT, 280, queue_bytes=256_000),
    "lossy": Link(20 * MBIT, 15, queue_bytes=256_000, loss=0.003),
    "cap": Link(1000 * MBIT, 0.1, queue_bytes=512_000, packets_per_ms=3),
}
APPLICATIONS = {
    "smbclient-smb1-get": Scenario("smbclient", "NT1", "download", ((1, 3_000_000),), ANY, "many small reads in flight"),
    "smbclient-smb3-get": Scenario("smbclient", "SMB3_11", "download", ((1, 4_000_000),), ANY, "large reads in flight"),
    "smbclient-smb3-put": Scenario("smbclient", "SMB3_11", "upload", ((1, 3_000_000),), ANY, "large writes in flight"),
    "smbclient-small-get": Scenario("smbclient", "SMB3_11", "download", ((40, 6_000),), ANY, "small files"),
    "smbclient-small-put": Scenario("smbclient", "SMB3_11", "upload", ((40, 6_000),), ANY, "small files up"),
    "smbclient-mixed-get": Scenario("smbclient", "SMB2_10", "download", ((1, 1_000_000), (10, 40_000), (10, 2_000)), ANY,
                                    "sizes mixed"),
    "smbclient-signed-get": Scenario("smbclient", "SMB3_11", "download", ((1, 2_000_000), (5, 20_000)), ANY,
                                     "signing required", signed=True),
    "smbclient-encrypted-get": Scenario("smbclient", "SMB3_11", "download", ((1, 2_000_000), (5, 20_000)), ANY,
                                        "encrypted, its messages opaque", encrypted=True),
    "smbclient-four-get": Scenario("smbclient", "SMB3_11", "download", ((4, 1_000_000),), ANY, "four clients at once",
                                   processes=4),
    "curl-smb1-get": Scenario("curl", "NT1", "download", ((1, 1_000_000),), ANY, "32 KiB reads, one at a time"),
    "impacket-smb2-get": Scenario("impacket", "2.0.2", "download", ((1, 2_000_000),), ANY, "64 KiB reads, one at a time"),
    "impacket-smb3-put": Scenario("impacket", "3.0", "upload", ((1, 2_000_000),), ANY, "writes, one at a time"),
}
QUICK = (("wan10",), ("metro", "vpn"), ("smbclient-smb3-get", "curl-smb1-get", "impacket-smb3-put"))
LONG = (tuple(BASES), tuple(TARGETS), tuple(APPLICATIONS))
ATTEMPTS = 3
BEGIN, END = "<!-- accuracy.py writes from here -->", "<!-- to here -->"


# --- recording --------------------------------------------------------------------------------------------------------

def seed_of(application, network, number):
    return 100_000 + 1000 * list(APPLICATIONS).index(application) + 20 * (list(BASES) + list(TARGETS)).index(network) + number


def copy_once(application, network, number, program, pcap):
    """What one copy showed, or that it failed. A lab that does not come up is set up again."""
    scenario = dataclasses.replace(APPLICATIONS[application], link=(BASES | TARGETS)[network])
    for attempt in range(ATTEMPTS):
        try:
            seen = record.record_once(scenario, seed_of(application, network, number), program, pcap)
            break
        except record.CopyFailed as failure:
            return {"fails": str(failure).splitlines()[0]}
        except record.LabError as error:
            if attempt == ATTEMPTS - 1:
                raise
            print(f"accuracy.py: {application}@{network}: {error}; once more", file=sys.stderr)
    frames = capture.read_pcap(pcap)
    return {"seconds": round(capture.recorded_s(frames), 6), "ping_ms": seen["rtt_ms"], "late": record.was_late(seen)}


def record_runs(application, network, runs, program, out):
    """N copies that the machine did not keep waiting; the first capture is kept, the median one of a base."""
    done, pcaps = [], []
    for number in range(1, runs + record.DISCARDED_MAX + 1):
        pcap = out / f"{application}@{network}.{number}.pcap"
        one = copy_once(application, network, number, program, pcap)
        print(f"{application}@{network} {number}: {one}", flush=True)
        if one.get("late") and number <= record.DISCARDED_MAX:
            pcap.unlink(missing_ok=True)
            continue
        done.append(one)
        pcaps.append(pcap)
        if len(done) == runs:
            break
    order = sorted(range(len(done)), key=lambda i: done[i].get("seconds", float("inf")))
    kept = order[(len(order) - 1) // 2]
    for i, pcap in enumerate(pcaps):
        if i == kept and pcap.exists():
            pcap.rename(out / f"{application}@{network}.pcap")
        else:
            pcap.unlink(missing_ok=True)
    return {"runs": done, "kept": kept}


def record_all(form, runs, only, out):
    """Everything that DIR does not have yet."""
    bases, targets, applications = form
    path = out / "accuracy.json"
    recorded = json.loads(path.read_text()) if path.exists() else {}
    record.check_machine()
    os.nice(-15)
    with tempfile.TemporaryDirectory(prefix="copytrial-link-") as folder:
        program = record.build_link(folder)
        for network in bases + targets:
            for application in applications:
                key = f"{application}@{network}"
                if key in recorded or only not in key:
                    continue
                recorded[key] = record_runs(application, network, max(runs, 3) if network in BASES else runs, program, out)
                path.write_text(record.json_text(recorded) + "\n")
    return recorded


# --- scoring ----------------------------------------------------------------------------------------------------------

def rtt_ms(entry, link):
    """A ping's round trip less the time that its two frames take to be sent."""
    ping = min(r["ping_ms"] for r in entry["runs"] if "ping_ms" in r)
    counted = record.ping_frame_bytes(link) - (14 if link.counts == "ip" else 0)
    return max(ping - sum(counted * 8e3 / link.rate_of(way) for way in ("down", "up")), 0)


def network_yaml(name, link, rtt):
    def side(way):
        budget = f", packets_per_ms: {link.packets_per_ms}" if link.packets_per_ms and way == "down" else ""
        loss = f", loss: {100 * link.loss:g} %" if link.loss else ""
        return f"{{rate: {link.rate_of(way) / 1e6:g} Mbit/s, queue: {link.queue_bytes} B{loss}{budget}}}"
    return (f"network:\n  name: {name}\n  rtt: {rtt:.3f} ms\n  down: {side('down')}\n  up: {side('up')}\n"
            f"  mtu: {link.mtu_bytes} B\n  counts: {link.counts}\n")


def predict(copytrial, pcap, yaml):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(yaml)
        file.flush()
        done = subprocess.run([copytrial, "replay", str(pcap), "--network", file.name, "--json"], text=True, capture_output=True,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
    if done.returncode or not done.stdout:
        return None, done.stderr.strip()
    return json.loads(done.stdout).get("prediction"), done.stderr.strip()


def score_one(copytrial, application, base, target, recorded, out):
    entry, link = recorded[f"{application}@{target}"], TARGETS[target]
    seconds = [r["seconds"] for r in entry["runs"] if "seconds" in r]
    failed = len(seconds) < len(entry["runs"]) / 2
    row = {"application": application, "base": base, "target": target, "failed": failed, "lossy": link.loss > 0}
    if not any("ping_ms" in r for r in entry["runs"]):
        rtt = 2 * link.one_way_delay_ms
    else:
        rtt = rtt_ms(entry, link)
    found, message = predict(copytrial, out / f"{application}@{base}.pcap", network_yaml(target, link, rtt))
    if not found:
        return row | {"message": message}
    row |= {"predicted": found["seconds"], "low": found["low_s"], "high": found["high_s"],
            "predicted_fails": bool(found.get("fails"))}
    if failed:
        return row
    median = statistics.median(seconds)
    baselines = {name: 100 * (value - median) / median for name, value in found["baselines"].items() if value is not None}
    return row | {"recorded": median, "error": 100 * (found["seconds"] - median) / median,
                  "inside": sum(found["low_s"] <= s <= found["high_s"] for s in seconds), "runs": len(seconds),
                  "width": 50 * (found["high_s"] - found["low_s"]) / found["seconds"], "baselines": baselines}


def score_all(copytrial, form, only, recorded, out):
    bases, targets, applications = form
    pairs = [(a, b, t) for a in applications for b in bases for t in targets
             if only in f"{a}@{t}" and f"{a}@{t}" in recorded and (out / f"{a}@{b}.pcap").exists()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda p: score_one(copytrial, *p, recorded, out), pairs))


# --- the table --------------------------------------------------------------------------------------------------------

def spread(values):
    """Median, 90th percentile, worst of absolute values."""
    ordered = sorted(abs(v) for v in values)
    if not ordered:
        return "| - | - | - "
    return f"| {statistics.median(ordered):.1f} | {ordered[min(len(ordered) - 1, int(0.9 * len(ordered)))]:.1f} | {ordered[-1]:.1f} "


def summary(rows):
    scored = [r for r in rows if "error" in r]
    lines = ["| predictions | n | median error, % | 90th percentile, % | worst, % | single runs in the 90 % interval | its half-width, % |",
             "|---|---:|---:|---:|---:|---:|---:|"]
    bases = sorted({r["base"] for r in scored})
    for lossy in (False, True):
        for base in bases:
            some = [r for r in scored if r["base"] == base and r["lossy"] == lossy]
            if some:
                inside, runs = sum(r["inside"] for r in some), sum(r["runs"] for r in some)
                lines.append(f"| from {base}, {'random loss' if lossy else 'no random loss'} | {len(some)} "
                             f"{spread(r['error'] for r in some)}| {inside} of {runs} | {statistics.median(r['width'] for r in some):.1f} |")
    for name in ("size_over_rate", "window_over_rtt", "exchanges_times_rtt"):
        errors = [r["baselines"][name] for r in scored if name in r["baselines"] and not r["lossy"]]
        lines.append(f"| baseline: {name.replace('_', ' ')}, no random loss | {len(errors)} {spread(errors)}| | |")
    failed, wrong = [r for r in rows if r["failed"]], [r for r in scored if r["predicted_fails"]]
    told = sum(r.get("predicted_fails", False) for r in failed)
    lines += ["", f"Copies that failed: {len(failed)}, {told} of them as predicted; copies that succeeded and were predicted to fail: {len(wrong)}."]
    unpredicted = [r for r in rows if "message" in r]
    lines += [f"No prediction: {r['application']} from {r['base']}: {r['message']}" for r in unpredicted]
    return lines


def by_target(rows):
    """An application a line, a target a column, base by base."""
    lines = []
    for base in sorted({r["base"] for r in rows}):
        here = [r for r in rows if r["base"] == base]
        targets = [t for t in TARGETS if any(r["target"] == t for r in here)]
        lines += ["", f"Error of the prediction from {base}, in % of the recorded seconds:", "",
                  "| | " + " | ".join(targets) + " |", "|---|" + "---:|" * len(targets)]
        for application in dict.fromkeys(r["application"] for r in here):
            cells = {r["target"]: r for r in here if r["application"] == application}
            lines.append(f"| {application} | " + " | ".join(cell(cells.get(t)) for t in targets) + " |")
    return lines


def cell(row):
    if row is None:
        return ""
    if row["failed"]:
        return "fails, as predicted" if row.get("predicted_fails") else "fails, not predicted"
    return f"{row['error']:+.1f}" if "error" in row else "-"


def write_between(path, lines):
    text = path.read_text()
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise record.LabError(f"{path} lacks the marks {BEGIN} and {END}")
    before, rest = text.split(BEGIN)
    new = before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + rest.split(END)[1]
    temporary = path.with_suffix(".tmp")
    temporary.write_text(new)
    temporary.rename(path)


def main():
    parser = argparse.ArgumentParser(description="Measures how right copytrial's predictions are.")
    parser.add_argument("--copytrial", required=True, help="the program")
    parser.add_argument("--long", action="store_true", help="the whole grid")
    parser.add_argument("--score", action="store_true", help="score what DIR has, copy nothing")
    parser.add_argument("--out", type=Path, help="folder for captures and accuracy.json; a temporary one if not given")
    parser.add_argument("--runs", type=int, default=3, help="copies on each target (3)")
    parser.add_argument("--only", default="", help="what APPLICATION@NETWORK must contain")
    parser.add_argument("--write", type=Path, help="file whose marked part becomes the table")
    options = parser.parse_args()
    if options.runs < 1 or options.score and not options.out:
        parser.error("--runs needs 1 or more, --score an --out")
    form = LONG if options.long else QUICK
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="copytrial-accuracy-") as folder:
        out = options.out or Path(folder)
        out.mkdir(parents=True, exist_ok=True)
        if options.score:
            recorded = json.loads((out / "accuracy.json").read_text())
        else:
            recorded = record_all(form, options.runs, options.only, out)
        rows = score_all(options.copytrial, form, options.only, recorded, out)
        (out / "scores.json").write_text(record.json_text(rows) + "\n")
    lines = summary(rows) + by_target(rows)
    print("\n".join(lines))
    if options.write:
        write_between(options.write, lines)


if __name__ == "__main__":
    try:
        main()
    except record.LabError as error:
        sys.exit(f"accuracy.py: {error}")
