"""Migrations of stores from every released schema to the current one, forward only."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, delete, inspect

from longfat.store.backend import Backend, clear_errors
from longfat.store.schema import SCHEMA_VERSION, meta, workers


def upgrade(backend: Backend) -> tuple[str, str] | None:
    """Upgrade a store in one transaction; returns the versions before and after.

    Returns None if there is no store. Raises `LongfatError` for anything that is no store, a newer
    one, or one that cannot be written; it is then unchanged.
    """
    engine = backend.open_for_upgrade()
    if engine is None:
        return None
    try:
        with clear_errors(backend.name), engine.begin() as connection:
            return _upgrade(connection)
    finally:
        engine.dispose()


def _upgrade(connection: Connection) -> tuple[str, str]:
    of_schema = meta.c.name == "schema_version"
    before = connection.execute(meta.select().where(of_schema)).one().value
    after = str(SCHEMA_VERSION)
    if before == after:
        return before, after
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    if not inspect(connection).has_table("alembic_version"):  # before schema version 2
        command.stamp(config, before)
    command.upgrade(config, after)
    connection.execute(meta.update().where(of_schema).values(value=after))
    # Processes that use the old schema have ended or will fail.
    connection.execute(delete(workers))
    return before, after
