"""Alembic's environment: runs migrations in the transaction of `longfat.store.migrations`."""

from alembic import context

from longfat.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
context.run_migrations()
