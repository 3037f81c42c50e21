"""What alembic runs: the migrations, in the transaction that `longfat.store.migrations` began."""

from alembic import context

from longfat.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
)
context.run_migrations()
