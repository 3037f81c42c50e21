"""Copies of the runs of stores into another store, such as those of the parts of a study."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from longfat.base.errors import CheckFailed
from longfat.store.backend import Backend, damaged
from longfat.store.salvage import BATCH, Found, checked, sealed, whole_runs
from longfat.store.schema import FAILED
from longfat.store.writing import insert_or_compare, insert_rows


@dataclass(frozen=True)
class Merged:
    """Counts of runs: in the stores that were read, and new in the store that was written."""

    read: int
    added: int


def merge(sources: Sequence[Backend], target: Backend) -> Merged:
    """Copy every run of the sources that the target does not have, or has as failed.

    Creates the target if it does not exist. Raises `LongfatError` for a source that is no store or
    is damaged, before anything is written; `CheckFailed`, after copying all others, for runs that
    the target has with other results.
    """
    for source in sources:
        found = checked(source)
        if not found.is_intact:
            raise damaged(source.name, f"{found.missing} runs are not whole")
    engine = target.open_for_writing()
    read = added = 0
    conflicts: list[str] = []
    try:
        for source in sources:
            with source.opened_for_salvage() as (connection, _):
                whole = whole_runs(connection, Found())
                while batch := list(islice(whole, BATCH)):
                    rows, parts = sealed(batch)
                    # A failed run has no result to compare: a limit of time may have ended it.
                    failed = {run: row for run, row in rows.items() if row["status"] == FAILED}
                    done = {run: row for run, row in rows.items() if run not in failed}
                    with engine.begin() as writing:
                        inserted = insert_or_compare(writing, done, parts)
                        new = inserted.new | insert_rows(writing, failed, parts)
                    read += len(batch)
                    added += len(new)
                    conflicts += [f"{source.name}: {one}" for one in inserted.conflicts]
    finally:
        engine.dispose()
    if conflicts:
        raise CheckFailed("\n".join(conflicts))
    return Merged(read, added)
