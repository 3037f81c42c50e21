"""`longfat store upgrade`: bring an older store to the current schema."""

import click

from longfat.cli.sources import SourceType
from longfat.cli.talk import say


@click.command("upgrade")
@click.argument("store", metavar="PATH_OR_URL", type=SourceType("store"))
def command(store: str) -> None:
    """Bring a store up to date, keeping every run; forward only, all of it or nothing.

    Older versions of longfat refuse it afterwards. Stop running studies first.
    """
    from longfat.base.errors import LongfatError
    from longfat.store.databases import store_at
    from longfat.store.migrations import upgrade

    backend = store_at(store)
    versions = upgrade(backend)
    if versions is None:
        raise LongfatError(f"{backend.name}: there is no store")
    before, after = versions
    if before == after:
        say(f"{backend.name}: of schema version {after} already; nothing to do")
    else:
        say(f"{backend.name}: brought from schema version {before} to {after}")
