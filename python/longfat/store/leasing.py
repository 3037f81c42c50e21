"""Leases of runs, by which several processes share one study.

A lease is a row whose primary key is the run, so that the database grants it to one process only;
nothing is locked during a simulation. Storing a run and ending its lease is one transaction
(`Store.write`): a process that gets the lease later sees the run.
"""

import itertools
from collections.abc import Collection, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, insert, select, update

from longfat.store.dialects import among, insert_new
from longfat.store.rows import moment_text
from longfat.store.schema import DONE, leases, runs, workers
from longfat.store.worker import Watch, Worker


@dataclass(frozen=True)
class Leased:
    """Requested runs that this process has leased, and those that have ended.

    Other processes have leased the rest.
    """

    mine: list[str]
    ended: list[str]


def lease(
    connection: Connection,
    worker: Worker,
    watch: Watch,
    run_ids: Sequence[str],
    count: int,
    retried: Set[str],
) -> Leased:
    """Lease up to `count` of the runs, in order; runs after these are not examined.

    Leases of dead workers are void. A run that failed counts as ended unless it is in `retried`.
    """
    _bury(connection, watch, worker)
    held = set(connection.execute(select(leases.c.run_id)).scalars())
    free = (run_id for run_id in run_ids if run_id not in held)
    leased = Leased([], [])
    while wanted := list(itertools.islice(free, count - len(leased.mine))):
        rows = [{"run_id": run_id, "worker": worker.name} for run_id in wanted]
        won = insert_new(connection, leases, rows)
        # Checked after leasing: the previous holder released the lease as the run became visible.
        ended = _ended(connection, won, retried)
        end_leases(connection, ended)
        leased.mine.extend(run_id for run_id in wanted if run_id in won - ended)
        leased.ended.extend(run_id for run_id in wanted if run_id in ended)
    return leased


def _ended(connection: Connection, run_ids: Set[str], retried: Set[str]) -> set[str]:
    statuses = select(runs.c.run_id, runs.c.status)
    rows = connection.execute(statuses.where(among(connection, runs.c.run_id, run_ids)))
    return {row.run_id for row in rows if row.status == DONE or row.run_id not in retried}


def end_leases(connection: Connection, run_ids: Collection[str]) -> None:
    """End the leases on runs, of any worker."""
    if run_ids:
        connection.execute(delete(leases).where(among(connection, leases.c.run_id, run_ids)))


def beat(connection: Connection, worker: Worker) -> None:
    """Write a worker's heartbeat; insert it again if it was removed as dead."""
    heard_at = moment_text(datetime.now(UTC))
    alive = update(workers).where(workers.c.worker == worker.name)
    known = connection.execute(alive.values(beat=workers.c.beat + 1, heard_at=heard_at))
    if known.rowcount == 0:
        row = {"worker": worker.name, "place": worker.place, "pid": worker.pid}
        of_process = {"born": worker.born, "jobs": worker.jobs}
        written = {**row, **of_process, "beat": 0, "heard_at": heard_at}
        connection.execute(insert(workers), written)


def retire(connection: Connection, worker: Worker) -> None:
    """Remove a worker and all its leases."""
    connection.execute(delete(workers).where(workers.c.worker == worker.name))


def _bury(connection: Connection, watch: Watch, own: Worker) -> None:
    """Remove dead workers with their leases, but never `own`."""
    others = select(workers).where(workers.c.worker != own.name)
    rows = connection.execute(others.order_by(workers.c.worker)).all()
    silent = watch.silent({row.worker: row.beat for row in rows})
    for row in rows:
        if row.worker in silent or Worker(row.worker, row.place, row.pid, row.born).is_gone():
            # Not if its heartbeat has changed meanwhile.
            last = (workers.c.worker == row.worker) & (workers.c.beat == row.beat)
            connection.execute(delete(workers).where(last))
