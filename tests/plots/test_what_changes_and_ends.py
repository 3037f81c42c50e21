"""Pictures of paths that change, of flows that end, and of runs of several lengths and lines."""

from pathlib import Path
from typing import Any

import pytest

from longfat import load_scenario, run
from longfat.plots import draw
from longfat.plots.picture import Mark, Panel
from longfat.running.execution import Watch
from longfat.traces import Traces, load_traces

ROOT = Path(__file__).parents[2]

NETWORK: dict[str, Any] = {
    "schema_version": 1,
    "duration": "4 s",
    "framing": "packet",
    "port": {"buffer": "1 BDP"},
    "tcp": {"preset": "linux-like"},
    "topology": {
        "kind": "n-source",
        "sources": 2,
        "access": {"rate": "1 Gbit/s", "delay": "1 ms"},
        "bottleneck": {"rate": "10 Mbit/s", "delay": "18 ms"},
    },
}
STEPS = "time_s,rate_bps\n0,10e6\n1,0\n1.5,20e6"
FLOWS = {"kind": "flows", "size": {"kind": "exponential", "mean": "20 kB"}, "interval": "200 ms"}


def traced(folder: Path, **settings: Any) -> Traces:
    run(load_scenario(NETWORK | settings), watch=Watch(traces=folder))
    return load_traces(folder)


def only_panel(name: str, traces: Traces) -> Panel:
    ((panel,),) = draw(name, [traces]).picture.panels
    assert panel is not None
    return panel


def labelled(panel: Panel, label: str) -> list[Mark]:
    return [mark for mark in panel.marks if mark.label == label]


def test_the_rate_of_a_path_that_changes_is_drawn_as_it_changes(tmp_path: Path) -> None:
    panel = only_panel(
        "capacity", traced(tmp_path / "t", path={"kind": "schedule", "steps": STEPS})
    )
    (link,) = labelled(panel, "link")
    assert (link.x, link.y) == ([0.0, 1.0, 1.5, 4.0], [10.0, 0.0, 20.0, 20.0])
    assert panel.y.high == pytest.approx(1.15 * 20)
    assert not panel.guides
    (guide,) = only_panel("capacity", traced(tmp_path / "fixed")).guides
    assert (guide.at, guide.label) == (10.0, "link")


def test_all_runs_of_a_picture_have_the_time_of_the_longest(tmp_path: Path) -> None:
    runs = [traced(tmp_path / "long"), traced(tmp_path / "short", duration="1 s")]
    for several in (runs, runs[::-1]):
        panels = [panel for (panel,) in draw("capacity", several).picture.panels if panel]
        assert [panel.x.high for panel in panels] == [4.0, 4.0]


def test_the_window_of_a_flow_that_is_over_is_drawn_no_further(tmp_path: Path) -> None:
    traces = traced(tmp_path / "t", traffic=FLOWS)
    heard = traces.table("acknowledgments").group_by("flow").agg(last=_last()).rows()
    ends = sorted(mark.x[-1] for mark in only_panel("cwnd", traces).marks if mark.kind == "steps")
    assert len(ends) > 20
    assert ends[0] < 1, "the first flows are over within a second"
    assert set(ends) <= {last for _, last in heard} | {4.0}, "4 s: nothing was heard yet"
    assert ends.count(4.0) <= 2
    endless = only_panel("cwnd", traced(tmp_path / "endless"))
    assert {mark.x[-1] for mark in endless.marks if mark.kind == "steps"} == {4.0}


def _last() -> Any:
    import polars

    return polars.col("time_s").max()


def test_a_picture_of_several_managed_lines_says_which_one_it_shows(tmp_path: Path) -> None:
    lot = load_scenario(
        ROOT / "examples" / "scenarios" / "parking-lot.toml", {"duration": "500 ms"}
    )
    run(lot, watch=Watch(traces=tmp_path / "lot"))
    caption = draw("queue", [load_traces(tmp_path / "lot")]).caption
    assert ", line middle, " in " ".join(caption.split())
    assert "line" not in draw("queue", [traced(tmp_path / "t")]).caption
