from dataclasses import replace

import pytest

from longfat.studies.cost import CostEstimator
from longfat.studies.definition import StudyDefinition
from longfat.studies.plan import Selection, plan_design


def test_stored_runs_of_the_same_scenario_tell_the_cost(study: StudyDefinition) -> None:
    series = replace(plan_design(study, Selection()).series[0], numbers=[0, 1])
    cost = CostEstimator({series.first.hash: 3.0}).cost([series])
    assert (cost.core_seconds, cost.measured_runs, cost.rough_runs) == (6.0, 2, 0)


def test_without_them_the_packets_of_a_full_line_do(study: StudyDefinition) -> None:
    series = plan_design(study, Selection(where=("load = 'light'",))).series[0]
    cost = CostEstimator({}).cost([replace(series, numbers=[0])])
    packets = 0.04 * 155.52e6 / (12 * 53 * 8)
    assert cost.core_seconds == pytest.approx(packets * 0.4e-6)
    assert cost.rough_runs == 1
