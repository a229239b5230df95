#!/usr/bin/env python3
"""Where the time went, by the simulator's own log of waits and by a capture of the same run: each part within 5 % of the recorded time.

    waits.py COPYTRIAL [--all]

Every shipped network and client, a big file and many small ones, downloads and uploads, captured at the client or at the server, and a
session over two networks at once (multichannel); without --all every third of them, seen from one end. What a capture can't show is
listed below. A copy that fails has no log to compare with.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BOUND = 0.05


def not_shown(networks, client, upload, at):
    """Whether a capture can't show what the simulator's log knows: such a copy isn't compared."""
    if "multimedia-lan" in networks and (upload or at == "server"):
        return True  # the budget acts on what the client receives: acknowledgements of uploads, or far from a capture at the server
    # Eight files at a time, each a thread's: which answer a thread went on from shows by its order alone.
    return networks == ("home-office",) and client == "robocopy-mt" and upload and at == "server"


def run(words):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def compare(program, networks, client, files, upload, at, path):
    """The part that differs most, as a share of the recorded time, or None where the copy fails or the client can't upload."""
    words = [program, "predict", *[w for n in networks for w in ("-n", n)], "-c", client, "-s", "samba", "-f", files, "--runs", 1, "--json", "--pcap", path, "--pcap-at", at]
    try:
        predicted = run(words + (["-u"] if upload else []))["prediction"]
    except subprocess.CalledProcessError:
        return None
    if predicted.get("fails"):
        return None
    replay = run([program, "replay", "--no-simulation", "--json", path])
    session = replay["sessions"][0]  # a connection that begins when the copy is done joins none
    seen = session if session["connections"] > 1 else replay["connections"][0]
    seconds = sum(seen["breakdown_s"].values())
    if abs(seconds - seen.get("elapsed_s", seen.get("recorded_s"))) > 1e-6:
        raise SystemExit(f"the parts don't sum to the seconds: {' '.join(str(w) for w in words)}")
    differences = {k: (seen["breakdown_s"][k] - v) / seconds for k, v in predicted["breakdown_s"].items()}
    worst = max(differences, key=lambda k: abs(differences[k]))
    return worst, differences[worst]


def cases(every):
    """(networks, client, files, upload, at): all, or each `every`th copy from one end."""
    networks = sorted(p.stem for p in (ROOT / "examples/networks").glob("*.yaml"))
    clients = sorted(p.stem for p in (ROOT / "examples/clients").glob("*.yaml"))
    kinds = [(f, u) for f in ("1x8MB", "40x30kB") for u in (False, True)]
    copies = [((n,), c, f, u) for n in networks for c in clients for f, u in kinds]
    copies += [((n, networks[(i + k) % len(networks)]), "windows-11-explorer", f, u)
               for i, n in enumerate(networks) for k in (0, 2) for f, u in kinds]
    for i, copy in enumerate(copies[::every]):
        ends = ("client", "server") if every == 1 else (("client", "server")[i // 2 % 2],)  # up and down alternate
        for at in ends:
            yield *copy, at
    if every > 1:  # channels whose round trips are a hundred times apart
        yield ("branch-office", "gigabit-lan"), "windows-11-explorer", "1x8MB", False, "server"


def main():
    program = sys.argv[1]
    bad = checked = left_out = 0
    with tempfile.TemporaryDirectory(prefix="copytrial-waits-") as folder:
        for networks, client, files, upload, at in cases(1 if "--all" in sys.argv else 3):
            if not_shown(networks, client, upload, at):
                left_out += 1
                continue
            worst = compare(program, networks, client, files, upload, at, Path(folder) / "run.pcap")
            if not worst:
                continue
            checked += 1
            if abs(worst[1]) > BOUND:
                bad += 1
                print(f"{' and '.join(networks)}, {client}, {files}, {'up' if upload else 'down'}, at the {at}: "
                      f"{worst[0]} {100 * worst[1]:+.1f} % of the time", flush=True)
    print(f"{checked} copies compared, {bad} with a part that is off; {left_out} left out, for a capture doesn't show them")
    sys.exit(1 if bad or not checked else 0)


if __name__ == "__main__":
    main()
