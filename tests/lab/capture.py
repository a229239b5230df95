"""What can be read off a recorded pcap: recorded seconds, the link's rate and RTT, and what tshark counts in it.

Knows what record.py writes and no more: classic pcap, Ethernet, IPv4 or IPv6 without extension headers, TCP.
"""
import dataclasses
import statistics
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter

SMB_PORT = 445
FIN, SYN, ACK = 0x01, 0x02, 0x10


@dataclasses.dataclass(frozen=True)
class Frame:
    time_s: float
    size_bytes: int      # on the wire, without FCS
    source: tuple        # (address, port)
    target: tuple
    flags: int
    sequence: int
    acknowledged: int
    payload_bytes: int

    @property
    def down(self):
        return self.source[1] == SMB_PORT


def parse_frame(time_s, size_bytes, data):
    ether_type = struct.unpack_from(">H", data, 12)[0]
    if ether_type == 0x0800:
        header_bytes = (data[14] & 15) * 4
        ip_end = 14 + struct.unpack_from(">H", data, 16)[0]
        addresses = data[26:30], data[30:34]
    elif ether_type == 0x86DD:
        header_bytes = 40
        ip_end = 54 + struct.unpack_from(">H", data, 18)[0]
        addresses = data[22:38], data[38:54]
    else:
        raise ValueError(f"frame of type {ether_type:#06x}")
    tcp = 14 + header_bytes
    source_port, target_port, sequence, acknowledged, offset, flags = struct.unpack_from(">HHIIBB", data, tcp)
    return Frame(time_s, size_bytes, (addresses[0], source_port), (addresses[1], target_port), flags, sequence,
                 acknowledged, ip_end - tcp - (offset >> 4) * 4)


def read_pcap(path):
    """All frames. Times keep the file's microseconds: a float holds those of this century."""
    data = path.read_bytes()
    magic, _, _, _, _, _, link_type = struct.unpack_from("<IHHiIII", data)
    if magic != 0xA1B2C3D4 or link_type != 1:
        raise ValueError(f"{path}: not a little-endian Ethernet pcap of microseconds")
    frames, at, start_s = [], 24, None
    while at < len(data):
        seconds, microseconds, captured, size = struct.unpack_from("<IIII", data, at)
        if captured != size:
            raise ValueError(f"{path}: a frame is cut to {captured} of {size} bytes")
        start_s = seconds if start_s is None else start_s
        frames.append(parse_frame(seconds - start_s + microseconds / 1e6, size, data[at + 16:at + 16 + captured]))
        at += 16 + captured
    if not frames:
        raise ValueError(f"{path}: no frames")
    return frames


def recorded_s(frames):
    """First frame to last frame with TCP payload."""
    return max(f.time_s for f in frames if f.payload_bytes) - frames[0].time_s


def is_whole(frames):
    """Each connection begins with a SYN, and each side's FIN is acknowledged by the other's last frame."""
    by_connection = {}
    for f in frames:
        by_connection.setdefault(frozenset((f.source, f.target)), []).append(f)
    return all(connection_is_whole(c) for c in by_connection.values())


def connection_is_whole(frames):
    if not frames[0].flags & SYN:
        return False
    for down in (False, True):
        fins = [f.sequence + f.payload_bytes + 1 for f in frames if f.down == down and f.flags & FIN]
        answers = [f.acknowledged for f in frames if f.down != down]
        if not fins or not answers or answers[-1] != fins[-1] % 2**32:
            return False
    return True


def connections(frames):
    return len({frozenset((f.source, f.target)) for f in frames})


def handshake_rtt_s(frames):
    """From the last SYN before the first SYN with ACK to that one: both are small frames."""
    answer = next(f for f in frames if f.flags & (SYN | ACK) == SYN | ACK)
    return answer.time_s - max(f.time_s for f in frames if f.flags & (SYN | ACK) == SYN and f.time_s < answer.time_s)


def full_frame_spacing_s(frames, full_bytes):
    """Median time between full frames that arrive next to each other from the server."""
    down = [f for f in frames if f.down]
    return statistics.median(b.time_s - a.time_s for a, b in zip(down, down[1:])
                             if a.size_bytes == full_bytes and b.size_bytes == full_bytes)


