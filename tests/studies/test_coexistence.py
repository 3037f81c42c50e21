from itertools import product

import pytest

from longfat import load_study
from longfat.plan import Selection, plan_reference
from longfat.scenario import Scenario

FLAVORS = {"reno": "rack-tlp", "cubic": "cubic", "bbr": "bbr"}


@pytest.fixture(scope="module")
def scenarios() -> list[tuple[dict[str, str], Scenario]]:
    study = load_study("coexistence")
    plan = plan_reference(study, Selection(replications=0))
    return [(dict(run.combination), run.scenario) for run in plan.runs]


def test_each_replication_has_every_pair_behind_every_queue_once(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    combinations = {
        (levels["first"], levels["second"], levels["queue"], levels["buffer"], levels["ratio"])
        for levels, _ in scenarios
    }
    queues = ("tail-drop", "pie", "codel", "fq-codel")
    buffers = ("25000 B", "100000 B", "400000 B")
    assert combinations == set(product(FLAVORS, FLAVORS, queues, buffers, ("1", "4")))


def test_who_meets_whom_at_which_distance_is_what_the_levels_say(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        first, second = scenario.settings["connections"]
        assert first["flavor"]["kind"] == FLAVORS[levels["first"]]
        assert second["flavor"]["kind"] == FLAVORS[levels["second"]]
        topology = scenario.settings["topology"]
        common = 2 * (topology["bottleneck"]["delay_ps"] + topology["access"]["delay_ps"])
        round_trip = common + 2 * first["access_delay_ps"]
        assert round_trip == int(levels["ratio"]) * 40e9


def test_buffers_are_a_quarter_one_and_four_bandwidth_delay_products(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    products = set()
    for _, scenario in scenarios:
        rate = scenario.settings["topology"]["bottleneck"]["rate_bps"]
        size, _ = scenario.settings["port"]["buffer_cells"].split()
        products.add(int(size) / (rate * 0.04 / 8))
    assert products == {0.25, 1, 4}
