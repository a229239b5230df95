#!/usr/bin/env python3
"""From profiles to a capture and back: what `replay` finds in a capture that `predict --pcap` wrote is what was simulated.

    simulated_capture.py COPYTRIAL

For several networks and clients, seen from both ends: file bytes, exchanges, packets with data and retransmissions to the number; the
seconds, where the client sees them, to the microsecond; the round trip within 1 %, the rate within 0.5 %; no loss where there was
none, and otherwise the share that was lost within its interval widened by half.
"""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
# network: round trip in ms; down: bit/s, bytes of a full Ethernet frame and as many as the network's rate counts of it; files
NETWORKS = {
    "branch-office": (25, 2e6, 1514, 1500, "2x1MiB"),
    "metro": (4, 100e6, 1514, 1514, "2x10MiB"),
    "vpn": (40, 50e6, 1414, 1400, "2x10MiB"),
    "home-office": (30, 50e6, 1506, 1492, "2x10MiB"),
    "lossy-vpn": (40, 20e6, 1414, 1400, "2x10MiB"),
}
CLIENTS = ("windows-11-explorer", "smbclient", "linux-cifs")


def ask(program, *arguments):
    return json.loads(subprocess.run([program, *map(str, arguments), "--json"], check=True, text=True, capture_output=True).stdout)


def near(what, found, true, share):
    value = found["value"]
    if value is None or abs(value / true - 1) > share:
        yield f"{what} is {value}, not {true}"


def same(what, found, true, most=0):
    if abs(found - true) > most:
        yield f"{what}: {found}, not {true}"


def loss_is_right(found, lost, sent, overflowed):
    share = lost / sent
    if not lost:
        if found["value"] and not overflowed:
            yield f"loss is {found['value']}, but nothing was lost"
    elif found["value"] is None or not found["low"] * 0.5 <= share <= found["high"] * 1.5:
        yield f"loss is {found}, not {share:.4f}"


def faults(program, network, client, end, folder):
    rtt_ms, rate_bps, frame, counted, files = NETWORKS[network]
    pcap = Path(folder) / "copy.pcap"
    told = ask(program, "predict", "--network", network, "--client", client, "--server", "samba", "--files", files, "--runs", 1,
               "--pcap", pcap, "--pcap-at", end)
    seen = ask(program, "replay", pcap, "--no-simulation")
    connection, counters = seen["connections"][0], told["counters"]
    down, calibration = counters["down"], connection["calibration"]
    yield from same("connections", len(seen["connections"]), 1)
    yield from same("bytes", connection["bytes_read"], counters["data_bytes"])
    # A compound is one exchange of several messages.
    messages = sum(c["requests"] for c in connection["commands"].values())
    yield from same("messages", messages, counters["exchanges"] + (2 * 2 if client == "linux-cifs" else 0))
    if end == "client":
        yield from same("seconds", connection["recorded_s"], told["prediction"]["seconds"], 1e-6)
    else:
        yield from same("packets with data", connection["tcp"]["server"]["data_packets"], down["data_packets"])
        sent_again = connection["tcp"]["server"]
        yield from same("retransmissions", sent_again["retransmissions"] + sent_again["out_of_order"], down["retransmissions"])
    yield from near("the round trip", calibration["rtt_s"], rtt_ms / 1e3, 0.01)
    yield from near("the rate", calibration["down"]["rate_bps"], rate_bps * frame / counted, 0.005)
    yield from loss_is_right(calibration["down"]["loss"], down["dropped_loss"], down["packets"], down["dropped_queue"])


def main():
    program, failed = sys.argv[1], False
    with tempfile.TemporaryDirectory(prefix="copytrial-simulated-") as folder:
        for network in NETWORKS:
            for client in CLIENTS:
                for end in ("client", "server"):
                    found = list(faults(program, network, client, end, folder))
                    print(f"{network}, {client}, seen by the {end}: {'; '.join(found) or 'as simulated'}", flush=True)
                    failed |= bool(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
