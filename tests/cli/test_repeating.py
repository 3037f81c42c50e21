"""One command repeats any stored run and detects a changed row."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from longfat.store.digests import run_id_of
from tests.support import Longfat, change


@pytest.fixture
def store(longfat: Longfat, study_folder: Path, tmp_path: Path) -> Path:
    """A store with the runs of the small study's quick part."""
    assert longfat("study", "run", study_folder, "--quick", "--jobs", "1").returncode == 0
    return tmp_path / "longfat.db"


def stored(store: Path, column: str) -> list[str]:
    with closing(sqlite3.connect(store)) as database:
        return [value for (value,) in database.execute(f"SELECT {column} FROM runs ORDER BY 1")]


def unique_beginning(run_ids: list[str]) -> str:
    first, *others = run_ids
    return next(
        first[:length]
        for length in range(1, 65)
        if not any(other.startswith(first[:length]) for other in others)
    )


def test_a_stored_run_is_repeated_by_the_beginning_of_its_id(longfat: Longfat, store: Path) -> None:
    run_ids = stored(store, "run_id")
    process = longfat("run", "--from", store, unique_beginning(run_ids), "--json")
    assert process.returncode == 0
    assert json.loads(process.stdout)["run_id"] == run_ids[0]
    assert f"as stored in {store}: run {run_ids[0]}" in process.stderr


def test_every_stored_row_leads_back_to_its_run(longfat: Longfat, store: Path) -> None:
    for run_id in stored(store, "run_id"):
        record = json.loads(longfat("run", "--from", store, run_id, "--json").stdout)
        assert record["run_id"] == run_id
        assert record["fingerprint"] in stored(store, "fingerprint")


def test_the_scenario_of_a_stored_run_can_be_printed_and_run(
    longfat: Longfat, store: Path, tmp_path: Path
) -> None:
    run_id = stored(store, "run_id")[0]
    printed = longfat("run", "--from", store, run_id, "--scenario").stdout
    assert printed.strip() in stored(store, "scenario")
    (tmp_path / "again.json").write_text(printed)
    assert json.loads(longfat("run", "again.json", "--json").stdout)["run_id"] == run_id


@pytest.mark.parametrize("beginning", ["", "%", "zzz"])
def test_a_run_that_is_not_stored_is_refused(longfat: Longfat, store: Path, beginning: str) -> None:
    process = longfat("run", "--from", store, beginning)
    assert process.returncode == 2
    assert f"no run is stored whose id begins with {beginning!r}" in process.stderr


def test_a_prefix_of_several_runs_is_refused(longfat: Longfat, store: Path) -> None:
    one, other = stored(store, "run_id")[:2]
    change(store, "UPDATE runs SET run_id = ? WHERE run_id = ?", one[:-1] + "_", other)
    process = longfat("run", "--from", store, one[:-1])
    assert process.returncode == 2
    assert f"several runs begin with '{one[:-1]}'" in process.stderr


def test_a_run_of_another_model_is_refused_in_words(longfat: Longfat, store: Path) -> None:
    scenario = stored(store, "scenario")[0]
    run_id = run_id_of(0, scenario)
    other = "model = 0, engine = '0.0.9+model.0', run_id = ?"
    change(store, f"UPDATE runs SET {other} WHERE scenario = ?", run_id, scenario)
    process = longfat("run", "--from", store, run_id)
    assert (process.returncode, process.stdout) == (2, "")
    for words in ("made by engine 0.0.9+model.0", "install longfat 0.0.9", "--scenario"):
        assert words in process.stderr


def test_another_seed_is_another_run(longfat: Longfat, store: Path) -> None:
    process = longfat("run", "--from", store, stored(store, "run_id")[0], "--seed", "2")
    assert process.returncode == 2
    assert "repeats a run as it is stored" in process.stderr


def test_a_changed_scenario_is_found_out(longfat: Longfat, store: Path) -> None:
    run_id = stored(store, "run_id")[0]
    change(
        store,
        """UPDATE runs SET scenario = replace(scenario, '"seed":1', '"seed":2') WHERE run_id = ?""",
        run_id,
    )
    process = longfat("run", "--from", store, run_id)
    assert process.returncode == 2
    assert f"the scenario of run {run_id} is not the one that was run" in process.stderr


@pytest.mark.parametrize(
    ("column", "value"),
    [("fingerprint", "'0000000000000000'"), ("metrics", "json_set(metrics, '$.efficiency', 0.5)")],
)
def test_a_changed_result_is_found_out(
    longfat: Longfat, store: Path, study_folder: Path, column: str, value: str
) -> None:
    run_id = stored(store, "run_id")[0]
    change(store, f"UPDATE runs SET {column} = {value} WHERE run_id = ?", run_id)
    name = "efficiency" if column == "metrics" else column

    one = longfat("run", "--from", store, run_id)
    assert one.returncode == 3
    assert f"{name}: stored 0" in one.stderr

    arguments = ("study", "verify", study_folder, "--quick", "--sample", "100", "--json")
    whole = longfat(*arguments)
    assert whole.returncode == 3
    assert json.loads(whole.stdout)["different"] == 1
    assert f"run {run_id} (load light" in whole.stderr
    assert f"{name}: stored 0" in whole.stderr


def test_an_untouched_store_is_verified(longfat: Longfat, store: Path, study_folder: Path) -> None:
    before = store.read_bytes()
    process = longfat("study", "verify", study_folder, "--sample", "100")
    assert process.returncode == 0
    count = len(stored(store, "run_id"))
    assert f"{count} of {count} stored runs repeated" in process.stdout
    assert f"{count} the same, 0 different" in process.stdout
    assert store.read_bytes() == before


def test_the_same_seed_draws_the_same_sample(
    longfat: Longfat, store: Path, study_folder: Path
) -> None:
    assert store.exists()

    def drawn(seed: int) -> set[str]:
        arguments = ("study", "verify", study_folder, "--sample", "3", "--seed", str(seed))
        document = json.loads(longfat(*arguments, "--json").stdout)
        return {run["run_id"] for run in document["runs"]}

    samples = [drawn(seed) for seed in (1, 1, 2, 3, 4)]
    assert all(len(sample) == 3 for sample in samples)
    assert samples[0] == samples[1]
    assert any(sample != samples[0] for sample in samples)


def test_a_study_without_runs_cannot_be_verified(longfat: Longfat, study_folder: Path) -> None:
    process = longfat("study", "verify", study_folder)
    assert process.returncode == 2
    assert f"longfat study run {study_folder}" in process.stderr


def test_a_stored_run_is_repeated_by_the_driver_that_is_asked_for(
    longfat: Longfat, store: Path
) -> None:
    run_id = stored(store, "run_id")[0]
    for driver in ("fast", "events"):
        process = longfat("run", "--from", store, run_id, "--driver", driver, "--json")
        assert process.returncode == 0, process.stderr
        assert json.loads(process.stdout)["work"]["driver"] == driver
