"""A store in an SQLite file: created for writing, unchanged for reading, refused when strange."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, delete, event
from sqlalchemy.pool import StaticPool

from longfat.base.errors import LongfatError
from longfat.base.files import refuse_missing_folder
from longfat.store.backend import clear_errors, create_tables, refuse_other_versions
from longfat.store.network_files import network_file_system
from longfat.store.schema import SCHEMA_VERSION, leases

SQLITE_HEADER = b"SQLite format 3\0"
BUSY_TIMEOUT_SECONDS = 60.0

WRITER_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON")
"""WAL lets readers work while a campaign writes. With it, NORMAL loses nothing when the process is
killed, and at most the last transactions when the power fails."""


class SqliteFile:
    """The file at a path. See `longfat.store.backend.Backend` for what each method promises."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.name = str(path)

    def open_for_writing(self) -> Engine:
        """Refuse a network file system, besides what `Backend` says."""
        if (version := self._version()) is not None:
            refuse_other_versions(self.name, version)
        refuse_missing_folder(self.path.parent, self.name)
        _refuse_network(self.path)
        _refuse_read_only(self.path.parent, self.name)
        engine = _engine(_uri(self.path, "mode=rwc"), "BEGIN IMMEDIATE", WRITER_PRAGMAS)
        try:
            with clear_errors(self.name), engine.begin() as connection:
                create_tables(connection)
                # A write, even of nothing: SQLite says only now that a file cannot be written.
                connection.execute(delete(leases).where(leases.c.run_id.is_(None)))
        except LongfatError:
            engine.dispose()
            raise
        return engine

    def open_for_reading(self) -> Engine | None:
        """Work on a read-only disk as well."""
        version = self._version()
        if version is None:
            return None
        refuse_other_versions(self.name, version)
        if os.access(self.path, os.W_OK) and os.access(self.path.parent, os.W_OK):
            # A reader that could write takes its companion files away when it closes.
            return _engine(_uri(self.path, "mode=rw"), "BEGIN", ["query_only = ON"])
        return _engine(_read_only_uri(self.path), "BEGIN")

    def open_for_upgrade(self) -> Engine | None:
        """Lock out every other writer while a transaction lasts."""
        version = self._version()
        if version is None:
            return None
        if int(version) > SCHEMA_VERSION:
            refuse_other_versions(self.name, version)
        _refuse_network(self.path)
        return _engine(_uri(self.path, "mode=rw"), "BEGIN IMMEDIATE", WRITER_PRAGMAS)

    def check(self, connection: Connection) -> str:
        """Let SQLite look at every page."""
        return "; ".join(connection.exec_driver_sql("PRAGMA quick_check").scalars())

    def _version(self) -> str | None:
        """The schema version; None when nothing is stored here yet.

        Refuses what is no store, leaving it untouched.
        """
        with _clear_errors(self.name):
            try:
                header = _header(self.path)
            except FileNotFoundError:
                return None
            if not header:
                return None  # SQLite takes an empty file for a new database
            if header != SQLITE_HEADER:
                raise LongfatError(f"{self.name}: not an SQLite file, so not a longfat store")
            with closing(sqlite3.connect(_read_only_uri(self.path), uri=True)) as database:
                if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                    return None  # another process is about to create the tables
                version = _schema_version(database)
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


def _schema_version(database: sqlite3.Connection) -> str | None:
    try:
        row = database.execute("SELECT value FROM meta WHERE name = 'schema_version'").fetchone()
    except sqlite3.OperationalError:  # there is no such table, or it is somebody else's
        return None
    return str(row[0]) if row else None


@contextmanager
def _clear_errors(name: str) -> Iterator[None]:
    """As `clear_errors`, where SQLite is used without SQLAlchemy."""
    try:
        yield
    except sqlite3.Error as error:
        raise LongfatError(f"{name}: {error}") from error


def _read_only_uri(path: Path) -> str:
    """Read without creating SQLite's companion files where the folder does not allow them."""
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
            isolation_level=None,  # transactions are begun below, not guessed by the driver
            check_same_thread=False,
        )
        try:
            for pragma in pragmas:
                database.execute(f"PRAGMA {pragma}")
        except sqlite3.Error:
            database.close()
            raise
        return database

    engine = create_engine("sqlite://", creator=connect, poolclass=StaticPool)
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine
