"""Opening a store's file: created for writing, unchanged for reading, refused when strange."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, delete, event, insert
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from longfat.errors import LongfatError
from longfat.store.schema import SCHEMA_VERSION, meta, metadata, running

SQLITE_HEADER = b"SQLite format 3\0"
BUSY_TIMEOUT_SECONDS = 60.0

WRITER_PRAGMAS = ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON")
"""WAL lets readers work while a campaign writes. With it, NORMAL loses nothing when the process is
killed, and at most the last transactions when the power fails."""


def store_path(location: str) -> Path:
    """The file that a path or an ``sqlite:///path`` URL means.

    Raises `LongfatError` for any other URL.
    """
    if "://" not in location:
        return Path(location)
    scheme, _, path = location.partition(":///")
    if scheme != "sqlite" or not path:
        raise LongfatError(f"{location}: a store is a file, given as PATH or sqlite:///PATH")
    return Path(path)


def open_for_writing(path: Path) -> Engine:
    """Open a store, creating the file and its tables when there is none yet.

    Raises `LongfatError` for a file that is no store, one of another schema version, or one that
    cannot be written.
    """
    _is_new(path)
    engine = _engine(_uri(path, "mode=rwc"), "BEGIN IMMEDIATE", WRITER_PRAGMAS)
    try:
        with clear_errors(path), engine.begin() as connection:
            _create_tables(connection)
            # A write, even of nothing: SQLite says only now that a file cannot be written.
            connection.execute(delete(running).where(running.c.run_id.is_(None)))
    except LongfatError:
        engine.dispose()
        raise
    return engine


def open_for_reading(path: Path) -> Engine:
    """Open a store without changing it; a store that does not exist yet reads as empty.

    Raises `LongfatError` for a file that is no store, or one of another schema version.
    """
    if _is_new(path):
        engine = _engine(":memory:", "BEGIN")
        with engine.begin() as connection:
            _create_tables(connection)
        return engine
    if os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        # A reader that could write takes its companion files away when it closes.
        return _engine(_uri(path, "mode=rw"), "BEGIN", ["query_only = ON"])
    return _engine(_read_only_uri(path), "BEGIN")


@contextmanager
def clear_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite reports into one message that names the store."""
    try:
        yield
    except DBAPIError as error:
        raise LongfatError(f"{path}: {error.orig}") from error
    except sqlite3.Error as error:
        raise LongfatError(f"{path}: {error}") from error


def _is_new(path: Path) -> bool:
    """Whether nothing is stored here yet. Refuses what is no store, leaving it untouched."""
    with clear_errors(path):
        try:
            header = _header(path)
        except FileNotFoundError:
            return True
        if not header:
            return True  # SQLite takes an empty file for a new database
        if header != SQLITE_HEADER:
            raise LongfatError(f"{path}: not an SQLite file, so not a longfat store")
        with closing(sqlite3.connect(_read_only_uri(path), uri=True)) as database:
            if not database.execute("SELECT 1 FROM sqlite_master").fetchone():
                return True  # another process is about to create the tables
            version = _schema_version(database)
    if version is None:
        raise LongfatError(f"{path}: an SQLite file, but not a longfat store")
    if version != str(SCHEMA_VERSION):
        raise LongfatError(
            f"{path}: a store of schema version {version}; this longfat knows version "
            f"{SCHEMA_VERSION}: use the longfat that wrote it, or a newer one"
        )
    return False


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


def _create_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    if connection.execute(meta.select()).first() is None:
        connection.execute(insert(meta).values(name="schema_version", value=str(SCHEMA_VERSION)))
