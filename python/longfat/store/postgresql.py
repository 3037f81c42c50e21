"""A store in a PostgreSQL database, for a team or the machines of a cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sqlalchemy import Connection, Engine, create_engine, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from longfat.base.errors import LongfatError
from longfat.base.extras import need
from longfat.base.location import shown
from longfat.store.backend import (
    clear_errors,
    create_tables,
    is_known,
    refuse_other_versions,
)
from longfat.store.dialects import snapshot
from longfat.store.schema import meta, metadata

CREATION_LOCK = 0x6C6F6E67666174
"""Advisory lock held while creating the tables; an arbitrary fixed number."""

CONNECT_TIMEOUT_SECONDS = 10

GONE = {"42P01", "3D000", "3F000", "57P01"}
"""Codes of errors: no such table, database or schema; the connection was ended by the server."""


class PostgresqlDatabase:
    """The database at a URL; implements `longfat.store.backend.Backend`.

    Raises `LongfatError` for an invalid URL, and if the driver is not installed.
    """

    def __init__(self, location: str) -> None:
        self.name = shown(location)
        try:
            self._url = make_url(location).set(drivername="postgresql+psycopg")
        except (ArgumentError, ValueError) as error:
            raise LongfatError(f"{self.name}: not a URL of a database: {error}") from error
        need("postgresql", f"{self.name}: PostgreSQL")

    def open_for_writing(self) -> Engine:
        """Open the store; create its tables if it has none of them."""

        def prepare(connection: Connection) -> bool:
            connection.execute(text(f"SELECT pg_advisory_xact_lock({CREATION_LOCK})"))
            if (version := self._version(connection)) is None:
                create_tables(connection)
            else:
                refuse_other_versions(self.name, version)
            return True

        engine = self._opened(prepare)
        assert engine is not None
        return engine

    def open_for_reading(self) -> Engine | None:
        """Open the store in a read-only session of the server."""

        def look(connection: Connection) -> bool:
            if (version := self._version(connection)) is not None:
                refuse_other_versions(self.name, version)
            return version is not None

        return self._opened(look, "-c default_transaction_read_only=on")

    def open_for_upgrade(self) -> Engine | None:
        """Open a store of this or an older version for writing."""

        def look(connection: Connection) -> bool:
            version = self._version(connection)
            if version is not None and not is_known(version):
                refuse_other_versions(self.name, version)
            return version is not None

        return self._opened(look)

    @contextmanager
    def opened_for_salvage(self) -> Iterator[tuple[Connection, list[str]]]:
        """Open the store as for reading: the server keeps its own tables in order."""
        engine = self.open_for_reading()
        if engine is None:
            raise LongfatError(f"{self.name}: there is no store")
        try:
            with clear_errors(self.name), snapshot(engine.connect()) as connection:
                yield connection, []
        finally:
            engine.dispose()

    def refuse_gone(self) -> None:
        """Do nothing: the server refuses to work with a table or database that was dropped."""

    def is_gone(self, error: BaseException) -> bool:
        """Whether the tables, the database or the server's end of the connection are gone."""
        cause = error.orig if isinstance(error, DBAPIError) else error
        state = getattr(cause, "sqlstate", None)
        return state in GONE or "does not exist" in str(cause)

    def check(self, connection: Connection) -> str:
        """Read every run; the server itself checks its pages."""
        connection.execute(text("SELECT count(*) FROM runs")).scalar_one()
        return "ok"

    def _opened(self, suits: Callable[[Connection], bool], options: str = "") -> Engine | None:
        """Return an engine if `suits` accepts the database, checked in a transaction; else None."""
        arguments = {"connect_timeout": CONNECT_TIMEOUT_SECONDS, "application_name": "longfat"}
        # Empty `options` are omitted, so that those of the URL apply.
        of_url = self._url.query.get("options", "")
        engine = create_engine(
            self._url,
            connect_args={**arguments, "options": f"{of_url} {options}".strip()},
            pool_pre_ping=True,
        )
        try:
            with clear_errors(self.name), engine.begin() as connection:
                wanted = suits(connection)
        except LongfatError:
            engine.dispose()
            raise
        if not wanted:
            engine.dispose()
        return engine if wanted else None

    def _version(self, connection: Connection) -> str | None:
        """Return the schema version; None if no table of a store exists."""
        names = set(inspect(connection).get_table_names())
        if meta.name in names:
            of_schema = select(meta.c.value).where(meta.c.name == "schema_version")
            version: str | None = connection.execute(of_schema).scalar_one_or_none()
            if version is not None:
                return version
        if strangers := sorted(names & metadata.tables.keys()):
            raise LongfatError(
                f"{self.name}: has tables of other programs with names that a store needs "
                f"({', '.join(strangers)}); use a database of its own"
            )
        return None
