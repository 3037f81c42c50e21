from pathlib import Path

import pytest

from longfat import load_scenario, run
from longfat.base.errors import LongfatError
from longfat.plots import draw, find
from longfat.plots.options import PLAIN, Options
from longfat.running.execution import Watch
from longfat.traces import Traces, load_traces
from tests.plots.test_vega_lite import check

CALL = Path(__file__).parents[2] / "examples/scenarios/call-beside-bulk.toml"


@pytest.fixture(scope="module")
def queues(tmp_path_factory: pytest.TempPathFactory) -> list[Traces]:
    """The call and the ping behind one queue for all, and with a queue for each flow."""
    folder = tmp_path_factory.mktemp("delays")
    for queue in ("tail-drop", "fq-codel"):
        scenario = load_scenario(CALL, {"duration": "8 s", "port.queue": queue})
        run(scenario, watch=Watch(traces=folder / queue))
    return [load_traces(folder / queue) for queue in ("tail-drop", "fq-codel")]


def test_delays_over_time_are_those_of_the_trace(queues: list[Traces]) -> None:
    rows = find("delay").collect(queues[:1], PLAIN)
    drawn = [row["value"] for row in rows if row["series"] == "delay"]
    assert sorted(drawn) == sorted(queues[0].table("delay")["delay_s"].to_list())
    assert {row["flow"] for row in rows} == {3, 4}, "the uploads have no datagrams"


def test_a_distribution_has_all_datagrams_of_its_flow(queues: list[Traces]) -> None:
    rows = find("delay").collect(queues[:1], Options(flow=4))
    shares = [row for row in rows if row["series"] == "share"]
    assert {row["flow"] for row in rows} == {4}
    assert shares[-1]["value"] == pytest.approx(100)
    median = next(row["time_s"] for row in shares if row["value"] >= 50)
    record = queues[0].record["flows"][3]["datagrams"]
    assert median == pytest.approx(record["delay_p50_s"], rel=0.01)


def test_runs_have_a_row_each_and_the_thin_flows_are_faster_with_queues_of_their_own(
    queues: list[Traces],
) -> None:
    figure = draw("delay", queues)
    assert len(figure.picture.panels) == 2
    check(figure)
    slowest = [
        max(row["value"] for row in figure.rows if (row["run"], row["series"]) == (name, "delay"))
        for name in dict.fromkeys(row["run"] for row in figure.rows)
    ]
    assert slowest[1] < slowest[0] / 5


def test_a_run_without_datagrams_has_no_delays(traced: Traces) -> None:
    with pytest.raises(LongfatError, match="no datagram has arrived in this run"):
        draw("delay", [traced])
