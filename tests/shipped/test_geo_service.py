"""The plan of the study of a geostationary service."""

from itertools import combinations

import pytest

from longfat.scenarios.scenario import Scenario
from longfat.studies.definition import load_study
from longfat.studies.plan import Selection, plan_reference

FACTORS = ("users", "plans", "sky", "hub", "terminal", "pep", "dama", "control")


@pytest.fixture(scope="module")
def scenarios() -> list[tuple[dict[str, str], Scenario]]:
    plan = plan_reference(load_study("geo-service"), Selection(replications=0))
    return [(dict(run.combination), run.scenario) for run in plan.runs]


def test_a_level_of_a_factor_stands_beside_each_of_any_other_equally_often(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    assert len(scenarios) == 32
    for one, other in combinations(FACTORS, 2):
        pairs = [(levels[one], levels[other]) for levels, _ in scenarios]
        assert sorted(pairs.count(pair) for pair in set(pairs)) == [8, 8, 8, 8]


def test_each_terminal_has_one_user_of_pages_and_a_third_of_them_is_wet(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        wet, dry = scenario.settings["connections"][:2]
        assert wet["count"] + dry["count"] == scenario.settings["topology"]["terminals"]
        assert dry["to"] == f"user {wet['count'] + 1}"
        assert wet["count"] / dry["count"] == pytest.approx(0.48, abs=0.01)
        assert ("path" in wet) == (levels["sky"] == "rain")


def test_nothing_but_its_plan_tells_a_terminal_from_another(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        most, paying = (line["capacity"] for line in scenario.settings["lines"])
        assert (most == paying) == (levels["plans"] == "flat")
        assert (most.get("cra_bps", 0) > 0) == (levels["dama"] == "constant")
