"""Several processes run one study: every run once, none lost, whichever of them die."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from longfat.store import Store
from tests.support import Longfat
from tests.waiting import ended, until

PROCESSES = 3
RUNS = 15


@pytest.fixture
def slow_study(study_folder: Path) -> Path:
    """The small study with runs that last long enough for processes to meet."""
    file = study_folder / "study.toml"
    file.write_text(file.read_text().replace('"40 ms"', '"30 s"').replace('"80 ms"', '"40 s"'))
    return study_folder


def start(program: Path, study: Path, location: str) -> subprocess.Popen[str]:
    arguments = ["study", "run", str(study), "--jobs", "1", "--store", location, "--json"]
    return subprocess.Popen(
        [program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def done(location: str) -> int:
    """How many runs are stored; 0 while the store is being created."""
    with Store.readable(location) as store:
        count: int = store.health()["done"]
        return count


def test_every_run_is_run_once(program: Path, slow_study: Path, location: str) -> None:
    processes = [start(program, slow_study, location) for _ in range(PROCESSES)]
    outputs = [ended(process, "one of the processes that share a study") for process in processes]
    for process, (_, talk) in zip(processes, outputs, strict=True):
        assert process.returncode == 0, talk
    told = [json.loads(data) for data, _ in outputs]
    assert sum(document["finished"] for document in told) == RUNS
    for document in told:
        parts = ("stored_before", "finished", "finished_elsewhere")
        assert sum(document[part] for part in parts) == RUNS


def test_one_that_is_killed_costs_the_others_only_time(
    program: Path, longfat: Longfat, slow_study: Path, location: str
) -> None:
    doomed = start(program, slow_study, location)
    until(lambda: done(location), "the first stored run")
    other = start(program, slow_study, location)
    doomed.kill()
    doomed.communicate()
    assert done(location) < RUNS, "it had ended before it was killed"
    data, talk = ended(other, "the process that is left")
    assert other.returncode == 0, talk
    assert json.loads(data)["failed"] == 0
    counted = longfat("study", "status", slow_study, "--store", location, "--json")
    assert json.loads(counted.stdout).items() >= {"done": RUNS, "running": 0}.items()


def test_a_study_in_postgresql_reads_like_one_in_a_file(
    longfat: Longfat, study_folder: Path, tmp_path: Path, database: str
) -> None:
    tables = []
    for location in (str(tmp_path / "store.db"), database):
        run = longfat("study", "run", study_folder, "--store", location)
        assert run.returncode == 0, run.stderr
        compared = longfat("study", "compare", study_folder, "--store", location, "--json")
        tables.append(compared.stdout)
        verified = longfat("study", "verify", study_folder, "--store", location, "--sample", "2")
        assert verified.returncode == 0, verified.stderr
    assert tables[0] == tables[1]
    assert json.loads(tables[0])


def test_a_location_can_come_from_the_environment(
    longfat: Longfat, study_folder: Path, database: str
) -> None:
    environment = {**os.environ, "LONGFAT_STORE": database}
    run = longfat("study", "run", study_folder, "--quick", env=environment)
    assert run.returncode == 0, run.stderr
    status = longfat("study", "status", study_folder, "--quick", "--json", env=environment)
    assert json.loads(status.stdout)["missing"] == 0
