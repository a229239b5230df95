#!/usr/bin/python3
"""Puts users' claims on trial with real copies: both arms by turns over the emulated link, and a claim file with the seconds of each run.

    claims.py --list
    claims.py NAME... | all  [--out DIR] [--runs N]

Writes DIR/NAME.yaml (examples/claims), which `copytrial verdict` judges, for each claim with N runs of each arm (8). Runs are discarded
and repeated as record.py does. Needs what record.py needs, and a quiet machine.
"""
import argparse
import dataclasses
import re
import sys
import tempfile
import textwrap
from pathlib import Path

import capture
import record
from record import MBIT, REPOSITORY, Link, Scenario

LAN = Link(1000 * MBIT, 0.1, queue_bytes=512_000)
WAN = Link(20 * MBIT, 20, queue_bytes=256_000)
SMALL = ((40, 6_000),)


@dataclasses.dataclass(frozen=True)
class Claim:
    title: str
    statement: str
    sources: str     # the claim file's first comment: whose claim this is
    background: tuple
    control: tuple   # (label, Scenario)
    treatment: tuple
    simulation: str = ""            # of both arms, as the claim file has it
    simulated_arms: tuple = ("", "")


def download(files, link, client="smbclient", dialect="SMB3_11", **more):
    return Scenario(client, dialect, "download", files, link, "", **more)


CLAIMS = {
    "lab-signing": Claim(
        "SMB signing, measured", "Copies on a gigabit LAN are faster without SMB signing.",
        "SMB signing \"costs\" anything between nothing and 80 %, by whom one asks. signing.yaml simulates it.",
        ("Signing adds no bytes and no round trips, only work for the processors of both ends.",),
        ("Signed", download(((1, 64_000_000),), LAN, signed=True)),
        ("Not signed", download(((1, 64_000_000),), LAN))),
    "lab-encryption": Claim(
        "SMB encryption, measured", "Copies on a gigabit LAN are faster without SMB encryption.",
        "Encryption is said to halve the rate. encryption.yaml simulates it on 10 Gbit/s.",
        ("Encryption adds 52 bytes to each message and work for the processors of both ends.",),
        ("Encrypted", download(((1, 64_000_000),), LAN, encrypted=True)),
        ("Not encrypted", download(((1, 64_000_000),), LAN))),
    "lab-block-size": Claim(
        "Block size, measured", "Over 40 ms copies are faster with 1 MiB reads than with 60 KiB reads.",
        "The block size of XP against that of Vista SP1, asked for one block at a time. block-size-wan.yaml simulates it over 25 ms.",
        ("One block at a time pays a round trip for each, whatever its size.",),
        ("60 KiB", download(((1, 4_000_000),), WAN, "impacket", "3.0", server_options={"smb2 max read": 61_440})),
        ("1 MiB", download(((1, 4_000_000),), WAN, "impacket", "3.0", server_options={"smb2 max read": 1_048_576}))),
    "lab-files-at-once": Claim(
        "Several files at once, measured", "Over 40 ms small files copy faster with four copies at once than with one.",
        "robocopy /MT and its like. robocopy-threads.yaml simulates 8 threads and 128.",
        ("While one copy waits for its round trip, the others use the line.",
         "Each of the four signs in on its own, which is in its time."),
        ("One at a time", download(SMALL, WAN)),
        ("Four at once", download(SMALL, WAN, processes=4))),
    "lab-zip-first": Claim(
        "Zip first, measured", "Over 40 ms many small files copy faster as one archive.",
        "40 files of 6 kB against one file of the same bytes; packing and unpacking aren't counted. zip-first.yaml simulates 10,000 files.",
        ("Each file costs three round trips and more, however small it is.",),
        ("One by one", download(SMALL, WAN)),
        ("One archive", download(((1, 240_000),), WAN)),
        "{network: profiles/lab-wan.yaml, client: smbclient, server: samba}",
        ("{files: 40x6000B}", "{files: 240000B}")),
    "lab-delayed-ack": Claim(
        "Delayed ACKs, measured", "Copies of small files on a LAN are faster with an ACK for each segment.",
        "TcpAckFrequency = 1; here Linux' route option quickack at the client. delayed-ack.yaml simulates Windows.",
        ("An answer in SMB carries the ACK of its request, and the next request that of the answer, so the timer rarely runs out.",),
        ("Delayed ACKs", download(SMALL, LAN)),
        ("An ACK for each segment", download(SMALL, LAN, client_route=("quickack", "1")))),
}


