"""Descriptions of orbits, given to verbs that check them, and to those that cannot take them."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from longfat.cli.program import main
from tests.conftest import SCENARIO
from tests.orbits.descriptions import LONDON, PARIS, text_of

ELEMENTS = "kind = 'tle', file = 'sets.tle'"


@pytest.fixture
def orbit(tmp_path: Path) -> Path:
    file = tmp_path / "orbit.toml"
    file.write_text(text_of(LONDON, PARIS))
    return file


def said(*words: object) -> Result:
    return CliRunner().invoke(main, list(map(str, words)))


def test_check_says_that_a_description_is_good(orbit: Path) -> None:
    done = said("check", orbit)
    assert (done.exit_code, done.stdout) == (0, f"{orbit}: a good description of orbits\n")


def test_check_tells_all_errors_with_their_places(orbit: Path) -> None:
    text = text_of("name = 'x', latitude_deg = 91, longitude_deg = 0", PARIS, more="step = '0 s'")
    orbit.write_text(text)
    done = said("check", orbit)
    assert done.exit_code == 2
    assert f"{orbit}:3:8: step: must be more than zero" in done.stderr
    assert "stations[0].latitude_deg: expected a number from -90 to 90" in done.stderr


def test_check_reads_the_element_sets(orbit: Path) -> None:
    orbit.write_text(text_of(LONDON, PARIS, shells=ELEMENTS))
    (orbit.parent / "sets.tle").write_text("1 25544\n")
    done = said("check", orbit)
    assert done.exit_code == 2
    assert "sets.tle:1: line 2 of this element set is missing" in done.stderr


@pytest.mark.parametrize("words", [("run",), ("plot", "cwnd", "-o", "x.svg"), ("study", "run")])
def test_other_verbs_say_which_takes_a_description(orbit: Path, words: tuple[str, ...]) -> None:
    done = said(*words, orbit)
    assert done.exit_code == 2
    assert f"longfat schedule from-orbit {orbit}" in done.stderr


def test_a_plot_of_orbits_says_that_a_scenario_is_none(tmp_path: Path) -> None:
    (tmp_path / "scenario.toml").write_text(SCENARIO)
    done = said("plot", "orbit", tmp_path / "scenario.toml", "-o", tmp_path / "x.svg")
    assert done.exit_code == 2
    assert "a description of orbits is expected" in done.stderr