def acknowledged_rate(frames, counted_bytes, payload_bytes):
    """bit/s that the server acknowledges over the middle half of an upload, in counted bytes of full frames."""
    first = next(f.sequence for f in frames if not f.down) + 1
    acks = [(f.time_s, (f.acknowledged - first) % 2**32) for f in frames if f.down and f.flags & ACK]
    total = acks[-1][1]
    middle = [(t, a) for t, a in acks if total / 4 <= a <= total * 3 / 4]
    return (middle[-1][1] - middle[0][1]) * 8 * counted_bytes / payload_bytes / (middle[-1][0] - middle[0][0])


def link_seen(frames, link, operation):
    """The link as the capture shows it, beside what it was set to."""
    full_bytes = link.mtu_bytes + 14
    counted = full_bytes - 14 if link.counts == "ip" else full_bytes
    rtt_ms, serialisation_ms = handshake_rtt_s(frames) * 1e3, handshake_serialisation_ms(frames, link)
    seen = {"connections": connections(frames), "handshake_rtt_ms": round(rtt_ms, 3),
            "handshake_rtt_expected_ms": round(2 * link.one_way_delay_ms + serialisation_ms, 3),
            "rtt_less_serialisation_ms": round(rtt_ms - serialisation_ms, 3)}
    if operation == "download":
        spacing_s = full_frame_spacing_s(frames, full_bytes)
        return seen | {"full_frame_spacing_us": round(spacing_s * 1e6, 1),
                       "full_frame_spacing_expected_us": round(counted * 8e6 / link.rate_bps, 1),
                       "rate_bps": round(counted * 8 / spacing_s)}
    payload = statistics.mode(f.payload_bytes for f in frames if not f.down and f.size_bytes == full_bytes)
    return seen | {"rate_bps": round(acknowledged_rate(frames, counted, payload))}


def handshake_serialisation_ms(frames, link):
    """Both SYNs have the same size; each is serialised once."""
    counted = frames[0].size_bytes - (14 if link.counts == "ip" else 0)
    return 2 * counted * 8e3 / link.rate_bps


# --- tshark -----------------------------------------------------------------------------------------------------------

TSHARK = ["tshark", "-n", "-o", "tcp.reassemble_out_of_order:TRUE", "-o", "tcp.check_checksum:TRUE",
          "-o", "ip.check_checksum:TRUE"]
READ_COMMAND = {"smb1": 0x2E, "smb2": 8}
WRITE_COMMAND = {"smb1": 0x2F, "smb2": 9}
STATUS_PENDING = "0x00000103"
ANALYSIS = {
    "retransmissions": "tcp.analysis.retransmission",
    "fast_retransmissions": "tcp.analysis.fast_retransmission",
    "spurious_retransmissions": "tcp.analysis.spurious_retransmission",
    "out_of_order": "tcp.analysis.out_of_order",
    "lost_segments": "tcp.analysis.lost_segment",
    "duplicate_acks": "tcp.analysis.duplicate_ack",
    "zero_windows": "tcp.analysis.zero_window",
    "frames_with_sack": "tcp.options.sack_le",
    "malformed": "_ws.malformed",
    "bad_checksums": "tcp.checksum.status == 0 || ip.checksum.status == 0",
}


def tshark(pcap, *arguments):
    done = subprocess.run([*TSHARK, "-r", str(pcap), *arguments], text=True, capture_output=True, check=True)
    return done.stdout


def key_options(keys):
    """tshark's options to decrypt with; `keys` is a table smb2_seskey_list, a session a line."""
    return [word for line in keys.splitlines() for word in ("-o", f"uat:smb2_seskey_list:{line}")]


def smb_messages(pcap, keys):
    """(protocol, {field: value of its first occurrence}) of every SMB message, elements of a compound singly."""
    root = ElementTree.fromstring(tshark(pcap, *key_options(keys), "-T", "pdml", "-J", "smb smb2", "-Y", "smb || smb2"))
    starts = {"smb.server_component": "smb1", "smb2.protocol_id": "smb2"}
    for packet in root.iter("packet"):
        message, protocol = None, None
        for field in packet.iter("field"):
            name = field.get("name")
            if name == "smb2.protocol_id" and field.get("value") != "fe534d42":
                continue  # of a transform header; the message is inside
            if name in starts:
                if message:
                    yield protocol, message
                message, protocol = {}, starts[name]
            if message is not None:
                message.setdefault(name, (field.get("show"), field.get("showname") or ""))
        if message:
            yield protocol, message


