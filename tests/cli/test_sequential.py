"""A study that goes on until its means are known precisely enough."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support import Longfat

FEWEST, MOST = 5, 12


@pytest.fixture
def sequential_study(study_folder: Path) -> Path:
    file = study_folder / "study.toml"
    precision = (
        f"replications = {MOST}\n"
        f"precision = {{ half_width = {{ fairness = 0.15 }}, fewest = {FEWEST} }}"
    )
    file.write_text(file.read_text().replace("replications = 2", precision, 1))
    return study_folder


def stopped_at(longfat: Longfat, study: Path, *options: str) -> int:
    process = longfat("study", "run", study, "--json", *options)
    assert process.returncode == 0, process.stderr
    return int(json.loads(process.stdout)["replications"])


def replications(store: Path) -> set[int]:
    with closing(sqlite3.connect(store)) as connection:
        return {number for (number,) in connection.execute("SELECT replication FROM runs")}


def test_the_answer_is_the_same_with_one_thread_with_two_and_after_interruptions(
    longfat: Longfat, sequential_study: Path, tmp_path: Path
) -> None:
    alone = stopped_at(longfat, sequential_study, "--jobs", "1", "--store", "one.db")
    assert FEWEST < alone < MOST, "the example needs a study that stops in between"
    assert replications(tmp_path / "one.db") == set(range(alone + 1))
    assert stopped_at(longfat, sequential_study, "--jobs", "2", "--store", "two.db") == alone

    # What a killed process leaves: some runs of any replications, and here more than are needed.
    longfat("study", "run", sequential_study, "--replications", "9", "--store", "part.db")
    with closing(sqlite3.connect(tmp_path / "part.db")) as connection, connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        for table in ("flows", "ports", "runs"):
            connection.execute(
                f"DELETE FROM {table} WHERE run_id IN "
                "(SELECT run_id FROM runs WHERE (replication * 7 + seed) % 3 = 0)"
            )
    assert stopped_at(longfat, sequential_study, "--store", "part.db") == alone
    again = longfat("study", "run", sequential_study, "--store", "part.db", "--json")
    assert json.loads(again.stdout)["finished"] == 0


def test_reading_verbs_use_the_replications_that_were_needed(
    longfat: Longfat, sequential_study: Path
) -> None:
    needed = stopped_at(longfat, sequential_study)
    longfat("study", "run", sequential_study, "--replications", str(MOST))
    document = json.loads(longfat("study", "compare", sequential_study, "--json").stdout)
    counts = {entry["replications"] for table in document["tables"] for entry in table["entries"]}
    assert counts == {needed}
    plan = json.loads(longfat("study", "plan", sequential_study, "--json").stdout)
    assert plan["missing_runs"] == 0
    everything = ["--replications", str(MOST)]
    process = longfat("study", "compare", sequential_study, "--json", *everything)
    document = json.loads(process.stdout)
    assert document["tables"][0]["entries"][0]["replications"] == MOST


def test_status_says_how_precisely_means_are_known(
    longfat: Longfat, sequential_study: Path
) -> None:
    process = longfat("study", "status", sequential_study)
    assert f"replications: {FEWEST} so far" in process.stdout
    needed = stopped_at(longfat, sequential_study)
    process = longfat("study", "status", sequential_study)
    assert f"replications: {needed} are enough (at most {MOST})" in process.stdout
    document = json.loads(longfat("study", "status", sequential_study, "--json").stdout)
    (fairness,) = document["precision"]
    assert fairness["metric"] == "fairness"
    assert fairness["is_reached"]
    assert fairness["half_width"] <= fairness["allowed"] == 0.15
