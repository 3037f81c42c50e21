"""A study that goes on until its means are known precisely enough."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from longfat.store.totals import count_again
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
    with create_engine(f"sqlite:///{tmp_path}/part.db").begin() as rest:
        count_again(rest)
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


def test_a_part_has_as_many_replications_as_the_whole_design_needs(
    longfat: Longfat, sequential_study: Path
) -> None:
    needed = stopped_at(longfat, sequential_study)
    for part in ("policy = 'ubr'", "policy = 'fba'", "replication > 0"):
        process = longfat("study", "compare", sequential_study, "--where", part, "--json")
        tables = json.loads(process.stdout)["tables"]
        assert {entry["replications"] for table in tables for entry in table["entries"]} == {needed}


@pytest.mark.parametrize("condition", ["replication > 0", "replication = 0"])
def test_a_condition_on_replications_chooses_among_those_that_are_needed(
    longfat: Longfat, sequential_study: Path, condition: str
) -> None:
    needed = stopped_at(longfat, sequential_study)
    chosen = ["--where", condition]
    process = longfat("study", "status", sequential_study, *chosen)
    assert f"replications: {needed} are enough (at most {MOST})" in process.stdout
    alone = stopped_at(longfat, sequential_study, *chosen, "--store", "alone.db")
    assert alone == (needed if condition == "replication > 0" else 0)


@pytest.mark.parametrize(
    "verb",
    [
        ["study", "run"],
        ["study", "status"],
        ["study", "plan"],
        ["analyze", "--table", "A", "--response", "fairness"],
    ],
)
def test_a_condition_that_only_replications_beyond_the_needed_ones_meet_is_refused(
    longfat: Longfat, sequential_study: Path, verb: list[str]
) -> None:
    process = longfat(*verb, sequential_study, "--where", f"replication > {FEWEST}")
    assert process.returncode == 2
    assert process.stderr == (
        f"no run of small meets replication > {FEWEST}: its precision asks for {FEWEST} "
        "replications so far; --replications N takes N\n"
    )


def test_a_part_that_has_run_says_that_the_rest_of_the_design_decides(
    longfat: Longfat, sequential_study: Path
) -> None:
    part = ["--where", "policy = 'ubr'"]
    for verb in ("run", "status"):
        process = longfat("study", verb, sequential_study, *part)
        assert process.returncode == 0
        assert (
            "how many replications small needs is open until all of its design has run:\n"
            f"  longfat study run {sequential_study}\n"
        ) in process.stderr
    assert f"replications: {FEWEST} so far" in process.stdout


@pytest.fixture
def partly_designed(sequential_study: Path) -> Path:
    """The tables have rows that the design has not."""
    file = sequential_study / "study.toml"
    design = (
        'kind = "explicit"\n'
        'combinations = [{ load = "heavy", policy = "ubr" }, { load = "heavy", policy = "fba" }]'
    )
    file.write_text(file.read_text().replace('kind = "reference-rows"', design))
    (sequential_study / "claims.toml").write_text(
        "schema_version = 1\n\n[[claim]]\n"
        'id = "S-1"\nstatement = "all"\nholds = ">= 0"\n'
        'measure = "SELECT avg(efficiency) FROM runs"\n'
    )
    return sequential_study


def test_rows_of_tables_beyond_the_design_have_as_many_replications(
    longfat: Longfat, partly_designed: Path
) -> None:
    needed = stopped_at(longfat, partly_designed)
    assert FEWEST < needed < MOST
    advice = f"to run them:\n  longfat study run {partly_designed} --table A,B\n"
    claims = longfat("study", "claims", partly_designed)
    assert f"from {needed} replications" in claims.stdout
    assert claims.stderr.endswith(advice)
    assert longfat("study", "compare", partly_designed).stderr.endswith(advice)

    assert stopped_at(longfat, partly_designed, "--table", "A,B") == needed
    compared = longfat("study", "compare", partly_designed, "--json")
    tables = json.loads(compared.stdout)["tables"]
    assert {entry["replications"] for table in tables for entry in table["entries"]} == {needed}
    assert "no result" not in compared.stderr
    assert longfat("study", "claims", partly_designed).stderr == ""


def test_missing_runs_of_the_design_and_of_tables_beyond_it_are_run_by_two_commands(
    longfat: Longfat, partly_designed: Path
) -> None:
    process = longfat("study", "compare", partly_designed)
    command = f"longfat study run {partly_designed}"
    assert process.stderr.endswith(f"to run them:\n  {command}\n  {command} --table A,B\n")


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


def test_a_precision_that_no_number_of_replications_reaches_is_reported_at_the_end(
    longfat: Longfat, sequential_study: Path
) -> None:
    file = sequential_study / "study.toml"
    file.write_text(file.read_text().replace("fairness = 0.15", "fairness = 1e-9"))
    process = longfat("study", "run", sequential_study)
    assert process.returncode == 0
    told = f", wanted 1e-09, with all {MOST} replications that it may have"
    assert told in process.stderr
    assert "fairness: known to " in process.stderr
    status = longfat("study", "status", sequential_study).stdout
    assert f"replications: {MOST} are not enough (at most {MOST})" in status
