"""Captures are read back: by a few lines here, and by tshark where it is installed."""

import shutil
import struct
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.running.execution import Watch
from longfat.scenarios.scenario import OverrideValue
from tests.traces.conftest import Watched

needs_tshark = pytest.mark.skipif(
    shutil.which("tshark") is None, reason="tshark is not installed (Debian: apt install tshark)"
)

# Wireshark calls a retransmission out of order if it comes within 3 ms of newer data.
SENT_AGAIN = "tcp.analysis.retransmission || tcp.analysis.out_of_order"


def blocks(file: Path) -> Iterator[tuple[int, bytes]]:
    """Type and body of each block of a pcapng file."""
    data = file.read_bytes()
    place = 0
    while place < len(data):
        kind, length = struct.unpack_from("<II", data, place)
        assert length % 4 == 0
        assert struct.unpack_from("<I", data, place + length - 4) == (length,)
        yield kind, data[place + 8 : place + length - 4]
        place += length


def tshark(file: Path, condition: str, *fields: str) -> list[list[str]]:
    """The fields of the packets that meet a condition."""
    wanted = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-r", file, "-Y", condition, "-T", "fields", "-E", "separator=/t", *wanted],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [line.split("\t") for line in done.stdout.splitlines()]


def counts(file: Path, condition: str) -> list[int]:
    """Number of packets of each flow that meet a condition."""
    found = Counter(int(stream) for (stream,) in tshark(file, condition, "tcp.stream"))
    return [found[stream] for stream in range(3)]


def captured(scenario: Path, folder: Path, overrides: dict[str, OverrideValue]) -> Watched:
    pcap = folder / "a.pcapng"
    record = run(load_scenario(scenario, overrides), watch=Watch(pcap=pcap))
    return Watched(scenario, record, None, pcap)  # type: ignore[arg-type]


def test_blocks_are_whole_and_packets_in_order(watched: Watched) -> None:
    found = list(blocks(watched.pcap))
    assert [kind for kind, _ in found[:5]] == [0x0A0D0D0A, 1, 1, 1, 6]
    assert {kind for kind, _ in found[4:]} == {6}
    times = [struct.unpack_from("<II", body, 4) for kind, body in found if kind == 6]
    assert times == sorted(times)
    exchanges = 3 * 3
    sent = sum(flow["segments_sent"] for flow in watched.record["flows"])
    received = watched.exact.table("acknowledgments").height
    assert len(times) == sent + received + exchanges


def test_the_same_run_leaves_the_same_capture(watched: Watched, tmp_path: Path) -> None:
    again = captured(watched.scenario, tmp_path, {})
    assert again.pcap.read_bytes() == watched.pcap.read_bytes()


@needs_tshark
@pytest.mark.parametrize("flavor", ["vanilla", "reno", "newreno", "sack"])
def test_tshark_counts_the_retransmissions_and_duplicates_that_the_engine_counts(
    flavor: str, watched: Watched, tmp_path: Path
) -> None:
    run_of_flavor = captured(watched.scenario, tmp_path, {"tcp.flavor": flavor})
    flows = run_of_flavor.record["flows"]
    again = [flow["segments_retransmitted"] for flow in flows]
    assert sum(again) > 0
    assert counts(run_of_flavor.pcap, SENT_AGAIN) == again
    duplicates = [flow["duplicate_acknowledgments"] for flow in flows]
    assert counts(run_of_flavor.pcap, "tcp.analysis.duplicate_ack") == duplicates


@needs_tshark
def test_every_packet_dropped_says_so_in_a_comment(watched: Watched) -> None:
    dropped = tshark(watched.pcap, 'frame.comment contains "dropped"', "frame.comment")
    assert len(dropped) == watched.record["ports"][0]["packets_dropped"]
    assert {text.split(": ")[1] for (text,) in dropped} <= {
        "the buffer is full",
        "refused by the policy epd",
    }


@needs_tshark
def test_interfaces_times_options_and_checksums_are_as_wireshark_has_them(
    watched: Watched,
) -> None:
    fields = (
        "frame.interface_name", "tcp.options.mss_val", "tcp.options.wscale.shift",
        "tcp.options.sack_perm", "frame.comment",
    )  # fmt: skip
    opening = tshark(watched.pcap, "tcp.flags.syn == 1 && tcp.flags.ack == 0", *fields)
    assert sorted(row[0] for row in opening) == ["source 1", "source 2", "source 3"]
    assert {(row[1], row[2]) for row in opening} == {("512", "2")}
    assert all(row[3] and row[4].startswith("synthesized") for row in opening)
    windows = tshark(watched.pcap, "tcp.len == 0 && tcp.ack > 1", "tcp.window_size")
    assert {int(window) for (window,) in windows} == {200_000}
    assert tshark(watched.pcap, "tcp.options.sack_le", "tcp.options.sack_le")
    bad = subprocess.run(
        ["tshark", "-r", watched.pcap, "-o", "ip.check_checksum:TRUE", "-Y",
         "ip.checksum.status == 0 || _ws.malformed"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert bad.stdout == ""
    first = watched.exact.table("segments").row(0, named=True)
    (data,) = tshark(watched.pcap, "frame.number == 4", "frame.time_epoch")
    assert data == [f"{first['time_s']:.9f}"]


@needs_tshark
def test_a_handshake_of_the_scenario_is_captured_and_none_is_made_up(
    watched: Watched, tmp_path: Path
) -> None:
    overrides: dict[str, OverrideValue] = {"tcp.handshake": True, "tcp.timestamps": True}
    opened = captured(watched.scenario, tmp_path, overrides)
    syn = tshark(opened.pcap, "tcp.flags.syn == 1", "tcp.stream", "frame.time_epoch")
    assert Counter(stream for stream, _ in syn) == {"0": 2, "1": 2, "2": 2}
    round_trips = tshark(opened.pcap, "tcp.analysis.initial_rtt", "tcp.analysis.initial_rtt")
    assert all(6e-3 < float(value) < 7e-3 for (value,) in round_trips)
    assert not tshark(opened.pcap, 'frame.comment contains "synthesized"', "frame.number")
    assert tshark(opened.pcap, "tcp.options.timestamp.tsval", "frame.number")


@needs_tshark
def test_packets_that_a_loss_model_loses_say_so(watched: Watched, tmp_path: Path) -> None:
    overrides: dict[str, OverrideValue] = {"loss.kind": "random", "loss.probability": 0.01}
    lossy = captured(watched.scenario, tmp_path, overrides)
    lost = tshark(lossy.pcap, 'frame.comment contains "loss model"', "frame.number")
    assert len(lost) == lossy.record["metrics"]["packets_lost"] > 0
