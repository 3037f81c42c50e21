"""Traces of a flow as qlog."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

import longfat
from longfat.base.errors import LongfatError
from longfat.running.execution import Watch
from longfat.traces import load_traces
from longfat.traces.qlog import RECORD_SEPARATOR, qlog_lines
from tests.support import Longfat

PATH = {
    "schema_version": 1,
    "duration": "3 s",
    "framing": "packet",
    "topology": {
        "kind": "n-source",
        "sources": 2,
        "access": {"rate": "10 Mbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "20 ms"},
    },
    "port": {"buffer": "100 packets"},
    "tcp": {"flavor": "sack", "mss": "1000 B", "initial_window": "8 MSS"},
    "traffic": {"kind": "finite", "size": "40 kB"},
}


def watched(folder: Path, **settings: Any) -> longfat.Record:
    """The record of a run that has left all its traces in a folder, each change of them."""
    scenario = longfat.load_scenario(PATH, settings)
    record = longfat.run(scenario, watch=Watch(traces=folder, error=0))
    assert isinstance(record, longfat.Record)
    return record


def documents(folder: Path, flow: int = 1) -> list[dict[str, Any]]:
    lines = list(qlog_lines(load_traces(folder), flow))
    assert all(line.startswith(RECORD_SEPARATOR) and line.endswith("\n") for line in lines)
    return [json.loads(line[1:]) for line in lines]


def events(folder: Path, name: str, flow: int = 1) -> list[dict[str, Any]]:
    return [event for event in documents(folder, flow)[1:] if event["name"] == name]


def acknowledged(folder: Path) -> list[int]:
    """The packets that acknowledgments acknowledge, in the order in which they do."""
    frames = [
        frame
        for event in events(folder, "transport:packet_received")
        for frame in event["data"]["frames"]
    ]
    ranges = [each for frame in frames for each in frame["acked_ranges"]]
    return [number for first, last in ranges for number in range(first, last + 1)]


def test_every_segment_is_a_packet_and_every_packet_is_acknowledged_once(tmp_path: Path) -> None:
    record = watched(tmp_path)
    sent = events(tmp_path, "transport:packet_sent")
    numbers = [event["data"]["header"]["packet_number"] for event in sent]
    assert numbers == list(range(record["flows"][0]["segments_sent"])) == list(range(40))
    offsets = [event["data"]["frames"][0]["offset"] for event in sent]
    assert offsets == [1000 * number for number in range(40)]
    assert acknowledged(tmp_path) == numbers


def test_of_a_segment_that_was_sent_again_the_latest_packet_is_acknowledged(tmp_path: Path) -> None:
    # The third packet of the first connection is lost: the five behind it are reported one by one.
    record = watched(tmp_path, loss={"kind": "list", "drops": [[3]]})
    assert record["flows"][0]["segments_retransmitted"] == 1
    sent = events(tmp_path, "transport:packet_sent")
    again = [event["data"] for event in sent if event["data"]["is_retransmission"]]
    (number,) = (event["header"]["packet_number"] for event in again)
    assert again[0]["frames"][0]["offset"] == 2000
    assert number > 7
    assert sorted(acknowledged(tmp_path)) == [each for each in range(41) if each != 2]
    assert acknowledged(tmp_path)[:4] == [0, 1, 3, 4]


def test_events_are_in_the_order_of_time_and_metrics_are_those_of_the_run(tmp_path: Path) -> None:
    record = watched(tmp_path)
    told = documents(tmp_path)
    header, happened = told[0], told[1:]
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    assert record["run_id"] in header["description"]
    times = [event["time"] for event in happened]
    assert times == sorted(times)
    metrics = [event["data"] for event in events(tmp_path, "recovery:metrics_updated")]
    windows = [data["congestion_window"] for data in metrics if "congestion_window" in data]
    assert (windows[0], max(windows)) == (8000, record["flows"][0]["max_cwnd_bytes"])
    assert max(data.get("bytes_in_flight", 0) for data in metrics) <= max(windows)
    round_trips_ms = [data["latest_rtt"] for data in metrics if "latest_rtt" in data]
    assert 44 < min(round_trips_ms) < 50


def over(stack: str, **settings: Any) -> dict[str, Any]:
    """Settings of a run over a stack, on which the tenth packet of the first connection is lost."""
    lost = {"kind": "list", "drops": [[10]]}
    return {"stack": {"kind": stack, **settings}, "tcp": {}, "loss": lost}


@pytest.mark.parametrize("stack", ["quic", "quinn"])
def test_packets_of_quic_are_told_as_they_are(stack: str, tmp_path: Path) -> None:
    record = watched(tmp_path, **over(stack))
    header, *happened = documents(tmp_path)
    assert header["trace"]["common_fields"]["protocol_type"] == ["QUIC"]
    assert header["trace"]["vantage_point"]["type"] == "client"
    sent = [each["data"] for each in happened if each["name"] == "transport:packet_sent"]
    arrived = [each["data"] for each in happened if each["name"] == "transport:packet_received"]
    for packets in (sent, arrived):
        for kind in ("initial", "handshake", "1RTT"):
            headers = [packet["header"] for packet in packets]
            numbers = [each["packet_number"] for each in headers if each["packet_type"] == kind]
            assert numbers == list(range(len(numbers)))
            assert numbers
    with_data = [
        [each for each in packet["frames"] if each["frame_type"] == "stream" and each["length"]]
        for packet in sent
    ]
    streams = [frame for frames in with_data for frame in frames]
    assert max(frame["offset"] + frame["length"] for frame in streams) == 40_000
    carried = sum(frame["length"] for frame in streams)
    assert carried > 40_000, "one packet was lost"
    assert len([frames for frames in with_data if frames]) == record["flows"][0]["segments_sent"]
    acks = [frame for packet in arrived for frame in packet["frames"] if "acked_ranges" in frame]
    of_data = [
        packet["header"]["packet_number"]
        for packet, frames in zip(sent, with_data, strict=True)
        if frames
    ]
    last_acknowledged = max(last for frame in acks for _, last in frame["acked_ranges"])
    assert max(of_data) <= last_acknowledged, "the rest acknowledges alone"


def test_losses_that_a_model_of_quic_finds_are_events(tmp_path: Path) -> None:
    record = watched(tmp_path, **over("quic", opened_by="receiver"))
    header, *happened = documents(tmp_path)
    assert header["trace"]["vantage_point"]["type"] == "server"
    lost = [each["data"] for each in happened if each["name"] == "recovery:packet_lost"]
    sent = [each["data"] for each in happened if each["name"] == "transport:packet_sent"]
    assert len(lost) == record["flows"][0]["fast_retransmits"] == 1
    assert lost[0]["header"] in [packet["header"] for packet in sent]
    metrics = [each["data"] for each in happened if each["name"] == "recovery:metrics_updated"]
    seen = {key for data in metrics for key in data}
    names = {"congestion_window", "ssthresh", "bytes_in_flight", "latest_rtt", "smoothed_rtt"}
    assert seen == names
    assert all(44 < data["smoothed_rtt"] < 100 for data in metrics if "smoothed_rtt" in data)


def test_drops_and_timeouts_are_events(tmp_path: Path) -> None:
    watched(tmp_path, **{"port.buffer": "3 packets", "traffic.size": "400 kB"})
    dropped = events(tmp_path, "longfat:packet_dropped")
    assert {event["data"]["reason"] for event in dropped} == {"overflow"}
    watched(tmp_path / "lost", loss={"kind": "random", "probability": 1.0}, duration="10 s")
    expired = events(tmp_path / "lost", "recovery:loss_timer_updated")
    assert expired[0]["data"] == {"event_type": "expired", "timer_type": "pto"}


def test_any_flow_that_comes_and_goes_has_the_flavor_of_its_sender(tmp_path: Path) -> None:
    flows = {"kind": "flows", "interval": "1 s", "size": {"kind": "fixed", "size": "20 kB"}}
    watched(tmp_path, traffic=flows, connections=[{"flavor": "reno"}])
    count = load_traces(tmp_path).flows
    assert count > 2
    for flow, flavor in ((1, "reno"), (count, "sack")):
        header, *happened = documents(tmp_path, flow)
        assert header["description"].startswith(f"flow {flow} ({flavor}) of run ")
        assert any(event["name"] == "transport:packet_sent" for event in happened)


def test_a_missing_flow_or_trace_is_refused_by_name(tmp_path: Path, longfat: Longfat) -> None:
    watched(tmp_path / "traces")
    done = longfat("qlog", tmp_path / "traces", "--flow", "3")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--flow 3: the run has flows 1 to 2" in done.stderr
    scenario = tmp_path / "path.json"
    scenario.write_text(json.dumps(PATH))
    longfat("run", scenario, "--trace", "few", "--trace-what", "cwnd,segments,rtt")
    done = longfat("qlog", "few")
    assert (done.returncode, done.stdout) == (2, "")
    lacking = "'acknowledgments', 'selective-acknowledgments', 'ssthresh', 'flight'"
    assert f"few has no trace {lacking}, 'timeouts', 'drops', only " in done.stderr
    longfat(
        "run", scenario, "--set", "stack=quic", "--trace", "few", "--trace-what", "cwnd,packets"
    )
    done = longfat("qlog", "few")
    assert (done.returncode, done.stdout) == (2, "")
    assert "few has no trace 'packets-lost', 'frames', 'ssthresh'" in done.stderr
    with pytest.raises(LongfatError, match="is no folder of traces"):
        documents(tmp_path)


def test_nothing_is_printed_of_traces_that_cannot_be_read(tmp_path: Path, longfat: Longfat) -> None:
    watched(tmp_path / "traces")
    (tmp_path / "traces" / "drops.parquet").write_bytes(b"PAR1")
    done = longfat("qlog", "traces")
    assert (done.returncode, done.stdout) == (2, "")
    assert "drops.parquet: no Parquet file that can be read" in done.stderr


def test_the_command_prints_the_events(tmp_path: Path, longfat: Longfat) -> None:
    watched(tmp_path / "traces")
    done = longfat("qlog", "traces", "--flow", "2")
    assert done.stdout == "".join(qlog_lines(load_traces(tmp_path / "traces"), 2))
    assert done.stderr == ""
    done = longfat("qlog", "traces")
    assert done.stdout == "".join(qlog_lines(load_traces(tmp_path / "traces"), 1))
    assert "flow 1 of 2; --flow N for another" in done.stderr


FILE = {"file_schema", "serialization_format", "title", "description", "trace"}
TRACE = {"title", "description", "common_fields", "vantage_point", "event_schemas"}
EVENTS = {
    "quic:packet_sent": ({"header"}, {"frames", "raw"}),
    "quic:packet_received": ({"header"}, {"frames", "raw"}),
    "quic:recovery_metrics_updated": (
        set(),
        {"latest_rtt", "smoothed_rtt", "congestion_window", "bytes_in_flight", "ssthresh"},
    ),
    "quic:packet_lost": (set(), {"header", "frames", "trigger"}),
    "quic:timer_updated": ({"event_type"}, {"timer_type"}),
}  # fmt: skip
"""Fields of files, of traces and of events, those that must be and others that may be used:
draft-ietf-quic-qlog-main-schema-13 sections 3, 5 and 5.1, draft-ietf-quic-qlog-quic-events-12."""

FRAMES = {
    "stream": ({"frame_type", "stream_id"}, {"offset", "fin", "raw"}),
    "ack": ({"frame_type"}, {"ack_delay", "acked_ranges", "raw"}),
    "crypto": ({"frame_type", "offset"}, {"raw"}),
    "padding": ({"frame_type"}, {"raw"}),
    "ping": ({"frame_type"}, {"raw"}),
    "max_data": ({"frame_type", "maximum"}, {"raw"}),
    "max_stream_data": ({"frame_type", "stream_id", "maximum"}, {"raw"}),
    "max_streams": ({"frame_type", "stream_type", "maximum"}, {"raw"}),
    "streams_blocked": ({"frame_type", "stream_type", "limit"}, {"raw"}),
    "handshake_done": ({"frame_type"}, {"raw"}),
    "unknown": ({"frame_type", "frame_type_bytes"}, {"raw"}),
}


def within(data: dict[str, Any], fields: tuple[set[str], set[str]]) -> bool:
    must, may = fields
    return must <= data.keys() <= must | may


@pytest.mark.parametrize("stack", ["tcp", "quic", "quinn"])
def test_a_sequential_file_has_the_fields_of_the_draft_and_no_others(
    stack: str, tmp_path: Path
) -> None:
    lost = {"kind": "random", "probability": 0.3}
    watched(tmp_path, loss=lost, duration="60 s", stack=stack)
    lines = list(qlog_lines(load_traces(tmp_path), 1, "sequential"))
    # "in the first 256 characters/bytes of the resulting log file"
    assert '"file_schema":"urn:ietf:params:qlog:file:sequential"' in lines[0][:256]
    assert '"serialization_format":"application/qlog+json-seq"' in lines[0][:256]
    header, *happened = [json.loads(line[1:]) for line in lines]
    assert {"file_schema", "serialization_format", "trace"} <= header.keys() <= FILE
    assert {"event_schemas"} <= header["trace"].keys() <= TRACE
    assert header["trace"]["vantage_point"]["type"] in {"client", "server", "network", "unknown"}
    common = header["trace"]["common_fields"]
    assert common["time_format"] == "relative_to_epoch"
    assert common["reference_time"] == {"clock_type": "monotonic", "epoch": "unknown"}
    names = {event["name"] for event in happened}
    expected = {*EVENTS, "longfat:packet_dropped"}
    not_told = {"tcp": {"quic:packet_lost"}, "quinn": {"quic:packet_lost", "quic:timer_updated"}}
    assert names == expected - not_told.get(stack, set())
    for event in happened:
        assert event.keys() == {"time", "name", "data"}
        data = event["data"]
        if event["name"] in EVENTS:
            assert within(data, EVENTS[event["name"]]), data
        for frame in data.get("frames", ()):
            assert within(frame, FRAMES[frame["frame_type"]]), frame
            assert all(1 <= len(numbers) <= 2 for numbers in frame.get("acked_ranges", ()))
        if "header" in data:
            assert data["header"].keys() == {"packet_type", "packet_number"}


@pytest.mark.parametrize("stack", ["tcp", "quic"])
def test_both_schemas_tell_the_same(stack: str, tmp_path: Path) -> None:
    watched(tmp_path, stack=stack)
    older = documents(tmp_path)[1:]
    newer = [json.loads(line[1:]) for line in qlog_lines(load_traces(tmp_path), 1, "sequential")]
    assert [event["time"] for event in older] == [event["time"] for event in newer[1:]]


QVIS = os.environ.get("LONGFAT_QVIS", "")
"""The folder `visualizations` of a checkout of qvis (github.com/quiclog/qvis)."""

LOADING = """
import FileLoader from "@/components/filemanager/data/FileLoader";
import { QlogLoader } from "@/data/QlogLoader";
import { readFileSync } from "node:fs";

