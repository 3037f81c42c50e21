import json

from longfat.running.benchmark import SCENARIOS, names
from longfat.scenarios.scenario import load_scenario
from tests.support import Longfat


def test_speeds_are_what_was_carried_over_the_seconds_of_a_core(longfat: Longfat) -> None:
    document = json.loads(longfat("bench", "packets-5", "--repeat", "1", "--json").stdout)
    events, fast = document["speeds"]
    assert (events["driver"], fast["driver"]) == ("events", "fast")
    assert events["cell_hops"] == fast["cell_hops"] > 0
    assert fast["cpu_s"] > 0
    assert fast["cell_hops_per_cpu_s"] == fast["cell_hops"] / fast["cpu_s"]


def test_a_word_that_no_scenario_has_in_its_name_is_refused_with_the_names(
    longfat: Longfat,
) -> None:
    process = longfat("bench", "moon")
    assert process.returncode == 2
    assert "no scenario has 'moon' in its name" in process.stderr
    assert all(name in process.stderr for name in names())


def test_every_scenario_of_the_benchmarks_says_what_it_is_for_and_is_one() -> None:
    assert len(names()) >= 12
    for name in names():
        path = SCENARIOS / f"{name}.toml"
        assert path.read_text().startswith("# ")
        assert load_scenario(path).simulated_seconds <= 3
