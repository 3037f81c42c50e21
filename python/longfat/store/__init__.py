"""The store of runs with their metrics, flows, ports and provenance, in SQLite or PostgreSQL."""

import json
from collections import Counter
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Self

from sqlalchemy import ColumnElement, Connection, Engine, Table, func, select, true
from sqlalchemy.exc import DBAPIError

from longfat import _engine
from longfat.base.errors import CheckFailed, LongfatError, StoreGone
from longfat.scenarios.scenario import SeriesKey
from longfat.store import totals
from longfat.store.backend import Backend, damaged, empty_store, in_words
from longfat.store.checked import checked_parts, refuse_damaged, refuse_other_scenario
from longfat.store.databases import store_at
from longfat.store.dialects import among, listed, picked, snapshot, without_index
from longfat.store.leasing import Leased, beat, end_leases, lease, retire
from longfat.store.rows import (
    STORED_RUN,
    RunResult,
    StoredRun,
    moment_text,
    stored_run,
)
from longfat.store.schema import (
    DONE,
    FAILED,
    completions,
    flows,
    leases,
    ports,
    runs,
    series,
    workers,
)
from longfat.store.worker import Watch, Worker
from longfat.store.writing import insert_results

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
        found: dict[SeriesKey, dict[int, str]] = {}
        with self._reading() as connection:
            numbers = listed(connection, runs.c.replication).label("numbers")
            for row in self._totalled(connection, scenario_hashes, None, numbers):
                of_series = found.setdefault((row.scenario_hash, row.seed), {})
                of_series.update(dict.fromkeys(json.loads(row.numbers), row.status))
        return found

    def metrics(
        self, scenario_hashes: Set[str], names: Sequence[str] = ()
    ) -> dict[SeriesKey, dict[int, dict[str, float]]]:
        """Return the metrics, all or those named, of all runs of these scenarios that are done."""
        with self._reading() as connection:
            refuse_damaged(connection, self.name, _of_scenarios(connection, scenario_hashes))
            numbers = listed(connection, runs.c.replication).label("numbers")
            found = listed(connection, picked(connection, runs.c.metrics, names)).label("found")
            rows = self._totalled(connection, scenario_hashes, DONE, numbers, found)
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
        with self._reading() as connection:
            wanted = among(connection, runs.c.run_id, run_ids)
            refuse_damaged(connection, self.name, wanted)
            found = checked_parts(connection, self.name, wanted, completions)
            return {run["run_id"]: _by_name(parts) for run, parts in found if parts}

    def completions_of(
        self, scenario_hashes: Set[str]
    ) -> dict[SeriesKey, dict[int, dict[str, dict[str, Any]]]]:
        """Return the completions of all runs of these scenarios that are done, by replication."""
        of_runs: dict[SeriesKey, dict[int, dict[str, dict[str, Any]]]] = {}
        with self._reading() as connection:
            self._totalled(connection, scenario_hashes, DONE)
            done = _of_scenarios(connection, scenario_hashes) & (runs.c.status == DONE)
            refuse_damaged(connection, self.name, done)
            for run, parts in checked_parts(connection, self.name, done, completions):
                if parts:
                    of_series = of_runs.setdefault((run["scenario_hash"], run["seed"]), {})
                    of_series[run["replication"]] = _by_name(parts)
        return of_runs

    def failures(self, run_ids: Sequence[str]) -> dict[str, str]:
        """Return the failure message of each of the runs that failed."""
        query = select(runs.c.run_id, runs.c.failure)
        with self._reading() as connection:
            failed = (runs.c.status == FAILED) & among(connection, runs.c.run_id, run_ids)
            refuse_damaged(connection, self.name, failed)
            return {row.run_id: row.failure for row in connection.execute(query.where(failed))}

    def stored_runs(self, run_ids: Sequence[str]) -> list[StoredRun]:
        """Return the runs with these ids, which have ended, ordered by id."""
        with self._reading() as connection:
            wanted = among(connection, runs.c.run_id, run_ids)
            refuse_damaged(connection, self.name, wanted)
            rows = connection.execute(STORED_RUN.where(wanted)).mappings().all()
        if unfound := set(run_ids) - {row["run_id"] for row in rows}:
            raise damaged(self.name, f"run {min(unfound)} is not found under its id")
        found = [refuse_other_scenario(self.name, stored_run(row)) for row in rows]
        return sorted(found, key=lambda run: run.run_id)

    def span(self, run_ids: Sequence[str]) -> tuple[str, str]:
        """Return when the first of these runs started and the last ended: UTC, ISO 8601."""
        query = select(func.min(runs.c.started_at), func.max(runs.c.ended_at))
        with self._reading() as connection:
            wanted = among(connection, runs.c.run_id, run_ids)
            refuse_damaged(connection, self.name, wanted)
            started, ended = connection.execute(query.where(wanted)).one()
        return str(started), str(ended)

    def cheapest_of_other_builds(self, scenario_hashes: Set[str]) -> list[StoredRun]:
        """Return the fastest run of these scenarios by each other build of this model."""
        own = runs.c.model == _engine.MODEL
        builds = select(runs.c.build).where(own).distinct()
        cheapest = select(runs.c.run_id).order_by(runs.c.wall_seconds, runs.c.run_id).limit(1)
        found: list[str] = []
        with self._reading() as connection:
            done = _of_scenarios(connection, scenario_hashes) & (runs.c.status == DONE)
            for build in set(connection.execute(builds).scalars()) - {_engine.ENGINE_BUILD}:
                of_build = done & runs.c.build.is_not_distinct_from(build)
                found += connection.execute(cheapest.where(of_build)).scalars()
        return self.stored_runs(found)

    def other_models(self, scenario_hashes: Set[str]) -> dict[str, int]:
        """Return the number of runs of these scenarios by engines of other models, by engine."""
        query = select(runs.c.engine, func.count().label("number")).group_by(runs.c.engine)
        with self._reading() as connection:
            planned = among(connection, runs.c.scenario_hash, scenario_hashes)
            others = (runs.c.model != _engine.MODEL) & planned
            refuse_damaged(connection, self.name, others)
            return {row.engine: row.number for row in connection.execute(query.where(others))}

    def find(self, beginning: str) -> StoredRun:
        """Return the run whose id has this prefix.

        Raises `LongfatError` if there is none, or more than one.
        """
        matches = runs.c.run_id.startswith(beginning.lower(), autoescape=True)
        query = select(runs.c.run_id).where(matches).order_by(runs.c.run_id).limit(2)
        with self._reading() as connection:
            found = connection.execute(query).scalars().all()
            # An index may be damaged: what is not found by one is looked for in the table.
            if not found and connection.execute(without_index(query, runs)).first():
                raise damaged(self.name, f"a run {beginning!r}... is not found under its id")
        if not found or not beginning:
            missing = "no such store, so " if self.is_new else ""
            problem = (
                f"no run is stored whose id begins with {beginning!r}; "
                "longfat study plan STUDY --runs lists the ids of a study"
            )
            raise LongfatError(f"{self.name}: {missing}{problem}")
        if len(found) > 1:
            raise LongfatError(
                f"{self.name}: several runs begin with {beginning!r}, such as {found[0]} "
                f"and {found[1]}; give more of the id"
            )
        return self.stored_runs(found)[0]

    def parts(self, run_id: str) -> dict[str, list[dict[str, Any]]]:
        """Return the `flows` and `ports` of a run, as in its record."""
        found: dict[str, list[dict[str, Any]]] = {}
        with self._reading() as connection:
            wanted = runs.c.run_id == run_id
            refuse_damaged(connection, self.name, wanted)
            for table in (flows, ports):
                of_run = checked_parts(connection, self.name, wanted, table)
                found[table.name] = [part for _, parts in of_run for part in parts]
        return found

    def running(self, run_ids: Set[str]) -> int:
        """Return how many of the runs are being simulated by processes with a recent heartbeat.

        A process also leases runs that still wait for one of its threads; these do not count.
        """
        earliest = moment_text(datetime.now(UTC) - SILENCE)
        query = select(leases.c.run_id, workers.c.worker, workers.c.jobs).join(workers)
        with self._reading() as connection:
            rows = connection.execute(query.where(workers.c.heard_at >= earliest)).all()
        leased = Counter((row.worker, row.jobs) for row in rows if row.run_id in run_ids)
        return sum(min(jobs, count) for (_, jobs), count in leased.items())

    def mean_wall_seconds(self) -> dict[str, float]:
        """Return the mean wall time in seconds of the stored runs, by scenario hash."""
        sums: dict[str, Counter[str]] = {}
        with self._reading() as connection:
            for row in self._totalled(connection, None, DONE):
                of_scenario = sums.setdefault(row.scenario_hash, Counter())
                of_scenario.update(runs=row.runs, microseconds=row.wall_microseconds)
        return {key: found["microseconds"] / found["runs"] / 1e6 for key, found in sums.items()}

    def health(self) -> dict[str, Any]:
        """Return the number of runs by status, and the database's own integrity check."""
        with self._reading() as connection:
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
        with self._writing() as connection:
            beat(connection, self._worker)
            return lease(connection, self._worker, self._watch, run_ids, count, retried)

    def write(self, results: Sequence[RunResult]) -> None:
        """Store finished runs and a heartbeat of this process in one transaction.

        Replaces a run that failed before, never one that is done. Raises `CheckFailed`, after
        storing all others, if a run that is done has another fingerprint now.
        """
        with self._writing() as connection:
            beat(connection, self._worker)
            conflicts = insert_results(connection, results).conflicts
            end_leases(connection, [result.scenario.run_id for result in results])
        if conflicts:
            raise CheckFailed("\n".join(f"{self.name}: {conflict}" for conflict in conflicts))

    def confirm(self) -> None:
        """Raise `StoreGone` if the store is no longer where it was opened."""
        self._backend.refuse_gone()

    def release(self) -> None:
        """Release the leases on runs that were not written."""
        with self._writing() as connection:
            retire(connection, self._worker)

    def _totalled(
        self,
        connection: Connection,
        scenario_hashes: Set[str] | None,
        status: str | None,
        *columns: ColumnElement[Any],
    ) -> Sequence[Any]:
        """Return `columns` and the totals of each series of these scenarios, or of all, by status.

        Raises `LongfatError` if the totals are not those that were written.
        """
        keys = [runs.c[key] for key in totals.KEYS[1:]]
        query = select(*keys, *columns, *totals.OF_RUNS).group_by(*keys)
        conditions = [
            _of_scenarios(connection, scenario_hashes, table)
            & (true() if status is None else table.c.status == status)
            for table in (runs, series)
        ]
        rows = connection.execute(query.where(conditions[0])).all()
        totals.refuse_others(connection, self.name, rows, conditions[1])
        return rows

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Open a transaction that sees one state of the store, which is still where it was."""
        with self._clear_errors():
            self._backend.refuse_gone()
            with snapshot(self._engine.connect()) as connection:
                yield connection

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Open a transaction. Raises `StoreGone` if it was committed to a store that is gone."""
        with self._clear_errors():
            with self._engine.begin() as connection:
                yield connection
            self._backend.refuse_gone()

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except (DBAPIError, UnicodeDecodeError) as error:
            self._backend.refuse_gone()  # the cause, if so
            said = in_words(self.name, error)
            if not self._backend.is_gone(error):
                raise said from error
            raise StoreGone(
                f"{said}. The store was dropped while it was open, or its server has ended. Runs "
                "that ended since are not stored; without the store the same command begins a new "
                "one, if the database exists"
            ) from error


def _of_scenarios(
    connection: Connection, scenario_hashes: Set[str] | None, table: Table = runs
) -> ColumnElement[bool]:
    """Return the condition that selects these scenarios, or all, with engines of this model."""
    own = table.c.model == _engine.MODEL
    if scenario_hashes is None:
        return own
    return own & among(connection, table.c.scenario_hash, scenario_hashes)


def _by_name(parts: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {part.pop("name"): part for part in parts}


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
