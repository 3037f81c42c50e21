from longfat.cost import ROUGH_SECONDS_PER_SIMULATED_SECOND, estimate
from longfat.plan import Selection, plan_design
from longfat.study import Study


def test_stored_runs_of_the_same_scenario_tell_the_cost(study: Study) -> None:
    run = plan_design(study, Selection()).runs[0]
    cost = estimate([run, run], {run.scenario.hash: 3.0})
    assert (cost.core_seconds, cost.measured_runs, cost.rough_runs) == (6.0, 2, 0)


def test_without_them_a_rough_rate_does(study: Study) -> None:
    run = plan_design(study, Selection(where=("load = 'light'",))).runs[0]
    cost = estimate([run], {})
    assert cost.core_seconds == 0.04 * ROUGH_SECONDS_PER_SIMULATED_SECOND
    assert cost.rough_runs == 1
