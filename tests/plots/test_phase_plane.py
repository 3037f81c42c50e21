"""The phase plane of Chiu and Jain: one flow's rate against the other's."""

from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.base.errors import LongfatError
from longfat.plots import draw, find
from longfat.plots.options import PLAIN, Options
from longfat.plots.picture import Mark
from longfat.running.execution import Watch
from longfat.traces import Traces, load_traces

SCENARIO = """
schema_version = 1
duration = "20 s"
framing = "packet"
connections = [{ flavor = "reno" }, { flavor = "cubic" }]

[topology]
kind = "n-source"
sources = 2
access     = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "100 ms" }

[port]
buffer = "100 packets"
policy = "tail-drop"
"""


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    folder = tmp_path_factory.mktemp("two")
    (folder / "scenario.toml").write_text(SCENARIO)
    run(load_scenario(folder / "scenario.toml"), watch=Watch(traces=folder / "t"))
    return load_traces(folder / "t")


def test_the_rates_of_two_flows_add_up_to_what_was_delivered(two: Traces) -> None:
    rows = find("phase-plane").collect([two], PLAIN)
    each = rows[1]["time_s"] - rows[0]["time_s"]
    assert each >= two.bottleneck["longest_round_trip_ps"] / 1e12
    bits = sum((row["rate"] + row["rate_of_others"]) * each for row in rows) * 1e6
    assert bits == pytest.approx(8 * two.table("throughput")["bytes"].sum(), rel=0.02)


def test_the_mean_lies_within_the_lines_of_efficiency_and_beside_that_of_equal_shares(
    two: Traces,
) -> None:
    drawn = draw("phase-plane", [two])
    marks: dict[str, Mark] = {mark.label: mark for mark in drawn.picture.marks()}
    most = two.record["metrics"]["max_goodput_bps"] / 1e6
    full, fair, mean = (marks[name] for name in ("all of the capacity", "equal shares", "mean"))
    assert list(full.x) == pytest.approx([0, most])
    assert list(full.y) == pytest.approx([most, 0])
    assert list(fair.x) == list(fair.y)
    assert mean.x[0] + mean.y[0] <= most
    goodput = two.record["metrics"]["goodput_bps"] / 1e6
    assert mean.x[0] + mean.y[0] == pytest.approx(goodput, rel=0.03)
    (panel,) = drawn.picture.panels[0]
    assert panel is not None
    assert (panel.x.label, panel.y.label) == ("flow 1 (reno) in Mbit/s", "flow 2 (cubic) in Mbit/s")


def test_the_other_flow_can_be_the_one_that_is_drawn_across(two: Traces) -> None:
    first = find("phase-plane").collect([two], PLAIN)
    second = find("phase-plane").collect([two], Options(flow=2))
    assert [row["rate"] for row in first] == [row["rate_of_others"] for row in second]


def test_of_more_flows_the_others_are_taken_by_their_mean(traced: Traces) -> None:
    drawn = draw("phase-plane", [traced])
    (panel,) = drawn.picture.panels[0]
    assert panel is not None
    assert panel.y.label == "mean of the 2 other flows in Mbit/s"
    most = traced.record["metrics"]["max_goodput_bps"] / 1e6
    full = next(mark for mark in panel.marks if mark.label == "all of the capacity")
    assert list(full.y) == pytest.approx([most / 2, 0])


def test_a_single_flow_has_no_phase_plane(two: Traces, tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text(
        SCENARIO.replace("sources = 2", "sources = 1")
        .replace('connections = [{ flavor = "reno" }, { flavor = "cubic" }]', "")
        .replace("20 s", "1 s")
    )
    run(load_scenario(tmp_path / "one.toml"), watch=Watch(traces=tmp_path / "t"))
    with pytest.raises(LongfatError, match="needs two or more flows"):
        draw("phase-plane", [load_traces(tmp_path / "t")])
    with pytest.raises(LongfatError, match="2 folders are given"):
        draw("phase-plane", [two, two])
