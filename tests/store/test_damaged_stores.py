"""A damaged store is refused in one message; what is whole can be saved into a new store."""

import random
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from longfat.base.errors import LongfatError, StoreDamaged
from longfat.running.campaign import missing_runs, run_campaign
from longfat.running.execution import Threads
from longfat.store import Store
from longfat.store.databases import store_at
from longfat.store.salvage import Found, checked, salvage
from longfat.store.schema import SCHEMA_VERSION
from longfat.studies.definition import load_study
from longfat.studies.plan import Plan, Selection, plan_design
from tests.faults.damage import answers
from tests.support import Longfat

PAGE = 4096


@pytest.fixture
def plan(study_folder: Path) -> Plan:
    return plan_design(load_study(study_folder), Selection())


def fill(location: str, plan: Plan) -> None:
    with Store.writable(location) as store:
        run_campaign(missing_runs(plan, store), store, Threads(2), lambda _: None)


@pytest.fixture
def file(plan: Plan, tmp_path: Path) -> Path:
    file = tmp_path / "longfat.db"
    fill(str(file), plan)
    return file


def changed(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file)) as database, database:
            database.execute("PRAGMA writable_schema = ON")
            assert database.execute(statement).rowcount > 0

    return change


def spoilt(start: int, end: int) -> Callable[[Path], None]:
    """Overwrite some bytes with others that are no UTF-8."""

    def spoil(file: Path) -> None:
        content = bytearray(file.read_bytes())
        content[start:end] = bytes([0xFF]) * (end - start)
        file.write_bytes(content)

    return spoil


def cut(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) * 2 // 3])


def make_folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


