"""Parts of a study for jobs that share no store, and what puts their stores together."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import pytest

from longfat.base.errors import CheckFailed, StoreDamaged
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.execution import Threads
from longfat.store import RunResult, Store
from longfat.store.databases import store_at
from longfat.store.digests import COVERED, run_digest
from longfat.store.merging import merge
from longfat.studies.definition import StudyDefinition, load_study
from longfat.studies.plan import Plan, Selection, plan_design
from tests.support import Longfat


def whole(study: StudyDefinition) -> Plan:
    return plan_design(study, Selection())


def fill(location: Path, plan: Plan) -> None:
    with Store.writable(str(location)) as store:
        run_campaign(missing_runs(plan, store), store, Threads(2), lambda _: None)


def merged(target: Path, *sources: Path) -> tuple[int, int]:
    found = merge([store_at(str(source)) for source in sources], store_at(str(target)))
    return found.read, found.added


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 1000])
def test_each_run_is_in_one_part(study: StudyDefinition, parts: int) -> None:
    plan = whole(study)
    dealt = [list(plan.dealt(number, parts).distinct) for number in range(1, parts + 1)]
    assert sorted(run for part in dealt for run in part) == sorted(plan.distinct)
    sizes = [len(part) for part in dealt]
    assert max(sizes) - min(sizes) <= 1


def test_long_runs_are_spread_over_the_parts(study: StudyDefinition) -> None:
    plan = whole(study)
    levels = [factor.name for factor in study.factors]
    heavy = [
        sum("heavy" in study.levels(run.combination) for run in plan.dealt(number, 2).runs)
        for number in (1, 2)
    ]
    assert "load" in levels
    assert min(heavy) > 0
    assert abs(heavy[0] - heavy[1]) <= 1


def test_stores_of_the_parts_together_are_the_store_of_the_study(
    longfat: Longfat, study_folder: Path
) -> None:
    for number in (1, 2, 3):
        ran = longfat(
            "study", "run", study_folder, "--part", f"{number}/3", "--store", f"part-{number}.db"
        )
        assert ran.returncode == 0, ran.stderr
        assert re.search(rf"part {number} of 3, \d+ runs, is in part-{number}\.db", ran.stderr)
    together = longfat("store", "merge", "longfat.db", *(f"part-{n}.db" for n in (1, 2, 3)))
    assert together.returncode == 0, together.stderr
    runs = whole(load_study(study_folder)).distinct_runs
    assert f"longfat.db: {runs} runs added, 0 were there" in together.stderr
    assert longfat("store", "check", "longfat.db").returncode == 0
    again = longfat("study", "run", study_folder)
    assert f"{runs} runs, {runs} stored, 0 to run" in again.stderr


def test_what_is_there_is_not_copied_again(study: StudyDefinition, tmp_path: Path) -> None:
    plan = whole(study)
    fill(tmp_path / "part.db", plan.dealt(1, 2))
    fill(tmp_path / "all.db", plan)
    own = plan.dealt(1, 2).distinct_runs
    assert merged(tmp_path / "all.db", tmp_path / "part.db") == (own, 0)
    assert merged(tmp_path / "new.db", tmp_path / "part.db", tmp_path / "all.db") == (
        own + plan.distinct_runs,
        plan.distinct_runs,
    )


def test_a_run_with_two_results_is_refused_and_the_others_are_copied(
    study: StudyDefinition, tmp_path: Path
) -> None:
    plan = whole(study)
    fill(tmp_path / "one.db", plan.dealt(1, 2))
    fill(tmp_path / "other.db", plan)
    forged = min(plan.dealt(1, 2).distinct)
    with closing(sqlite3.connect(tmp_path / "other.db")) as database, database:
        database.row_factory = sqlite3.Row
        database.execute("UPDATE runs SET fingerprint = 'other' WHERE run_id = ?", [forged])
        row = database.execute("SELECT * FROM runs WHERE run_id = ?", [forged]).fetchone()
        digest = run_digest({name: row[name] for name in COVERED})
        database.execute("UPDATE runs SET digest = ? WHERE run_id = ?", [digest, forged])
    with pytest.raises(CheckFailed, match=forged):
        merged(tmp_path / "one.db", tmp_path / "other.db")
    with Store.existing(str(tmp_path / "one.db")) as store:
        assert missing_runs(plan, store) == []


def test_runs_that_failed_elsewhere_do_not_replace_those_that_are_done(
    study: StudyDefinition, tmp_path: Path
) -> None:
    plan = whole(study)
    *_, last = plan.distinct.values()
    now = datetime.now(UTC)
    failure = RunResult(last.scenario, now, now, None, "more than 1 s")
    with Store.writable(str(tmp_path / "failed.db")) as store:
        store.write([failure])
    fill(tmp_path / "done.db", plan)
    assert merged(tmp_path / "done.db", tmp_path / "failed.db") == (1, 0)
    assert merged(tmp_path / "new.db", tmp_path / "failed.db", tmp_path / "done.db") == (
        1 + plan.distinct_runs,
        1 + plan.distinct_runs,
    )
    for name in ("done.db", "new.db"):
        with Store.existing(str(tmp_path / name)) as store:
            assert missing_runs(plan, store) == []


def test_a_damaged_store_is_refused_before_anything_is_copied(
    study: StudyDefinition, tmp_path: Path
) -> None:
    fill(tmp_path / "sound.db", whole(study).dealt(1, 2))
    fill(tmp_path / "hurt.db", whole(study).dealt(2, 2))
    with closing(sqlite3.connect(tmp_path / "hurt.db")) as database, database:
        database.execute("UPDATE runs SET fingerprint = 'other'")
    with pytest.raises(StoreDamaged, match=r"hurt\.db"):
        merged(tmp_path / "new.db", tmp_path / "sound.db", tmp_path / "hurt.db")
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize("said", ["0/3", "4/3", "3", "a/b", "1/0", "-1/3", "1/3/5"])
def test_other_parts_are_refused(longfat: Longfat, study_folder: Path, said: str) -> None:
    refused = longfat("study", "run", study_folder, "--part", said)
    assert refused.returncode == 2
    assert "such as 3/20" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_part_of_a_study_that_asks_for_a_precision_needs_a_number(
    longfat: Longfat, study_folder: Path
) -> None:
    file = study_folder / "study.toml"
    text = file.read_text()
    wanted = "replications = 12\nprecision = { half_width = { fairness = 0.15 }, fewest = 5 }"
    file.write_text(text.replace("replications = 2", wanted, 1))
    assert wanted in file.read_text()
    refused = longfat("study", "run", study_folder, "--part", "1/2")
    assert (refused.returncode, "--replications" in refused.stderr) == (2, True), refused.stderr
    assert (
        longfat("study", "run", study_folder, "--part", "1/2", "--replications", "1").returncode
        == 0
    )


def test_a_store_that_does_not_exist_is_not_merged(longfat: Longfat, tmp_path: Path) -> None:
    refused = longfat("store", "merge", "new.db", "none.db")
    assert refused.returncode == 2
    assert "none.db" in refused.stderr
    assert not (tmp_path / "new.db").exists()
