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


def test_without_them_the_beginning_of_a_run_does(study: StudyDefinition) -> None:
    series = plan_design(study, Selection(where=("load = 'light'",))).series[0]
    cost = CostEstimator({}).cost([replace(series, numbers=[0])])
    *_, seconds = _engine.scenario_cost(series.first.resolved)
    assert cost.core_seconds == seconds > 0
    assert cost.rough_runs == 1


def test_of_many_scenarios_a_sample_is_begun_and_corrects_the_others(
    study: StudyDefinition, monkeypatch: pytest.MonkeyPatch
) -> None:
    series = plan_design(study, Selection()).series[0]
    begun: list[str] = []

    def count(resolved: str) -> tuple[float, float, str, float]:
        begun.append(resolved)
        return 1.0, 1.0, "duration", 3.0

    monkeypatch.setattr(_engine, "scenario_cost", count)
    monkeypatch.setattr(_engine, "scenario_cost_if_busy", lambda _: (1.0, 1.0, "duration", 6.0))
    estimator = CostEstimator({})
    for number in range(2000):
        scenario = load_scenario(series.first.settings, {"seed": 1, "duration": f"{number + 1} us"})
        assert estimator.seconds(scenario) == 3.0
        assert estimator.seconds(scenario) == 3.0
    # 32, and of the n-th scenario after these a share of 32/n: about 132 more.
    assert 100 < len(begun) < 250
