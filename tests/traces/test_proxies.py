"""Traces of connections that proxies split: each leg is a flow."""

from pathlib import Path

import polars as pl
import pytest

from longfat import load_scenario, run
from longfat.base.errors import LongfatError
from longfat.plots.over_time import flow_name
from longfat.running.execution import Watch
from longfat.traces import load_traces

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


def test_a_packet_capture_of_legs_is_refused_in_words(scenario: Path, tmp_path: Path) -> None:
    with pytest.raises(LongfatError, match="proxies: the packets of legs between proxies"):
        run(load_scenario(scenario), watch=Watch(pcap=tmp_path / "split.pcapng"))
    assert not (tmp_path / "split.pcapng").exists()
