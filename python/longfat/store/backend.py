"""Interface of a database that holds a store."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from sqlalchemy import Connection, Engine, create_engine, insert, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import StaticPool

from longfat.base.errors import LongfatError
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

    def check(self, connection: Connection) -> str:
        """Return the database's own integrity check: ``ok`` if it is intact."""


@contextmanager
def clear_errors(name: str) -> Iterator[None]:
    """Turn the database's errors into `LongfatError` with one message that names the store."""
    try:
        yield
    except DBAPIError as error:
        raise LongfatError(f"{name}: {' '.join(str(error.orig).split())}") from error


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
    with engine.begin() as connection:
        create_tables(connection)
    return engine


def refuse_other_versions(name: str, version: str) -> None:
    """Raise `LongfatError` unless a store of this schema version can be used without an upgrade."""
    if version == str(SCHEMA_VERSION):
        return
    if version.isdecimal() and int(version) < SCHEMA_VERSION:
        raise LongfatError(
            f"{name}: a store of schema version {version}; this longfat works with version "
            f"{SCHEMA_VERSION}. To bring it up to date, keeping every run:\n"
            f"  longfat store upgrade {name}"
        )
    raise LongfatError(
        f"{name}: a store of schema version {version}; this longfat knows version "
        f"{SCHEMA_VERSION}: use the longfat that wrote it, or a newer one"
    )
