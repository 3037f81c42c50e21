"""Charts keep every peak of their traces."""

import math
from pathlib import Path

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from longfat import load_scenario, run
from longfat.running.execution import Watch
from longfat.traces import load_traces
from longfat.web.charts import BINS, TRACES, charts, extremes

steps = st.lists(st.tuples(st.floats(0, 0.999), st.integers(-5, 5)), min_size=1, max_size=30).map(
    sorted
)


@given(steps, st.integers(1, 20))
def test_extremes_are_those_of_the_staircase_in_each_interval(
    staircase: list[tuple[float, int]], bins: int
) -> None:
    times = np.array([time for time, _ in staircase])
    values = np.array([float(value) for _, value in staircase])
    drawn = extremes(times, values, 1.0, bins).reshape(bins, 2)
    starts = [place / bins for place in range(bins)]
    for place, start in enumerate(np.linspace(0, 1, bins, endpoint=False)):
        end = 1.0 if place + 1 == bins else np.linspace(0, 1, bins, endpoint=False)[place + 1]
        before = [value for time, value in staircase if time < start][-1:]
        held = before + [value for time, value in staircase if start <= time < end]
        if held:
            assert sorted(drawn[place]) == [min(held), max(held)], starts
        else:
            assert all(math.isnan(value) for value in drawn[place])


def test_charts_show_what_the_record_says(scenario_file: Path, tmp_path: Path) -> None:
    scenario = load_scenario(scenario_file, {"topology.sources": 3, "port.buffer": "100 cells"})
    watch = Watch(traces=tmp_path / "traces", names=TRACES, error=0.0)
    record = run(scenario, watch=watch)
    cwnd, queue, goodput = charts(load_traces(tmp_path / "traces"))
    for flow, series in zip(record["flows"], cwnd["series"], strict=True):
        assert len(series["values"]) == len(cwnd["x"]) == 2 * BINS
        assert max(series["values"]) * 1000 == flow["max_cwnd_bytes"]
    (cells,) = queue["series"]
    # Of the queue the record counts what waits before the slot's cell is sent.
    most = record["ports"][0]["max_queue_cells"]
    assert most - 1 <= max(cells["values"]) <= most
    assert {event["label"]: event["count"] for event in cwnd["events"]} == {
        "drops": record["ports"][0]["packets_dropped"],
        "timeouts": record["metrics"]["timeouts"],
    }
    assert record["ports"][0]["packets_dropped"] > 0
    for flow, series in zip(record["flows"], goodput["series"], strict=True):
        mean = sum(series["values"]) / len(series["values"])
        assert math.isclose(mean * 1e6, flow["goodput_bps"], rel_tol=1e-3)


def test_a_buffer_of_packets_has_its_guide_as_one_of_cells_has(
    scenario_file: Path, tmp_path: Path
) -> None:
    settings = {"framing": "packet", "port.buffer": "20 packets", "port.policy": "tail-drop"}
    watch = Watch(traces=tmp_path / "traces", names=TRACES)
    run(load_scenario(scenario_file, settings), watch=watch)
    _, queue, _ = charts(load_traces(tmp_path / "traces"))
    assert queue["guides"] == [{"label": "buffer", "at": 20}]


def test_no_more_flows_are_drawn_than_can_be_distinguished(
    scenario_file: Path, tmp_path: Path
) -> None:
    scenario = load_scenario(scenario_file, {"topology.sources": 40, "port.buffer": "2000 cells"})
    run(scenario, watch=Watch(traces=tmp_path / "traces", names=TRACES))
    cwnd, _, goodput = charts(load_traces(tmp_path / "traces"))
    assert len(cwnd["series"]) == len(goodput["series"]) == 30
