"""Insertion of ended runs, with their parts, digests and control totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, insert, select

from longfat import _engine
from longfat.store import totals
from longfat.store.dialects import among, insert_new
from longfat.store.digests import PARTS, part_digests, run_digest
from longfat.store.rows import RunResult, part_rows, run_row
from longfat.store.schema import FAILED, runs

Rows = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows of a run's parts, by table, in order of position."""


@dataclass(frozen=True)
class Inserted:
    """Ids of the runs that the store did not have, and a message for each contradiction."""

    new: set[str]
    conflicts: list[str]


def insert_results(connection: Connection, results: Sequence[RunResult]) -> Inserted:
    """Insert ended runs, as `insert_or_compare` does."""
    rows, parts = {}, {}
    for result in results:
        run_id = result.scenario.run_id
        parts[run_id] = {
            table.name: list(part_rows(result, table.name, *kinds)) for table, kinds in PARTS
        }
        row = {**run_row(result), "part_digests": part_digests(parts[run_id])}
        rows[run_id] = {**row, "digest": run_digest(row)}
    return insert_or_compare(connection, rows, parts)


def insert_or_compare(
    connection: Connection, rows: Mapping[str, Mapping[str, Any]], parts: Mapping[str, Rows]
) -> Inserted:
    """Insert runs, given by id, also in place of stored ones that failed.

    A run that contradicts a stored one is not inserted.
    """
    failed = (runs.c.status == FAILED) & among(connection, runs.c.run_id, list(rows))
    kept = [runs.c[name] for name in (*totals.KEYS, "replication", "wall_seconds")]
    deleted = connection.execute(delete(runs).where(failed).returning(*kept))
    totals.add(connection, deleted.mappings().all(), sign=-1)
    new = insert_rows(connection, rows, parts)
    known = {run_id: row["fingerprint"] for run_id, row in rows.items() if run_id not in new}
    return Inserted(new, _conflicts(connection, known))


def insert_rows(
    connection: Connection, rows: Mapping[str, Mapping[str, Any]], parts: Mapping[str, Rows]
) -> set[str]:
    """Insert the runs that the store does not have, given by id, and return their ids."""
    new = insert_new(connection, runs, list(rows.values()))
    for table, _ in PARTS:
        if of_new := [row for run_id in sorted(new) for row in parts[run_id][table.name]]:
            connection.execute(insert(table), of_new)
    totals.add(connection, [rows[run_id] for run_id in new])
    return new


def _conflicts(connection: Connection, fingerprints: Mapping[str, str | None]) -> list[str]:
    """Return a message for each run that is stored with another fingerprint, or none."""
    if not fingerprints:
        return []
    query = select(runs.c.run_id, runs.c.fingerprint)
    rows = connection.execute(query.where(among(connection, runs.c.run_id, list(fingerprints))))
    return [
        f"run {row.run_id} is stored with fingerprint {row.fingerprint}, and now came out with "
        f"{fingerprints[row.run_id]}: model {_engine.MODEL} gave two answers; "
        "the stored one is kept"
        for row in rows
        if row.fingerprint != fingerprints[row.run_id]
    ]
