"""Databases by path or URL."""

from pathlib import Path

from longfat.base.errors import LongfatError
from longfat.base.files import refuse_special
from longfat.base.location import shown
from longfat.store.backend import Backend
from longfat.store.sqlite import SqliteFile

KINDS = "PATH, sqlite:///PATH or postgresql://USER@HOST/DATABASE"


def store_at(location: str) -> Backend:
    """Return the database at a path or a URL.

    Raises `LongfatError` for a URL of any other kind, and if PostgreSQL's driver is missing.
    """
    scheme, colon, _ = location.partition("://")
    if not colon or scheme == "sqlite":
        path = _path(location)
        refuse_special(path)
        return SqliteFile(path)
    if scheme in ("postgresql", "postgresql+psycopg"):
        from longfat.store.postgresql import PostgresqlDatabase

        return PostgresqlDatabase(location)
    raise LongfatError(f"{shown(location)}: a store is given as {KINDS}")


def _path(location: str) -> Path:
    if "://" not in location:
        return Path(location)
    _, _, path = location.partition(":///")
    if not path:
        raise LongfatError(f"{location}: a store is given as {KINDS}")
    return Path(path)
