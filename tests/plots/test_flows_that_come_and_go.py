"""Plots of runs whose senders have many flows each, or whose receiving ends ask."""

from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.base.errors import LongfatError
from longfat.plots import draw, find
from longfat.plots.options import PLAIN, Options
from longfat.running.execution import Watch
from longfat.scenarios.scenario import OverrideValue
from longfat.traces import Traces, load_traces
from longfat.web.charts import charts

SCENARIO = """
schema_version = 1
duration = "4 s"
framing = "packet"

# Senders of two flavors.
connections = [{ flavor = "reno" }, { flavor = "cubic" }]

[topology]
kind = "n-source"
sources = 2
access     = { rate = "100 Mbit/s", delay = "1 ms" }
bottleneck = { rate = "10 Mbit/s", delay = "10 ms" }

[port]
buffer = "20 packets"
policy = "tail-drop"
"""

FLOWS = (
    '{ kind = "flows", interval = "40 ms", '
    'size = { kind = "bounded-pareto", smallest = "4 kB", largest = "1 MB" } }'
)


def traced_run(folder: Path, traffic: OverrideValue) -> Traces:
    (folder / "scenario.toml").write_text(SCENARIO)
    scenario = load_scenario(folder / "scenario.toml", {"traffic": traffic})
    run(scenario, watch=Watch(traces=folder / "traces"))
    return load_traces(folder / "traces")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Traces:
    return traced_run(tmp_path_factory.mktemp("crowd"), FLOWS)


def test_of_very_many_flows_those_are_drawn_that_deliver_most(crowd: Traces) -> None:
    assert crowd.flows > 150
    drawn = draw("throughput", [crowd])
    assert f"2 sources, {crowd.flows} flows, 1 reno, 1 cubic" in drawn.caption
    assert drawn.caption.endswith(f";\nof {crowd.flows} flows the 100 that deliver most")
    rows = [row for row in drawn.rows if row["series"] == "throughput"]
    shown = {row["flow"] for row in rows}
    assert len(shown) == 100
    delivered: dict[int, int] = {}
    for flow, size in crowd.table("throughput").select("flow", "bytes").iter_rows():
        delivered[flow] = delivered.get(flow, 0) + size
    others = [size for flow, size in delivered.items() if flow not in shown]
    assert max(others) <= min(delivered[flow] for flow in shown)


def test_all_together_are_all_flows_and_not_only_those_that_are_drawn(crowd: Traces) -> None:
    rows = [row for row in find("throughput").collect([crowd], PLAIN) if row["series"] == "all"]
    width = crowd.seconds / len(rows)
    delivered = sum(row["value"] for row in rows) * 1e6 * width / 8
    assert delivered == pytest.approx(sum(f["bytes_delivered"] for f in crowd.record["flows"]))


@pytest.mark.parametrize("name", ["cwnd", "throughput", "three-panel", "time-sequence"])
def test_a_picture_of_a_crowd_has_no_more_marks_than_a_browser_can_draw(
    name: str, crowd: Traces
) -> None:
    assert len(list(draw(name, [crowd]).picture.marks())) < 210


def test_any_of_the_flows_can_be_shown_by_its_number_and_no_other(crowd: Traces) -> None:
    last = crowd.flows
    rows = find("cwnd").collect([crowd], Options(flow=last))
    assert {row["flow"] for row in rows} == {last}
    with pytest.raises(LongfatError, match=f"--flow {last + 1}: the run has flows 1 to {last}$"):
        find("cwnd").collect([crowd], Options(flow=last + 1))


def test_a_time_sequence_is_that_of_the_largest_flow_unless_one_is_asked_for(
    crowd: Traces,
) -> None:
    (shown,) = {row["flow"] for row in find("time-sequence").collect([crowd], PLAIN)}
    sent = crowd.table("segments")["flow"].to_list()
    assert sent.count(shown) == max(map(sent.count, set(sent)))
    panel = draw("time-sequence", [crowd]).picture.panels[0][0]
    assert panel is not None
    assert panel.title == f"flow {shown} ({crowd.flavor_of(shown)})"


def test_sequences_of_a_small_flow_are_in_kilobytes(crowd: Traces) -> None:
    sent = crowd.table("segments")["flow"].to_list()
    small = min(set(sent), key=sent.count)
    panel = draw("time-sequence", [crowd], Options(flow=small)).picture.panels[0][0]
    assert panel is not None
    assert panel.y.label == "sequence in kB"


def test_each_flow_is_named_with_the_flavor_of_its_sender(tmp_path: Path) -> None:
    few = traced_run(tmp_path, FLOWS.replace("40 ms", "2 s"))
    assert few.flows not in (few.senders, 0)
    labels = {mark.label for mark in draw("cwnd", [few]).picture.marks()} - {""}
    flavors = [few.flavor_of(flow) for flow in range(1, few.flows + 1)]
    assert labels == {f"flow {flow} ({flavor})" for flow, flavor in enumerate(flavors, 1)}
    assert flavors == sorted(flavors, reverse=True)  # sender by sender: reno, then cubic
    assert len(set(flavors)) == 2


def test_what_flows_of_a_flavor_deliver_is_what_the_sender_of_that_flavor_does(
    crowd: Traces,
) -> None:
    delivered = {"reno": 0, "cubic": 0}
    for flow, size in crowd.table("throughput").select("flow", "bytes").iter_rows():
        delivered[crowd.flavor_of(flow)] += size
    assert delivered == {
        sender["flavor"]: sender["bytes_delivered"] for sender in crowd.record["flows"]
    }


def test_no_fair_share_is_drawn_for_flows_that_come_and_go(crowd: Traces) -> None:
    panel = draw("cwnd", [crowd]).picture.panels[0][0]
    assert panel is not None
    assert {guide.label for guide in panel.guides} <= {"receiver window"}


def test_requests_are_named_after_the_flow_that_they_ask_for(tmp_path: Path) -> None:
    asked = traced_run(tmp_path, '{ kind = "www" }')
    labels = [mark.label for mark in draw("throughput", [asked]).picture.marks()]
    assert labels == [
        "flow 1 (reno)", "flow 2 (cubic)", "requests of flow 1", "requests of flow 2", "all",
    ]  # fmt: skip


def test_charts_of_a_page_show_the_flows_that_count_most(crowd: Traces) -> None:
    cwnd, _, goodput = charts(crowd)
    assert len(cwnd["series"]) == len(goodput["series"]) == 30
    assert goodput["title"] == f"Goodput of each flow: the 30 with most of {crowd.flows}"
    largest = crowd.table("cwnd")["cwnd_bytes"].max()
    highest = max(max(filter(None, series["values"])) for series in cwnd["series"])
    assert highest * 1000 == pytest.approx(largest, rel=1e-3)
