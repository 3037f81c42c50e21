"""A report of a study that cites nobody, of flows that come and go."""

from pathlib import Path

import pytest

from tests.report.test_study_report import Parts
from tests.support import Longfat

SCENARIO = """
schema_version = 1
duration = "2 s"
framing = "packet"

[topology]
kind = "n-source"
sources = 2
access     = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "10 ms" }

[port]
buffer = "20 packets"
policy = "tail-drop"

[traffic]
kind = "flows"
interval = "50 ms"
size = { kind = "fixed", size = "20 kB" }
"""

STUDY = """
schema_version = 1
title = "Which buffer?"

[design]
replications = 1
perturb = { start = "uniform(0 ms, 10 ms)" }

[factors]
"port.buffer" = ["20 packets", "50 packets"]
"""

CLAIMS = """
schema_version = 1

[[claim]]
id = "O-1"
statement = "Something is delivered"
measure = "SELECT min(efficiency) FROM runs"
holds = "> 0"
"""


@pytest.fixture
def page(longfat: Longfat, tmp_path: Path) -> str:
    """The text of the report."""
    own = tmp_path / "own"
    own.mkdir()
    for name, text in (("scenario", SCENARIO), ("study", STUDY), ("claims", CLAIMS)):
        (own / f"{name}.toml").write_text(text)
    for command in ("study run own --jobs 1", "report own -o own.html"):
        process = longfat(*command.split())
        assert process.returncode == 0, process.stderr
    return (tmp_path / "own.html").read_text()


def test_a_count_of_one_is_singular_and_no_source_is_named(page: str) -> None:
    assert "1 claim: " in page
    assert "in 1 replication, which draw" in page
    assert "Claims of the source" not in page
    assert ["source", ""] not in Parts(page).rows


def test_flow_times_of_the_worst_and_of_the_typical_run_are_reported(page: str) -> None:
    assert page.count("How long what was asked for took") == 2
    headers = [row for row in Parts(page).rows if row[:3] == ["name", "asked", "delivered"]]
    assert len(headers) == 2
    assert "time p95 s" in headers[0]
