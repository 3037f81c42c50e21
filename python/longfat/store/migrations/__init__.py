"""From every released schema to the present one, forward only; run by `longfat store upgrade`."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, delete, inspect

from longfat.store.backend import Backend, clear_errors
from longfat.store.schema import SCHEMA_VERSION, meta, workers


def upgrade(backend: Backend) -> tuple[str, str] | None:
    """Bring a store up to date in one transaction; the versions before and after.

    None when there is no store. Raises `LongfatError` for what is no store, a newer one, or one
    that cannot be written; it is then as it was.
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
    # Processes that worked with the old schema are gone, or about to fail.
    connection.execute(delete(workers))
    return before, after
