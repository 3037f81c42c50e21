import sqlite3
import subprocess
from contextlib import chdir, closing
from pathlib import Path

import pytest

from longfat.base.errors import LongfatError
from longfat.store import Store
from longfat.store.schema import SCHEMA_VERSION


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "store.db"
    with Store.writable(str(file)):
        pass
    return file


def test_a_store_is_a_path_or_an_sqlite_url(tmp_path: Path) -> None:
    for location in ("a.db", f"sqlite:///{tmp_path}/b.db"):
        with chdir(tmp_path), Store.writable(location) as store:
            assert not store.is_new
    assert {file.name for file in tmp_path.iterdir()} == {"a.db", "b.db"}


@pytest.mark.parametrize("url", ["mysql://host/name", "sqlite://", "http:///x"])
def test_any_other_url_is_refused(url: str) -> None:
    with pytest.raises(LongfatError, match="a store is given as PATH, sqlite:///PATH or"):
        Store.writable(url)


def test_a_new_store_is_created_for_writing(file: Path) -> None:
    with closing(sqlite3.connect(file)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        assert {"meta", "runs", "flows", "ports", "workers", "leases"} <= tables
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_store_that_does_not_exist_reads_as_empty_and_is_not_created(tmp_path: Path) -> None:
    with Store.readable(str(tmp_path / "store.db")) as store:
        assert store.statuses({"a"}) == {}
        assert store.health()["check"] == "ok"
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_a_new_store(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    file.touch()
    with Store.readable(str(file)) as store:
        assert store.running({"a"}) == 0
    assert file.stat().st_size == 0
    with Store.writable(str(file)) as store:
        assert store.running({"a"}) == 0


def test_reading_changes_nothing(file: Path) -> None:
    before = file.read_bytes()
    with Store.readable(str(file)) as store:
        store.health()
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


@pytest.mark.parametrize("opened", [Store.readable, Store.writable])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"not a database, only some text", "not an SQLite file"),
        (b"\x7fELF\0\0\0\0\0\0\0\0\0\0\0\0\0", "not an SQLite file"),
        (b"SQLite format 3\0 and then rubbish", "not a database|malformed"),
    ],
)
def test_what_is_no_store_is_refused_and_left_alone(
    tmp_path: Path, opened: type[Store], content: bytes, message: str
) -> None:
    file = tmp_path / "notes.txt"
    file.write_bytes(content)
    with pytest.raises(LongfatError, match=message):
        opened(str(file))  # type: ignore[call-arg, arg-type]
    assert file.read_bytes() == content
    assert list(tmp_path.iterdir()) == [file]


@pytest.mark.parametrize("statement", ["CREATE TABLE t (x)", "CREATE TABLE meta (x)"])
def test_somebody_elses_database_is_refused_and_left_alone(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "other.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute(statement)
    before = file.read_bytes()
    with pytest.raises(LongfatError, match="an SQLite file, but not a longfat store"):
        Store.writable(str(file))
    assert file.read_bytes() == before


def test_a_store_of_a_newer_version_is_refused_and_left_alone(file: Path) -> None:
    newer = SCHEMA_VERSION + 1
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE meta SET value = ? WHERE name = 'schema_version'", [newer])
    before = file.read_bytes()
    message = f"schema version {newer}; this longfat knows version {SCHEMA_VERSION}"
    with pytest.raises(LongfatError, match=message):
        Store.writable(str(file))
    assert file.read_bytes() == before


def test_a_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LongfatError, match="cannot be a store.*[Ii]s a directory"):
        Store.writable(str(tmp_path))


def test_a_database_without_tables_is_a_new_store(tmp_path: Path) -> None:
    file = tmp_path / "store.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("PRAGMA journal_mode = WAL")
    assert file.stat().st_size > 0
    for opened in (Store.readable, Store.writable):
        with opened(str(file)) as store:
            assert store.running({"a"}) == 0


def test_a_folder_that_does_not_exist_is_one_clear_message(tmp_path: Path) -> None:
    with pytest.raises(LongfatError, match="there is no folder .*nowhere; make it first"):
        Store.writable(str(tmp_path / "nowhere" / "store.db"))


def test_a_store_on_a_read_only_disk_can_be_read_and_not_written(small_disk: Path) -> None:
    location = str(small_disk / "store.db")
    with Store.writable(location):
        pass
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with Store.readable(location) as store:
        assert store.statuses({"a"}) == {}
    with pytest.raises(LongfatError, match="is read-only, and SQLite needs files beside"):
        Store.writable(location)


def test_a_store_on_a_network_file_system_is_refused_with_advice(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(
        f"21 1 8:1 / / rw - ext4 /dev/sda1 rw\n22 21 0:5 / {tmp_path} rw - nfs4 x rw\n"
    )
    monkeypatch.setattr("longfat.store.network_files.MOUNTS", mounts)
    with pytest.raises(LongfatError, match=r"network file system \(nfs4\).*--store /tmp") as caught:
        Store.writable(str(file))
    assert "postgresql://" in str(caught.value)
    with Store.readable(str(file)) as store:  # reading damages nothing
        assert store.statuses({"a"}) == {}
