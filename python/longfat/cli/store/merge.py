"""`longfat store merge`: copy the runs of several stores into one."""

import click

from longfat.cli.sources import SourceType
from longfat.cli.talk import say


@click.command("merge")
@click.argument("store", metavar="PATH_OR_URL", type=SourceType("store"))
@click.argument("sources", metavar="FROM...", type=SourceType("store"), nargs=-1, required=True)
def command(store: str, sources: tuple[str, ...]) -> None:
    """Copy every run of other stores into a store, which is created if it does not exist.

    The other stores are left as they are. Runs that the store has already are compared.

    Exit code 3 if a run has other results there.
    """
    from longfat.store.databases import store_at
    from longfat.store.merging import merge

    target = store_at(store)
    merged = merge([store_at(source) for source in sources], target)
    known = merged.read - merged.added
    say(f"{target.name}: {merged.added} runs added, {known} were there")
