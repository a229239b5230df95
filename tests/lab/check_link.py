#!/usr/bin/python3
"""Measures the lab's link alone against its model: frames go in at one device, arrivals are timed at the other.

    check_link.py [--link PROGRAM]

Needs root, Linux and an otherwise quiet machine. Prints one line a check; exit status 1 when one fails.
"""
import argparse
import contextlib
import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import record

ETHER_TYPE = 0x88B5  # IEEE 802: local experiments
SERVER, CLIENT = f"ctk{os.getpid()}s", f"ctk{os.getpid()}c"
SO_TIMESTAMPNS = 35
TOLERANCE_US = 600   # a sleeping CPU takes its time to wake up
ATTEMPTS = 3         # other work on the machine can spoil one


def device_up(name):
    """Without IPv6 the kernel has nothing of its own to send."""
    Path(f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6").write_text("1")
    record.run(["ip", "link", "set", name, "up"])


def open_socket(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETHER_TYPE))
    sock.bind((name, ETHER_TYPE))
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
    return sock


def arrivals(sock, wait_s):
    """[(number, time in ns)] of what arrives until nothing has for wait_s."""
    sock.settimeout(wait_s)
    seen = []
    with contextlib.suppress(TimeoutError):
        while True:
            data, ancillary, _, _ = sock.recvmsg(2048, 64)
            seconds, nanoseconds = struct.unpack("qq", ancillary[0][2])
            seen.append((struct.unpack_from(">I", data, 14)[0], seconds * 10**9 + nanoseconds))
    return seen


def send_down(program, options, count, size_bytes, pause_s=0.0, wait_s=0.5):
    """Sends frames from the server's device. Returns when the first one was sent, the arrivals, and the counters."""
    link = subprocess.Popen([program, "--client-device", CLIENT, "--server-device", SERVER, *options],
                            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        if link.stdout.readline() != "ready\n":
            raise record.LabError("the link did not start")
        os.sched_setscheduler(link.pid, os.SCHED_FIFO, os.sched_param(1))
        device_up(SERVER)
        device_up(CLIENT)
        with open_socket(SERVER) as source, open_socket(CLIENT) as target:
            header = b"\x02\0\0\0\0\x02" + b"\x02\0\0\0\0\x01" + struct.pack(">H", ETHER_TYPE)
            sent_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
            for number in range(count):
                source.send((header + struct.pack(">I", number)).ljust(size_bytes, b"\0"))
                if pause_s and number % 100 == 99:
                    time.sleep(pause_s)
            seen = arrivals(target, wait_s)
    finally:
        link.stdin.close()
        counters = link.stdout.read()
        link.wait()
    return sent_ns, seen, json.loads(counters)["down"]


def options(**values):
    return [word for key, value in values.items() for word in (f"--{key.replace('_', '-')}", str(value))]


def duration_us(seen):
    return (seen[-1][1] - seen[0][1]) / 1e3


def check_rate(program, counts, rate_bps, counted_bytes):
    """101 full frames at once leave in 100 serialisation times."""
    _, seen, _ = send_down(program, options(down_rate=rate_bps, down_queue=10**6, counts=counts), 101, 1514)
    expected = 100 * counted_bytes * 8e6 / rate_bps
    return len(seen) == 101 and abs(duration_us(seen) - expected) < TOLERANCE_US, \
        f"{counts}: 100 full frames in {duration_us(seen):.0f} us, {expected:.0f} expected"


def check_delay(program):
    """A single frame arrives after its serialisation and the delay."""
    sent_ns, seen, _ = send_down(program, options(down_rate=10**7, down_delay=20_000_000), 1, 1514)
    took_us = (seen[0][1] - sent_ns) / 1e3
    return 0 <= took_us - 21_211 < 2 * TOLERANCE_US, f"a full frame took {took_us:.0f} us, 21211 expected"


def check_queue(program):
    """At 1 Mbit/s nothing leaves during the burst: frame n waits for n * 1514 bytes, which n <= 15 may with 23500."""
    _, seen, counters = send_down(program, options(down_rate=10**6, down_queue=23_500), 40, 1514)
    return [n for n, _ in seen] == list(range(16)) and counters["queue_drops"] == 24, \
        f"{len(seen)} frames of a burst of 40 pass a queue of 23500 bytes, 16 expected"


def check_loss(program):
    """2 % of 10000 frames are lost, 144 to 256 being 4 standard deviations; the seed decides which."""
    kept = []
    for seed in (1, 1, 2):
        _, seen, counters = send_down(program, options(down_loss=0.02, seed=seed, down_queue=10**9), 10_000, 64, 0.005)
        kept.append([n for n, _ in seen])
    return 144 <= counters["lost"] <= 256 and kept[0] == kept[1] != kept[2], \
        f"{counters['lost']} of 10000 frames lost, 200 expected; same seed, same frames: {kept[0] == kept[1]}"


def check_budget(program):
    """With 10 a millisecond, 501 frames at once take 50 ms, less what is left of the first millisecond."""
    _, seen, _ = send_down(program, options(down_packets_per_ms=10, down_queue=10**9), 501, 64)
    return len(seen) == 501 and abs(duration_us(seen) - 49_500) < 500 + TOLERANCE_US, \
        f"501 frames in {duration_us(seen):.0f} us, 49000 to 50000 expected"


def main():
    parser = argparse.ArgumentParser(description="Measures the lab's link against its model.")
    parser.add_argument("--link", help="the program; built if not given")
    arguments = parser.parse_args()
    record.check_machine()
    failed = False
    checks = ((check_rate, "ethernet", 10**7, 1514), (check_rate, "ip", 2 * 10**6, 1500), (check_rate, "wire", 10**8, 1538),
              (check_delay,), (check_queue,), (check_loss,), (check_budget,))
    with tempfile.TemporaryDirectory(prefix="copytrial-link-") as folder:
        program = arguments.link or str(record.build_link(folder))
        for check, *values in checks:
            for _ in range(ATTEMPTS):
                ok, text = check(program, *values)
                if ok:
                    break
            print(f"{'ok  ' if ok else 'FAIL'} {text}", flush=True)
            failed = failed or not ok
    return 1 if failed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except record.LabError as error:
        sys.exit(f"check_link.py: {error}")
