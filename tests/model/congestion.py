#!/usr/bin/env python3
"""The congestion control family of the sending end, told from captures of simulated copies.

    congestion.py COPYTRIAL [RUNS]

Copies with each family over a path that loses, RUNS seeds (4) each, captured at the sending end, which tells the family, and at the
other, where nothing may be said of it. The calibrated profile has it, and `predict` reads it.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PATHS = {
    "random loss": "rtt: 30 ms\n  down: {rate: 20 Mbit/s, queue: 512 kB, loss: 0.1 %}\n  up: {rate: 20 Mbit/s, queue: 512 kB}\n",
    "a short queue": "rtt: 40 ms\n  down: {rate: 20 Mbit/s, queue: 60 kB}\n  up: {rate: 20 Mbit/s, queue: 60 kB}\n",
}
FAMILIES = {"cubic": "congestion_control: cubic", "newreno": "congestion_control: newreno, slow_start_exit: none"}


def run(*words):
    return subprocess.run([str(w) for w in words], check=True, text=True, capture_output=True).stdout


def main():
    program, runs, failed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 4, False
    with tempfile.TemporaryDirectory(prefix="copytrial-congestion-") as name:
        folder = Path(name)
        network, server, pcap, profile = (folder / n for n in ("n.yaml", "s.yaml", "copy.pcap", "captured.yaml"))
        for path, text in PATHS.items():
            network.write_text(f"network:\n  name: n\n  {text}")
            for family, keys in FAMILIES.items():
                server.write_text((ROOT / "examples/servers/samba.yaml").read_text() + f"  tcp: {{{keys}}}\n")
                for at in ("server", "client"):
                    said = []
                    for seed in range(runs):
                        run(program, "predict", "--network", network, "--client", "smbclient", "--server", server, "--files", "1x64MiB",
                            "--runs", 1, "--seed", seed, "--pcap", pcap, "--pcap-at", at)
                        found = json.loads(run(program, "replay", "--no-simulation", "--json", pcap))
                        said.append(found["connections"][0]["calibration"]["server"])
                    right = sum(s["congestion_control"] == family for s in said)
                    good = right == (runs if at == "server" else 0) and all(s["congestion_control"] in (family, None) for s in said)
                    left = [s["window_after_loss"]["value"] for s in said]
                    print(f"{path}, {family}, seen at the {at}: {right} of {runs} told, {left}{'' if good else ': FAILED'}", flush=True)
                    failed |= not good
                    if at == "server":
                        run(program, "calibrate", pcap, "-o", profile)
                        run(program, "predict", "--network", profile, "--client", profile, "--server", profile, "--files", "1x1MiB")
                        failed |= f"congestion_control: {family}    # measured" not in profile.read_text()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