const complaints = [];
console.error = globalThis.alert = (...words) => complaints.push(words.join(" "));
console.log = console.warn = () => {};
globalThis.File ??= class {};
const { qlogJSON } = await FileLoader.Load(readFileSync(process.argv[2], "utf8"), "flow.sqlog");
const [connection] = QlogLoader.fromJSON(qlogJSON).getConnections();
const events = connection.getEvents().map((event) => {
    const { relativeTime, category, name } = connection.parseEvent(event);
    return [relativeTime, `${category}:${name}`];
});
process.stdout.write(JSON.stringify({ title: connection.title, events, complaints }));
"""
"""Loads a file as the page of qvis does, and prints the events that its graphs would draw."""


@pytest.mark.skipif(
    not (QVIS and shutil.which("esbuild") and shutil.which("node")),
    reason="a checkout of qvis in LONGFAT_QVIS, esbuild and node are needed",
)
def test_qvis_loads_the_file_without_a_complaint(tmp_path: Path) -> None:
    watched(tmp_path / "traces")
    text = "".join(qlog_lines(load_traces(tmp_path / "traces"), 1))
    (tmp_path / "flow.sqlog").write_text(text)
    (tmp_path / "loading.mts").write_text(LOADING)
    # What the loader imports and this file does not need.
    (tmp_path / "nothing.js").write_text("export default {};")
    schemas = [f"@quictools/qlog-schema/draft-{version}/QLog" for version in ("01", "16")]
    others = ("vue", "oboe", *schemas)
    subprocess.run(
        [
            "esbuild", "loading.mts", "--bundle", "--platform=node", "--format=esm",
            "--log-level=error", "--outfile=loading.mjs", f"--alias:@={Path(QVIS).resolve()}/src",
            *(f"--alias:{other}=./nothing.js" for other in others),
        ],
        cwd=tmp_path,
        check=True,
    )  # fmt: skip
    done = subprocess.run(
        ["node", "loading.mjs", "flow.sqlog"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    seen = json.loads(done.stdout)
    header, *happened = documents(tmp_path / "traces")
    assert seen["complaints"] == []
    assert seen["title"] == header["trace"].get("title", "")
    assert seen["events"] == [[event["time"], event["name"]] for event in happened]


@pytest.mark.parametrize("stack", ["tcp", "quic"])
def test_qvis_takes_the_file_for_what_it_is(stack: str, tmp_path: Path) -> None:
    """As the loader of qvis does at its commit 72c8c4b of 2025-10-08.

    FileLoader.ts looks for two words in the first kilobyte, textsequencejsontoqlog.ts splits at
    record separators and requires three fields of the header, QlogLoaderV2.ts knows versions by
    name and takes `time_format` and `reference_time` from `common_fields`.
    """
    watched(tmp_path, stack=stack)
    text = "".join(qlog_lines(load_traces(tmp_path), 1))
    assert "qlog_version" in text[:1000]
    assert "JSON-SEQ" in text[:1000]
    header, *happened = [json.loads(part) for part in text.split("\u001e") if part.strip()]
    assert header["qlog_version"] in {"draft-02", "draft-02-RC1", "qlog-03-WIP", "0.3"}
    assert header["qlog_format"] == "JSON-SEQ"
    assert header["trace"]["common_fields"]["time_format"] == "relative"
    # Its congestion graph looks up these categories and types.
    kinds = {tuple(event["name"].split(":")) for event in happened}
    assert kinds >= {
        ("transport", "packet_sent"),
        ("transport", "packet_received"),
        ("recovery", "metrics_updated"),
    }
