"""Insertion of ended runs, with their parts, digests and control totals."""

from collections.abc import Mapping, Sequence
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


def insert_results(connection: Connection, results: Sequence[RunResult]) -> list[str]:
    """Insert new runs; return a message for each run that contradicts a stored one."""
    run_ids = [result.scenario.run_id for result in results]
    failed = (runs.c.status == FAILED) & among(connection, runs.c.run_id, run_ids)
    kept = [runs.c[name] for name in (*totals.KEYS, "replication", "wall_seconds")]
    deleted = connection.execute(delete(runs).where(failed).returning(*kept))
    totals.add(connection, deleted.mappings().all(), sign=-1)
    rows, parts = {}, {}
    for result in results:
        run_id = result.scenario.run_id
        parts[run_id] = {
            table.name: list(part_rows(result, table.name, *kinds)) for table, kinds in PARTS
        }
        row = {**run_row(result), "part_digests": part_digests(parts[run_id])}
        rows[run_id] = {**row, "digest": run_digest(row)}
    new = insert_rows(connection, rows, parts)
    return _conflicts(connection, [r for r in results if r.scenario.run_id not in new])


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


def _conflicts(connection: Connection, results: Sequence[RunResult]) -> list[str]:
    """Return a message for each result that is already stored with another fingerprint."""
    if not results:
        return []
    wanted = [result.scenario.run_id for result in results]
    query = select(runs.c.run_id, runs.c.fingerprint)
    rows = connection.execute(query.where(among(connection, runs.c.run_id, wanted)))
    stored = {row.run_id: row.fingerprint for row in rows}
    return [
        f"run {result.scenario.run_id} is stored with fingerprint "
        f"{stored[result.scenario.run_id]}, and now came out with {result.fingerprint}: "
        f"model {_engine.MODEL} gave two answers; the stored one is kept"
        for result in results
        if stored[result.scenario.run_id] != result.fingerprint
    ]
