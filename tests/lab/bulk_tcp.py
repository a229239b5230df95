#!/usr/bin/python3
"""Bulk transfers by the running kernel's TCP over the lab's link, beside the simulator's over the same link.

    bulk_tcp.py --bulk PROGRAM [--quick] [--runs N]

PROGRAM is tests/bulk of a build. The client connects and sends; the seconds run from the arrival of the first data at the server's device to
that of the last, so the programs at the ends play no part. Without loss the median of N runs (3) must be within 3 % of the
simulated one, with loss (medians of both) within 15 %; exit status 1 when one is not. Needs root and Linux; without them it says so
and ends with status 77.
"""
import argparse
import contextlib
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import capture
import record

MBIT = record.MBIT
SO_SNDBUFFORCE, SO_RCVBUFFORCE = 32, 33  # Linux's, for root
BUFFER_BYTES = 64_000_000  # all of a transfer: however late the programs get a CPU, the kernel has its data
DEEP = 10_000_000  # a queue that no transfer here fills
SIMULATED_RUNS = 101  # of a row with loss
# link, bytes, whether --quick leaves it out
ROWS = [
    (record.Link(2 * MBIT, 12.5, DEEP), 500_000, False),
    (record.Link(10 * MBIT, 20, DEEP), 3_000_000, False),
    (record.Link(20 * MBIT, 25, DEEP), 1_000_000, False),
    (record.Link(50 * MBIT, 20, DEEP), 10_000_000, True),
    (record.Link(100 * MBIT, 2, DEEP), 20_000_000, True),
    (record.Link(20 * MBIT, 100, DEEP), 5_000_000, True),
    (record.Link(100 * MBIT, 50, DEEP), 300_000, True),
    (record.Link(10 * MBIT, 20, 64_000), 10_000_000, True),
    (record.Link(20 * MBIT, 25, 24_000), 5_000_000, True),
    (record.Link(10 * MBIT, 20, DEEP, loss=0.01), 3_000_000, True),
]


def receive(address, size):
    """The server's side, in a process of its own."""
    with socket.create_server((address, capture.SMB_PORT)) as listener:
        listener.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER_BYTES)  # accepted sockets inherit it
        print("listening", flush=True)
        connection, _ = listener.accept()
        with connection:
            while size:
                size -= len(connection.recv(1 << 20)) or sys.exit("the client closed early")


def send(address, size):
    """The client's side."""
    with socket.create_connection((address, capture.SMB_PORT)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, SO_SNDBUFFORCE, BUFFER_BYTES)
        connection.sendall(os.urandom(size))
        connection.shutdown(socket.SHUT_WR)
        connection.recv(1)


def end_command(end, address, size):
    return [sys.executable, str(Path(__file__).resolve()), "--end", end, address, str(size)]


def transfer(program, link, size, seed):
    """Seconds of one transfer, and how late the link's latest frame was in ns."""
    with contextlib.ExitStack() as stack:
        pcap = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="copytrial-lab-")), "transfer.pcap")
        server, client = record.Host("server", link), record.Host("client", link)
        emulated = record.EmulatedLink(program, server, client, link, seed)
        stack.callback(emulated.stop)
        for host in (server, client):
            host.add()
            stack.callback(host.remove)
            host.attach()
        receiver = subprocess.Popen(server.inside(end_command("receive", server.address, size)), text=True,
                                    stdout=subprocess.PIPE)
        stack.callback(record.stop, receiver)
        if receiver.stdout.readline() != "listening\n":
            raise record.LabError("the receiver did not start")
        tcpdump = record.Tcpdump(server, pcap)
        stack.callback(record.stop, tcpdump.process)
        record.run(client.inside(end_command("send", server.address, size)))
        time.sleep(record.TCPDUMP_BLOCK_S + 0.2)
        if tcpdump.finish():
            raise record.LabError("the kernel dropped frames before tcpdump")
        late = max(way["late_max_ns"] for way in emulated.stop().values())
        data_s = [f.time_s for f in capture.read_pcap(pcap) if f.payload_bytes]
        return data_s[-1] - data_s[0], late


def measure(program, link, size, runs):
    """Seconds of N transfers; those in which the machine kept the link waiting are left out while others can be had."""
    results, discarded = [], 0
    while len(results) < runs:
        seconds, late = transfer(program, link, size, 1 + len(results) + discarded)
        if late > record.LATE_MAX_NS and discarded < record.DISCARDED_MAX:
            discarded += 1
            continue
        results.append(seconds)
    return results, discarded


def simulate(bulk, link, size):
    words = [link.rate_bps, round(2000 * link.one_way_delay_ms), link.queue_bytes, link.loss, size, "linux",
             SIMULATED_RUNS if link.loss else 1, 0, link.counts]
    lines = record.run([str(bulk), *map(str, words)]).splitlines()
    return statistics.median(float(line.split()[1]) for line in lines)


def compare(bulk, program, runs, quick):
    print(f"{'Mbit/s':>6} {'RTT ms':>6} {'queue':>9} {'loss':>6} {'bytes':>9} {'simulated s':>11} {'real s':>8} "
          f"{'from':>8} {'to':>8} {'differs':>8} {'discarded':>9}")
    failed = False
    for link, size, is_long in ROWS:
        if quick and is_long:
            continue
        simulated = simulate(bulk, link, size)
        seconds, discarded = measure(program, link, size, 5 * runs if link.loss else runs)
        differs = simulated / statistics.median(seconds) - 1
        failed |= abs(differs) > (0.15 if link.loss else 0.03)
        print(f"{link.rate_bps // MBIT:6} {2 * link.one_way_delay_ms:6g} {link.queue_bytes:9} {link.loss:6.2%} {size:9} "
              f"{simulated:11.3f} {statistics.median(seconds):8.3f} {min(seconds):8.3f} {max(seconds):8.3f} "
              f"{differs:+8.1%} {discarded:9}", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description="Compares the kernel's TCP with the simulator's over the lab's link.")
    parser.add_argument("--bulk", type=Path, help="tests/bulk of a build")
    parser.add_argument("--quick", action="store_true", help="the short rows alone")
    parser.add_argument("--runs", type=int, default=3, help="real transfers a row, five times as many with loss (3)")
    parser.add_argument("--end", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.end:
        end, address, size = options.end
        return {"receive": receive, "send": send}[end](address, int(size))
    if not options.bulk:
        parser.error("--bulk is needed")
    try:
        record.check_machine()
    except record.LabError as error:
        print(f"skipped: {error}")
        return 77
    os.nice(-15)
    with tempfile.TemporaryDirectory(prefix="copytrial-link-") as folder:
        return 1 if compare(options.bulk.resolve(), record.build_link(folder), options.runs, options.quick) else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except record.LabError as error:
        sys.exit(f"bulk_tcp.py: {error}")
