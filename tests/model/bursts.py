#!/usr/bin/env python3
"""Losses in bursts and independent ones, told apart from a capture.

    bursts.py COPYTRIAL [RUNS]

Copies over a link that loses in bursts (Gilbert's chain), or each packet for itself, each of RUNS seeds (12) captured at either end. The
interval of the mean burst holds the true mean in 95 % of runs, less only by chance; independent losses are called bursts in 1 %. The
calibrated profile says which of the two it is, and `predict` reads it.
"""
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

LOSSES = {  # what the profile says, and the mean burst; None: independent
    "burst_loss: {enter: 0.1 %, leave: 30 %, loss: 100 %}": 1 / 0.3,
    "burst_loss: {enter: 0.3 %, leave: 60 %, loss: 100 %}": 1 / 0.6,
    "loss: 0.2 %": None,
}
COPY = ["--client", "smbclient", "--server", "samba", "--files", "1x16MiB", "--runs", "1", "--json"]


def ask(*words):
    return json.loads(subprocess.run([str(w) for w in words], check=True, text=True, capture_output=True).stdout)


def by_chance(count, of, share):
    """That at least so many happen, each with that chance."""
    return sum(math.comb(of, k) * share**k * (1 - share) ** (of - k) for k in range(count, of + 1))


def profile_is_right(program, pcap, bursts, folder):
    profile = folder / "captured.yaml"
    subprocess.run([program, "calibrate", pcap, "-o", profile], check=True, capture_output=True)
    seconds = ask(program, "predict", "--network", profile, *COPY)["prediction"]["seconds"]
    return ("burst_loss" in profile.read_text()) == bursts and seconds is not None


def main():
    program, runs = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 12
    failed = False
    with tempfile.TemporaryDirectory(prefix="copytrial-bursts-") as name:
        folder = Path(name)
        for loss, mean in LOSSES.items():
            network = folder / "network.yaml"
            network.write_text(f"network:\n  name: lossy\n  rtt: 30 ms\n  down: {{rate: 20 Mbit/s, queue: 512 kB, {loss}}}\n"
                               "  up: {rate: 20 Mbit/s, queue: 512 kB}\n")
            wrong = 0
            for seed in range(runs):
                for end in ("client", "server"):
                    pcap = folder / "copy.pcap"
                    ask(program, "predict", "--network", network, *COPY, "--seed", seed, "--pcap", pcap, "--pcap-at", end)
                    found = ask(program, "replay", "--no-simulation", "--json", pcap)["connections"][0]["calibration"]["down"]["loss_burst_packets"]
                    if mean is None:
                        wrong += found["value"] is not None
                    elif found["value"] is None or not found["low"] <= mean <= found["high"]:
                        wrong += 1
            # Both ends of a run see the same losses, so they are one trial.
            chance = by_chance(wrong // 2, runs, 0.01 if mean is None else 0.05)
            good = chance > 0.001 and profile_is_right(program, pcap, mean is not None, folder)
            print(f"{loss}: {wrong} of {2 * runs} wrong (by chance {chance:.2g}){'' if good else ': FAILED'}", flush=True)
            failed |= not good
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
