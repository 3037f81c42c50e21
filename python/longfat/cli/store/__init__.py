"""`longfat store`: maintenance of stores."""

import click

from longfat.cli.lazy import LazyGroup


@click.group("store", cls=LazyGroup, lazy={"upgrade": "longfat.cli.store.upgrade"})
def command() -> None:
    """Maintain stores, the files or databases of runs."""
