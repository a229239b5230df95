#!/usr/bin/python3
"""Records SMB copies over an emulated link: real server, real clients, real TCP.

    record.py --list
    record.py NAME... | all  [--out DIR] [--runs N]

Each copy runs N times in a lab of its own, and the run with the median of the recorded seconds is kept:
DIR/NAME.pcap, with everything known about it in DIR/traces.json. README.md says how the lab works and what it needs.
"""
import argparse
import contextlib
import dataclasses
import datetime
import hashlib
import json
import os
import platform
import random
import re
import select
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import capture

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
PROGRAMS = {
    "ip": "iproute2", "ss": "iproute2", "ping": "iputils-ping", "unshare": "util-linux", "hostname": "hostname",
    "sysctl": "procps", "bash": "bash", "cc": "gcc", "pkg-config": "pkg-config", "smbd": "samba", "smbpasswd": "samba-common-bin",
    "smbclient": "smbclient", "curl": "curl", "tcpdump": "tcpdump", "tshark": "tshark",
}
SHARE, USER, PASSWORD = "data", "lab", "copytrial-lab"
CLIENT_TIMEOUT_S = 300
TCPDUMP_BLOCK_S = 1.0    # so long may frames stand in a block of the kernel's that tcpdump has not got
LATE_MAX_NS = 5_000_000  # a run with a frame later than this is not kept ...
DISCARDED_MAX = 10       # ... unless it happens all the time


class LabError(Exception):
    """An operation of the lab that could not be done; the message says which."""


class CopyFailed(LabError):
    """The lab stood, but the client gave up."""


# --- what is recorded -------------------------------------------------------------------------------------------------

@dataclasses.dataclass(frozen=True)
class Link:
    """Both directions alike, but for what says otherwise. Rates in bit/s, sizes in bytes."""
    rate_bps: int
    one_way_delay_ms: float
    queue_bytes: int = 256_000
    loss: float = 0.0
    counts: str = "ethernet"
    mtu_bytes: int = 1500
    ip_version: int = 4
    up_rate_bps: int = 0     # 0: as rate_bps, which then is the downlink's only
    packets_per_ms: int = 0  # a budget towards the client; 0: none

    def rate_of(self, way):
        return self.up_rate_bps if way == "up" and self.up_rate_bps else self.rate_bps


@dataclasses.dataclass(frozen=True)
class Scenario:
    client: str              # curl, impacket or smbclient
    dialect: str             # as that client's option takes it
    operation: str           # download or upload
    files: tuple             # (count, size in bytes), ...
    link: Link
    shows: str               # what the recording is good for
    server_options: dict = dataclasses.field(default_factory=dict)  # more of smb.conf
    encrypted: bool = False  # the server's session keys are written beside the capture
    seeds_from: int = 0      # a run's seed (contents, losses) is this plus its number; 0: by place in the table
    signed: bool = False     # the client insists on signing
    processes: int = 1       # smbclients at the same time, each with its share of the files
    client_route: tuple = ()  # more words of the client's route, as "quickack", "1"

    @property
    def payload_bytes(self):
        return sum(count * size for count, size in self.files)


