"""A run that loses packets on the way through a small buffer, with everything it can leave."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longfat import load_scenario, run
from longfat.running.execution import Watch
from longfat.traces import Traces, load_traces

LOSSY = """\
schema_version = 1
duration = "600 ms"
seed = 1

[topology]
kind = "n-source"
sources = 3
access = { rate = "155.52 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "155.52 Mbit/s", delay = "1 ms" }

[port]
buffer = "300 cells"
policy = "epd"

[tcp]
flavor = "sack"
mss = "512 B"
receiver_window = "200000 B"
timer_granularity = "50 ms"
"""


@dataclass(frozen=True)
class Watched:
    """A run's record with its exact traces, and the capture of the same run by events."""

    scenario: Path
    record: dict[str, Any]
    exact: Traces
    pcap: Path


@pytest.fixture(scope="session")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Watched:
    folder = tmp_path_factory.mktemp("watched")
    scenario = folder / "lossy.toml"
    scenario.write_text(LOSSY)
    pcap = folder / "lossy.pcapng"
    record = run(load_scenario(scenario), watch=Watch(traces=folder / "exact", error=0.0))
    run(load_scenario(scenario), watch=Watch(pcap=pcap))
    return Watched(scenario, record, load_traces(folder / "exact"), pcap)
