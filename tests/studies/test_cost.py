from dataclasses import replace

import pytest

from longfat import _engine
from longfat.scenarios.scenario import load_scenario
from longfat.studies.cost import CostEstimator
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Selection, plan_design


def test_stored_runs_of_the_same_scenario_tell_the_cost(study: StudyDefinition) -> None:
    series = replace(plan_design(study, Selection()).series[0], numbers=[0, 1])
    cost = CostEstimator({series.first.hash: 3.0}).cost([series])
    assert (cost.core_seconds, cost.measured_runs, cost.rough_runs) == (6.0, 2, 0)


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Let the beginning of each run say 3 s, and busy lines 6 s; return all that are begun."""
    scenarios: list[str] = []

    def count(resolved: str, *_: object) -> float:
        scenarios.append(resolved)
        return 3.0

    monkeypatch.setattr(_engine, "scenario_seconds", count)
    monkeypatch.setattr(_engine, "scenario_seconds_if_busy", lambda _: 6.0)
    return scenarios


def test_without_them_the_beginning_of_a_run_does(study: StudyDefinition, begun: list[str]) -> None:
    series = plan_design(study, Selection(where=("load = 'light'",))).series[0]
    cost = CostEstimator({}).cost([replace(series, numbers=[0])])
    assert (cost.core_seconds, cost.measured_runs, cost.rough_runs) == (3.0, 0, 1)
    assert begun == [series.first.resolved]


def test_seconds_are_extrapolated_from_those_of_the_clock(study: StudyDefinition) -> None:
    settings = plan_design(study, Selection()).series[0].first.settings
    resolved = load_scenario(settings, {"duration": "5 s"}).resolved
    reads = 0

    def clock() -> float:
        nonlocal reads
        reads += 1
        return float(reads)

    whole = _engine.scenario_seconds(resolved, 1e9, clock)
    assert whole == reads - 1 > 10
    reads = 0
    part = _engine.scenario_seconds(resolved, whole / 4, clock)
    assert part is not None
    assert reads < whole / 2
    assert 0.5 < part / whole < 2


def test_a_clock_that_fails_says_so(study: StudyDefinition) -> None:
    resolved = plan_design(study, Selection()).series[0].first.resolved

    def clock() -> float:
        raise OSError("no clock")

    with pytest.raises(OSError, match="no clock"):
        _engine.scenario_seconds(resolved, 1.0, clock)


def test_what_begins_large_is_estimated_as_if_its_lines_were_busy(study: StudyDefinition) -> None:
    settings = plan_design(study, Selection()).series[0].first.settings
    scenario = load_scenario(settings, {"topology.sources": 100_000})
    if_busy = _engine.scenario_seconds_if_busy(scenario.resolved)
    assert CostEstimator({}).seconds(scenario) == if_busy > 0


def test_of_many_scenarios_a_sample_is_begun_and_corrects_the_others(
    study: StudyDefinition, begun: list[str]
) -> None:
    series = plan_design(study, Selection()).series[0]
    estimator = CostEstimator({})
    for number in range(2000):
        scenario = load_scenario(series.first.settings, {"seed": 1, "duration": f"{number + 1} us"})
        assert estimator.seconds(scenario) == 3.0
        assert estimator.seconds(scenario) == 3.0
    # 32, and of the n-th scenario after these a share of 32/n: about 132 more.
    assert 100 < len(begun) < 250
