"""`longfat store`: what can be done to a store as a whole."""

import click

from longfat.cli.lazy import LazyGroup


@click.group("store", cls=LazyGroup, lazy={"upgrade": "longfat.cli.store.upgrade"})
def command() -> None:
    """Look after stores, the files or databases that keep runs."""