ROW = {
    "no metrics": "UPDATE runs SET metrics = NULL WHERE rowid = 1",
    "a metric that is a word": (
        "UPDATE runs SET metrics = json_set(metrics, '$.efficiency', 'abc') WHERE rowid = 1"
    ),
    "a digit of a metric": (
        "UPDATE runs SET metrics = replace(metrics, '\"efficiency\": 0.', '\"efficiency\": 1.') "
        "WHERE rowid = 1"
    ),
    "metrics that are no JSON": "UPDATE runs SET metrics = substr(metrics, 5) WHERE rowid = 1",
    "a name that is no UTF-8": "UPDATE runs SET engine = CAST(x'ff80' AS TEXT) WHERE rowid = 1",
    "another seed": "UPDATE runs SET seed = seed + 1 WHERE rowid = 1",
    "another digest": "UPDATE runs SET digest = 'no' WHERE rowid = 1",
}
FILE: dict[str, Callable[[Path], object]] = {
    "the list of tables": spoilt(3 * PAGE // 4, PAGE),
    "the whole first page": spoilt(100, PAGE),
    "the header": spoilt(0, 3),
    "a short file": cut,
    "no list of tables": changed("DELETE FROM sqlite_master"),
    "a row that is gone": changed("DELETE FROM runs WHERE rowid = 2"),
    "an older number of its schema": changed("UPDATE meta SET value = '3'"),
    "another type of a column": changed("UPDATE sqlite_master SET sql = replace(sql, 'run_', 'r')"),
}
OTHER: dict[str, Callable[[Path], object]] = {
    "of the future": changed(f"UPDATE meta SET value = {SCHEMA_VERSION + 1}"),
    "a text": lambda file: file.write_text("my shopping list\n"),
    "a folder": make_folder,
}
VERBS = [
    ["study", "status", "small"],
    ["study", "compare", "small"],
    ["study", "run", "small"],
    ["study", "verify", "small"],
    ["study", "plan", "small"],
    ["plot", "efficiency-fairness", "small", "-o", "a.svg"],
    ["analyze", "small", "--response", "efficiency"],
    ["run", "--from", "longfat.db", "0"],
]


def named(damage: dict[str, Callable[[Path], object]]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("strike", [*damage.values()], ids=[*damage])


@pytest.mark.parametrize("statement", [*ROW.values()], ids=[*ROW])
def test_a_damaged_run_is_named_and_the_others_are_saved(
    file: Path, plan: Plan, tmp_path: Path, statement: str
) -> None:
    with closing(sqlite3.connect(file)) as database:
        (run_id,) = database.execute("SELECT run_id FROM runs WHERE rowid = 1").fetchone()
    right = answers(file, plan, times=False)
    changed(statement)(file)
    with Store.readable(str(file)) as store, pytest.raises(StoreDamaged) as caught:
        store.metrics(plan.hashes, ["efficiency"])
    assert run_id in str(caught.value)
    assert f"longfat store salvage {file} NEW" in str(caught.value)
    found = checked(store_at(str(file)))
    assert (found.whole, found.damaged) == (14, [run_id])
    new = tmp_path / "new.db"
    assert salvage(store_at(str(file)), store_at(str(new))).missing == 1
    assert checked(store_at(str(new))).is_intact
    with Store.writable(str(new)) as store:
        missing = missing_runs(plan, store)
        assert [run.scenario.run_id for run in missing] == [run_id]
        run_campaign(missing, store, Threads(1), lambda _: None)
    assert answers(new, plan, times=False) == right


@named({**FILE, **OTHER})
def test_it_is_refused_in_one_message(
    longfat: Longfat, file: Path, strike: Callable[[Path], object]
) -> None:
    strike(file)
    for verb in VERBS[:2]:
        refused(longfat(*verb))


@named({name: FILE[name] for name in ("the list of tables", "a row that is gone")})
def test_every_verb_refuses_it_in_one_message(
    longfat: Longfat, file: Path, strike: Callable[[Path], object]
) -> None:
    strike(file)
    for verb in VERBS:
        if strike is FILE["the list of tables"] or verb[0] != "run":  # run --from reads one run
            refused(longfat(*verb))


def refused(process: subprocess.CompletedProcess[str]) -> None:
    assert "Traceback" not in process.stderr
    assert process.returncode == 2, process
    assert re.match(r"'?longfat\.db'?:? ", process.stderr), process.stderr


@named(FILE)
def test_a_damaged_file_is_checked_and_what_is_whole_is_saved(
    longfat: Longfat, file: Path, plan: Plan, tmp_path: Path, strike: Callable[[Path], object]
) -> None:
    strike(file)
    before = file.read_bytes()
    found = longfat("store", "check", file)
    assert found.returncode == 1, found
    saved = longfat("store", "salvage", file, "new.db")
    assert "Traceback" not in found.stderr + saved.stderr
    assert file.read_bytes() == before
    if saved.returncode:
        assert "no run in it is whole" in saved.stderr
        assert not (tmp_path / "new.db").exists()
        return
    assert longfat("store", "check", "new.db").returncode == 0
    assert longfat("study", "run", "small", "--store", "new.db").returncode == 0
    with Store.existing(str(tmp_path / "new.db")) as store:
        assert not missing_runs(plan, store)


@named({name: FILE[name] for name in ("the list of tables", "the whole first page", "the header")})
def test_all_runs_are_saved_where_only_the_list_of_tables_is_damaged(
    file: Path, plan: Plan, tmp_path: Path, strike: Callable[[Path], object]
) -> None:
    right = answers(file, plan)
    strike(file)
    new = tmp_path / "new.db"
    assert salvage(store_at(str(file)), store_at(str(new))).whole == 15
    assert answers(new, plan) == right


def test_pages_that_are_lost_cost_the_runs_on_them(file: Path, tmp_path: Path) -> None:
    content = file.read_bytes()
    chance = random.Random(9)
    for number in range(20):
        damaged, new = tmp_path / "damaged.db", tmp_path / f"new-{number}.db"
        page = chance.randrange(1, len(content) // PAGE)
        noise = chance.randbytes(PAGE) if number % 2 else bytes(PAGE)
        damaged.write_bytes(content[: page * PAGE] + noise + content[(page + 1) * PAGE :])
        found = saved(damaged, new)
        if found is not None:
            assert found.whole + found.missing == 15
            again = checked(store_at(str(new)))
            assert (again.whole, again.is_intact) == (found.whole, True)


def saved(damaged: Path, new: Path) -> Found | None:
    """The runs that were saved; None if none is whole, which is said."""
    refusals: list[str] = []
    try:
        return salvage(store_at(str(damaged)), store_at(str(new)))
    except LongfatError as error:
        refusals.append(str(error))
    assert "no run in it is whole" in refusals[0]
    return None


def test_other_files_are_neither_checked_nor_salvaged(longfat: Longfat, file: Path) -> None:
    for strike in OTHER.values():
        shutil.copy(file, file.with_name("copy.db"))
        strike(file.with_name("copy.db"))
        for verb in (["check", "copy.db"], ["salvage", "copy.db", "new.db"]):
            process = longfat("store", *verb)
            assert (process.returncode, "Traceback" in process.stderr) == (2, False), process
        shutil.rmtree(file.with_name("copy.db"), ignore_errors=True)
        file.with_name("copy.db").unlink(missing_ok=True)
    for verb in (["check", "nowhere.db"], ["salvage", "nowhere.db", "new.db"]):
        assert "there is no store" in longfat("store", *verb).stderr
    assert "exists" in longfat("store", "salvage", file, file).stderr


def test_a_whole_store_is_whole(longfat: Longfat, file: Path) -> None:
    process = longfat("store", "check", file)
    assert (process.returncode, process.stdout) == (0, "15 of 15 runs are whole\n")


@pytest.mark.parametrize(
    ("table", "setting"),
    [
        ("runs", """metrics = replace(metrics::text, '": 0.', '": 1.')::json"""),
        ("flows", """measures = replace(measures::text, '": 1', '": 2')::json"""),
        ("runs", "scenario = replace(scenario, '1', '2')"),
        ("runs", "wall_seconds = wall_seconds + 1"),
    ],
)
def test_a_changed_digit_is_refused_in_postgresql(
    database: str, plan: Plan, tmp_path: Path, table: str, setting: str
) -> None:
    fill(database, plan)
    assert checked(store_at(database)).is_intact
    run_id = min(plan.distinct)
    with psycopg.connect(database) as connection:
        change = f"UPDATE {table} SET {setting} WHERE run_id = '{run_id}'"
        assert connection.execute(change.encode()).rowcount

    def read() -> None:
        with Store.readable(database) as store:
            store.stored_runs([run_id])
            store.parts(run_id)

    with pytest.raises(StoreDamaged, match=run_id):
        read()
    assert checked(store_at(database)).damaged == [run_id]
    new = str(tmp_path / "new.db")
    assert salvage(store_at(database), store_at(new)).whole == 14
    assert checked(store_at(new)).is_intact


def test_a_deleted_run_is_noticed_in_postgresql(database: str, plan: Plan) -> None:
    fill(database, plan)
    with psycopg.connect(database) as connection:
        for table in ("flows", "ports", "runs"):
            wanted = "run_id = (SELECT min(run_id) FROM runs)"
            connection.execute(f"DELETE FROM {table} WHERE {wanted}".encode())
    with (
        Store.readable(database) as store,
        pytest.raises(StoreDamaged, match=r"with seed .*: \d of \d runs are found"),
    ):
        store.statuses(plan.hashes)
    assert not checked(store_at(database)).is_intact
