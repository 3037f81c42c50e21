"""Specifics of a store in PostgreSQL."""

from pathlib import Path

import psycopg
import pytest

from longfat import study as open_study
from longfat.base.errors import LongfatError
from longfat.base.location import in_commands, shown
from longfat.scenarios.scenario import Scenario
from longfat.store import Store
from longfat.store.databases import store_at
from longfat.store.migrations import upgrade
from longfat.store.schema import SCHEMA_VERSION
from tests.store.server import PostgresqlServer
from tests.store.test_migrations import SCHEMAS
from tests.support import Longfat


def test_a_database_without_tables_reads_as_empty_and_stays_so(database: str) -> None:
    with Store.readable(database) as store:
        assert store.is_new
        assert store.statuses({"a"}) == {}
    with psycopg.connect(database) as connection:
        assert connection.execute("SELECT 1 FROM pg_tables WHERE tablename = 'runs'").rowcount == 0


def test_tables_of_another_program_are_left_alone(database: str) -> None:
    with psycopg.connect(database) as connection:
        connection.execute("CREATE TABLE runs (athlete text)")
    for opened in (Store.readable, Store.writable):
        with pytest.raises(LongfatError, match=r"tables of other programs .*\(runs\)"):
            opened(database)


@pytest.mark.parametrize("version", ["3", "4"])
def test_an_older_store_is_brought_up_to_date(database: str, version: str) -> None:
    """The statements of SQLite's dump, each table after those that it refers to."""
    text = (SCHEMAS / f"{version}.sql").read_text()
    ranks = ["CREATE TABLE runs", "CREATE TABLE workers", "CREATE TABLE", "CREATE INDEX"]
    ranks += ['INSERT INTO "runs"', 'INSERT INTO "workers"', "INSERT"]
    statements = sorted(
        text.rstrip(";\n").split(";\n"),
        key=lambda statement: next(n for n, rank in enumerate(ranks) if statement.startswith(rank)),
    )
    with psycopg.connect(database) as connection:
        for statement in statements:
            connection.execute(statement.encode())
    assert upgrade(store_at(database)) == (version, str(SCHEMA_VERSION))
    with psycopg.connect(database) as connection:
        found = connection.execute("SELECT run_id, scenario FROM runs").fetchall()
    assert len(found) == 2
    with Store.existing(database) as store:
        for run_id, scenario in found:
            assert run_id == Scenario(scenario).run_id
            assert store.parts(run_id)["flows"]
            assert store.completions([run_id])


def test_a_newer_store_is_refused(database: str) -> None:
    with Store.writable(database):
        pass
    with psycopg.connect(database) as connection:
        connection.execute("UPDATE meta SET value = '99' WHERE name = 'schema_version'")
    for opened in (Store.readable, Store.writable):
        with pytest.raises(LongfatError, match="schema version 99; this longfat knows"):
            opened(database)


def test_a_database_that_does_not_exist_is_one_message(server: PostgresqlServer) -> None:
    with pytest.raises(LongfatError, match='database "nowhere" does not exist') as caught:
        Store.writable(server.url("nowhere"))
    assert "\n" not in str(caught.value)


def test_a_server_that_does_not_answer_is_one_message() -> None:
    with pytest.raises(LongfatError, match="longfat:\\*\\*\\*@127.0.0.1:1/x: connection failed"):
        Store.writable("postgresql://longfat:secret@127.0.0.1:1/x")


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("postgresql://ada:secret@host/runs", "postgresql://ada:***@host/runs"),
        ("postgresql://ada:se%40c:r@host/runs", "postgresql://ada:***@host/runs"),
        ("postgresql://ada@host:5432/runs", "postgresql://ada@host:5432/runs"),
        ("postgresql:///runs?host=/tmp", "postgresql:///runs?host=/tmp"),
        ("a/b.db", "a/b.db"),
    ],
)
def test_a_password_is_never_shown(location: str, expected: str) -> None:
    assert shown(location) == expected


def test_what_is_kept_or_mailed_has_no_password(
    longfat: Longfat, database: str, study_folder: Path, tmp_path: Path
) -> None:
    location = database.replace("longfat@", "longfat:secret@")
    assert "secret" in location
    advice = longfat("study", "compare", study_folder, "--ledger", "--store", location).stderr
    assert "no such store" in advice
    study = open_study(study_folder, store=location, quick=True).run(jobs=1)
    page = study.report(tmp_path / "report.html", with_traces=False).read_text()
    assert in_commands(location) in page.replace("&amp;", "&")
    for text in (advice, page, study._repr_html_()):
        assert "secret" not in text
