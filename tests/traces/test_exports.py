"""Runs in the files of other programs, read back by the importers of these."""

import gzip
import json
from pathlib import Path

import pytest

from longfat.base.errors import LongfatError
from longfat.records.record import Record
from longfat.running.execution import Watch
from longfat.running.run import run
from longfat.scenarios.scenario import load_scenario
from longfat.schedules import import_files
from longfat.traces import Traces, load_traces
from longfat.traces.flent import flent_bytes, flent_document
from longfat.traces.iperf3 import iperf3_document
from tests.support import Longfat

PATH = {
    "schema_version": 1,
    "duration": "5 s",
    "framing": "packet",
    "topology": {
        "kind": "n-source",
        "sources": 2,
        "access": {"rate": "100 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "20 ms"},
    },
    "port": {"buffer": "20 packets"},
    "tcp": {"preset": "linux-6.12"},
}

STREAM = {
    "socket", "start", "end", "seconds", "bytes", "bits_per_second", "retransmits", "snd_cwnd",
    "rtt", "omitted", "sender",
}  # fmt: skip
"""Fields of a stream of a TCP sender in the intervals of iperf3 3.16 that a simulation has, as the
JSON of its own manual page's example shows them."""

TEST_START = {
    "protocol", "num_streams", "blksize", "omit", "duration", "bytes", "blocks", "reverse", "tos",
    "target_bitrate", "bidir",
}  # fmt: skip


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    folder = tmp_path_factory.mktemp("exported") / "traces"
    run(load_scenario(PATH), watch=Watch(traces=folder, error=0))
    return load_traces(folder)


def delivered(record: Record) -> list[int]:
    return [flow["bytes_delivered"] for flow in record["flows"]]


def test_iperf3_has_its_fields_and_every_byte_that_was_delivered(exported: Traces) -> None:
    document = iperf3_document(exported, [1, 2])
    assert document["start"]["test_start"].keys() == TEST_START
    assert [interval["sum"]["end"] for interval in document["intervals"]] == [1, 2, 3, 4, 5]
    streams = [interval["streams"] for interval in document["intervals"]]
    assert all(stream.keys() == STREAM for together in streams for stream in together)
    own = [sum(together[place]["bytes"] for together in streams) for place in (0, 1)]
    assert own == delivered(exported.record)
    again = [sum(together[place]["retransmits"] for together in streams) for place in (0, 1)]
    assert again == [flow["segments_retransmitted"] for flow in exported.record["flows"]]
    assert sum(again) > 0
    ends = document["end"]
    assert ends["sum_received"]["bytes"] == sum(own)
    assert [stream["sender"]["retransmits"] for stream in ends["streams"]] == again
    # A round trip of 44 ms, and at most 20 packets of 1.2 ms in the queue: in microseconds.
    trips = [stream["rtt"] for together in streams for stream in together]
    assert 44_000 < min(trips) <= max(trips) < 80_000


def test_our_importer_of_iperf3_reads_the_rates_back(exported: Traces, tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    file.write_text(json.dumps(iperf3_document(exported, [1, 2])))
    path = import_files("iperf3", {"file": file})
    assert path.times_s[:5] == (0, 1, 2, 3, 4)
    assert path.up.rate_bps is not None
    bits = sum(path.up.rate_bps[:5])
    assert bits == pytest.approx(8 * sum(delivered(exported.record)), abs=5)


def test_our_importer_of_flent_reads_the_rates_back(exported: Traces, tmp_path: Path) -> None:
    document = flent_document(exported, [1, 2], 0.5)
    assert {"NAME", "TIME"} <= document["metadata"].keys(), "without them flent refuses a file"
    assert document["version"] == 3
    lengths = {len(series) for series in document["results"].values()}
    assert lengths == {len(document["x_values"])} == {10}
    assert document["metadata"]["SERIES_META"].keys() == document["results"].keys()
    file = tmp_path / "run.flent.gz"
    file.write_bytes(flent_bytes(document))
    path = import_files("flent", {"file": file})
    assert path.up.rate_bps is not None
    bits = 0.5 * sum(path.up.rate_bps)
    assert bits == pytest.approx(8 * sum(delivered(exported.record)), rel=1e-6)


def test_the_same_traces_make_the_same_bytes(exported: Traces) -> None:
    first, second = (flent_bytes(flent_document(exported, [1])) for _ in range(2))
    assert first == second
    assert json.loads(gzip.decompress(first)) == flent_document(exported, [1])


def test_one_flow_has_its_own_bytes_alone(exported: Traces) -> None:
    document = iperf3_document(exported, [2])
    assert document["end"]["sum_received"]["bytes"] == delivered(exported.record)[1]
    assert document["start"]["test_start"]["num_streams"] == 1


def test_the_commands_say_what_they_cannot_export(
    exported: Traces, longfat: Longfat, tmp_path: Path
) -> None:
    done = longfat("export", "iperf3", exported.folder, "--flow", "3")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--flow 3: the run has flows 1 to 2" in done.stderr
    done = longfat("export", "flent", exported.folder, "--interval", "0.001")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--interval 0.001: the trace has intervals of 0.005 s" in done.stderr
    assert not (tmp_path / "run.flent.gz").exists()
    done = longfat("export", "flent", exported.folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (tmp_path / "run.flent.gz").read_bytes() == flent_bytes(flent_document(exported, [1, 2]))


def test_traces_that_are_not_there_are_named(tmp_path: Path) -> None:
    run(load_scenario(PATH, {"duration": "100 ms"}), watch=Watch(traces=tmp_path, names=["rtt"]))
    with pytest.raises(LongfatError, match=r"has no trace 'throughput', 'cwnd', 'segments'"):
        iperf3_document(load_traces(tmp_path), [1])