def number(message, field):
    return int(message[field][0], 0) if field in message else 0


def message_payload(protocol, message, response):
    """Bytes read, bytes written. tshark shows an SMB2 read response's length as that of its data blob."""
    command = number(message, "smb.cmd" if protocol == "smb1" else "smb2.cmd")
    if response and command == READ_COMMAND[protocol]:
        return (smb1_data_bytes(message) if protocol == "smb1" else number(message, "smb2.olb.length")), 0
    if not response and command == WRITE_COMMAND[protocol]:
        return 0, (smb1_data_bytes(message) if protocol == "smb1" else number(message, "smb2.write_length"))
    return 0, 0


def smb1_data_bytes(message):
    return number(message, "smb.data_len_low") + (number(message, "smb.data_len_high") << 16)


def smb_counts(pcap, keys):
    rows, read_bytes, write_bytes = {}, 0, 0
    for protocol, message in smb_messages(pcap, keys):
        prefix = "smb" if protocol == "smb1" else "smb2"
        command = number(message, f"{prefix}.cmd")
        response = message[f"{prefix}.flags.response"][0] in ("1", "True")
        row = rows.setdefault((protocol, command), {"protocol": protocol, "command": command,
                                                    "name": message[f"{prefix}.cmd"][1].split(": ")[1].split(" (")[0],
                                                    "requests": 0, "responses": 0, "statuses": Counter()})
        row["responses" if response else "requests"] += 1
        if response:
            row["statuses"][f"{number(message, prefix + '.nt_status'):#010x}"] += 1
        read, written = message_payload(protocol, message, response)
        read_bytes += read
        write_bytes += written
    return {"commands": [rows[key] for key in sorted(rows)], "read_bytes": read_bytes, "write_bytes": write_bytes}


def tshark_counts(pcap, keys=""):
    version = subprocess.run(["tshark", "--version"], text=True, capture_output=True, check=True).stdout.split()[2]
    tcp = {name: len(tshark(pcap, "-Y", expression).splitlines()) for name, expression in ANALYSIS.items()}
    return {"version": version, **smb_counts(pcap, keys), "tcp": tcp}


# --- is it a good recording? ------------------------------------------------------------------------------------------

def complaints(entry):
    """Sentences on what is not as it should be; none for a good recording."""
    seen, link, counts = entry["seen"], entry["link"], entry["tshark"]
    if seen["connections"] != 1:
        yield f"{seen['connections']} connections instead of one"
    if abs(seen["rate_bps"] / link["down"]["rate_bps"] - 1) > 0.02:
        yield f"the capture shows {seen['rate_bps']} bit/s"
    if abs(seen["handshake_rtt_ms"] - seen["handshake_rtt_expected_ms"]) > 1:
        yield f"handshake RTT of {seen['handshake_rtt_ms']} ms instead of {seen['handshake_rtt_expected_ms']} ms"
    if entry["capture"]["dropped_by_kernel"]:
        yield "tcpdump missed frames"
    if counts["tcp"]["malformed"] or counts["tcp"]["bad_checksums"]:
        yield "tshark finds malformed messages or bad checksums"
    copied = counts["read_bytes"] if entry["operation"] == "download" else counts["write_bytes"]
    if copied != entry["payload_bytes"]:
        yield f"tshark finds {copied} bytes of {entry['payload_bytes']}"
    yield from unanswered(counts["commands"])


def unanswered(commands):
    """An SMB1 negotiation may be answered in SMB2, so commands are summed up by name."""
    requests, responses = Counter(), Counter()
    for row in commands:
        requests[row["name"]] += row["requests"]
        responses[row["name"]] += row["responses"] - row["statuses"].get(STATUS_PENDING, 0)
    for name in requests | responses:
        if requests[name] != responses[name]:
            yield f"{name}: {requests[name]} requests, {responses[name]} final responses"
