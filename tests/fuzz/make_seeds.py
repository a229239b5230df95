#!/usr/bin/env python3
"""Makes the seeds of the capture reader's fuzz targets from real traffic: golden/smb_messages.tsv and traces/. Those of the codecs,
which their own encoders made, lie there already; compressed messages are made of them.

    tests/fuzz/make_seeds.py
"""
import pathlib
import struct

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = HERE / "seeds"
TRACES = HERE.parent.parent / "traces"
ETHERNET, RAW = 1, 4  # in enum frame_link
FRAMES = 40


def write(folder, name, data):
    (SEEDS / folder).mkdir(parents=True, exist_ok=True)
    (SEEDS / folder / name).write_bytes(data)


def messages():
    for line in (HERE.parent / "golden/smb_messages.tsv").read_text().splitlines():
        cells = line.split("\t")
        if not line.startswith("#") and cells[0].startswith("SMB"):
            yield "-".join(cells[:3]).replace(" ", "-").lower(), bytes.fromhex(cells[-1])


def frames(path):
    """(record, frame) of a little-endian pcap file."""
    data = path.read_bytes()
    at = 24
    while at + 16 <= len(data):
        captured, wire = struct.unpack_from("<II", data, at + 8)
        yield data[at : at + 16], data[at + 16 : at + 16 + captured], wire
        at += 16 + captured


def compressed(folder):
    """The seeds of a codec that are to be decoded, as a part of a chained message: (name, size before, bytes)."""
    for path in sorted((SEEDS / folder).iterdir()):
        data = path.read_bytes()
        if data[2] < 0x80:
            yield path.name, data[0] | data[1] << 8 | data[2] << 16, data[3:]


def compression_seeds():
    """[MS-SMB2] 2.2.42: the seeds of the codecs in chained and unchained messages, each behind a header that isn't compressed."""
    header = b"\xfeSMB" + bytes(60)
    for algorithm, folder in enumerate(("lznt1", "lz77", "lz77_huffman", "pattern_v1", "lz4"), 1):
        for name, size, data in compressed(folder):
            original = b"" if folder == "pattern_v1" else struct.pack("<I", size)
            part = struct.pack("<HHI", algorithm, 0, len(original) + len(data)) + original + data
            chained = struct.pack("<HHI", 0, 1, len(header)) + header + part
            write("smb2_compression", f"{folder}-{name}-chained", struct.pack("<4sI", b"\xfcSMB", len(header) + size) + chained)
            if original:
                write("smb2_compression", f"{folder}-{name}",
                      struct.pack("<4sIHHI", b"\xfcSMB", size, algorithm, 0, len(header)) + header + data)


def stream_messages(path):
    """(whether the server sent it, message) of a connection without losses, in the order in which they were complete."""
    pending = {True: b"", False: b""}
    for _, frame, _ in frames(path):
        segment = frame[14 + (frame[14] & 15) * 4 : 14 + struct.unpack_from(">H", frame, 16)[0]]
        down = segment[:2] == struct.pack(">H", 445)
        pending[down] += segment[(segment[12] >> 4) * 4 :]
        while len(pending[down]) >= 4 and len(pending[down]) >= 4 + struct.unpack(">I", pending[down][:4])[0]:
            end = 4 + struct.unpack(">I", pending[down][:4])[0]
            yield down, pending[down][4:end]
            pending[down] = pending[down][end:]


def transform_seeds():
    sequence = b""
    for index, (down, message) in enumerate(stream_messages(TRACES / "smb3-smbclient-encrypted.pcap")):
        sequence += struct.pack("<BH", down, len(message)) + message
        if index in (5, 12, 25):
            write("smb2_transform", f"first-{index}", sequence)


