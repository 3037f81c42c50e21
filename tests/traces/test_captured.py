"""TCP connections in captures, by their headers."""

import contextlib
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest

import longfat
from longfat.base.errors import InvalidInput
from longfat.running.execution import Watch
from longfat.traces.captured import Captured, read_capture
from longfat.traces.qlog import captured_lines
from tests.support import Longfat

SYN, ACK = 2, 16
OPENING = 2**32 - 1500
"""Sequence number of the SYN: those of the data pass the end of their range."""


def block(kind: int, body: bytes) -> bytes:
    length = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", kind) + length + body + length


SECTION = block(0x0A0D0D0A, struct.pack("<IHHQ", 0x1A2B3C4D, 1, 0, 2**64 - 1))
INTERFACE = block(1, struct.pack("<HHIHHB3xI", 101, 0, 128, 9, 1, 9, 0))


def packet(
    microseconds: int,
    is_sent: bool,
    number: int,
    answer: int,
    *,
    length: int = 0,
    flags: int = ACK,
    blocks: tuple[tuple[int, int], ...] = (),
    version: int = 4,
) -> bytes:
    """Block of a packet between ports 5 (there) and 6, of which the capture has the headers."""
    edges = b"".join(struct.pack(">II", *edge) for edge in blocks)
    options = (bytes([1, 1, 5, 2 + len(edges)]) + edges) if edges else b""
    ports = (5, 6) if is_sent else (6, 5)
    offset = (20 + len(options)) // 4 << 4
    tcp = struct.pack(">HHIIBBHI", *ports, number % 2**32, answer, offset, flags, 0, 0) + options
    ends = (b"\x0a\0\0\1", b"\x0a\0\0\2") if is_sent else (b"\x0a\0\0\2", b"\x0a\0\0\1")
    if version == 4:
        ip = struct.pack(">BBHIBBH", 0x45, 0, 20 + len(tcp) + length, 0, 64, 6, 0) + b"".join(ends)
    else:
        ip = struct.pack(">IHBB", 6 << 28, len(tcp) + length, 6, 64)
        ip += b"".join(bytes(12) + end for end in ends)
    headers = ip + tcp
    time = 1000 * microseconds
    body = struct.pack("<IIIII", 0, time >> 32, time % 2**32, len(headers), len(headers) + length)
    body += headers + bytes(-len(headers) % 4)
    return block(6, body + struct.pack("<HHII", 2, 4, 2 if is_sent else 1, 0))


def exchange(version: int) -> bytes:
    """Four segments of 1,000 bytes, of which the second is lost and sent again."""

    def there(microseconds: int, begin: int, length: int = 0) -> bytes:
        number = OPENING + 1 + begin
        return packet(microseconds, True, number, 900, length=length, version=version)

    def back(microseconds: int, following: int, *edges: tuple[int, int]) -> bytes:
        blocks = tuple(((OPENING + 1 + a) % 2**32, (OPENING + 1 + b) % 2**32) for a, b in edges)
        answer = (OPENING + 1 + following) % 2**32
        return packet(microseconds, False, 900, answer, blocks=blocks, version=version)

    return b"".join(
        [
            SECTION + INTERFACE,
            packet(0, True, OPENING, 0, flags=SYN, version=version),
            packet(40_000, False, 899, (OPENING + 1) % 2**32, flags=SYN | ACK, version=version),
            there(40_100, 0),
            *(there(40_200 + 100 * place, 1000 * place, 1000) for place in range(4)),
            back(80_200, 1000),
            back(80_400, 1000, (2000, 3000)),
            back(80_500, 1000, (2000, 4000)),
            there(80_600, 1000, 1000),
            back(120_600, 4000),
        ]
    )


def rows(captured: Captured, trace: str) -> list[dict[str, Any]]:
    return [row.fields for row in captured.rows if row.trace == trace]