MBIT = 1_000_000
SCENARIOS = {
    "smb1-curl-get": Scenario(
        "curl", "NT1", "download", ((1, 1_000_000),), Link(10 * MBIT, 20),
        "reads of 32 KiB, one at a time: the round trips dominate"),
    "smb2-impacket-get": Scenario(
        "impacket", "2.0.2", "download", ((1, 600_000),), Link(20 * MBIT, 5, ip_version=6),
        "reads of 64 KiB, one at a time, over IPv6"),
    "smb3-smbclient-get": Scenario(
        "smbclient", "SMB3_11", "download", ((1, 2_400_000),), Link(20 * MBIT, 15, queue_bytes=512_000),
        "pipelined reads of 256 KiB that fill the link", {"smb2 max read": 262_144}),
    "smb3-smbclient-small": Scenario(
        "smbclient", "SMB3_11", "download", ((40, 6_000),), Link(10 * MBIT, 15),
        "many small files: several exchanges a file, hardly any bytes"),
    "smb3-smbclient-put": Scenario(
        "smbclient", "SMB3_11", "upload", ((1, 2_000_000),), Link(10 * MBIT, 10),
        "pipelined writes of 256 KiB; the capture point is on the sender's side", {"smb2 max write": 262_144}),
    "smb1-smbclient-get-lossy": Scenario(
        "smbclient", "NT1", "download", ((1, 1_200_000),), Link(10 * MBIT, 20, loss=0.005),
        "random loss: retransmissions, out-of-order segments, SACK",
        seeds_from=37_000),  # with these each run loses 3 to 6 of the file's 830 frames; 4 are to be expected
    "smb2-smbclient-shallow": Scenario(
        "smbclient", "SMB2_10", "download", ((1, 1_500_000),), Link(10 * MBIT, 20, queue_bytes=24_000),
        "a queue shorter than the window: the copy makes its own losses; reads of 64 KiB", {"smb2 max read": 65_536}),
    "smb3-smbclient-branch": Scenario(
        "smbclient", "SMB3_11", "download", ((10, 30_000), (1, 300_000)),
        Link(2 * MBIT, 12.5, queue_bytes=64_000, counts="ip"),
        "a branch office's link: small and large files on 2 Mbit/s of IP bytes"),
    "smb3-smbclient-encrypted": Scenario(
        "smbclient", "SMB3_11", "download", ((3, 3_000), (1, 24_000)), Link(10 * MBIT, 10),
        "encrypted with AES-128-GCM: opaque without its keys", encrypted=True),
}


def file_names(scenario):
    """[(name, size in bytes)], in the order of the table."""
    names = []
    for count, size in scenario.files:
        names += [(f"f{len(names) + i:03}.bin", size) for i in range(count)]
    return names


def client_command(scenario, server_address):
    """The client's command line; it runs in the client's folder, so it names no other."""
    files = [n for n, _ in file_names(scenario)]
    get = scenario.operation == "download"
    if scenario.client == "curl":
        host = f"[{server_address}]" if ":" in server_address else server_address
        url = f"smb://{host}/{SHARE}/{files[0]}"
        return ["curl", "-sS", "-u", f"{USER}:{PASSWORD}"] + (["-o", files[0], url] if get else ["-T", files[0], url])
    if scenario.client == "impacket":
        return ["/usr/bin/python3", str(HERE / "impacket_copy.py"), "get" if get else "put", scenario.dialect,
                server_address, SHARE, USER, PASSWORD, files[0]]
    protocols = ["-m", scenario.dialect]
    if scenario.signed:
        protocols.append("--client-protection=sign")
    if scenario.dialect.startswith("SMB3"):  # else it begins in SMB1, because client.conf allows NT1
        protocols.append("--option=client min protocol=SMB2_02")
    if scenario.encrypted:
        protocols.append("--client-protection=encrypt")
    command = ["smbclient", f"//{server_address}/{SHARE}", "-s", "../client.conf", "-p", "445", *protocols,
               "-U", f"{USER}%{PASSWORD}", "--netbiosname=CLIENT", "-c"]
    if scenario.processes > 1:
        return at_once([command + ["; ".join(f"{'get' if get else 'put'} {n}" for n in files[i::scenario.processes])]
                        for i in range(scenario.processes)])
    if len(files) == 1:
        return command + [f"{'get' if get else 'put'} {files[0]}"]
    return command + [f"prompt OFF; {'mget' if get else 'mput'} *"]


def at_once(commands):
    """One command that runs all of these side by side, and fails when one does."""
    started = "".join(f"{shlex.join(c)} & pids+=($!); " for c in commands)
    return ["bash", "-c", started + 'failed=0; for pid in "${pids[@]}"; do wait "$pid" || failed=1; done; exit $failed']


# --- the lab ----------------------------------------------------------------------------------------------------------

