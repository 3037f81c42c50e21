"""Stores of every released schema migrate to the current one with all runs unchanged."""

import sqlite3
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import create_engine

from longfat import _engine
from longfat.base.errors import LongfatError
from longfat.scenarios.scenario import Scenario
from longfat.store import Store
from longfat.store.databases import store_at
from longfat.store.migrations import upgrade
from longfat.store.schema import SCHEMA_VERSION, metadata
from tests.support import Longfat

SCHEMAS = Path(__file__).parent / "schemas"
"""Stores of the released schema versions, with a few runs, as SQL."""

OLDER = range(1, SCHEMA_VERSION)


@pytest.fixture(params=OLDER, ids="version {}".format)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return store_of_version(request.param, tmp_path)


def store_of_version(version: int, folder: Path) -> Path:
    file = folder / f"{version}.db"
    with closing(sqlite3.connect(file)) as database:
        database.executescript((SCHEMAS / f"{version}.sql").read_text())
    return file


def contents(file: Path, table: str, columns: list[str]) -> list[Any]:
    with closing(sqlite3.connect(file)) as database:
        return sorted(database.execute(f"SELECT {', '.join(columns)} FROM {table}").fetchall())


def parts_by_run(file: Path, table: str, columns: list[str]) -> list[Any]:
    """Rows of a table, each with the fingerprint of its run in place of the run's name."""
    kept = [f"{table}.{name}" for name in columns if name != "run_id"]
    query = f"SELECT runs.fingerprint, {', '.join(kept)} FROM {table}"
    if table != "runs":
        query += f" JOIN runs ON runs.run_id = {table}.run_id"
    with closing(sqlite3.connect(file)) as database:
        return sorted(database.execute(query).fetchall())


def columns_of(file: Path, table: str) -> list[str]:
    with closing(sqlite3.connect(file)) as database:
        return [row[1] for row in database.execute(f"PRAGMA table_info({table})")]


def differences(file: Path) -> list[Any]:
    """Differences that alembic finds between a store and the tables of the program."""
    engine = create_engine(f"sqlite:///{file}")
    try:
        with engine.connect() as connection:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            return list(compare_metadata(context, metadata))
    finally:
        engine.dispose()


def test_an_old_store_is_refused_with_the_command_that_mends_it(old: Path) -> None:
    before = old.read_bytes()
    for opened in (Store.readable, Store.writable):
        with pytest.raises(LongfatError, match=f"longfat store upgrade {old}"):
            opened(str(old))
    assert old.read_bytes() == before


def test_an_upgrade_keeps_every_run_and_makes_the_present_schema(old: Path) -> None:
    tables = ("runs", "flows", "ports", "completions")
    kept = [table for table in tables if columns_of(old, table)]
    columns = {table: columns_of(old, table) for table in kept}
    before = {table: parts_by_run(old, table, columns[table]) for table in kept}
    assert before["runs"]
    assert upgrade(store_at(str(old))) == (old.stem, str(SCHEMA_VERSION))
    assert {table: parts_by_run(old, table, columns[table]) for table in kept} == before
    assert differences(old) == []
    assert upgrade(store_at(str(old))) == (str(SCHEMA_VERSION), str(SCHEMA_VERSION))
    with Store.writable(str(old)) as store:
        assert store.health()["done"] == len(before["runs"])


def test_an_upgraded_run_has_the_name_that_its_scenario_and_model_give(old: Path) -> None:
    upgrade(store_at(str(old)))
    for run_id, model, scenario in contents(old, "runs", ["run_id", "model", "scenario"]):
        named = f'{{"model":{model},"scenario":{scenario}}}'
        assert run_id == sha256(named.encode()).hexdigest()
        if model == _engine.MODEL:
            assert run_id == Scenario(scenario).run_id


def test_an_upgrade_leaves_a_changed_row_its_name_which_gives_it_away(tmp_path: Path) -> None:
    file = store_of_version(SCHEMA_VERSION - 1, tmp_path)
    with closing(sqlite3.connect(file)) as database, database:
        changed = """UPDATE runs SET scenario = replace(scenario, '"seed":1', '"seed":2')"""
        assert database.execute(changed).rowcount
        names = database.execute("SELECT run_id FROM runs ORDER BY run_id").fetchall()
    upgrade(store_at(str(file)))
    assert contents(file, "runs", ["run_id"]) == names


def test_a_new_store_has_the_schema_that_migrations_lead_to(tmp_path: Path) -> None:
    upgraded, new = store_of_version(1, tmp_path), tmp_path / "new.db"
    upgrade(store_at(str(upgraded)))
    with Store.writable(str(new)):
        pass
    assert differences(new) == []
    for table in ("meta", "alembic_version"):
        assert contents(new, table, ["*"]) == contents(upgraded, table, ["*"])


def test_an_upgrade_that_fails_leaves_the_store_as_it_was(
    old: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("longfat.store.migrations.delete", fail)
    with pytest.raises(KeyboardInterrupt):
        upgrade(store_at(str(old)))
    monkeypatch.undo()
    assert upgrade(store_at(str(old))) == (old.stem, str(SCHEMA_VERSION))
    assert differences(old) == []


def test_the_command_says_what_it_did(longfat: Longfat, tmp_path: Path) -> None:
    file = store_of_version(1, tmp_path)
    first = longfat("store", "upgrade", file)
    assert (first.returncode, first.stdout) == (0, "")
    assert f"from schema version 1 to {SCHEMA_VERSION}" in first.stderr
    assert "nothing to do" in longfat("store", "upgrade", file).stderr
    absent = longfat("store", "upgrade", "nowhere.db")
    assert absent.returncode == 2
    assert "there is no store" in absent.stderr
