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
def timed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let the set-up of a run take 2 s and each simulated ms 3 s; return the ends of all begun."""
    clock = 0.0
    begun: list[int] = []

    def simulate_until(_: str, until_ps: int) -> None:
        nonlocal clock
        clock += 2 + 3 * until_ps / 1e9
        begun.append(until_ps)

    monkeypatch.setattr(_engine, "simulate_until", simulate_until)
    monkeypatch.setattr("longfat.studies.cost.thread_time", lambda: clock)
    return begun


def test_without_them_the_beginning_of_a_run_is_timed(
    study: StudyDefinition, timed: list[int]
) -> None:
    series = plan_design(study, Selection(where=("load = 'light'",))).series[0]
    cost = CostEstimator({}).cost([replace(series, numbers=[0])])
    assert timed == [40 * 10**9], "it ends within the beginning"
    assert cost.core_seconds == 2 + 3 * 40
    assert cost.rough_runs == 1


def test_a_longer_run_takes_as_long_for_each_event_and_is_set_up_once(
    study: StudyDefinition, timed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = plan_design(study, Selection()).series[0].first
    cost = (5000.0, 1.0, "duration", (10**9, 1000.0))
    monkeypatch.setattr(_engine, "scenario_cost", lambda _: cost)
    assert CostEstimator({}).seconds(scenario) == 2 + 5 * 3
    assert timed == [10**9, 0]


def test_a_beginning_that_is_too_short_for_the_clock_is_repeated(
    study: StudyDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = plan_design(study, Selection()).series[0].first
    ticks = iter([0.0, 0.0, 0.0, 0.003, 0.003])
    monkeypatch.setattr("longfat.studies.cost.thread_time", lambda: next(ticks))
    monkeypatch.setattr(_engine, "scenario_cost", lambda _: (9.0, 1.0, "duration", (10**9, 9.0)))
    assert CostEstimator({}).seconds(scenario) == pytest.approx(0.001)


def test_what_begins_large_is_estimated_as_if_its_lines_were_busy(
    study: StudyDefinition, timed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = plan_design(study, Selection()).series[0].first
    monkeypatch.setattr(_engine, "scenario_cost", lambda _: (9.0, 1.0, "duration", None))
    *_, if_busy = _engine.scenario_cost_if_busy(scenario.resolved)
    assert CostEstimator({}).seconds(scenario) == if_busy > 0
    assert not timed


def test_of_many_scenarios_a_sample_is_begun_and_corrects_the_others(
    study: StudyDefinition, timed: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    series = plan_design(study, Selection()).series[0]
    cost = (1.0, 1.0, "duration", (10**9 // 3, 1.0))
    monkeypatch.setattr(_engine, "scenario_cost", lambda _: cost)
    monkeypatch.setattr(_engine, "scenario_cost_if_busy", lambda _: (1.0, 1.0, "duration", 6.0))
    estimator = CostEstimator({})
    for number in range(2000):
        scenario = load_scenario(series.first.settings, {"seed": 1, "duration": f"{number + 1} us"})
        assert estimator.seconds(scenario) == pytest.approx(3.0)
        assert estimator.seconds(scenario) == pytest.approx(3.0)
    # 32, and of the n-th scenario after these a share of 32/n: about 132 more.
    assert 100 < len(timed) < 250