def run(command, **options):
    """Runs a command to its end and returns its standard output; LabError when it fails."""
    done = subprocess.run(command, text=True, capture_output=True, **options)
    if done.returncode:
        raise LabError(f"{shlex.join(command)}: exit status {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def stop(process, how=signal.SIGTERM, wait_s=5):
    """Ends one process that the lab has started."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(wait_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


class Host:
    """A network namespace with one device; its host name is invented too."""

    def __init__(self, role, link, route=()):
        self.route = route
        self.namespace = f"copytrial-{os.getpid()}-{role}"
        self.role = role
        self.device = f"ct{os.getpid()}{role[0]}"
        number, other_number = (1, 2) if role == "server" else (2, 1)
        self.version = link.ip_version
        self.network = "192.0.2.0/24" if self.version == 4 else "2001:db8::/64"
        base = "192.0.2." if self.version == 4 else "2001:db8::"
        self.address, self.other_address = f"{base}{number}", f"{base}{other_number}"
        self.mac, self.other_mac = f"02:00:00:00:00:0{number}", f"02:00:00:00:00:0{other_number}"
        self.mtu_bytes = link.mtu_bytes

    def inside(self, command):
        return ["ip", "netns", "exec", self.namespace, "unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"',
                self.role] + command

    def ip(self, *words):
        run(["ip", "-n", self.namespace, f"-{self.version}", *words])

    def add(self):
        run(["ip", "netns", "add", self.namespace])

    def attach(self):
        """Takes the device over. Neighbours are fixed, so neither ARP nor neighbour discovery is ever needed."""
        run(["ip", "link", "set", self.device, "netns", self.namespace])
        self.ip("link", "set", "lo", "up")
        self.ip("link", "set", self.device, "address", self.mac, "mtu", str(self.mtu_bytes), "up")
        length = self.network.split("/")[1]
        at_once = ["nodad"] if self.version == 6 else []
        self.ip("address", "add", f"{self.address}/{length}", "dev", self.device, *at_once)
        self.ip("neigh", "replace", self.other_address, "lladdr", self.other_mac, "dev", self.device,
                "nud", "permanent")
        self.ip("route", "replace", self.network, "dev", self.device, "src", self.address, "congctl", "cubic",
                *self.route)
        if self.version == 6:  # the kernel's own route stays beside ours and would win
            self.ip("route", "del", self.network, "dev", self.device, "proto", "kernel")
        run(self.inside(["sysctl", "-q", "-w", "net.ipv4.tcp_no_metrics_save=1"]))

    def remove(self):
        """Ends what still runs in the namespace (all of it was started here), then removes it."""
        for pid in run(["ip", "netns", "pids", self.namespace]).split():
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        run(["ip", "netns", "delete", self.namespace])


class EmulatedLink:
    """The link program. Both devices exist from the beginning; they go when the program ends."""

    def __init__(self, program, server, client, link, seed):
        delay_ns = round(link.one_way_delay_ms * 1e6)
        command = [str(program), "--client-device", client.device, "--server-device", server.device,
                   "--counts", link.counts, "--seed", str(seed)]
        for way in ("down", "up"):
            command += [f"--{way}-rate", str(link.rate_of(way)), f"--{way}-queue", str(link.queue_bytes),
                        f"--{way}-delay", str(delay_ns), f"--{way}-loss", str(link.loss)]
        if link.packets_per_ms:
            command += ["--down-packets-per-ms", str(link.packets_per_ms)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        start_new_session=True)  # Ctrl-C is for record.py, which ends the link last
        if self.process.stdout.readline() != "ready\n":
            raise LabError("the link did not start")
        try:
            os.sched_setscheduler(self.process.pid, os.SCHED_FIFO, os.sched_param(1))
        except OSError:
            print("record.py: no real-time priority for the link; other load will make frames late", file=sys.stderr)

    def stop(self):
        """Ends the program and returns its counters, once."""
        if self.process.stdin.closed:
            return None
        self.process.stdin.close()
        counters = self.process.stdout.read()
        self.process.wait(5)
        return json.loads(counters)


SERVER_CONF = """[global]
    netbios name = LAB
    workgroup = LAB
    interfaces = {address}/{length}
    bind interfaces only = yes
    smb ports = 445
    disable netbios = yes
    server min protocol = NT1
    ntlm auth = ntlmv1-permitted
    passdb backend = tdbsam
    username map = {top}/users.map
    load printers = no
    printcap name = /dev/null
    disable spoolss = yes
    log file = {top}/log
    max log size = 0
    private dir = {top}/private
    lock directory = {top}/lock
    state directory = {top}/state
    cache directory = {top}/cache
    pid directory = {top}/pid
    ncalrpc dir = {top}/ncalrpc
{options}[{share}]
    path = {top}/share
    read only = no
"""

CLIENT_CONF = """[global]
    netbios name = CLIENT
    workgroup = LAB
    client min protocol = NT1
    disable netbios = yes
    private dir = {top}/client-state
    lock directory = {top}/client-state
    state directory = {top}/client-state
    cache directory = {top}/client-state
    pid directory = {top}/client-state
"""


def server_files(top, server, options):
    """Everything that smbd and smbclient need, in the temporary folder."""
    for folder in ("private", "lock", "state", "cache", "pid", "ncalrpc", "share", "client", "client-state"):
        (top / folder).mkdir()
    length = server.network.split("/")[1]
    lines = "".join(f"    {key} = {value}\n" for key, value in options.items())
    (top / "server.conf").write_text(SERVER_CONF.format(top=top, address=server.address, length=length, share=SHARE,
                                                        options=lines))
    (top / "client.conf").write_text(CLIENT_CONF.format(top=top))
    (top / "users.map").write_text(f"root = {USER}\n")
    run(["smbpasswd", "-c", str(top / "server.conf"), "-s", "-a", "root"], input=f"{PASSWORD}\n{PASSWORD}\n")


def server_start(top, server, stack):
    """smbd stays an ordinary child: as the leader of a session it would not start."""
    with open(top / "smbd.out", "w") as out:
        process = subprocess.Popen(server.inside(["smbd", "-F", "-s", str(top / "server.conf")]),
                                   stdin=subprocess.DEVNULL, stdout=out, stderr=out)
    stack.callback(stop, process)
    return process


def wait_for_server(process, server, client, link):
    """Returns the congestion control that the sockets of both ends report on a first connection."""
    one_way_s = link.one_way_delay_ms / 1e3  # after which the server's socket is established, too
    probe = f"exec 3<>/dev/tcp/{server.address}/445 && sleep {one_way_s + 0.05} && ss -Htin"
    for _ in range(100):
        if process.poll() is not None:
            raise LabError(f"smbd ended with status {process.returncode}")
        done = subprocess.run(client.inside(["bash", "-c", f"{probe} && ip netns exec {server.namespace} ss -Htin"]),
                              text=True, capture_output=True)
        used = re.findall(r"\b(cubic|reno|bbr)\b", done.stdout)
        if done.returncode == 0 and len(used) >= 2:
            if set(used) != {"cubic"}:
                raise LabError(f"congestion control is {used}, not cubic")
            return "cubic"
        time.sleep(0.1)
    raise LabError(f"smbd does not answer on {server.address} port 445: {done.stderr.strip()}")


def measured_rtt_ms(client, server):
    """The smallest of 10 pings with 16 bytes of data."""
    done = subprocess.run(client.inside(["ping", "-nq", "-c", "10", "-i", "0.2", "-W", "2", "-s", "16", server.address]),
                          text=True, capture_output=True)
    smallest = re.search(r"rtt min/avg/max/mdev = ([\d.]+)/", done.stdout)
    if not smallest:
        raise LabError(f"no answer to ping: {(done.stderr or done.stdout).strip()}")
    return float(smallest.group(1))


def ping_frame_bytes(link):
    return 14 + (20 if link.ip_version == 4 else 40) + 8 + 16


def make_files(scenario, folder, seed):
    """Seeded pseudo-random contents, so that nothing on the way can shorten them."""
    generator = random.Random(seed)
    for name, size in file_names(scenario):
        (folder / name).write_bytes(generator.randbytes(size))


def session_keys(log):
    """The session keys that smbd has written to its log, as Wireshark's table smb2_seskey_list."""
    dumps = re.findall(r"^  Session (Id|Key) +\[0000\] ((?:[0-9A-F]{2} +)+)", log.read_text(), re.M)
    values = [re.sub(r"\s", "", digits).lower() for _, digits in dumps]
    if [what for what, _ in dumps] != ["Id", "Key"] * (len(dumps) // 2) or not dumps:
        raise LabError(f"smbd's log doesn't hold the keys of its sessions: {dumps}")
    return "".join(f'{id_},{key},"",""\n' for id_, key in zip(values[::2], values[1::2]))


def check_copy(scenario, source, target):
    for name, _ in file_names(scenario):
        if not (target / name).is_file() or (target / name).read_bytes() != (source / name).read_bytes():
            raise LabError(f"{name} was not copied right")


class Tcpdump:
    """Whole frames of port 445 at the client's device."""
    SNAP_LENGTH_BYTES = 262144
    FILTER = "tcp port 445"

    def __init__(self, client, pcap):
        self.process = subprocess.Popen(
            client.inside(["tcpdump", "-i", client.device, "-s", str(self.SNAP_LENGTH_BYTES), "-B", "65536", "-U",
                           "-Z", "root", "-w", str(pcap), self.FILTER]),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.messages = ""
        while "listening on" not in self.messages:
            ready, _, _ = select.select([self.process.stderr], [], [], 5)
            line = self.process.stderr.readline() if ready else ""
            if not line:
                raise LabError(f"tcpdump did not start: {self.messages.strip()}")
            self.messages += line
        time.sleep(0.7)

    def finish(self):
        """Returns the number of frames that the kernel dropped before tcpdump saw them."""
        stop(self.process, signal.SIGINT)
        self.messages += self.process.stderr.read()
        dropped = re.search(r"(\d+) packets? dropped by kernel", self.messages)
        if not dropped:
            raise LabError(f"tcpdump says nothing of dropped frames: {self.messages.strip()}")
        return int(dropped.group(1))


# --- one recording ----------------------------------------------------------------------------------------------------

def run_client(command, client, folder):
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "HOME": str(folder), "USER": USER}
    try:
        done = subprocess.run(client.inside(command), cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              text=True, capture_output=True, timeout=CLIENT_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise CopyFailed(f"{command[0]} did not end within {CLIENT_TIMEOUT_S} s") from None
    if done.returncode or "NT_STATUS_" in done.stdout + done.stderr:
        raise CopyFailed(f"{shlex.join(command)}: exit status {done.returncode}: {(done.stderr + done.stdout).strip()}")


def seed_of(name, run_number):
    return (SCENARIOS[name].seeds_from or 1000 * (list(SCENARIOS).index(name) + 1)) + run_number


def record_once(scenario, seed, program, pcap):
    """Sets a lab up, copies once and tears the lab down. Returns what the pcap alone doesn't tell."""
    with contextlib.ExitStack() as stack:
        top = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="copytrial-lab-")))
        server, client = Host("server", scenario.link), Host("client", scenario.link, scenario.client_route)
        link = EmulatedLink(program, server, client, scenario.link, seed)
        stack.callback(link.stop)
        for host in (server, client):
            host.add()
            stack.callback(host.remove)
            host.attach()

        debug = {"debug encryption": "yes"} if scenario.encrypted else {}
        server_files(top, server, scenario.server_options | debug)
        source, target = top / "share", top / "client"
        if scenario.operation == "upload":
            source, target = target, source
        make_files(scenario, source, seed)
        smbd = server_start(top, server, stack)
        congestion_control = wait_for_server(smbd, server, client, scenario.link)
        rtt_ms = measured_rtt_ms(client, server)

        tcpdump = Tcpdump(client, pcap)
        stack.callback(stop, tcpdump.process)
        command = client_command(scenario, server.address)
        run_client(command, client, top / "client")
        time.sleep(TCPDUMP_BLOCK_S + 0.5 + 4 * scenario.link.one_way_delay_ms / 1e3)  # FIN, FIN and their ACKs
        dropped = tcpdump.finish()
        if not capture.is_whole(capture.read_pcap(pcap)):
            raise LabError(f"{pcap.name}: the capture does not run from the first SYN to the last acknowledged FIN")
        check_copy(scenario, source, target)
        return {
            "keys": session_keys(top / "log") if scenario.encrypted else "",
            "command": shlex.join(command).replace(f"{REPOSITORY}/", ""),
            "rtt_ms": rtt_ms, "seed": seed, "congestion_control": congestion_control,
            "dropped_by_kernel": dropped, "link_counters": link.stop(),
        }


