import argparse
import importlib.util
from itertools import product
from pathlib import Path

import pytest

from longfat.scenarios.scenario import Scenario
from longfat.store import Store
from longfat.studies.definition import load_study
from longfat.studies.plan import Selection, plan_reference


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


def test_the_search_has_a_row_for_each_control_and_number_and_names_its_command() -> None:
    page = (load_study("buffer-sizing").folder / "README.md").read_text()
    command = "python studies/buffer-sizing/search.py"
    begin, end = f"<!-- BEGIN: {command} -->", f"<!-- END: {command} -->"
    assert page.count(begin) == page.count(end) == 1
    rows = page.partition(begin)[2].partition(end)[0].split("| --- |")[-1].strip().splitlines()
    found = [tuple(cell.strip() for cell in row.split("|")[1:3]) for row in rows]
    assert found == list(product(("reno", "cubic", "bbr"), ("1", "4", "16", "64")))


def test_the_search_separates_a_buffer_that_is_too_small_from_one_that_is_enough(
    tmp_path: Path,
) -> None:
    """With two replications an interval is wide: what it is sure of is far from the boundary."""
    study = load_study("buffer-sizing")
    spec = importlib.util.spec_from_file_location("search", study.folder / "search.py")
    assert spec is not None
    assert spec.loader is not None
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    options = argparse.Namespace(replications=2, jobs=1)
    combination = (("control", "reno"), ("number", "4"))
    with Store.writable(str(tmp_path / "search.db")) as store:
        few, many = (
            program.efficiencies(study, combination, packets, store, options)
            for packets in (8, 1000)
        )
        again = program.efficiencies(study, combination, 8, store, options)
    assert len(few) == len(many) == 2
    assert max(few) < 0.6 < 0.95 < min(many)
    assert again == few


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