@pytest.mark.parametrize("version", [4, 6])
def test_headers_tell_of_retransmissions_round_trips_and_flight(
    tmp_path: Path, version: int
) -> None:
    file = tmp_path / "a.pcapng"
    file.write_bytes(exchange(version))
    (captured,) = read_capture(file)
    assert captured.name.startswith("10.0.0.1:5 -> " if version == 4 else "[::a00:1]:5 -> ")
    assert captured.sent_bytes == 4000
    sent = [(row["sequence"], row["is_again"]) for row in rows(captured, "segments")]
    assert sent == [(0, False), (1000, False), (2000, False), (3000, False), (1000, True)]
    assert [row["next"] for row in rows(captured, "acknowledgments")] == [1000, 1000, 1000, 4000]
    selective = [(row["from"], row["to"]) for row in rows(captured, "selective-acknowledgments")]
    assert selective == [(2000, 3000), (2000, 4000)]
    # The last acknowledgment's latest data were sent once, at 40.5 ms.
    assert [row["rtt_s"] for row in rows(captured, "rtt")] == pytest.approx([0.0400, 0.0801])
    flight = [row["flight_bytes"] for row in rows(captured, "flight")]
    assert flight == [1000, 2000, 3000, 4000, 3000, 0]


def test_a_capture_becomes_qlog_with_what_headers_tell(tmp_path: Path, longfat: Longfat) -> None:
    file = tmp_path / "a.pcapng"
    file.write_bytes(exchange(4))
    printed = longfat("qlog", str(file))
    assert printed.returncode == 0, printed.stderr
    header, *events = [json.loads(line) for line in printed.stdout.split("\x1e")[1:]]
    assert header["description"] == "10.0.0.1:5 -> 10.0.0.2:6 in a.pcapng"
    sent = [event["data"] for event in events if event["name"] == "transport:packet_sent"]
    assert [each["is_retransmission"] for each in sent] == [False] * 4 + [True]
    metrics = {
        key
        for event in events
        if event["name"] == "recovery:metrics_updated"
        for key in event["data"]
    }
    assert metrics == {"latest_rtt", "bytes_in_flight"}, "no window is known"
    acknowledged = [
        each
        for event in events
        if event["name"] == "transport:packet_received"
        for frame in event["data"]["frames"]
        for each in frame["acked_ranges"]
    ]
    assert sorted(acknowledged) == [[0, 0], [2, 2], [3, 3], [4, 4]]
    sequential = list(captured_lines(read_capture(file)[0], "a.pcapng", "sequential"))
    assert json.loads(sequential[0][1:])["trace"]["common_fields"]["group_id"] == "a.pcapng"
    beyond = longfat("qlog", str(file), "--flow", "2")
    assert (beyond.returncode, beyond.stderr) == (2, "--flow 2: the capture has flows 1 to 1\n")


def test_a_simulated_capture_tells_what_the_traces_of_the_run_tell(tmp_path: Path) -> None:
    scenario = longfat.load_scenario(
        {
            "schema_version": 1,
            "duration": "4 s",
            "framing": "packet",
            "topology": {
                "kind": "n-source",
                "sources": 1,
                "access": {"rate": "10 Mbit/s", "delay": "1 ms"},
                "bottleneck": {"rate": "2 Mbit/s", "delay": "20 ms"},
            },
            "port": {"buffer": "10 packets"},
            "tcp": {"preset": "linux-6.12"},
        }
    )
    record = longfat.run(scenario, watch=Watch(pcap=tmp_path / "a.pcapng"))
    (captured,) = read_capture(tmp_path / "a.pcapng")
    again = sum(row["is_again"] for row in rows(captured, "segments"))
    (flow,) = record["flows"]
    assert again == flow["segments_retransmitted"] > 0
    assert len(rows(captured, "segments")) == flow["segments_sent"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "no TCP connection"),
        (b"not a capture", "no capture of longfat emulate --pcap, which is pcapng"),
        (exchange(4)[:-7], "has no whole"),
        (block(0x0A0D0D0A, struct.pack(">IHHQ", 0x1A2B3C4D, 1, 0, 0)), "big-endian"),
        (SECTION + block(1, struct.pack("<HHI", 1, 0, 128)), "link type 1, and 101 is expected"),
        (SECTION + packet(1, True, 1, 1), "has no interface"),
        (SECTION, "no TCP connection"),
    ],
)
def test_other_files_are_refused_in_one_message(
    tmp_path: Path, longfat: Longfat, text: bytes, words: str
) -> None:
    file = tmp_path / "a.pcapng"
    file.write_bytes(text)
    refused = longfat("qlog", str(file))
    assert refused.returncode == 2
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr


def test_bytes_changed_at_random_never_surprise_the_reader(tmp_path: Path) -> None:
    chance, whole, file = random.Random(1), exchange(6), tmp_path / "a.pcapng"
    for _ in range(3000):
        broken = bytearray(whole)
        for _ in range(chance.randint(1, 4)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        file.write_bytes(bytes(broken))
        with contextlib.suppress(InvalidInput):
            read_capture(file)
