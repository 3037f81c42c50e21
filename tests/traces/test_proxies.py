"""Traces of connections that proxies split: each leg is a flow."""

import struct
from pathlib import Path

import polars as pl
import pytest

from longfat import load_scenario, run
from longfat.plots.over_time import flow_name
from longfat.running.execution import Watch
from longfat.traces import load_traces
from tests.traces.test_capture import blocks

SOURCES = 2

SPLIT = f"""\
schema_version = 1
duration = "5 s"
framing = "ethernet"
port.buffer = "20 packets"
tcp = {{ flavor = "sack-rfc6675", mss = "1460 B", receiver_window = "200 kB" }}
proxies = {{ kind = "split-tcp", buffer = "100 kB" }}

[topology]
kind = "n-source"
sources = {SOURCES}
access = {{ rate = "100 Mbit/s", delay = "5 ms" }}
bottleneck = {{ rate = "5 Mbit/s", delay = "50 ms" }}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "split.toml"
    file.write_text(SPLIT)
    return file


def test_each_leg_is_a_flow_of_its_own(scenario: Path, tmp_path: Path) -> None:
    record = run(load_scenario(scenario), watch=Watch(traces=tmp_path / "traces", error=0.0))
    traces = load_traces(tmp_path / "traces")
    segments = traces.table("segments")
    for number, flow in enumerate(record["flows"], 1):
        near, between, far = [leg["segments_sent"] for leg in flow["legs"]]
        legs = (number, between), (number + SOURCES, near), (number + 2 * SOURCES, far)
        for own, sent in legs:
            assert segments.filter(pl.col("flow") == own).height == sent
    assert flow_name(traces, 2) == "flow 2"
    assert flow_name(traces, 4) == "leg to the first proxy of flow 2"
    assert flow_name(traces, 5) == "leg from the second proxy of flow 1"


def conversations(file: Path) -> dict[tuple[int, int], list[tuple[int, int, int, int]]]:
    """Packets by the kinds of address of sender and receiver: number, window, flags and length.

    Addresses are 10.k.x.y: k is 0 for the sender, 2 and 3 for the proxies and 1 for the receiver.
    """
    found: dict[tuple[int, int], list[tuple[int, int, int, int]]] = {}
    for kind, body in blocks(file):
        if kind != 6:
            continue
        packet = body[20:]
        assert packet[0] == 0x45
        (length,) = struct.unpack_from(">H", packet, 2)
        flags, window = struct.unpack_from(">HH", packet, 32)
        data = length - 20 - 4 * (flags >> 12)
        ends = packet[13], packet[17]
        number = int.from_bytes(packet[14:16], "big")
        found.setdefault(ends, []).append((number, window, flags & 0x1FF, data))
    return found


def test_a_capture_has_a_conversation_for_each_leg(scenario: Path, tmp_path: Path) -> None:
    file = tmp_path / "split.pcapng"
    record = run(load_scenario(scenario), watch=Watch(pcap=file))
    found = conversations(file)
    near, between, far = (0, 2), (2, 3), (3, 1)
    assert found.keys() == {near, between, far, (2, 0), (3, 2), (1, 3)}
    for leg, ends in enumerate((near, between, far)):
        for number, flow in enumerate(record["flows"], 1):
            sent = [packet for packet in found[ends] if packet[0] == number and packet[3] > 0]
            assert len(sent) == flow["legs"][leg]["segments_sent"]


def test_the_windows_of_a_capture_are_those_that_proxies_advertise(
    scenario: Path, tmp_path: Path
) -> None:
    file = tmp_path / "split.pcapng"
    run(load_scenario(scenario), watch=Watch(pcap=file))
    found = conversations(file)
    shift = 1  # a buffer of 100 kB needs it
    acknowledgments = [packet for packet in found[2, 0] if not packet[2] & 2]
    windows = {window << shift for _, window, _, _ in acknowledgments}
    # The first proxy fills: the near leg is 20 times as fast as the bottleneck.
    assert max(windows) <= 100_000
    assert min(windows) < 10_000
    # The receiver reads at once: its window stays, and needs a shift of 2.
    constant = {window for _, window, flags, _ in found[1, 3] if not flags & 2}
    assert constant == {200_000 >> 2}
