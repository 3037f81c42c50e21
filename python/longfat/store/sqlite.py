"""A store in an SQLite file: created for writing, unchanged by reading, refused if foreign."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Connection, Engine, create_engine, delete, event
from sqlalchemy.pool import StaticPool

from longfat.base.errors import LongfatError, StoreDamaged, StoreGone
from longfat.base.files import refuse_missing_folder
from longfat.store.backend import (
    clear_errors,
    create_tables,
    damaged,
    is_known,
    refuse_other_versions,
)
from longfat.store.digests import register
from longfat.store.network_files import network_file_system
from longfat.store.repaired import with_new_schema
from longfat.store.schema import SCHEMA_VERSION, leases

SQLITE_HEADER = b"SQLite format 3\0"
BUSY_TIMEOUT_SECONDS = 60.0

WRITER_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON")
"""WAL lets readers work while a campaign writes.

With WAL, NORMAL loses nothing if the process is killed, and at most the last transactions on a
power failure.
"""


class SqliteFile:
    """The file at a path; implements `longfat.store.backend.Backend`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)
        # Device and inode of each open file; None until the store is open.
        self._open: dict[Path, tuple[int, int]] = {}

    def open_for_writing(self) -> Engine:
        """Open or create the store. Also raises `LongfatError` on a network file system."""
        if (version := self._version()) is not None:
            refuse_other_versions(self.name, version)
        refuse_missing_folder(self.path.parent, self.name)
        _refuse_network(self.path)
        _refuse_read_only(self.path.parent, self.name)
        engine = _engine(_uri(self.path, "mode=rwc"), "BEGIN IMMEDIATE", WRITER_PRAGMAS)
        try:
            with clear_errors(self.name), engine.begin() as connection:
                create_tables(connection)
                # An empty write: only now does SQLite report that the file cannot be written.
                connection.execute(delete(leases).where(leases.c.run_id.is_(None)))
        except LongfatError:
            engine.dispose()
            raise
        # SQLite has its own files open beside the store, as long as this process writes.
        self._note_files("", "-wal", "-shm")
        return engine

    def open_for_reading(self) -> Engine | None:
        """Open the store read-only, also on a read-only disk."""
        version = self._version()
        if version is None:
            return None
        refuse_other_versions(self.name, version)
        if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
            # On close, a reader with write access removes the companion files.
            engine = _engine(_uri(self.path, "mode=rw"), "BEGIN", ["query_only = ON"])
        else:
            engine = _engine(_read_only_uri(self.path), "BEGIN")
        with clear_errors(self.name), engine.connect():
            self._note_files("")
        return engine

    def open_for_upgrade(self) -> Engine | None:
        """Open the store for an upgrade; each transaction excludes all other writers."""
        version = self._version()
        if version is None:
            return None
        if not is_known(version):
            refuse_other_versions(self.name, version)
        _refuse_network(self.path)
        return _engine(_uri(self.path, "mode=rw"), "BEGIN IMMEDIATE", WRITER_PRAGMAS)

    @contextmanager
    def opened_for_salvage(self) -> Iterator[tuple[Connection, list[str]]]:
        """Open what is left of the store; a damaged list of its tables is replaced in a copy.

        Raises `LongfatError` for a file that is no store, or one of another schema version.
        """
        problems: list[str] = []
        with TemporaryDirectory() as folder:
            try:
                version = self._version()
                if version is not None:
                    refuse_other_versions(self.name, version)
                uri = _read_only_uri(self.path)
            except StoreDamaged as error:
                problems.append(error.what)
                uri = _uri(with_new_schema(self.path, Path(folder), self._create), "mode=rw")
            else:
                if version is None:
                    raise LongfatError(f"{self.name}: there is no store")
            engine = _engine(uri, "BEGIN")
            try:
                with clear_errors(self.name), engine.connect() as connection:
                    yield connection, problems
            finally:
                engine.dispose()

    def _create(self, path: Path) -> None:
        SqliteFile(path).open_for_writing().dispose()

    def refuse_gone(self) -> None:
        """Raise `StoreGone` if a file of the store is no longer the one that is open.

        An open file that is deleted or replaced can still be written: what is written is lost when
        it is closed. SQLite notices (SQLITE_FCNTL_HAS_MOVED), and Python has no way to ask it.
        """
        for file, opened in self._open.items():
            found = _identity(file)
            if found == opened:
                continue
            happened = "another file was put in its place" if found else "it was deleted or moved"
            raise StoreGone(
                f"{file}: {happened} while the store was open. Runs that ended since are not "
                "stored. If the store was moved, move it back with the files beside it, or name "
                "its new place with --store; without it the same command begins a new store"
            )

    def _note_files(self, *ends: str) -> None:
        files = [self.path.with_name(f"{self.path.name}{end}") for end in ends]
        found = {file: _identity(file) for file in files}
        self._open = {file: identity for file, identity in found.items() if identity}

    def is_gone(self, _error: BaseException) -> bool:
        """Return False: SQLite continues to work with a file that is gone."""
        return False

    def check(self, connection: Connection) -> str:
        """Let SQLite check every page, and that indices have what the tables have."""
        return "; ".join(connection.exec_driver_sql("PRAGMA integrity_check(3)").scalars())

    def _version(self) -> str | None:
        """Return the schema version; None if the file is absent or empty.

        Raises `LongfatError` for a file that is no store, without changing it.
        """
        with clear_errors(self.name):
            try:
                header = _header(self.path)
            except FileNotFoundError:
                return None
            if not header:
                return None  # to SQLite an empty file is a new database
            if header != SQLITE_HEADER and _resembles(header):
                raise damaged(self.name, "the beginning of the file is not that of SQLite")
            if header != SQLITE_HEADER:
                raise LongfatError(f"{self.name}: not an SQLite file, so not a longfat store")
            with closing(sqlite3.connect(_read_only_uri(self.path), uri=True)) as database:
                if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                    if database.execute("PRAGMA page_count").fetchone()[0] > 1:
                        raise damaged(self.name, "its list of tables is empty")
                    return None  # another process is about to create the tables
                version, is_consistent = _schema_version(database)
        if not is_consistent:
            raise damaged(self.name, f"its schema version {version} is not what it was")
        if version is None:
            raise LongfatError(f"{self.name}: an SQLite file, but not a longfat store")
        return version


