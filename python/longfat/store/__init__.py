"""The store of runs with their metrics, flows, ports and provenance, in SQLite or PostgreSQL."""

import json
from collections import Counter
from collections.abc import Sequence, Set
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Engine, delete, func, insert, select

from longfat import _engine
from longfat.base.errors import CheckFailed, LongfatError
from longfat.scenarios.scenario import SeriesKey
from longfat.store.backend import Backend, clear_errors, empty_store
from longfat.store.databases import store_at
from longfat.store.dialects import among, insert_new, listed, picked
from longfat.store.leasing import Leased, beat, end_leases, lease, retire
from longfat.store.rows import (
    STORED_RUN,
    RunResult,
    StoredRun,
    moment_text,
    part_rows,
    run_row,
    stored_run,
)
from longfat.store.schema import DONE, FAILED, completions, flows, leases, ports, runs, workers
from longfat.store.worker import Watch, Worker

__all__ = ["Leased", "RunResult", "Store", "StoredRun"]

SILENCE = timedelta(seconds=10)
"""Age of a heartbeat from which `Store.running` no longer counts a process."""


class Store:
    """An open store; a context manager.

    Every method raises `LongfatError` if the database fails.
    """

    def __init__(self, backend: Backend, engine: Engine | None) -> None:
        self.name = backend.name
        self.is_new = engine is None
        self._backend = backend
        self._engine = empty_store() if engine is None else engine
        self._worker = Worker.here()
        self._watch = Watch()

    @classmethod
    def writable(cls, location: str) -> Self:
        """Open a store at a PATH or URL for writing; create it if it does not exist.

        Raises `LongfatError` for anything that is no store, or one of another schema version.
        """
        backend = store_at(location)
        return cls(backend, backend.open_for_writing())

    @classmethod
    def readable(cls, location: str) -> Self:
        """Open a store read-only; one that does not exist reads as empty.

        Raises `LongfatError` as `writable` does.
        """
        backend = store_at(location)
        return cls(backend, backend.open_for_reading())

    @classmethod
    def existing(cls, location: str) -> Self:
        """Open a store as `readable` does. Also raises `LongfatError` if it does not exist."""
        opened = cls.readable(location)
        if opened.is_new:
            raise LongfatError(f"{opened.name}: no such store")
        return opened

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def statuses(self, scenario_hashes: Set[str]) -> dict[SeriesKey, dict[int, str]]:
        """Return the status (`DONE` or `FAILED`) of all ended runs of these scenarios."""
        columns = (runs.c.scenario_hash, runs.c.seed, runs.c.status)
        found: dict[SeriesKey, dict[int, str]] = {}
        with clear_errors(self.name), self._engine.connect() as connection:
            numbers = listed(connection, runs.c.replication).label("numbers")
            query = select(*columns, numbers).group_by(*columns)
            for row in connection.execute(query.where(_of_scenarios(connection, scenario_hashes))):
                of_series = found.setdefault((row.scenario_hash, row.seed), {})
                of_series.update(dict.fromkeys(json.loads(row.numbers), row.status))
        return found

    def metrics(
        self, scenario_hashes: Set[str], names: Sequence[str] = ()
    ) -> dict[SeriesKey, dict[int, dict[str, float]]]:
        """Return the metrics, all or those named, of all runs of these scenarios that are done."""
        series = (runs.c.scenario_hash, runs.c.seed)
        with clear_errors(self.name), self._engine.connect() as connection:
            numbers = listed(connection, runs.c.replication).label("numbers")
            found = listed(connection, picked(connection, runs.c.metrics, names)).label("found")
            query = select(*series, numbers, found).group_by(*series)
            done = _of_scenarios(connection, scenario_hashes) & (runs.c.status == DONE)
            rows = connection.execute(query.where(done)).all()
        return {
            (row.scenario_hash, row.seed): dict(
                zip(json.loads(row.numbers), _metrics(names, row.found), strict=True)
            )
            for row in rows
        }

    def completions(self, run_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return the completions of runs with request traffic, by run id and kind of object.

        For each kind (`"class 0"`, `"page"`): how many objects were `asked` for and `delivered`,
        and their `times`, which `longfat.statistics.histogram.Histogram.of` reads.
        """
        query = select(completions.c.run_id, completions.c.name, completions.c.measures)
        found: dict[str, dict[str, Any]] = {}
        with clear_errors(self.name), self._engine.connect() as connection:
            wanted = query.where(among(connection, completions.c.run_id, run_ids))
            for row in connection.execute(wanted.order_by(completions.c.position)):
                found.setdefault(row.run_id, {})[row.name] = row.measures
        return found

    def completions_of(
        self, scenario_hashes: Set[str]
    ) -> dict[SeriesKey, dict[int, dict[str, dict[str, Any]]]]:
        """Return the completions of all runs of these scenarios that are done, by replication."""
        query = select(
            *(runs.c.scenario_hash, runs.c.seed, runs.c.replication),
            *(completions.c.name, completions.c.measures),
        ).join(completions, completions.c.run_id == runs.c.run_id)
        found: dict[SeriesKey, dict[int, dict[str, dict[str, Any]]]] = {}
        with clear_errors(self.name), self._engine.connect() as connection:
            done = _of_scenarios(connection, scenario_hashes) & (runs.c.status == DONE)
            for row in connection.execute(query.where(done)):
                of_series = found.setdefault((row.scenario_hash, row.seed), {})
                of_series.setdefault(row.replication, {})[row.name] = row.measures
        return found

    def failures(self, run_ids: Sequence[str]) -> dict[str, str]:
        """Return the failure message of each of the runs that failed."""
        query = select(runs.c.run_id, runs.c.failure).where(runs.c.status == FAILED)
        with clear_errors(self.name), self._engine.connect() as connection:
            rows = connection.execute(query.where(among(connection, runs.c.run_id, run_ids))).all()
            return {row.run_id: row.failure for row in rows}

    def stored_runs(self, run_ids: Sequence[str]) -> list[StoredRun]:
        """Return those of the runs that have ended, ordered by id."""
        with clear_errors(self.name), self._engine.connect() as connection:
            wanted = STORED_RUN.where(among(connection, runs.c.run_id, run_ids))
            rows = connection.execute(wanted).mappings().all()
        return sorted(map(stored_run, rows), key=lambda run: run.run_id)

    def cheapest_of_other_builds(self, scenario_hashes: Set[str]) -> list[StoredRun]:
        """Return the fastest run of these scenarios by each other build of this model."""
        own = runs.c.model == _engine.MODEL
        builds = select(runs.c.build).where(own).distinct()
        cheapest = select(runs.c.run_id).order_by(runs.c.wall_seconds, runs.c.run_id).limit(1)
        found: list[str] = []
        with clear_errors(self.name), self._engine.connect() as connection:
            done = _of_scenarios(connection, scenario_hashes) & (runs.c.status == DONE)
            for build in set(connection.execute(builds).scalars()) - {_engine.ENGINE_BUILD}:
                of_build = done & runs.c.build.is_not_distinct_from(build)
                found += connection.execute(cheapest.where(of_build)).scalars()
        return self.stored_runs(found)

    def other_models(self, scenario_hashes: Set[str]) -> dict[str, int]:
        """Return the number of runs of these scenarios by engines of other models, by engine."""
        others = runs.c.model != _engine.MODEL
        query = select(runs.c.engine, func.count().label("number")).group_by(runs.c.engine)
        with clear_errors(self.name), self._engine.connect() as connection:
            planned = among(connection, runs.c.scenario_hash, scenario_hashes)
            rows = connection.execute(query.where(others & planned))
            return {row.engine: row.number for row in rows}

    def find(self, beginning: str) -> StoredRun:
        """Return the run whose id has this prefix.

        Raises `LongfatError` if there is none, or more than one.
        """
        matches = runs.c.run_id.startswith(beginning.lower(), autoescape=True)
        query = STORED_RUN.where(matches).order_by(runs.c.run_id).limit(2)
        with clear_errors(self.name), self._engine.connect() as connection:
            found = [stored_run(row) for row in connection.execute(query).mappings()]
        if not found or not beginning:
            missing = "no such store, so " if self.is_new else ""
            problem = (
                f"no run is stored whose id begins with {beginning!r}; "
                "longfat study plan STUDY --runs lists the ids of a study"
            )
            raise LongfatError(f"{self.name}: {missing}{problem}")
        if len(found) > 1:
            raise LongfatError(
                f"{self.name}: several runs begin with {beginning!r}, such as {found[0].run_id} "
                f"and {found[1].run_id}; give more of the id"
            )
        return found[0]

    def parts(self, run_id: str) -> dict[str, list[dict[str, Any]]]:
        """Return the `flows` and `ports` of a run, as in its record."""
        found = {}
        with clear_errors(self.name), self._engine.connect() as connection:
            for table, kind in ((flows, "flavor"), (ports, "policy")):
                query = select(table).where(table.c.run_id == run_id).order_by(table.c.position)
                rows = connection.execute(query).mappings()
                found[table.name] = [
                    {"name": row["name"], kind: row[kind], **row["measures"]} for row in rows
                ]
        return found

    def running(self, run_ids: Set[str]) -> int:
        """Return how many of the runs are being simulated by processes with a recent heartbeat.

        A process also leases runs that still wait for one of its threads; these do not count.
        """
        earliest = moment_text(datetime.now(UTC) - SILENCE)
        query = select(leases.c.run_id, workers.c.worker, workers.c.jobs).join(workers)
        with clear_errors(self.name), self._engine.connect() as connection:
            rows = connection.execute(query.where(workers.c.heard_at >= earliest)).all()
        leased = Counter((row.worker, row.jobs) for row in rows if row.run_id in run_ids)
        return sum(min(jobs, count) for (_, jobs), count in leased.items())

    def mean_wall_seconds(self) -> dict[str, float]:
        """Return the mean wall time in seconds of the stored runs, by scenario hash."""
        query = (
            select(runs.c.scenario_hash, func.avg(runs.c.wall_seconds).label("mean"))
            .where(runs.c.model == _engine.MODEL, runs.c.status == DONE)
            .group_by(runs.c.scenario_hash)
        )
        with clear_errors(self.name), self._engine.connect() as connection:
            return {row.scenario_hash: row.mean for row in connection.execute(query)}

    def health(self) -> dict[str, Any]:
        """Return the number of runs by status, and the database's own integrity check."""
        with clear_errors(self.name), self._engine.connect() as connection:
            counts = connection.execute(
                select(runs.c.status, func.count().label("number")).group_by(runs.c.status)
            )
            ended = {row.status: row.number for row in counts}
            check = self._backend.check(connection)
        return {
            DONE: ended.get(DONE, 0),
            FAILED: ended.get(FAILED, 0),
            "check": check,
        }

    def work(self, jobs: int) -> None:
        """Record how many simulations this process runs at a time."""
        self._worker = replace(self._worker, jobs=jobs)

    def lease(self, run_ids: Sequence[str], count: int, retried: Set[str]) -> Leased:
        """Lease up to `count` of the runs, in order, that no other process has leased.

        Skips runs that are done, and those that failed unless they are in `retried`. A lease ends
        when its run is written, or after a lease's length without a heartbeat: call `write` at
        least every second, with an empty list if need be.
        """
        with clear_errors(self.name), self._engine.begin() as connection:
            beat(connection, self._worker)
            return lease(connection, self._worker, self._watch, run_ids, count, retried)

    def write(self, results: Sequence[RunResult]) -> None:
        """Store finished runs and a heartbeat of this process in one transaction.

        Replaces a run that failed before, never one that is done. Raises `CheckFailed`, after
        storing all others, if a run that is done has another fingerprint now.
        """
        with clear_errors(self.name), self._engine.begin() as connection:
            beat(connection, self._worker)
            conflicts = _insert(connection, results)
            end_leases(connection, [result.scenario.run_id for result in results])
        if conflicts:
            raise CheckFailed("\n".join(f"{self.name}: {conflict}" for conflict in conflicts))

    def release(self) -> None:
        """Release the leases on runs that were not written."""
        with clear_errors(self.name), self._engine.begin() as connection:
            retire(connection, self._worker)


def _of_scenarios(connection: Connection, scenario_hashes: Set[str]) -> ColumnElement[bool]:
    """Return the condition that selects the runs of these scenarios by engines of this model."""
    own = runs.c.model == _engine.MODEL
    return own & among(connection, runs.c.scenario_hash, scenario_hashes)


def _metrics(names: Sequence[str], found: str) -> list[dict[str, float]]:
    """Parse the metrics of runs from the JSON list of the lists that `picked` selects."""
    of_runs: list[Any] = json.loads(found)
    if not names:
        return of_runs
    named = [dict(zip(names, values, strict=False)) for values in of_runs]  # may be one longer
    if "null" not in found:  # the usual case, which saves time with many runs
        return named
    return [
        {name: value for name, value in metrics.items() if value is not None} for metrics in named
    ]


def _insert(connection: Connection, results: Sequence[RunResult]) -> list[str]:
    """Insert new runs; return a message for each run that contradicts a stored one."""
    run_ids = [result.scenario.run_id for result in results]
    failed = (runs.c.status == FAILED) & among(connection, runs.c.run_id, run_ids)
    connection.execute(delete(runs).where(failed))
    new = insert_new(connection, runs, [run_row(result) for result in results])
    kept = [result for result in results if result.scenario.run_id in new]
    for table, rows in (
        (flows, [row for result in kept for row in part_rows(result, "flows", "flavor")]),
        (ports, [row for result in kept for row in part_rows(result, "ports", "policy")]),
        (completions, [row for result in kept for row in part_rows(result, "completions")]),
    ):
        if rows:
            connection.execute(insert(table), rows)
    return _conflicts(
        connection, [result for result in results if result.scenario.run_id not in new]
    )


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
