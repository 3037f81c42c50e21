"""Traces of connections whose clients ask: each has a second flow, of its requests."""

from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from longfat import load_scenario, run
from longfat.running.execution import Watch
from longfat.traces import load_traces
from tests.traces.test_capture import SENT_AGAIN, needs_tshark, tshark

CLIENTS = 3

WWW = f"""\
schema_version = 1
duration = "20 s"
port = {{ buffer = "100 cells", policy = {{ kind = "epd", threshold = 0.5 }} }}
traffic = {{ kind = "www", interval = "5 s" }}
acknowledgment_loss = {{ kind = "random", probability = 0.1 }}

[topology]
kind = "n-source"
sources = {CLIENTS}
access = {{ rate = "155.52 Mbit/s", delay = "5 us" }}
bottleneck = {{ rate = "2 Mbit/s", delay = "5 ms" }}
"""


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    file = tmp_path / "www.toml"
    file.write_text(WWW)
    return file


def test_requests_are_flows_behind_those_of_the_answers(scenario: Path, tmp_path: Path) -> None:
    record = run(load_scenario(scenario), watch=Watch(traces=tmp_path / "traces", error=0.0))
    traces = load_traces(tmp_path / "traces")
    answers = record["flows"]
    requests = [flow["requests"] for flow in answers]
    for table, measure in (("segments", "segments_sent"), ("timeouts", "timeouts")):
        found = traces.table(table)
        counted = [found.filter(pl.col("flow") == n + 1).height for n in range(2 * CLIENTS)]
        assert counted == [flow[measure] for flow in [*answers, *requests]]
    assert sum(flow["segments_retransmitted"] for flow in requests) > 0
    throughput = traces.table("throughput").group_by("flow").agg(pl.col("bytes").sum())
    delivered = dict(throughput.iter_rows())
    size = record["scenario"]["traffic"]["request_bytes"]
    for number, flow in enumerate(answers, 1):
        assert delivered[number] == flow["bytes_delivered"]
        assert delivered[number + CLIENTS] // size == flow["requests"]["answered"]


def test_acknowledgments_of_requests_that_are_dropped_are_their_flows(
    scenario: Path, tmp_path: Path
) -> None:
    record = run(load_scenario(scenario), watch=Watch(traces=tmp_path / "traces", error=0.0))
    drops = load_traces(tmp_path / "traces").table("drops")
    of_port = drops.filter(pl.col("reason") != "loss-model")
    assert of_port.height == record["ports"][0]["packets_dropped"] > 0
    data = of_port.filter(pl.col("is_data"))
    assert set(data["flow"]) <= {1, 2, 3}
    assert set(of_port.filter(~pl.col("is_data"))["flow"]) <= {4, 5, 6}


@needs_tshark
def test_a_capture_has_a_connection_for_the_requests_of_each_client(
    scenario: Path, tmp_path: Path
) -> None:
    pcap = tmp_path / "www.pcapng"
    record = run(load_scenario(scenario), watch=Watch(pcap=pcap))
    requests = [flow["requests"] for flow in record["flows"]]
    sent = Counter(port for (port,) in tshark(pcap, "tcp.len > 0", "tcp.dstport"))
    assert sent == {
        "5001": sum(flow["segments_sent"] for flow in record["flows"]),
        "5002": sum(flow["segments_sent"] for flow in requests),
    }
    again = tshark(pcap, f"({SENT_AGAIN}) && tcp.dstport == 5002", "frame.interface_name")
    assert len(again) == sum(flow["segments_retransmitted"] for flow in requests) > 0
    assert {name for (name,) in again} <= {f"destination {n + 1}" for n in range(CLIENTS)}