def versions():
    """How the programs name themselves."""
    impacket = run(["/usr/bin/python3", "-c", "from importlib.metadata import version; print(version('impacket'))"])
    return {
        "curl": run(["curl", "--version"]).split()[1],
        "impacket": impacket.strip(),
        "smbclient": run(["smbclient", "--version"]).split()[1],
        "smbd": run(["smbd", "--version"]).split()[1],
    }


def tcp_settings():
    """The kernel's settings that decide about windows; namespaces start with these."""
    values = {}
    for key in ("tcp_rmem", "tcp_wmem", "tcp_sack", "tcp_timestamps", "tcp_window_scaling", "tcp_ecn", "tcp_recovery"):
        text = Path("/proc/sys/net/ipv4", key).read_text().split()
        values[key] = [int(t) for t in text] if len(text) > 1 else int(text[0])
    return values | {"tcp_no_metrics_save": 1}


def describe(name, seen, runs_s, discarded, pcap):
    """The entry of a recording in traces.json."""
    scenario, link = SCENARIOS[name], SCENARIOS[name].link
    frames = capture.read_pcap(pcap)
    keys = {"keys": f"{name}.keys"} if scenario.encrypted else {}
    down, up = ({"rate_bps": link.rate_of(way), "queue_bytes": link.queue_bytes, "loss": link.loss} for way in ("down", "up"))
    version = versions()
    return {
        "name": name,
        "file": f"{name}.pcap",
        **keys,
        "sha256": hashlib.sha256(pcap.read_bytes()).hexdigest(),
        "size_bytes": pcap.stat().st_size,
        "frames": len(frames),
        "date": datetime.date.today().isoformat(),
        "shows": scenario.shows,
        "recorded_s": round(capture.recorded_s(frames), 6),
        "runs_s": [round(s, 6) for s in runs_s],
        "runs_discarded": discarded,
        "operation": scenario.operation,
        "files": [{"count": count, "size_bytes": size} for count, size in scenario.files],
        "payload_bytes": scenario.payload_bytes,
        "client": {"program": scenario.client, "version": version[scenario.client], "dialect": scenario.dialect,
                   "command": seen["command"]},
        "server": {"program": "smbd", "version": version["smbd"], "options": scenario.server_options},
        "link": {"down": down, "up": up, "one_way_delay_ms": link.one_way_delay_ms, "rtt_ms": seen["rtt_ms"],
                 "ping_frame_bytes": ping_frame_bytes(link), "counts": link.counts, "mtu_bytes": link.mtu_bytes,
                 "ip_version": link.ip_version, "seed": seen["seed"]},
        "link_counters": seen["link_counters"],
        "tcp": {"congestion_control": seen["congestion_control"], **tcp_settings()},
        "kernel": f"{platform.system()} {platform.release().split('-')[0]}",
        "capture": {"point": "client", "snap_length_bytes": Tcpdump.SNAP_LENGTH_BYTES, "filter": Tcpdump.FILTER,
                    "dropped_by_kernel": seen["dropped_by_kernel"]},
        "seen": capture.link_seen(frames, link, scenario.operation),
        "tshark": capture.tshark_counts(pcap, seen["keys"]),
    }