class Pcapng:
    """A pcapng file in either byte order."""

    def __init__(self, order):
        self.order, self.data = order, b""

    def block(self, kind, layout, *values, data=b"", options=()):
        body = struct.pack(self.order + layout, *values) + data + bytes(-len(data) % 4)
        for code, value in options:
            body += struct.pack(self.order + "HH", code, len(value)) + value + bytes(-len(value) % 4)
        length = struct.pack(self.order + "I", 12 + len(body))
        self.data += struct.pack(self.order + "I", kind) + length + body + length

    def section(self):
        self.block(0x0A0D0D0A, "IHHq", 0x1A2B3C4D, 1, 0, -1)

    def number(self, layout, value):
        return struct.pack(self.order + layout, value)


def pcapng_seeds():
    """Every kind of block that is read, in both byte orders; frames cut to 80 bytes."""
    records = [(frame[:80], wire) for _, frame, wire in frames(TRACES / "smb2-impacket-get.pcap")][:6]
    both = b""
    for name, order in (("little", "<"), ("big", ">")):
        f = Pcapng(order)
        f.section()
        f.block(1, "HHI", 1, 0, 80, options=[(2, b"eth0"), (9, b"\x09"), (14, f.number("q", -3600)), (0, b"")])
        f.block(1, "HHI", 101, 0, 0, options=[(9, b"\x9e")])
        f.block(4, "HHI", 0, 0, 0)
        for index, (frame, wire) in enumerate(records):
            ticks = (1700000000 + index) * 10**9
            options = [(2, f.number("I", 1 + index % 2)), (4, f.number("Q", index)), (0, b"")] if index < 3 else []
            f.block(6, "IIIII", 0, ticks >> 32, ticks & 0xFFFFFFFF, len(frame), wire, data=frame, options=options)
        f.block(6, "IIIII", 1, 1, 2, 40, 60, data=records[0][0][14:54])
        f.block(2, "HHIIII", 0, 3, 1, 2, len(records[0][0]), records[0][1], data=records[0][0])
        f.block(3, "I", records[1][1], data=records[1][0])
        f.block(5, "III", 0, 1, 2, options=[(2, f.number("I", 1) * 2), (5, f.number("Q", 7)), (7, f.number("Q", 1)), (0, b"")])
        f.block(10, "II", 0x544C534B, 4, data=b"keys")
        f.block(0xBAD, "I", 1, data=b"custom")
        write("pcapng", name, f.data)
        both += f.data[:-50]  # cut, and another section behind it
    write("pcapng", "both-cut", both)
    write("capture", "blocks.pcapng", both)


def ipv4(protocol, payload, fragment=0, identifier=1):
    return struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), identifier, fragment, 64, protocol, 0,
                       bytes([192, 0, 2, 1]), bytes([192, 0, 2, 2])) + payload


def ipv6(protocol, payload):
    ends = bytes.fromhex("20010db8000000000000000000000001" "20010db8000000000000000000000002")
    return struct.pack(">IHBB", 6 << 28, len(payload), protocol, 64) + ends + payload


