"""Digests and control totals of all runs as they are stored, for stores that have none yet."""

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from sqlalchemy import Connection, Text, bindparam, cast, select, update

from longfat.store import totals
from longfat.store.dialects import among
from longfat.store.digests import PARTS, digest_in_sql, part_digests
from longfat.store.schema import runs

BATCH = 1000
"""Runs, each with its parts, in memory at a time."""


def seal(connection: Connection) -> None:
    """Compute the digests of every run and its parts, and the totals."""
    for run_ids in _batches(connection):
        parts = parts_as_stored(connection, run_ids)
        of_run = update(runs).where(runs.c.run_id == bindparam("of"))
        connection.execute(
            of_run.values(part_digests=bindparam("computed")),
            [{"of": run_id, "computed": part_digests(parts[run_id])} for run_id in run_ids],
        )
    connection.execute(update(runs).values(digest=digest_in_sql(connection)))
    totals.count_again(connection)


def parts_as_stored(
    connection: Connection, run_ids: list[str]
) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Return the rows of the parts of these runs by table, in order of position, JSON as text."""
    found: dict[str, dict[str, list[dict[str, Any]]]] = {
        run_id: {table.name: [] for table, _ in PARTS} for run_id in run_ids
    }
    for table, _ in PARTS:
        columns = [column for column in table.c if column is not table.c.measures]
        query = select(*columns, cast(table.c.measures, Text).label("measures"))
        wanted = among(connection, table.c.run_id, run_ids)
        rows = connection.execute(query.where(wanted).order_by(table.c.run_id, table.c.position))
        for run_id, group in groupby(rows.mappings(), lambda row: row["run_id"]):
            found[run_id][table.name] = [dict(row) for row in group]
    return found


def _batches(connection: Connection) -> Iterator[list[str]]:
    last = ""
    query = select(runs.c.run_id).order_by(runs.c.run_id).limit(BATCH)
    while run_ids := list(connection.execute(query.where(runs.c.run_id > last)).scalars()):
        yield run_ids
        last = run_ids[-1]
