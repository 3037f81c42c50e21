"""The recording in examples/recordings, and the paths of its study."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from longfat.cli.program import main

FOLDER = Path(__file__).parents[2] / "examples" / "recordings"
RECORDING = [FOLDER / "starlink-bw.txt.gz", FOLDER / "starlink-delay.txt.gz"]


def document(name: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / name).read_text())


def printed(*words: object) -> str:
    done = CliRunner().invoke(main, ["schedule", *map(str, words)])
    assert done.exit_code == 0, done.output
    return done.stdout


def test_the_scenario_has_the_steps_that_the_importer_makes_of_the_recording() -> None:
    assert document("scenario.toml")["path"]["steps"] == printed("from-leoreplayer", *RECORDING)


def test_the_computed_path_of_the_study_is_that_of_its_orbits() -> None:
    levels = document("study.toml")["factors"]["orbit"]
    assert levels["computed"]["path"]["steps"] == printed("from-orbit", FOLDER / "orbit.toml")


def test_the_recording_is_interrupted_every_fifteen_seconds() -> None:
    """Tanveer et al. 2023: Starlink chooses satellites every 15 s."""
    rows = document("scenario.toml")["path"]["steps"].splitlines()[1:]
    rates = {float(time): float(rate) for time, rate, _ in (row.split(",") for row in rows)}
    slow = [time for time, rate in rates.items() if rate < 4e6]
    assert slow == pytest.approx([8.7 + 15 * index for index in range(1, 8)])
