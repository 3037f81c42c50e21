"""Interface of a database that holds a store."""

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from sqlalchemy import Connection, Engine, create_engine, event, insert, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from longfat.base.errors import LongfatError, StoreDamaged
from longfat.store.digests import register
from longfat.store.schema import SCHEMA_VERSION, alembic_version, meta, metadata


class Backend(Protocol):
    """A database that holds a store or can hold one.

    Every method raises `LongfatError` for a database that is no store, or one of another schema
    version.
    """

    name: str
    """Name in messages, without the password of a URL."""

    def open_for_writing(self) -> Engine:
        """Open the store; create its tables if there are none."""

    def open_for_reading(self) -> Engine | None:
        """Open the store read-only; None if it does not exist."""

    def open_for_upgrade(self) -> Engine | None:
        """Open a store of this or an older version for writing; None if it does not exist."""

    def opened_for_salvage(self) -> AbstractContextManager[tuple[Connection, list[str]]]:
        """Open what is left of a damaged store; yields a connection that reads, and findings."""

    def refuse_gone(self) -> None:
        """Raise `StoreGone` if the name no longer leads to the database that is open."""

    def is_gone(self, error: BaseException, /) -> bool:
        """Whether an error of the database means that the store no longer exists."""

    def check(self, connection: Connection) -> str:
        """Return the database's own integrity check: ``ok`` if it is intact."""


@contextmanager
def clear_errors(name: str) -> Iterator[None]:
    """Turn the database's errors into `LongfatError` with one message that names the store."""
    try:
        yield
    except (DBAPIError, sqlite3.Error, UnicodeDecodeError) as error:
        raise in_words(name, error) from error


def in_words(name: str, error: BaseException) -> LongfatError:
    """Return the message for an error of the database, which names the store."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, UnicodeDecodeError):  # also where SQLite quotes damaged text
        return damaged(name, "text that is no UTF-8")
    said = " ".join(str(cause).split())
    if isinstance(cause, sqlite3.Error) and _is_damage(cause):
        undecoded = said.startswith("Could not decode")
        return damaged(name, "text that is no UTF-8" if undecoded else said)
    return LongfatError(f"{name}: {said}")


_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT}
_DAMAGED = ("Could not decode", "no such ", "malformed", "unsupported file format")
"""Beginnings of messages that a whole store does not cause."""


def _is_damage(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0)
    is_short = code == sqlite3.SQLITE_IOERR_SHORT_READ
    return is_short or code & 0xFF in _DAMAGE or str(error).startswith(_DAMAGED)


def damaged(name: str, what: str) -> StoreDamaged:
    """Return the refusal of a damaged store, which says how to go on."""
    quoted = shlex.quote(name)
    return StoreDamaged(
        name,
        what,
        "No result is read from it. To see all damage, and to keep the runs that are whole in a "
        "new store, with which the study runs the others again:\n"
        f"  longfat store check {quoted}\n"
        f"  longfat store salvage {quoted} NEW",
    )


def create_tables(connection: Connection) -> None:
    """Create the missing tables of a store of the current version."""
    metadata.create_all(connection)
    if connection.execute(select(meta)).first() is None:
        version = str(SCHEMA_VERSION)
        connection.execute(insert(meta).values(name="schema_version", value=version))
        connection.execute(insert(alembic_version).values(version_num=version))


def empty_store() -> Engine:
    """Return an empty database in memory, which stands for a store that does not exist."""
    engine = create_engine("sqlite://", poolclass=StaticPool)
    event.listen(engine, "connect", lambda database, _record: register(database))
    with engine.begin() as connection:
        create_tables(connection)
    return engine


def is_known(version: str) -> bool:
    """Whether this longfat can read a store of this schema version, perhaps after an upgrade."""
    return version.isdecimal() and int(version) <= SCHEMA_VERSION


def refuse_other_versions(name: str, version: str) -> None:
    """Raise `LongfatError` unless a store of this schema version can be used without an upgrade."""
    if version == str(SCHEMA_VERSION):
        return
    if is_known(version):
        raise LongfatError(
            f"{name}: a store of schema version {version}; this longfat works with version "
            f"{SCHEMA_VERSION}. To bring it up to date, keeping every run:\n"
            f"  longfat store upgrade {name}"
        )
    raise LongfatError(
        f"{name}: a store of schema version {version}; this longfat knows version "
        f"{SCHEMA_VERSION}: use the longfat that wrote it, or a newer one"
    )
