from itertools import product

import pytest

from longfat.scenarios.scenario import Scenario
from longfat.studies.definition import load_study
from longfat.studies.plan import Selection, plan_reference


@pytest.fixture(scope="module")
def scenarios() -> list[tuple[dict[str, str], Scenario]]:
    plan = plan_reference(load_study("leo"), Selection(replications=0))
    return [(dict(run.combination), run.scenario) for run in plan.runs]


def test_each_control_meets_every_path_once(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    combinations = [
        (levels["control"], levels["orbit"], float(levels["loss"]), levels["buffer"])
        for levels, _ in scenarios
    ]
    losses = (0.0, 0.0001, 0.001, 0.01)
    controls, orbits = ("reno", "cubic", "bbr"), ("still", "moving", "jittery")
    expected = product(controls, orbits, losses, ("1 BDP", "0.25 BDP"))
    assert sorted(combinations) == sorted(expected)


def test_a_path_that_stays_has_the_mean_delay_of_one_that_moves_and_no_interruption(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        path = scenario.settings["path"]
        if levels["orbit"] == "still":
            assert path["interval_ps"] > scenario.settings["duration_ps"]
            assert (path["delay"], path["gap"]) == ("27500 us", "0 s")
        else:
            assert path["interval_ps"] == 15e12
            assert (path["delay"], path["gap"]) == (
                "uniform(15 ms, 40 ms)",
                "uniform(30 ms, 50 ms)",
            )
        assert path.get("jitter_ps") == (14e9 if levels["orbit"] == "jittery" else None)


def test_controls_differ_in_nothing_but_their_flavor(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    kinds = {"reno": "rack-tlp-linux", "cubic": "cubic", "bbr": "bbr"}
    others = []
    for levels, scenario in scenarios:
        tcp = dict(scenario.settings["tcp"])
        assert tcp.pop("flavor")["kind"] == kinds[levels["control"]]
        tcp.pop("ssthresh_rule")
        others.append(tcp)
    assert all(tcp == others[0] for tcp in others)