def was_late(seen):
    """Whether the machine kept the link waiting, so that it was not the link that was asked for."""
    return max(way["late_max_ns"] for way in seen["link_counters"].values()) > LATE_MAX_NS


def record(name, program, out, runs):
    """Records one scenario, keeps the median run, and returns its entry for traces.json."""
    with tempfile.TemporaryDirectory(prefix="copytrial-pcap-") as folder:
        results, discarded = [], 0
        while len(results) < runs:
            number = len(results) + discarded + 1
            pcap = Path(folder, f"{number}.pcap")
            seen = record_once(SCENARIOS[name], seed_of(name, number), program, pcap)
            seconds = capture.recorded_s(capture.read_pcap(pcap))
            print(f"{name} run {number}: {seconds:.6f} s, {pcap.stat().st_size} bytes", flush=True)
            if was_late(seen) and discarded < DISCARDED_MAX:
                print(f"{name} run {number}: discarded, a frame left the link over {LATE_MAX_NS / 1e6:g} ms late")
                discarded += 1
                continue
            results.append((seconds, pcap, seen))
        _, pcap, seen = sorted(results, key=lambda r: r[0])[(runs - 1) // 2]
        entry = describe(name, seen, [r[0] for r in results], discarded, pcap)
        for complaint in capture.complaints(entry):
            print(f"{name}: {complaint}", file=sys.stderr)
        shutil.copyfile(pcap, out / f"{name}.pcap")
        if seen["keys"]:
            (out / f"{name}.keys").write_text(seen["keys"])
    return entry


def write_entry(entry, path):
    """Puts the entry in its place in traces.json and leaves the others as they are."""
    traces = json.loads(path.read_text())["traces"] if path.exists() else []
    by_name = {t["name"]: t for t in traces} | {entry["name"]: entry}
    ordered = [by_name[n] for n in SCENARIOS if n in by_name]
    path.write_text(json_text({"licence": "GPL-3.0-or-later", "traces": ordered}) + "\n")


def json_text(value, indent=""):
    """JSON with every object and array on one line that fits there."""
    line = json.dumps(value)
    if not isinstance(value, (dict, list)) or len(indent) + len(line) < 110:
        return line
    inner = indent + "  "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {json_text(part, inner)}" for key, part in value.items()]
    else:
        parts = [json_text(part, inner) for part in value]
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    return opening + ",".join(f"\n{inner}{part}" for part in parts) + f"\n{indent}{closing}"


def build_link(folder):
    flags = shlex.split(run(["pkg-config", "--cflags", "--libs", "glib-2.0"]))
    program = Path(folder, "copytrial-lab-link")
    run(["cc", "-std=c17", "-O2", str(HERE / "link.c"), "-o", str(program), *flags])
    return program


def check_machine():
    if platform.system() != "Linux":
        raise LabError("the lab needs Linux")
    if os.geteuid() != 0:
        raise LabError("the lab needs root, for network namespaces and TAP devices")
    missing = sorted(f"{program} ({package})" for program, package in PROGRAMS.items() if not shutil.which(program))
    if missing:
        raise LabError(f"missing programs (Debian packages): {', '.join(missing)}")
    if subprocess.run(["/usr/bin/python3", "-c", "import impacket"], capture_output=True).returncode:
        raise LabError("/usr/bin/python3 has no impacket (python3-impacket)")


def main():
    parser = argparse.ArgumentParser(description="Records SMB copies over an emulated link.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="what to record, or all")
    parser.add_argument("--list", action="store_true", help="list the names and end")
    parser.add_argument("--out", type=Path, default=Path("recordings"), help="folder for NAME.pcap and traces.json")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, the median is kept (3)")
    options = parser.parse_args()
    if options.list:
        for name, scenario in SCENARIOS.items():
            print(f"{name:26} {scenario.shows}")
        return
    names = list(SCENARIOS) if options.names == ["all"] else options.names
    unknown = [n for n in names if n not in SCENARIOS]
    if unknown:
        parser.error(f"no such recording: {', '.join(unknown)} (--list names them)")
    if not names:
        parser.error("a NAME, all, or --list is needed")
    if options.runs < 1:
        parser.error("--runs needs 1 or more")
    check_machine()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # the lab is torn down on the way out
    os.nice(-15)  # server, client and tcpdump go before the machine's other work
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="copytrial-link-") as folder:
        program = build_link(folder)
        for name in names:
            write_entry(record(name, program, options.out, options.runs), options.out / "traces.json")


if __name__ == "__main__":
    try:
        main()
    except LabError as error:
        sys.exit(f"record.py: {error}")
