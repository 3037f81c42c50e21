"""`longfat store`: maintenance of stores."""

import click

from longfat.cli.lazy import LazyGroup


@click.group(
    "store",
    cls=LazyGroup,
    lazy={
        "check": "longfat.cli.store.check",
        "merge": "longfat.cli.store.merge",
        "salvage": "longfat.cli.store.salvage",
        "upgrade": "longfat.cli.store.upgrade",
    },
)
def command() -> None:
    """Maintain stores, the files or databases of runs."""
