"""The disturbed study, and the counts of what it went through."""

import json
import os
import sys
from pathlib import Path

import pytest

from tests.conftest import SCENARIO, STUDY, TABLE_A, TABLE_B
from tests.faults.bench import Bench, Tally

TALLY = Tally()

FULL = os.environ.get("LONGFAT_FAULTS") == "full"
"""`make faults` sets it; without it the suite strikes only a few times."""


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("faults")
    study = folder / "study"
    (study / "reference").mkdir(parents=True)
    (study / "scenario.toml").write_text(SCENARIO)
    # Runs of some tenths of a second, so that faults strike between and within them.
    longer = STUDY.replace('"40 ms"', '"12 s"').replace('"80 ms"', '"18 s"')
    (study / "study.toml").write_text(longer)
    (study / "reference" / "a.csv").write_text(TABLE_A)
    (study / "reference" / "b.csv").write_text(TABLE_B)
    return Bench(Path(sys.executable).with_name("longfat"), study, folder, TALLY)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "longfat.db"


RECORD = Path(__file__).parents[2] / "benchmarks/record/faults.json"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what was counted; with several processes only by each of them, so not at all.

    The whole suite leaves it in a file, from which the documents have it.
    """
    if TALLY.faults:
        terminalreporter.write_line(str(TALLY))
    if FULL and not terminalreporter.stats.get("failed"):
        RECORD.write_text(json.dumps(vars(TALLY), indent=2, sort_keys=True) + "\n")
