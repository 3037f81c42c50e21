from itertools import product

import pytest

from longfat import load_study
from longfat.plan import Selection, plan_reference
from longfat.scenario import Scenario


@pytest.fixture(scope="module")
def scenarios() -> list[tuple[dict[str, str], Scenario]]:
    plan = plan_reference(load_study("buffer-sizing"), Selection(replications=0))
    return [(dict(run.combination), run.scenario) for run in plan.runs]


def test_each_number_of_each_control_has_every_buffer_once(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    combinations = [
        (levels["control"], int(levels["number"]), int(levels["buffer"].split()[0]))
        for levels, _ in scenarios
    ]
    buffers = (16, 31, 62, 125, 250, 500, 1000)
    expected = product(("reno", "cubic", "bbr"), (1, 4, 16, 64), buffers)
    assert sorted(combinations) == sorted(expected)


def test_the_round_trips_have_a_mean_of_which_500_packets_are_the_bandwidth_delay_product(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        settings = scenario.settings
        common = settings["topology"]["bottleneck"]["delay_ps"] + 1e9
        groups = settings["connections"]
        assert sum(group["count"] for group in groups) == int(levels["number"])
        assert settings["topology"]["sources"] == int(levels["number"])
        trips = [
            2 * (common + group["access_delay_ps"])
            for group in groups
            for _ in range(group["count"])
        ]
        mean = sum(trips) / len(trips)
        packet = 8 * 1500
        assert mean / 1e12 * settings["topology"]["bottleneck"]["rate_bps"] / packet == 500
