"""`longfat store salvage`: copy the runs of a damaged store that are whole into a new store."""

import click

from longfat.cli.sources import SourceType
from longfat.cli.talk import say


@click.command("salvage")
@click.argument("store", metavar="PATH_OR_URL", type=SourceType("store"))
@click.argument("new", metavar="NEW_PATH_OR_URL")
def command(store: str, new: str) -> None:
    """Copy every run of a store that is whole into a new store.

    The damaged store is left as it is. A study with --store NEW then runs what is missing.
    """
    from longfat.base.location import shown
    from longfat.cli.store.check import report
    from longfat.store.databases import store_at
    from longfat.store.salvage import salvage

    source, target = store_at(store), store_at(new)
    found = salvage(source, target)
    for line in report(found):
        click.echo(line)
    unsaved = f"{found.missing} are not" if found.missing else "none is missing"
    say(
        f"{target.name}: {found.whole} runs saved, {unsaved}; to run what is missing:\n"
        f"  longfat study run STUDY --store {shown(new)}"
    )