def tunnel_seeds():
    """A frame in each tunnel, and packets in fragments, in order and not, twice, and with a tunnel in them."""
    frame = [f for _, f, _ in frames(TRACES / "smb3-smbclient-small.pcap")][5]
    packet = frame[14:]
    gre, vxlan = struct.pack(">HH", 0, 0x800), struct.pack(">HHHHII", 49152, 4789, 16 + len(frame), 0, 0x08000000, 7 << 8)
    tunnels = {
        "gre": ipv4(47, gre + packet),
        "gre-fields": ipv4(47, struct.pack(">HHIII", 0xB000, 0x800, 0, 7, 1) + packet),
        "gre-ethernet": ipv6(47, struct.pack(">HH", 0, 0x6558) + frame),
        "erspan-1": ipv4(47, struct.pack(">HH", 0, 0x88BE) + frame),
        "erspan-2": ipv4(47, struct.pack(">HHIII", 0x1000, 0x88BE, 1, 0x10640001, 0) + frame),
        "erspan-3": ipv4(47, struct.pack(">HHIIIIII", 0x1000, 0x22EB, 1, 0x20640001, 0, 1, 0, 0) + frame),
        "vxlan": ipv4(17, vxlan + frame),
        "ip-in-ip": ipv6(4, packet),
        "nested": ipv4(47, gre + ipv4(17, vxlan + frame[:14] + ipv4(4, packet))),
    }
    pieces = {}
    for name, whole in (("tcp", packet), ("tunnel", tunnels["gre-fields"])):
        payload, protocol = whole[20:], whole[9]
        cuts = [(at, payload[at : at + 64]) for at in range(0, len(payload), 64)]
        pieces[name + "-4"] = [ipv4(protocol, part, at // 8 | (0x2000 if at + 64 < len(payload) else 0), 9) for at, part in cuts]
        pieces[name + "-6"] = [ipv6(44, struct.pack(">BBHI", protocol, 0, at | (at + 64 < len(payload)), 9) + part) for at, part in cuts]
    for name, data in [*tunnels.items(), *((name, parts[0]) for name, parts in pieces.items())]:
        write("frame", "tunnel-" + name, bytes([RAW, 0]) + data)
    for name, parts in [*pieces.items(), ("tunnels", list(tunnels.values()) * 2)]:
        for order, sequence in (("forward", parts), ("backward", parts[::-1]), ("twice", [p for part in parts for p in (part, part)])):
            write("intake", f"{name}-{order}", bytes([RAW]) + b"".join(struct.pack(">HHB", len(p), 0, 1) + p for p in sequence))


def rdc_seeds():
    """Two versions behind a header; and a signature file."""
    noise = b"".join(struct.pack("<I", i * i * 2654435761 % 2**32) for i in range(1500))
    for name, depth, after in (
        ("edited", 0, noise[:2000] + b"in between" + noise[2000:]),
        ("shorter", 1, noise[:1000] + noise[3000:]),
        ("moved", 2, noise[3000:] + noise[:3000]),
        ("equal", 7, noise),
        ("nothing", 0, b""),
    ):
        write("rdc", name, struct.pack("<I", depth | len(noise) << 8) + noise + after)
    write("rdc", "signatures", struct.pack("<IIIIQ", 24, 0x10001, 0x10001, 0, 1) + bytes(range(36)))


def main():
    rdc_seeds()
    pcapng_seeds()
    tunnel_seeds()
    compression_seeds()
    transform_seeds()
    streams = {1: b"", 2: b""}
    for name, message in messages():
        version = 1 if message[0] == 0xFF else 2
        write(f"smb{version}", name, message)
        streams[version] += struct.pack(">I", len(message)) + message
    for version, stream in streams.items():
        write("nbss", f"whole-{version}", bytes([1, 0, 0]) + stream)
        write("nbss", f"pieces-{version}", bytes([79, 40, 5]) + stream)
        write("nbss", f"all-{version}", bytes([79, 255, 9]) + stream)
    segments = [(1, 0, 100), (1, 200, 50), (0, 60, 0), (1, 100, 100), (2, -100, 300), (3, 500, 2000), (0, 600, 0)]
    write("stream", "reordered", b"".join(struct.pack(">BhHB", kind, offset, length, 255) for kind, offset, length in segments))
    for trace in ("smb1-curl-get", "smb2-impacket-get", "smb3-smbclient-small"):
        head = (TRACES / f"{trace}.pcap").read_bytes()[:24]
        records = list(frames(TRACES / f"{trace}.pcap"))[:FRAMES]
        write("capture", f"{trace}.pcap", head + b"".join(record + frame for record, frame, _ in records))
        flow = bytes([ETHERNET])
        for index, (_, frame, wire) in enumerate(records):
            flow += struct.pack(">HHB", len(frame), wire - len(frame), 10) + frame
            if index < 4:
                write("frame", f"{trace}-{index}", bytes([ETHERNET, wire - len(frame)]) + frame[:200])
        write("flow", trace, flow)
        write("intake", trace, flow[:4000])


if __name__ == "__main__":
    main()