def seconds_of(scenario, seed, program, pcap):
    """What one copy took; repeated while the machine was late with a frame."""
    for _ in range(record.DISCARDED_MAX + 1):
        try:
            seen = record.record_once(scenario, seed, program, pcap)
        except record.CopyFailed:
            raise
        except record.LabError as error:
            print(f"claims.py: {error}; once more", file=sys.stderr)
            continue
        if not record.was_late(seen):
            return capture.recorded_s(capture.read_pcap(pcap))
    raise record.LabError("the machine is too busy: frames keep leaving the link late")


def measure(name, program, runs):
    """Seconds of the control's runs and of the treatment's, which take turns."""
    claim, seconds = CLAIMS[name], ([], [])
    with tempfile.TemporaryDirectory(prefix="copytrial-pcap-") as folder:
        for i in range(runs):
            for arm, (label, scenario) in enumerate((claim.control, claim.treatment)):
                seed = 900_000 + 1000 * list(CLAIMS).index(name) + i
                seconds[arm].append(seconds_of(scenario, seed, program, Path(folder, "run.pcap")))
                print(f"{name}, {label}, run {i + 1}: {seconds[arm][-1]:.4f} s", flush=True)
    return seconds


def link_text(link):
    return f"{link.rate_bps / MBIT:g} Mbit/s, {2 * link.one_way_delay_ms:g} ms there and back, a queue of {link.queue_bytes // 1000} kB"


def copies_text(scenario):
    files = ", ".join(f"{count} x {size} B" for count, size in scenario.files)
    return f"{scenario.client}, {scenario.dialect.replace('_', '.')}, {files}"


def claim_text(name, seconds):
    claim, versions = CLAIMS[name], record.versions()
    kernel = re.match(r"\d+\.\d+", record.platform.release()).group()
    scenarios = (claim.control[1], claim.treatment[1])
    copies = " against ".join(dict.fromkeys(copies_text(s) for s in scenarios))
    about = (f"{claim.sources} Measured by tests/lab/claims.py, which anyone can repeat: {copies}, over an emulated link of {link_text(scenarios[0].link)}; "
             f"Samba {versions['smbd'].removesuffix('-Debian')}, Linux {kernel}, two processors for both ends and the link. Each run has a server of its own.")
    lines = [f"# {line}" for line in textwrap.wrap(about, 140)]
    lines += ["claim:", f"  title: {claim.title}", f"  statement: {claim.statement}", "  metric: {name: copy time, unit: s, better: lower}",
              "  margin: 5 %", "  design: {order: interleaved}", "background:"]
    lines += [f"  - '{text}'" for text in claim.background]
    if claim.simulation:
        lines.append(f"simulation: {claim.simulation}")
    lines.append("arms:")
    for (label, _), role, values, simulated in zip((claim.control, claim.treatment), ("control", "treatment"), seconds, claim.simulated_arms):
        lines += [f"  - label: \"{label}\"", f"    role: {role}", f"    samples: [{', '.join(f'{v:.4f}' for v in values)}]"]
        if simulated:
            lines.append(f"    simulation: {simulated}")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Puts users' claims on trial with real copies over an emulated link.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="which claims, or all")
    parser.add_argument("--list", action="store_true", help="list the names and end")
    parser.add_argument("--out", type=Path, default=REPOSITORY / "examples/claims", help="where the claim files go")
    parser.add_argument("--runs", type=int, default=8, help="of each arm (8)")
    options = parser.parse_args()
    if options.list:
        print("\n".join(f"{name:18} {claim.statement}" for name, claim in CLAIMS.items()))
        return 0
    names = list(CLAIMS) if options.names == ["all"] else options.names
    unknown = [n for n in names if n not in CLAIMS]
    if unknown or not names or options.runs < 2:
        parser.error(f"no claim {unknown[0]}: see --list" if unknown else "names of claims, or all, and two runs at least")
    record.check_machine()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="copytrial-link-") as folder:
        program = record.build_link(folder)
        for name in names:
            text = claim_text(name, measure(name, program, options.runs))
            part = options.out / f"{name}.yaml.part"
            part.write_text(text)
            part.replace(options.out / f"{name}.yaml")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except record.LabError as error:
        sys.exit(f"claims.py: {error}")
