import tomllib
from itertools import product

import pytest
from click.testing import CliRunner

from longfat.cli.program import main
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
    orbits = ("still", "moving", "jittery", "computed", "recorded")
    expected = product(("reno", "cubic", "bbr"), orbits, losses, ("1 BDP", "0.25 BDP"))
    assert sorted(combinations) == sorted(expected)


def test_a_path_that_stays_has_the_mean_delay_of_one_that_moves_and_no_interruption(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        path = scenario.settings["path"]
        if path["kind"] == "schedule":
            continue
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


def test_steps_are_what_the_commands_beside_them_print() -> None:
    folder = load_study("leo").folder
    levels = tomllib.loads((folder / "study.toml").read_text())["factors"]["orbit"]
    recordings = folder.resolve().parents[1] / "examples" / "recordings"
    recorded = [recordings / f"starlink-{what}.txt.gz" for what in ("bw", "delay")]
    for level, words in {
        "computed": ["from-orbit", folder / "orbit.toml"],
        "recorded": ["from-leoreplayer", "--window-ms", "200", *recorded],
    }.items():
        done = CliRunner().invoke(main, ["schedule", *map(str, words)])
        assert levels[level]["path"]["steps"] == done.stdout


def test_data_and_acknowledgments_are_lost_alike_on_all_paths(
    scenarios: list[tuple[dict[str, str], Scenario]],
) -> None:
    for levels, scenario in scenarios:
        for key in ("loss", "acknowledgment_loss"):
            assert scenario.settings.get(key, {}).get("probability", 0.0) == float(levels["loss"])
        assert scenario.settings["path"].get("loss", 0.0) == 0.0


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
