"""`longfat store check`: check every stored run, and the database."""

from typing import TYPE_CHECKING

import click

from longfat.cli.sources import SourceType

if TYPE_CHECKING:
    from longfat.store.salvage import Found

MOST_NAMED = 10
"""Damaged runs that are named."""


@click.command("check")
@click.argument("store", metavar="PATH_OR_URL", type=SourceType("store"))
def command(store: str) -> None:
    """Check every run of a store against its digest, and the database itself.

    Exit code 1 if the store is damaged.
    """
    from longfat.base.errors import RunFailed
    from longfat.base.location import shown
    from longfat.store.databases import store_at
    from longfat.store.salvage import checked

    backend = store_at(store)
    found = checked(backend)
    for line in report(found):
        click.echo(line)
    if not found.is_intact:
        raise RunFailed(
            f"{backend.name}: damaged; to keep the runs that are whole in a new store:\n"
            f"  longfat store salvage {shown(store)} NEW"
        )


def report(found: "Found") -> list[str]:
    """Return the findings in lines: the counts first."""
    written = "" if found.written is None else f" of {found.written}"
    more = len(found.damaged) - MOST_NAMED
    return [
        f"{found.whole}{written} runs are whole",
        *(f"run {run_id} is damaged" for run_id in found.damaged[:MOST_NAMED]),
        *([f"and {more} more"] if more > 0 else []),
        *found.problems,
    ]
