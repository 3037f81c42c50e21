"""Checks of what is read: every value of a run that leaves the store has passed one of them."""

import json
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import ColumnElement, Connection, RowMapping, Table, Text, cast, select

from longfat.store.backend import damaged
from longfat.store.digests import PARTS, digest_in_sql, part_digest, run_id_of
from longfat.store.rows import StoredRun
from longfat.store.schema import runs

MOST_NAMED = 3
"""Damaged runs that a message names."""


def digest_differs(connection: Connection) -> ColumnElement[bool]:
    """Return the condition that a run's row is not what was written."""
    return runs.c.digest.is_distinct_from(digest_in_sql(connection))


def refuse_damaged(connection: Connection, name: str, wanted: ColumnElement[bool]) -> None:
    """Raise `LongfatError` if the row of one of the `wanted` runs is not what was written."""
    query = select(runs.c.run_id).where(wanted, digest_differs(connection))
    found = connection.execute(query.limit(MOST_NAMED)).scalars().all()
    if found:
        raise damaged(name, f"{named(found)} not as it was written (its digest differs)")


def named(run_ids: list[str] | Any) -> str:
    """Return the ids of runs for a message, also if the ids themselves are damaged."""
    shown = ", ".join(ascii(str(run_id)).strip("'") for run_id in run_ids)
    return f"run {shown} is" if len(run_ids) == 1 else f"each of the runs {shown} is"


def refuse_other_scenario(name: str, run: StoredRun) -> StoredRun:
    """Return the run. Raises `LongfatError` unless its scenario is that of which it has its id."""
    if run.run_id != run_id_of(run.model, run.scenario.resolved):
        raise damaged(name, f"the scenario of run {run.run_id} is not the one that was run")
    return run


def checked_parts(
    connection: Connection, name: str, wanted: ColumnElement[bool], table: Table
) -> Iterator[tuple[RowMapping, list[dict[str, Any]]]]:
    """Yield each of the `wanted` runs with its parts in one table, as in its record.

    Raises `LongfatError` for parts that are not what was written. `refuse_damaged` must have
    passed the runs.
    """
    place, kinds = next((i, kinds) for i, (part, kinds) in enumerate(PARTS) if part is table)
    of_run = (runs.c.run_id, runs.c.scenario_hash, runs.c.seed, runs.c.replication)
    of_part = (table.c.position, table.c.name, *(table.c[kind] for kind in kinds))
    measures = cast(table.c.measures, Text).label("measures")
    query = (
        select(*of_run, runs.c.part_digests, *of_part, measures)
        .outerjoin(table, table.c.run_id == runs.c.run_id)
        .where(wanted)
        .order_by(runs.c.run_id, table.c.position)
    )
    rows = connection.execute(query).mappings()
    for run_id, group in groupby(rows, lambda row: row["run_id"]):
        first, *others = group
        found = [row for row in (first, *others) if row["position"] is not None]
        if part_digest(found, kinds) != first["part_digests"].split(" ")[place]:
            raise damaged(name, f"the {table.name} of run {run_id} are not as they were written")
        yield (
            first,
            [
                {name: row[name] for name in ("name", *kinds)} | json.loads(row["measures"])
                for row in found
            ],
        )
