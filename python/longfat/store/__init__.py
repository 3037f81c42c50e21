"""The store: every run with its metrics, flows, ports and provenance, in one SQLite file."""

import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

from sqlalchemy import Column, Connection, Engine, delete, func, insert, inspect, select

from longfat import _engine
from longfat.errors import CheckFailed, LongfatError
from longfat.execution import Record
from longfat.scenario import Scenario
from longfat.store.connection import clear_errors, open_for_reading, open_for_writing, store_path
from longfat.store.schema import DONE, FAILED, completions, flows, ports, running, runs

SILENCE = timedelta(seconds=10)
"""A process that has not been heard of for so long runs nothing any more."""

IDS_PER_QUERY = 1000
"""Well below the number of variables that any SQLite allows in a statement."""


@dataclass(frozen=True)
class StoredRun:
    """A run as the store has it."""

    run_id: str
    engine: str
    scenario: Scenario


@dataclass(frozen=True)
class RunResult:
    """A run that ended: with a record, or with the message of its failure."""

    scenario: Scenario
    started: datetime
    ended: datetime
    record: Record | None
    failure: str | None


class Store:
    """An open store; a context manager. Every method raises `LongfatError` when SQLite fails."""

    def __init__(self, path: Path, engine: Engine) -> None:
        self.path = path
        self._engine = engine
        self._process = f"{platform.node()}:{os.getpid()}"

    @classmethod
    def writable(cls, location: str) -> Self:
        """Open a store given as PATH or sqlite:///PATH, creating it when it does not exist.

        Raises `LongfatError` for a file that is no store, or one of another schema version.
        """
        path = store_path(location)
        return cls(path, open_for_writing(path))

    @classmethod
    def readable(cls, location: str) -> Self:
        """Open a store without ever changing it; one that does not exist yet reads as empty.

        Raises `LongfatError` as `writable` does.
        """
        path = store_path(location)
        return cls(path, open_for_reading(path))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._engine.dispose()

    def statuses(self, run_ids: Sequence[str]) -> dict[str, str]:
        """The status (`DONE` or `FAILED`) of those of the runs that ended."""
        return self._of_runs(runs.c.status, run_ids, (DONE, FAILED))

    def metrics(self, run_ids: Sequence[str]) -> dict[str, dict[str, float]]:
        """The metrics of those of the runs that are done."""
        return self._of_runs(runs.c.metrics, run_ids, (DONE,))

    def completions(self, run_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
        """What was asked for in those of the runs where applications ask, by run id and name.

        For each kind of thing (`"class 0"`, `"page"`): how many were `asked` for and `delivered`,
        and their `times`, which `longfat.histogram.Histogram.of` reads.
        """
        query = select(completions.c.run_id, completions.c.name, completions.c.measures)
        found: dict[str, dict[str, Any]] = {}
        with clear_errors(self.path), self._engine.connect() as connection:
            if not inspect(connection).has_table(completions.name):
                return found
            for ids in _portions(run_ids):
                for row in connection.execute(query.where(completions.c.run_id.in_(ids))):
                    found.setdefault(row.run_id, {})[row.name] = row.measures
        return found

    def failures(self, run_ids: Sequence[str]) -> dict[str, str]:
        """The failure messages of those of the runs that failed."""
        return self._of_runs(runs.c.failure, run_ids, (FAILED,))

    def find(self, beginning: str) -> StoredRun:
        """The one run whose id begins so.

        Raises `LongfatError` when there is none, or more than one.
        """
        query = (
            select(runs.c.run_id, runs.c.engine, runs.c.scenario)
            .where(runs.c.run_id.startswith(beginning.lower(), autoescape=True))
            .order_by(runs.c.run_id)
            .limit(2)
        )
        with clear_errors(self.path), self._engine.connect() as connection:
            found = connection.execute(query).all()
        if not found or not beginning:
            raise LongfatError(f"{self.path}: no run is stored whose id begins with {beginning!r}")
        if len(found) > 1:
            raise LongfatError(
                f"{self.path}: several runs begin with {beginning!r}, such as {found[0].run_id} "
                f"and {found[1].run_id}; give more of the id"
            )
        return StoredRun(found[0].run_id, found[0].engine, Scenario(found[0].scenario))

    def running(self) -> set[str]:
        """The ids of the runs that some process has said, a moment ago, to be working on."""
        earliest = _text(datetime.now(UTC) - SILENCE)
        query = select(running.c.run_id).where(running.c.heard_at >= earliest)
        with clear_errors(self.path), self._engine.connect() as connection:
            return set(connection.execute(query).scalars())

    def mean_wall_seconds(self) -> dict[str, float]:
        """The mean duration of the stored runs of each scenario, by scenario hash."""
        query = (
            select(runs.c.scenario_hash, func.avg(runs.c.wall_seconds).label("mean"))
            .where(runs.c.status == DONE)
            .group_by(runs.c.scenario_hash)
        )
        with clear_errors(self.path), self._engine.connect() as connection:
            return {row.scenario_hash: row.mean for row in connection.execute(query)}

    def health(self) -> dict[str, Any]:
        """How many runs ended in which way, and what SQLite says of the file (`ok` when sound)."""
        with clear_errors(self.path), self._engine.connect() as connection:
            counts = connection.execute(
                select(runs.c.status, func.count().label("number")).group_by(runs.c.status)
            )
            ended = {row.status: row.number for row in counts}
            sound = connection.exec_driver_sql("PRAGMA quick_check").scalars().all()
        return {
            DONE: ended.get(DONE, 0),
            FAILED: ended.get(FAILED, 0),
            "quick_check": "; ".join(sound),
        }

    def write(self, results: Sequence[RunResult], in_progress: Sequence[str]) -> None:
        """Keep finished runs, and note which are in progress, in one transaction.

        A run that failed before is replaced, one that is done is never. Raises `CheckFailed`,
        after keeping all others, when a run that is done comes back with another fingerprint.
        """
        with clear_errors(self.path), self._engine.begin() as connection:
            conflicts = _insert(connection, results)
            self._say(connection, in_progress)
        if conflicts:
            raise CheckFailed("\n".join(f"{self.path}: {conflict}" for conflict in conflicts))

    def _of_runs(
        self, column: Column[Any], run_ids: Sequence[str], statuses: Sequence[str]
    ) -> dict[str, Any]:
        """A column of those of the runs that have one of the statuses, by run id."""
        query = select(runs.c.run_id, column.label("value")).where(runs.c.status.in_(statuses))
        with clear_errors(self.path), self._engine.connect() as connection:
            return {
                row.run_id: row.value
                for ids in _portions(run_ids)
                for row in connection.execute(query.where(runs.c.run_id.in_(ids)))
            }

    def _say(self, connection: Connection, in_progress: Sequence[str]) -> None:
        connection.execute(delete(running).where(running.c.process == self._process))
        now = _text(datetime.now(UTC))
        rows = [
            {"run_id": run_id, "process": self._process, "heard_at": now} for run_id in in_progress
        ]
        if rows:
            connection.execute(insert(running), rows)


def _insert(connection: Connection, results: Sequence[RunResult]) -> list[str]:
    """Insert what is new and return a message for each run that contradicts a stored one."""
    stored = {
        row.run_id: row
        for ids in _portions([result.scenario.run_id for result in results])
        for row in connection.execute(
            select(runs.c.run_id, runs.c.status, runs.c.fingerprint).where(runs.c.run_id.in_(ids))
        )
    }
    conflicts = []
    new: list[RunResult] = []
    for result in results:
        known = stored.get(result.scenario.run_id)
        if known is None or known.status == FAILED:
            new.append(result)
        elif _fingerprint(result) != known.fingerprint:
            conflicts.append(
                f"run {result.scenario.run_id} is stored with fingerprint {known.fingerprint}, "
                f"and now came out with {_fingerprint(result)}: "
                "the same engine version gave two answers; the stored one is kept"
            )
    replaced = [result.scenario.run_id for result in new if result.scenario.run_id in stored]
    if replaced:
        connection.execute(delete(runs).where(runs.c.run_id.in_(replaced)))
    for table, rows in (
        (runs, [_run_row(result) for result in new]),
        (flows, [row for result in new for row in _part_rows(result, "flows", "flavor")]),
        (ports, [row for result in new for row in _part_rows(result, "ports", "policy")]),
        (completions, [row for result in new for row in _part_rows(result, "completions")]),
    ):
        if rows:
            connection.execute(insert(table), rows)
    return conflicts


def _run_row(result: RunResult) -> dict[str, Any]:
    record: Mapping[str, Any] = result.record or {}
    scenario = result.scenario
    return {
        "run_id": scenario.run_id,
        "scenario_hash": scenario.hash,
        "seed": scenario.settings["seed"],
        "replication": scenario.settings["replication"],
        "engine": _engine.ENGINE_VERSION,
        "status": FAILED if result.record is None else DONE,
        "failure": result.failure,
        "fingerprint": record.get("fingerprint"),
        "started_at": _text(result.started),
        "ended_at": _text(result.ended),
        "wall_seconds": (result.ended - result.started).total_seconds(),
        "events": record.get("work", {}).get("events"),
        "scenario": scenario.resolved,
        "metrics": record.get("metrics"),
        "work": record.get("work"),
    }


def _part_rows(result: RunResult, part: str, *kinds: str) -> Iterator[dict[str, Any]]:
    own = ("name", *kinds)
    for position, measures in enumerate((result.record or {}).get(part, ())):
        yield {
            "run_id": result.scenario.run_id,
            "position": position,
            **{column: measures[column] for column in own},
            "measures": {name: value for name, value in measures.items() if name not in own},
        }


def _fingerprint(result: RunResult) -> str:
    return f"failure {result.failure!r}" if result.record is None else result.record["fingerprint"]


def _portions(run_ids: Sequence[str]) -> Iterator[Sequence[str]]:
    for start in range(0, len(run_ids), IDS_PER_QUERY):
        yield run_ids[start : start + IDS_PER_QUERY]


def _text(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