def _refuse_network(path: Path) -> None:
    kind = network_file_system(path)
    if kind is not None:
        raise LongfatError(
            f"{path}: on a network file system ({kind}), where SQLite cannot keep two machines "
            "from damaging the file. Put the store on a local disk (--store /tmp/longfat.db, and "
            "copy it when the study is done), or use a server (--store postgresql://...)"
        )


def _refuse_read_only(folder: Path, name: str) -> None:
    if folder.is_dir() and not os.access(folder, os.W_OK):
        raise LongfatError(
            f"{name}: {folder.resolve()} is read-only, and SQLite needs files beside the store to "
            "write; what is stored can be read (longfat study compare). To run more, copy the "
            "store to a folder that can be written and name it with --store"
        )


def _header(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(len(SQLITE_HEADER))
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise LongfatError(f"{str(path)!r} cannot be a store: {error}") from error


def _schema_version(database: sqlite3.Connection) -> tuple[str | None, bool]:
    """Return the schema version, and whether it agrees with the one that Alembic noted."""
    try:
        rows = database.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchall()
    except sqlite3.OperationalError:  # no such table, or a foreign one
        return None, True
    version = str(rows[0][0]) if rows else None
    if version == str(SCHEMA_VERSION) or (version is not None and not is_known(version)):
        return version, True
    try:
        noted = database.execute("SELECT version_num FROM alembic_version").fetchall()
    except sqlite3.OperationalError:  # before schema version 2
        return version, True
    return version, noted == [(version,)]


def _resembles(header: bytes) -> bool:
    """Whether half of the bytes are those with which SQLite's files begin, or none was written."""
    if not any(header):
        return True
    same = sum(found == due for found, due in zip(header, SQLITE_HEADER, strict=False))
    return 2 * same >= len(SQLITE_HEADER)


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _read_only_uri(path: Path) -> str:
    """Return a URI that reads without companion files if the folder is not writable."""
    companion = path.with_name(f"{path.name}-wal")
    if companion.exists() or os.access(path.parent, os.W_OK):
        return _uri(path, "mode=ro")
    return _uri(path, "immutable=1")


def _uri(path: Path, query: str) -> str:
    return f"{path.resolve().as_uri()}?{query}"


def _engine(uri: str, begin: str, pragmas: Sequence[str] = ()) -> Engine:
    def connect() -> sqlite3.Connection:
        database = sqlite3.connect(
            uri,
            uri=True,
            timeout=BUSY_TIMEOUT_SECONDS,
            isolation_level=None,  # transactions are begun explicitly below, not by the driver
            check_same_thread=False,
        )
        try:
            register(database)
            # Damaged text is read, so that the check of its digest names the run.
            database.text_factory = lambda text: str(text, "utf-8", "surrogateescape")
            # Damaged cells of a page are then errors, and never rows.
            for pragma in ("cell_size_check = ON", *pragmas):
                database.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            database.close()
            raise
        return database

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine
