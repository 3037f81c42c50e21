"""A store that is deleted, moved, replaced or dropped while it is open is noticed."""

import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from longfat import load_scenario, run
from longfat.base.errors import LongfatError, StoreGone
from longfat.store import RunResult, Store
from tests.store.server import PostgresqlServer

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.fixture
def done(scenario_file: Path) -> RunResult:
    scenario = load_scenario(scenario_file)
    return RunResult(scenario, NOW, NOW, run(scenario), None)


def remove_folder(file: Path) -> None:
    shutil.rmtree(file.parent)


def move_folder(file: Path) -> None:
    file.parent.rename(file.parent.with_name("elsewhere"))


def move_file(file: Path) -> None:
    file.rename(file.with_name("elsewhere.db"))


def replace_file(file: Path) -> None:
    other = file.with_name("other.db")
    shutil.copy(file, other)
    other.rename(file)


def remove_log(file: Path) -> None:
    file.with_name(f"{file.name}-wal").unlink()


WAYS: dict[str, tuple[Callable[[Path], object], str]] = {
    "the file is deleted": (Path.unlink, "it was deleted or moved"),
    "the folder is deleted": (remove_folder, "it was deleted or moved"),
    "the file is moved": (move_file, "it was deleted or moved"),
    "the folder is moved": (move_folder, "it was deleted or moved"),
    "the file is replaced": (replace_file, "another file was put in its place"),
    "the log of changes is deleted": (remove_log, "db-wal: it was deleted or moved"),
}


@pytest.fixture(params=[*WAYS.values()], ids=[*WAYS])
def way(request: pytest.FixtureRequest) -> tuple[Callable[[Path], object], str]:
    found: tuple[Callable[[Path], object], str] = request.param
    return found


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "results").mkdir()
    return tmp_path / "results" / "store.db"


def test_a_writer_notices_at_its_next_commit(
    file: Path, done: RunResult, way: tuple[Callable[[Path], object], str]
) -> None:
    strike, said = way
    with Store.writable(str(file)) as store:
        store.write([])
        strike(file)
        with pytest.raises(StoreGone, match=said) as caught:
            store.write([done])
    assert caught.value.exit_code == 1
    assert "are not stored" in str(caught.value)


def test_a_writer_notices_when_it_reads(
    file: Path, way: tuple[Callable[[Path], object], str]
) -> None:
    strike, said = way
    with Store.writable(str(file)) as store:
        strike(file)
        with pytest.raises(StoreGone, match=said):
            store.statuses({"a"})


@pytest.mark.parametrize("strike", [Path.unlink, remove_folder, move_file, replace_file])
def test_a_reader_notices(file: Path, strike: Callable[[Path], None], done: RunResult) -> None:
    with Store.writable(str(file)) as store:
        store.write([done])
    with Store.readable(str(file)) as store:
        assert store.statuses({done.scenario.hash})
        strike(file)
        with pytest.raises(StoreGone, match=r"store\.db: (it was deleted|another file)"):
            store.statuses({done.scenario.hash})


def test_a_store_that_stays_is_never_called_gone(file: Path, done: RunResult) -> None:
    with Store.writable(str(file)) as first:
        with Store.writable(str(file)) as second:
            second.write([])
            first.write([done])
        with Store.readable(str(file)) as reader:
            assert reader.statuses({done.scenario.hash})
        first.write([])
        with Store.writable(str(file)) as third:
            third.write([done])
    with Store.readable(str(file)) as reader, Store.writable(str(file)) as fourth:
        fourth.write([])
        assert reader.statuses({done.scenario.hash})


def test_dropped_tables_are_noticed(database: str, done: RunResult) -> None:
    with Store.writable(database) as store, Store.readable(database) as reader:
        with psycopg.connect(database) as connection:
            connection.execute("DROP TABLE runs CASCADE")
        for act in (lambda: store.write([done]), lambda: reader.statuses({"a"})):
            with pytest.raises(StoreGone, match="dropped while it was open"):
                act()


def test_a_dropped_database_is_noticed(
    server: PostgresqlServer, database: str, done: RunResult
) -> None:
    with Store.writable(database) as store:
        name = database.partition("?")[0].rpartition("/")[2]
        with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())
        for _ in range(2):
            with pytest.raises(LongfatError, match="dropped while it was open") as caught:
                store.write([done])
            assert caught.value.exit_code == 1
